// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "trial_repeater.h"

#include <algorithm>
#include <utility>

namespace batchpeak::engine {

namespace {

// A size that thrashes does so in calm as well.
bool isDisturbed(const search::Measurement& measurement)
{
    return measurement.ran() && measurement.disturbed && !measurement.thrashes;
}

} // namespace

std::optional<TrialReading> TrialRepeater::trialEnded(TrialReading reading, bool mayRepeat)
{
    ++m_ended;
    if (!isDisturbed(reading.measurement)) {
        const bool saysNothing = reading.measurement.saysNothing();
        if (saysNothing && !m_disturbed.empty())
            return conclude(leastDisturbed());
        if (!saysNothing)
            m_hopeless = 0;
        return conclude(std::move(reading));
    }
    // Its few steps were enough to tell that the size cannot win.
    const bool isCutShort = reading.measurement.abandoned;
    m_disturbed.push_back(std::move(reading));
    const bool wasRepeated = m_ended > mostRepetitions;
    if (!isCutShort && mayRepeat && !wasRepeated && !hasLostPatience())
        return std::nullopt;
    m_hopeless += wasRepeated ? 1 : 0;
    return conclude(leastDisturbed());
}

std::optional<TrialReading> TrialRepeater::giveUp()
{
    if (m_disturbed.empty())
        return std::nullopt;
    return conclude(leastDisturbed());
}

TrialReading TrialRepeater::conclude(TrialReading reading)
{
    reading.measurement.discardedTrials = m_ended - 1;
    m_disturbed.clear();
    m_ended = 0;
    return reading;
}

TrialReading TrialRepeater::leastDisturbed() const
{
    return *std::ranges::min_element(
        m_disturbed, {}, [](const TrialReading& reading) { return reading.measurement.secondsPerStep; });
}

} // namespace batchpeak::engine
