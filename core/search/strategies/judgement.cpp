// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "judgement.h"

#include "curve/interpolation.h"

#include <algorithm>

namespace batchpeak::search {

double Judgement::stepSecondsAt(std::int64_t size) const
{
    return sizes.empty() ? 0.0 : interpolatedSeconds(sizes, stepSeconds, size);
}

const Judgement::MeasuredSize* Judgement::find(std::int64_t size) const
{
    const auto place = std::ranges::lower_bound(measured, size, {}, &MeasuredSize::size);
    return place != measured.end() && place->size == size ? &*place : nullptr;
}

} // namespace batchpeak::search
