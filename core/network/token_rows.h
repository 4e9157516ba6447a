// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "network.h"

#include <cstdint>
#include <span>

namespace batchpeak::network {

/// What the networks of tokens do alike with a row of training data.

/// Tokens of the row before its padding.
std::int64_t tokensIn(const SampleRow& row);

/// Copies tokens to where a network reads them: token 0 where there is none.
///
/// \param inputs  at least as many places; those behind stay as they are
void writeInputs(std::span<const std::int64_t> tokens, std::span<std::int64_t> inputs);

/// Copies tokens to where they are to be predicted: ignoredTarget where there is none, and behind.
///
/// \param targets  at least as many places
void writeTargets(std::span<const std::int64_t> tokens, std::span<std::int64_t> targets);

} // namespace batchpeak::network
