// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/run_kind.h"

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <optional>

namespace batchpeak::network {

/// The arguments of PyTorch's scaled_dot_product_attention, with its names and defaults, and a soft cap.
struct AttentionInputs
{
    /// Each is {samples, heads, length, head size}.
    at::Tensor query;
    at::Tensor key;
    at::Tensor value;
    std::optional<at::Tensor> mask;
    double dropout = 0.0;
    bool isCausal = false;
    std::optional<double> scale;
    /// Whether there are fewer key and value heads than query heads.
    bool enableGqa = false;
    /// If above 0, scores become cap * tanh(score / cap) before the mask is added. The mask must then be
    /// defined and additive, and there must be as many key heads as query heads.
    double softCap = 0.0;
};

/// Returns {samples, heads, length, head size}.
at::Tensor attention(const AttentionInputs& inputs);

/// Splits samples that are packed of texts, {samples, heads, length, head size}, so that each text becomes a
/// sample of its own, {samples x texts, heads, text length, head size}. Kernels for sequences of several
/// lengths take them so (flash_attn_varlen_func). Nothing is copied if the heads are views into the result of
/// one product.
///
/// \param textLength  tokens of each text; the length is a multiple of it
at::Tensor textsApart(const at::Tensor& heads, std::int64_t textLength);
/// Undoes textsApart().
/// \param samples  number of samples
at::Tensor textsTogether(const at::Tensor& heads, std::int64_t samples);

/// Returns the kernel that computes attention of these inputs with the current state of this thread. It is
/// never Automatic. With a soft cap it is Math, whatever was preferred. Returns nothing if PyTorch takes a
/// kernel that model::Attention does not name.
std::optional<model::Attention> attentionKernel(const AttentionInputs& inputs);

/// Sets the preferred kernel for the whole process from now on. Where it cannot be used, PyTorch takes what
/// it would take without it; Math can always be used.
void preferAttention(model::Attention kernel, at::Device device);

} // namespace batchpeak::network
