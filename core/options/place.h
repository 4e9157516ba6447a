// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMap>
#include <QString>
#include <QStringList>

#include <string>

namespace batchpeak::engine {

/// Where workers are started, other than directly on this computer: what leads there.
///
/// It is only read and written here. How a worker is started there, and what a lost connection looks like, is
/// known to workers/place_launch.h.
struct Place
{
    enum class Kind { Prefix, Ssh, Slurm, Podman };

    Kind kind = Kind::Prefix;
    /// Host of ssh, partition of Slurm (empty: the default one), container of podman.
    QString target;
    /// Prefix of the worker's command; or options of ssh, of salloc and sbatch, of podman exec.
    QStringList words;

    /// Returns a short name for a place whose devices need one, such as the host; empty for a prefix.
    QString label() const;
    /// Whether it is one computer, which may have other files than this one.
    bool isComputer() const;
};

/// Reads "ssh:host", "slurm", "slurm:partition", "podman:container", each followed by options of that program
/// if there are any; the name of a saved place; or the prefix of a command, with or without "prefix " before
/// it.
/// \throws UsageError  if the text is none of these
Place placeFromText(const QString& text);

/// Returns the text as it was given, if placeFromText() reads it.
/// \throws UsageError  as placeFromText() does
QString checkedPlace(const std::string& text);

/// Returns the texts of saved places by their names.
QMap<QString, QString> savedPlaces();
/// Checks what savePlace() is to save.
/// \throws UsageError  if the name is not one word of letters, digits, '-', '_' and '.', or is a kind of
///         place; or if the text is not one of a place
void checkPlace(const QString& name, const QString& text);
/// Saves a place, or replaces the one of that name.
/// \throws UsageError  as checkPlace() does, or if it cannot be saved
void savePlace(const QString& name, const QString& text);
/// \return whether there was such a place
bool removePlace(const QString& name);

} // namespace batchpeak::engine
