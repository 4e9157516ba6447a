// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/model_spec.h"
#include "network.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace batchpeak::network {

/// Masks for the tokens that each token of a decoder attends to: no later ones, no padding, none of another
/// text that the sample is packed of, and none beyond a window. With ALiBi tokens farther away get lower
/// scores.
///
/// Everything that does not depend on the micro-batch is made once. The class does not know which layers use
/// the window.
class AttentionMasks
{
public:
    /// Both are as attention takes them: bool, true where a token is attended to; or added to the scores, as
    /// ALiBi and soft caps require. Undefined if attention is causal and nothing else: kernels do that
    /// without a mask.
    struct Masks
    {
        at::Tensor all;
        at::Tensor windowed;
    };

    AttentionMasks(const model::DecoderSpec& spec, const NetworkOptions& options);

    /// \param attentionMask  mask of a batch; may be undefined
    Masks of(const at::Tensor& attentionMask, std::int64_t length) const;

    /// Returns the bytes of each tensor; see networkBufferBytes().
    static std::vector<std::int64_t> bufferBytes(const model::DecoderSpec& spec,
                                                 const NetworkOptions& options);

private:
    at::Tensor unpadded(const at::Tensor& attentionMask, std::int64_t length) const;
    at::Tensor windowed(const at::Tensor& attentionMask, std::int64_t length) const;

    std::int64_t m_window = 0;
    /// Additive mask: {heads, length, length} with ALiBi, {length, length} with soft caps; otherwise
    /// undefined.
    at::Tensor m_scores;
    /// Mask of packed texts, {length, length}, if there are no scores; otherwise undefined.
    at::Tensor m_ofText;
    /// Mask of the window, {length, length}; undefined if the whole sequence lies within the window.
    at::Tensor m_withinWindow;
};

} // namespace batchpeak::network
