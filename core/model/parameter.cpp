// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "parameter.h"

#include <functional>
#include <numeric>

namespace batchpeak::model {

std::int64_t Parameter::elements() const
{
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

} // namespace batchpeak::model
