// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <vector>

namespace batchpeak::search {

class RandomSource;

/// Indices of \p count draws from \p logWeights (up to a constant): evenly spaced positions, one uniform
/// shift (Kitagawa, Journal of Computational and Graphical Statistics 5, 1996). Ascending.
std::vector<std::size_t> resampleSystematically(std::span<const double> logWeights, int count,
                                                RandomSource& random);

} // namespace batchpeak::search
