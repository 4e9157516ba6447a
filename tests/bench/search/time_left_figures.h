// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/strategy.h"
#include "search_runner.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

/// A search's estimate of its remaining time, and the actual time.
struct TimeLeft
{
    /// Time since the start [s].
    double elapsed = 0.0;
    /// Actual remaining time [s].
    double left = 0.0;
    batchpeak::search::Estimate said;

    /// Error relative to the remaining time.
    double error() const;
    /// Error relative to the time of the whole search.
    double errorOfWhole() const;
    bool isInBand() const { return said.low <= left && left <= said.high; }
};

/// Returns the estimate at this share of the search's own duration: that after the latest trial, minus the
/// time since then. Nothing if there was no estimate yet.
std::optional<TimeLeft> timeLeftAt(const SearchRecord& record, double share);

/// Returns the estimate right after that many trials; nothing if the search had ended.
std::optional<TimeLeft> timeLeftAfter(const SearchRecord& record, int trials);

/// Continues the search from its state after a third of its duration, on the same devices with different
/// random numbers, and returns the times that the continuations take [s]. Empty if there was no estimate by
/// then.
std::vector<double> continuedSeconds(const SearchRecord& record, int continuations);

/// Returns the relative errors of a forecaster who states the median of such times.
std::vector<double> errorsOfMedian(const std::vector<double>& seconds);

/// Returns the meaning of the columns, and their names.
std::string timeLeftHeading();
/// \param floor  errorsOfMedian() of similar searches; a dash is printed if it is empty
std::string timeLeftRow(const std::string& name, std::span<const SearchRecord> searches,
                        const std::vector<double>& floor);
