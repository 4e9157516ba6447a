// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "attention_masks.h"

#include "position_embeddings.h"

#include <ATen/ops/eye.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include <limits>

namespace batchpeak::network {

namespace {

constexpr double never = -std::numeric_limits<double>::infinity();

bool isBiased(const model::DecoderSpec& spec)
{
    return spec.positionEmbedding == model::PositionEmbedding::Alibi;
}

bool isCapped(const model::DecoderSpec& spec)
{
    return spec.attentionSoftCap > 0.0;
}

bool isCutByWindow(const model::DecoderSpec& spec, const NetworkOptions& options)
{
    return spec.attentionWindow > 0 && spec.attentionWindow < options.sequenceLength;
}

at::Tensor present(const at::Tensor& attentionMask, std::int64_t length)
{
    return attentionMask.view({-1, 1, 1, length});
}

/// true for a token itself and for those before it.
at::Tensor causal(std::int64_t length, at::Device device)
{
    return at::ones({length, length}, at::TensorOptions(device).dtype(at::kBool)).tril_();
}

at::Tensor scoresOf(const at::Tensor& attended, at::ScalarType type)
{
    return at::zeros(attended.sizes(), attended.options().dtype(type))
        .masked_fill_(attended.logical_not(), never);
}

} // namespace

std::vector<std::int64_t> AttentionMasks::bufferBytes(const model::DecoderSpec& spec,
                                                      const NetworkOptions& options)
{
    const auto element = static_cast<std::int64_t>(c10::elementSize(options.computeType));
    const std::int64_t pairs = options.sequenceLength * options.sequenceLength;
    std::vector<std::int64_t> bytes;
    if (isBiased(spec))
        bytes.push_back(spec.heads * pairs * element);
    else if (isCapped(spec))
        bytes.push_back(pairs * element);
    if (isCutByWindow(spec, options))
        bytes.push_back(pairs * (isCapped(spec) ? element : 1));
    return bytes;
}

AttentionMasks::AttentionMasks(const model::DecoderSpec& spec, const NetworkOptions& options)
    : m_window(spec.attentionWindow)
{
    const std::int64_t length = options.sequenceLength;
    if (isBiased(spec))
        m_scores = linearBiases(spec.heads, length, options.computeType, options.device);
    else if (isCapped(spec))
        m_scores = scoresOf(causal(length, options.device), options.computeType);
    if (!isCutByWindow(spec, options))
        return;
    m_withinWindow = causal(length, options.device).triu_(1 - m_window);
    if (isCapped(spec))
        m_withinWindow = scoresOf(m_withinWindow, options.computeType);
}

AttentionMasks::Masks AttentionMasks::of(const at::Tensor& attentionMask, std::int64_t length) const
{
    Masks masks{.all = unpadded(attentionMask, length)};
    const bool isCut = m_withinWindow.defined() && length > m_window;
    masks.windowed = isCut ? windowed(attentionMask, length) : masks.all;
    return masks;
}

at::Tensor AttentionMasks::unpadded(const at::Tensor& attentionMask, std::int64_t length) const
{
    at::Tensor scores;
    if (m_scores.defined())
        scores = m_scores.narrow(-2, 0, length).narrow(-1, 0, length);
    if (!attentionMask.defined())
        return scores;
    const at::Tensor isPresent = present(attentionMask, length);
    if (scores.defined())
        return scores.masked_fill(isPresent.logical_not(), never);
    return isPresent.logical_and(causal(length, isPresent.device()));
}

// A padded token attends to itself, since a window may hold padding alone, and scores of nothing at all would
// be no numbers.
at::Tensor AttentionMasks::windowed(const at::Tensor& attentionMask, std::int64_t length) const
{
    const at::Tensor within = m_withinWindow.narrow(0, 0, length).narrow(1, 0, length);
    if (!attentionMask.defined())
        return within;
    const at::Tensor isPresent = present(attentionMask, length);
    const at::Tensor kept = isPresent.logical_or(at::eye(length, isPresent.options()));
    if (within.scalar_type() == at::kBool)
        return kept.logical_and(within);
    return within.masked_fill(kept.logical_not(), never);
}

} // namespace batchpeak::network
