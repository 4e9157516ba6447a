// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/model_spec.h"
#include "network.h"

#include <c10/core/Device.h>

#include <cstdint>
#include <span>

namespace batchpeak::network {

/// What masked-language pre-training predicts in its samples, and how it hides it.

/// Of all tokens, and of those the ones that the mask token stands for; the others stay or are replaced
/// (arXiv 1810.04805, section 3.1). Here the others stay.
inline constexpr double predictedShare = 0.15;
inline constexpr double maskedShareOfPredicted = 0.8;

/// In a sample of \p length tokens.
std::int64_t predictedTokens(std::int64_t length, const model::EncoderSpec& spec);
/// In all samples, whose padding is not predicted.
std::int64_t predictedTokens(std::span<const SampleRow> rows, const model::EncoderSpec& spec);
/// Of so many predicted ones.
std::int64_t maskedTokens(std::int64_t predicted);

/// The inputs and targets of EncoderNetwork. Which places are predicted, and whether the sentences follow
/// each other, comes from the key; token types are 0. Tokens hide behind the mask token whether or not the
/// network looks for it, since it would otherwise learn to copy its input.
///
/// \param length  tokens of each row
Batch encoderSamples(std::span<const SampleRow> rows, const model::EncoderSpec& spec, std::int64_t length,
                     at::Device device);

} // namespace batchpeak::network
