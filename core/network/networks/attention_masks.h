// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/model_spec.h"
#include "network.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace batchpeak::network {

/// Which tokens of a decoder attend to which: those before them, no padding, none of another text that the
/// sample is packed of, none beyond a window, and with ALiBi less to those that are farther.
///
/// What does not hang on the micro-batch is made once. It does not know which layers keep to the window.
class AttentionMasks
{
public:
    /// Both as attention takes them: bool, true where a token is attended to; or added to the scores, which
    /// ALiBi and soft caps ask for. Undefined where attention is causal and nothing else: kernels know that
    /// without a mask.
    struct Masks
    {
        at::Tensor all;
        at::Tensor windowed;
    };

    AttentionMasks(const model::DecoderSpec& spec, const NetworkOptions& options);

    /// \param attentionMask  of a batch; may be undefined
    Masks of(const at::Tensor& attentionMask, std::int64_t length) const;

    /// See networkBufferBytes.
    static std::vector<std::int64_t> bufferBytes(const model::DecoderSpec& spec,
                                                 const NetworkOptions& options);

private:
    at::Tensor unpadded(const at::Tensor& attentionMask, std::int64_t length) const;
    at::Tensor windowed(const at::Tensor& attentionMask, std::int64_t length) const;

    std::int64_t m_window = 0;
    /// {heads, length, length} with ALiBi, {length, length} with soft caps; else undefined.
    at::Tensor m_scores;
    /// {length, length} of packed texts where there are no scores; else undefined.
    at::Tensor m_ofText;
    /// {length, length}; undefined where all of a sequence lies within the window.
    at::Tensor m_withinWindow;
};

} // namespace batchpeak::network
