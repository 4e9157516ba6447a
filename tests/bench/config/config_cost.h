// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <cstdint>
#include <string>

namespace batchpeak {

/// What it costs to open one config file and to put a size into it.
struct ConfigCost
{
    double seconds = 0;
    /// Of the processor alone, which other programs delay less.
    double processorSeconds = 0;
    /// The most main memory that a process had which did nothing else, in bytes.
    std::int64_t peakBytes = 0;
    /// Why the file was refused; empty where it was not.
    std::string refusal;
};

/// Opens \p path and writes a size into its text, by the way that the program takes.
ConfigCost costOf(const QString& path);

} // namespace batchpeak
