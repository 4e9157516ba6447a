// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/random_source.h"

#include <cmath>

/// Returns a uniformly distributed value between two bounds, for the generation of simulated devices.
inline double uniform(batchpeak::search::RandomSource& random, double low, double high)
{
    return low + (high - low) * random.uniform();
}

inline double logUniform(batchpeak::search::RandomSource& random, double low, double high)
{
    return low * std::pow(high / low, random.uniform());
}
