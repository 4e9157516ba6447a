// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/strategy.h"
#include "search_runner.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

/// What a search said of the time that it still needs, and what it took.
struct TimeLeft
{
    /// Since the start [s].
    double elapsed = 0.0;
    /// [s]
    double left = 0.0;
    batchpeak::search::Estimate said;

    /// Relative to the time that was left.
    double error() const;
    /// Relative to the whole search.
    double errorOfWhole() const;
    bool isInBand() const { return said.low <= left && left <= said.high; }
};

/// When this share of the search's own duration has passed: what was said after the latest trial, less the
/// time since then. Nothing where nothing was foretold yet.
std::optional<TimeLeft> timeLeftAt(const SearchRecord& record, double share);

/// Right after so many trials; nothing where the search had ended.
std::optional<TimeLeft> timeLeftAfter(const SearchRecord& record, int trials);

/// Searches that go on from where this one was after a third of its duration, on the same devices with other
/// chance: the times that they still take [s]. Empty where nothing was foretold by then.
std::vector<double> continuedSeconds(const SearchRecord& record, int continuations);

/// Relative errors of a forecaster who says the median of such times.
std::vector<double> errorsOfMedian(const std::vector<double>& seconds);

/// What the columns mean, and their names.
std::string timeLeftHeading();
/// \param floor  errorsOfMedian() of searches as these; a dash where there is none
std::string timeLeftRow(const std::string& name, std::span<const SearchRecord> searches,
                        const std::vector<double>& floor);
