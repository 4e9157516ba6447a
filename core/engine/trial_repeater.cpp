// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "trial_repeater.h"

namespace batchpeak::engine {

namespace {

// A size that thrashes does so in calm as well.
bool isDisturbed(const search::Measurement& reading)
{
    return reading.ran() && reading.disturbed && !reading.thrashes;
}

} // namespace

bool TrialRepeater::trialEnded(const search::Measurement& reading, bool mayRepeat)
{
    ++m_ended;
    const bool wasRepeated = m_ended > mostRepetitions;
    // The few steps of an abandoned one were enough to tell that the size cannot win.
    if (isDisturbed(reading) && !reading.abandoned && mayRepeat && !wasRepeated && !hasLostPatience())
        return true;
    if (isDisturbed(reading))
        m_hopeless += wasRepeated ? 1 : 0;
    else if (!reading.saysNothing())
        m_hopeless = 0;
    m_ended = 0;
    return false;
}

} // namespace batchpeak::engine
