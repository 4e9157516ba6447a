// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "confirmation_snapshot.h"

#include <cmath>

namespace batchpeak::training {

std::optional<double> ConfirmedSize::miscorrelation() const
{
    if (!achievedSamplesPerSecond || predictedSamplesPerSecond <= 0.0)
        return std::nullopt;
    return *achievedSamplesPerSecond / predictedSamplesPerSecond - 1.0;
}

bool ConfirmedSize::isDisturbed() const
{
    constexpr double mostApart = 0.03;
    return achievedSamplesPerSecond && meanSamplesPerSecond &&
           std::abs(*meanSamplesPerSecond / *achievedSamplesPerSecond - 1.0) > mostApart;
}

} // namespace batchpeak::training
