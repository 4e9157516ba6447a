// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QVariant>

namespace batchpeak::ui {

/// The file that stores a user's settings of the windows. Each value is read when it is requested.
///
/// If something that must not be read to its end, such as a pipe or a device, is in its place, it is left
/// alone: settings then last only as long as the program.
class SettingsFile
{
public:
    /// Returns the path of the file, which need not exist. XDG Base Directory Specification 0.8.
    static QString path();
    /// Returns a sentence that says why the file is neither read nor written; empty if it is.
    static QString problem();

    static QVariant value(const QString& key, const QVariant& otherwise = {});
    static void setValue(const QString& key, const QVariant& value);
    static void remove(const QString& key);
};

} // namespace batchpeak::ui
