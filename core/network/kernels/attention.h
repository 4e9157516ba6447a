// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/run_kind.h"

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <optional>

namespace batchpeak::network {

/// What scaled_dot_product_attention of PyTorch takes, under its names and with its defaults, and a cap.
struct AttentionInputs
{
    /// {samples, heads, length, head size} each.
    at::Tensor query;
    at::Tensor key;
    at::Tensor value;
    std::optional<at::Tensor> mask;
    double dropout = 0.0;
    bool isCausal = false;
    std::optional<double> scale;
    /// Fewer keys and values than queries.
    bool enableGqa = false;
    /// Scores become cap * tanh(score / cap) before the mask, which is added then and has to be there; keys
    /// are as many as queries. 0 for none.
    double softCap = 0.0;
};

/// {samples, heads, length, head size}
at::Tensor attention(const AttentionInputs& inputs);

/// {samples, heads, length, head size} of samples that are packed of texts: these as samples of their own,
/// {samples x texts, heads, text length, head size}, as kernels for sequences of several lengths take them
/// (flash_attn_varlen_func). Nothing is copied where heads are cut out of what one product gave.
///
/// \param textLength  tokens of each; the length is a multiple of it
at::Tensor textsApart(const at::Tensor& heads, std::int64_t textLength);
/// The way back. \param samples  that there are
at::Tensor textsTogether(const at::Tensor& heads, std::int64_t samples);

/// The kernel that computes attention of these inputs, on this thread as it is now: never Automatic, and
/// plain products with a cap, whatever was preferred. Nothing where PyTorch has one that is not named here.
std::optional<model::Attention> attentionKernel(const AttentionInputs& inputs);

/// From now on, in the whole process: that kernel wherever it can, else what PyTorch would take without it;
/// plain products always can.
void preferAttention(model::Attention kernel, at::Device device);

} // namespace batchpeak::network
