// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "console.h"
#include "workers/alike_devices.h"

#include <QMap>
#include <QString>
#include <QStringList>

#include <cstdint>
#include <optional>
#include <vector>

namespace batchpeak::cli {

/// What one exploration of several found.
struct FoundSize
{
    /// Name of its devices.
    QString devices;
    std::int64_t size = 0;
    double samplesPerSecond = 0.0;
    std::optional<double> relativeError = {};
    int confidence = 0;
    /// Samples/s of each size that ran.
    QMap<std::int64_t, double> speeds = {};
};

/// Several explorations that share devices: of several configs, on devices that are unlike, or both.
struct SeveralExplorations
{
    QStringList files;
    std::vector<engine::AlikeDevices> devices;
    /// Words of the command line that all of them have, but for their devices.
    QStringList words;
    /// Words that write the size into the config. Without them, whoever started the explorations writes it.
    QStringList outputWords;
    /// Slurm job in which they run; empty for none.
    QString job;
};

/// Runs explorations, each as a process of its own whose lines begin with what it explores.
///
/// The devices of a group are shared out evenly: as many explorations run at once as there are configs, but
/// no more than devices, and the next config takes the devices of one that has ended. Ctrl-C stops all of
/// them; what they measured is in the history. \param found  receives what each config's explorations found,
/// in the order of the files \return the exit code: that of the first one that failed, if one did
int exploreSeveral(const SeveralExplorations& several, Console& console,
                   std::vector<std::vector<FoundSize>>& found);

/// Returns the size that unlike devices can share: the smallest of those that were found.
std::int64_t sharedSize(const std::vector<FoundSize>& found);
/// Returns lines that say what each of the groups found, and what the shared size costs each.
QStringList foundLines(const QString& config, const std::vector<FoundSize>& found);

} // namespace batchpeak::cli
