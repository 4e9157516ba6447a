// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "judgement.h"

#include <algorithm>

namespace batchpeak::search {

double Judgement::stepSecondsAt(std::int64_t size) const
{
    if (sizes.empty())
        return 0.0;
    const auto above = std::ranges::lower_bound(sizes, size);
    if (above == sizes.end())
        return stepSeconds.back() * static_cast<double>(size) / static_cast<double>(sizes.back());
    const auto index = static_cast<std::size_t>(above - sizes.begin());
    if (*above == size || index == 0)
        return stepSeconds[index];
    const auto low = static_cast<double>(sizes[index - 1]);
    const auto high = static_cast<double>(sizes[index]);
    const double share = (static_cast<double>(size) - low) / (high - low);
    return (1.0 - share) * stepSeconds[index - 1] + share * stepSeconds[index];
}

const Judgement::MeasuredSize* Judgement::find(std::int64_t size) const
{
    const auto place = std::ranges::lower_bound(measured, size, {}, &MeasuredSize::size);
    return place != measured.end() && place->size == size ? &*place : nullptr;
}

} // namespace batchpeak::search
