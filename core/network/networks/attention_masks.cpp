// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "attention_masks.h"

#include "model/decoder_layer.h"
#include "position_embeddings.h"

#include <ATen/ops/arange.h>
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

/// Whether a mask is needed for packed texts: texts that are split before attention need none, where there is
/// none anyway.
bool masksTexts(const NetworkOptions& options)
{
    return options.packedTextLength > 0 && options.takesMasks;
}

at::Tensor present(const at::Tensor& attentionMask, std::int64_t length)
{
    return attentionMask.view({-1, 1, 1, length});
}

/// Returns true for a token itself and for those before it.
at::Tensor causal(std::int64_t length, at::Device device)
{
    return at::ones({length, length}, at::TensorOptions(device).dtype(at::kBool)).tril_();
}

/// Returns true for a token itself and for those before it; with packed texts only for those of its own text.
at::Tensor attendedOf(const NetworkOptions& options)
{
    at::Tensor before = causal(options.sequenceLength, options.device);
    if (options.packedTextLength < 1)
        return before;
    const at::Tensor text = at::arange(options.sequenceLength, at::TensorOptions(options.device))
                                .div(options.packedTextLength, "floor");
    return before.logical_and_(text.unsqueeze(0).eq(text.unsqueeze(1)));
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
    else if (masksTexts(options))
        bytes.push_back(pairs);
    if (model::isCutByWindow(spec, options.sequenceLength))
        bytes.push_back(pairs * (isCapped(spec) ? element : 1));
    return bytes;
}

AttentionMasks::AttentionMasks(const model::DecoderSpec& spec, const NetworkOptions& options)
    : m_window(spec.attentionWindow)
{
    if (isBiased(spec)) {
        m_scores = linearBiases(spec.heads, options.sequenceLength, options.computeType, options.device);
        if (options.packedTextLength > 0)
            m_scores.masked_fill_(attendedOf(options).logical_not_(), never);
    } else if (isCapped(spec)) {
        m_scores = scoresOf(attendedOf(options), options.computeType);
    } else if (masksTexts(options)) {
        m_ofText = attendedOf(options);
    }
    if (!model::isCutByWindow(spec, options.sequenceLength))
        return;
    m_withinWindow = attendedOf(options).triu_(1 - m_window);
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
    at::Tensor mask = m_scores.defined() ? m_scores : m_ofText;
    if (mask.defined())
        mask = mask.narrow(-2, 0, length).narrow(-1, 0, length);
    if (!attentionMask.defined())
        return mask;
    const at::Tensor isPresent = present(attentionMask, length);
    if (m_scores.defined())
        return mask.masked_fill(isPresent.logical_not(), never);
    return isPresent.logical_and(mask.defined() ? mask : causal(length, isPresent.device()));
}

// A padded token attends to itself, because a window may hold only padding, and the softmax over no scores at
// all would give NaN.
at::Tensor AttentionMasks::windowed(const at::Tensor& attentionMask, std::int64_t length) const
{
    at::Tensor within = m_withinWindow.narrow(0, 0, length).narrow(1, 0, length);
    if (!attentionMask.defined())
        return within;
    const at::Tensor isPresent = present(attentionMask, length);
    const at::Tensor kept = isPresent.logical_or(at::eye(length, isPresent.options()));
    if (within.scalar_type() == at::kBool)
        return kept.logical_and(within);
    return within.masked_fill(kept.logical_not(), never);
}

} // namespace batchpeak::network
