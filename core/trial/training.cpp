// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training.h"

#include <algorithm>
#include <cmath>

namespace batchpeak::trial {

std::int64_t HeldOut::of(std::int64_t all) const
{
    if (samples > 0 || share <= 0.0)
        return samples;
    return std::max<std::int64_t>(1, std::llround(share * static_cast<double>(all)));
}

} // namespace batchpeak::trial
