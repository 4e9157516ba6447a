// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/measurement.h"

namespace batchpeak::engine {

/// Whether a trial that something disturbed is run once more.
///
/// The search is told of every reading, the disturbed ones as such: which of them to believe is its business.
/// Where a computer is never calm, repeating would only cost time: after some trials in a row whose
/// repetitions were all disturbed too, none is repeated any more. Who runs a repetition, and when, belongs to
/// others; one repeater follows one device.
class TrialRepeater
{
public:
    /// A disturbance that lasts longer than three trials will last for a fourth.
    static constexpr int mostRepetitions = 2;
    /// Nine disturbed trials in a row are no accident.
    static constexpr int mostHopelessTrials = 3;

    /// A trial, or its repetition, has ended.
    /// \param mayRepeat  whether there is room for one more trial
    /// \return whether the trial is to be run once more
    bool trialEnded(const search::Measurement& reading, bool mayRepeat);
    /// A repetition does not come after all.
    void giveUp() { m_ended = 0; }

    /// Which repetition the next trial will be: 0 where it repeats none.
    int repetition() const { return m_ended; }
    bool hasLostPatience() const { return m_hopeless >= mostHopelessTrials; }

private:
    /// Readings of the trial that is being repeated.
    int m_ended = 0;
    /// Trials in a row of which every repetition was disturbed.
    int m_hopeless = 0;
};

} // namespace batchpeak::engine
