// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "auto_halving.h"

#include <algorithm>

namespace batchpeak::accumulation {

namespace {

// Number of successive batches with retries that Composer treats as thrashing.
constexpr int stepsOfThrashing = 2;

} // namespace

AutoHalving::Verdict AutoHalving::recordOutOfMemory()
{
    if (m_size <= 1)
        return Verdict::NothingFits;
    halve();
    return Verdict::RetrySmaller;
}

AutoHalving::Verdict AutoHalving::recordStep(std::int64_t allocationRetries)
{
    m_thrashingInARow = allocationRetries > 0 ? m_thrashingInARow + 1 : 0;
    if (m_thrashingInARow < stepsOfThrashing || m_size <= 1)
        return Verdict::Continue;
    halve();
    return Verdict::ContinueSmaller;
}

void AutoHalving::halve()
{
    m_size = std::max<std::int64_t>(m_size / 2, 1);
    m_thrashingInARow = 0;
}

} // namespace batchpeak::accumulation
