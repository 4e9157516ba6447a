// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/measurement.h"

#include <cstddef>
#include <deque>

namespace batchpeak::engine {

/// Whether a trial that something disturbed is run once more.
///
/// The search is told of every reading, the disturbed ones as such: which of them to believe is its business.
/// Where a computer is hardly ever calm, repeating would only cost time: while most of the last readings are
/// disturbed, none is repeated; nor is one that other programs disturbed by as much as it tells
/// (Measurement::contention), which the search takes into account.
/// Who runs a repetition, and when, belongs to others; one repeater follows one device.
class TrialRepeater
{
public:
    /// A disturbance that lasts longer than three trials will last for a fourth.
    static constexpr int maxRepetitions = 2;
    /// Readings that are looked back at, and fewer than that say nothing.
    static constexpr std::size_t lastReadings = 8;
    static constexpr std::size_t fewestReadings = 6;

    /// A trial, or its repetition, has ended.
    /// \param mayRepeat  whether there is room for one more trial
    /// \return whether the trial is to be run once more
    bool trialEnded(const search::Measurement& reading, bool mayRepeat);
    /// A repetition does not come after all.
    void giveUp() { m_ended = 0; }

    /// Which repetition the next trial will be: 0 where it repeats none.
    int repetition() const { return m_ended; }
    /// Most of the last readings are disturbed.
    bool hasLostPatience() const;

private:
    /// Readings of the trial that is being repeated.
    int m_ended = 0;
    /// Whether the last of those that ran were disturbed.
    std::deque<bool> m_last;
};

} // namespace batchpeak::engine
