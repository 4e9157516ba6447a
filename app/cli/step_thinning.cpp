// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "step_thinning.h"

namespace batchpeak::cli {

namespace {

constexpr std::int64_t allUpTo = 20;

} // namespace

bool deservesALine(std::int64_t number)
{
    if (number <= allUpTo)
        return true;
    std::int64_t powerOfTen = 100;
    while (number > powerOfTen)
        powerOfTen *= 10;
    return number % (powerOfTen / 20) == 0;
}

} // namespace batchpeak::cli
