// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "comparison.h"

#include "step_statistics.h"

namespace batchpeak::trial {

std::vector<double> typicalStepSecondsOf(std::span<const Visit> visits)
{
    std::vector<double> typical;
    for (const Visit& visit : visits)
        typical.push_back(typicalStepSeconds(visit.stepSeconds).value());
    return typical;
}

} // namespace batchpeak::trial
