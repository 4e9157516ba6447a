// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cmath>

namespace batchpeak::search {

/// A probability as the confidence that a person reads: whole percent, 1..99, since neither certainty is
/// ever reached.
inline int confidencePercent(double probability)
{
    return static_cast<int>(std::clamp(std::round(100.0 * probability), 1.0, 99.0));
}

} // namespace batchpeak::search
