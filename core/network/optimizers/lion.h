// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

namespace batchpeak::network {

/// The step of Lion (arXiv 2302.06675, algorithm 1) on a stretch of parameters.
class Lion
{
public:
    explicit Lion(double learningRate);

    /// Changes values and moment without allocating anything. All tensors are in fp32 and of the same length.
    /// \param room  buffer of the same length; its contents are undefined afterwards
    void update(const at::Tensor& values, const at::Tensor& gradients, const at::Tensor& moment,
                at::Tensor room, bool decays) const;

private:
    double m_learningRate;
    /// The factor that weight decay multiplies a parameter by. A tensor refers to it during a call.
    float m_left;
};

} // namespace batchpeak::network
