// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/measurement.h"

#include <cstddef>
#include <deque>

namespace batchpeak::engine {

/// Decides whether a disturbed trial is run once more.
///
/// The search is told of every reading, including whether it was disturbed, and decides which of them to
/// believe. On a computer that is almost always disturbed, repetitions would only cost time: while most of
/// the last readings are disturbed, none is repeated. A trial is not repeated either if it reports how much
/// other programs disturbed it (Measurement::contention), which the search takes into account.
/// Other classes decide when and where a repetition runs; one repeater follows one device.
class TrialRepeater
{
public:
    /// A disturbance that has lasted for three trials will last for a fourth.
    static constexpr int maxRepetitions = 2;
    /// Number of the last readings that are considered, and the minimum that allows a conclusion.
    static constexpr std::size_t lastReadings = 8;
    static constexpr std::size_t fewestReadings = 6;

    /// Handles the end of a trial or of its repetition.
    /// \param mayRepeat  whether there is room for one more trial
    /// \return whether the trial is to be run once more
    bool trialEnded(const search::Measurement& reading, bool mayRepeat);
    /// Gives up a repetition that does not come after all.
    void giveUp() { m_ended = 0; }

    /// Number of the repetition that the next trial will be; 0 if it is not a repetition.
    int repetition() const { return m_ended; }
    /// Whether most of the last readings are disturbed.
    bool hasLostPatience() const;

private:
    /// Number of readings of the trial that is being repeated.
    int m_ended = 0;
    /// For each of the last trials that ran, whether it was disturbed.
    std::deque<bool> m_last;
};

} // namespace batchpeak::engine
