// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <vector>

namespace batchpeak::network {

/// State that the micro-batches of a step change before the step is done: the state of the device's random
/// number generator, and the statistics of batch normalization. It is kept so that a failed step leaves no
/// trace.
///
/// Parameters and optimizer state are not part of it: OptimizerStep changes them last, and changes all or
/// none.
class RestorePoint
{
public:
    /// Allocates the copies, which live as long as the object.
    /// \param statistics  result of Network::statistics()
    RestorePoint(at::Device device, std::vector<at::Tensor> statistics);

    /// Takes the copies. If that throws, nothing has changed and the point is not set.
    void set();
    bool isSet() const { return m_isSet; }
    /// Drops the point: the step is done, and cannot be undone.
    void clear() { m_isSet = false; }
    /// Restores everything if the point is set. Allocates nothing, so that a full device cannot refuse it.
    void restore();

private:
    at::Device m_device;
    std::vector<at::Tensor> m_statistics;
    std::vector<at::Tensor> m_copies;
    /// Lies on the host's own heap, so that it takes nothing of the budget of tensors on the CPU either.
    std::vector<std::uint8_t> m_random;
    bool m_isSet = false;
};

} // namespace batchpeak::network
