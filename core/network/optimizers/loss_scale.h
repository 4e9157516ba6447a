// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "flat_parameters.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace batchpeak::network {

/// The factor that a loss is multiplied by before the backward pass, so that float16 holds its gradients: a
/// power of two that grows until a gradient is infinite, as in torch.amp.GradScaler (torch/amp/grad_scaler.py
/// of torch 2.11). A step with infinite gradients is left out.
///
/// All of it lies on the device, and nothing waits for the device. It does not depend on the optimizer.
class LossScale
{
public:
    explicit LossScale(at::Device device);

    at::Tensor scaled(const at::Tensor& loss) const { return loss.mul(m_scale); }

    /// Checks all gradients for values that are not finite.
    /// \param unscales  whether gradients are also divided by the scale
    void check(const at::Tensor& gradients, bool unscales);
    /// Returns float32, above 0 if the gradients of the last check() were not finite.
    const at::Tensor& isInfinite() const { return m_isInfinite; }
    /// Returns the scale, float32.
    const at::Tensor& scale() const { return m_scale; }
    /// Updates the scale. Call it after the step that check() was called for.
    void update();

    /// Returns the state that decides later steps, under the names in GradScaler's state.
    std::vector<NamedTensor> state() const;
    static std::vector<std::int64_t> tensorBytes();

private:
    at::Tensor m_scale;
    /// Number of consecutive steps with finite gradients, int32.
    at::Tensor m_growthTracker;
    at::Tensor m_isInfinite;
    at::Tensor m_one;
};

} // namespace batchpeak::network
