// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "flat_parameters.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace batchpeak::network {

/// What a loss is multiplied with before backward, so that float16 holds its gradients: a power of two that
/// grows until some gradient is infinite, as torch.amp.GradScaler has it (torch/amp/grad_scaler.py of torch
/// 2.11). A step of infinite gradients is left out.
///
/// All of it lies on the device, and nothing waits for that. It knows no optimizer.
class LossScale
{
public:
    explicit LossScale(at::Device device);

    at::Tensor scaled(const at::Tensor& loss) const { return loss.mul(m_scale); }

    /// Reads all gradients for what is not finite.
    /// \param unscales  and divides them by the scale meanwhile
    void check(const at::Tensor& gradients, bool unscales);
    /// float32, above 0 where the gradients of the last check() were not finite.
    const at::Tensor& isInfinite() const { return m_isInfinite; }
    /// float32
    const at::Tensor& scale() const { return m_scale; }
    /// Behind the step that check() was for.
    void update();

    /// What decides later steps, as the state of GradScaler names it.
    std::vector<NamedTensor> state() const;
    static std::vector<std::int64_t> tensorBytes();

private:
    at::Tensor m_scale;
    /// Steps of finite gradients in a row, int32.
    at::Tensor m_growthTracker;
    at::Tensor m_isInfinite;
    at::Tensor m_one;
};

} // namespace batchpeak::network
