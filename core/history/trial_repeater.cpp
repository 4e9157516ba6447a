// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "trial_repeater.h"

#include <algorithm>

namespace batchpeak::engine {

namespace {

// From this share on, a worker calls a trial disturbed by other programs (app/worker/processor_gate.cpp); a
// trial that reports less was disturbed by something else.
constexpr double disturbingContention = 0.1;

// A size that thrashes does so on an undisturbed computer too. If a trial reports what other programs took,
// the search knows by how much that lengthened its steps.
bool isDisturbed(const search::Measurement& reading)
{
    return reading.ran() && reading.disturbed && !reading.thrashes &&
           reading.contention < disturbingContention;
}

} // namespace

bool TrialRepeater::trialEnded(const search::Measurement& reading, bool mayRepeat)
{
    ++m_ended;
    if (reading.ran())
        m_last.push_back(isDisturbed(reading));
    if (m_last.size() > lastReadings)
        m_last.pop_front();
    // The few steps of an abandoned trial were enough to tell that its size cannot win.
    const bool isWanting = isDisturbed(reading) && !reading.abandoned;
    if (isWanting && mayRepeat && m_ended <= maxRepetitions && !hasLostPatience())
        return true;
    m_ended = 0;
    return false;
}

bool TrialRepeater::hasLostPatience() const
{
    const auto disturbed = static_cast<std::size_t>(std::ranges::count(m_last, true));
    return m_last.size() >= fewestReadings && 2 * disturbed > m_last.size();
}

} // namespace batchpeak::engine
