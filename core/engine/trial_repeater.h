// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trial_reading.h"

#include <optional>
#include <vector>

namespace batchpeak::engine {

/// Whether a trial that something disturbed is run once more, and which of the readings of it counts.
///
/// What disturbs a trial takes time from it, so that the fastest reading is the least disturbed; one that
/// nothing disturbed counts at once. Where a computer is never calm, repeating would only cost time: after
/// some trials in a row whose repetitions were all disturbed too, none is repeated any more. Who runs a
/// repetition, and when, belongs to others; one repeater follows one device.
class TrialRepeater
{
public:
    /// A disturbance that lasts longer than three trials will last for a fourth.
    static constexpr int mostRepetitions = 2;
    /// Nine disturbed trials in a row are no accident.
    static constexpr int mostHopelessTrials = 3;

    /// A trial, or its repetition, has ended.
    /// \param mayRepeat  whether there is room for one more trial
    /// \return the reading that counts; nothing where the trial is to be run once more
    std::optional<TrialReading> trialEnded(TrialReading reading, bool mayRepeat);
    /// A repetition does not come after all.
    /// \return the reading that counts instead; nothing where none was expected
    std::optional<TrialReading> giveUp();

    /// Which repetition the next trial will be: 0 where it repeats none.
    int repetition() const { return m_ended; }
    bool hasLostPatience() const { return m_hopeless >= mostHopelessTrials; }

private:
    TrialReading conclude(TrialReading reading);
    TrialReading leastDisturbed() const;

    /// Of the trial that is being repeated.
    std::vector<TrialReading> m_disturbed;
    int m_ended = 0;
    /// Trials in a row of which every repetition was disturbed.
    int m_hopeless = 0;
};

} // namespace batchpeak::engine
