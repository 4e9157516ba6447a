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

    /// Changes values and moment. All are in fp32 and of one length. Allocates nothing.
    /// \param room  of the same length; left in no state to be read
    void update(const at::Tensor& values, const at::Tensor& gradients, const at::Tensor& moment,
                at::Tensor room, bool decays) const;

private:
    double m_learningRate;
    /// What decay leaves of a parameter. A tensor refers to it for as long as a call lasts.
    float m_left;
};

} // namespace batchpeak::network
