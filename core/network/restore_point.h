// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <vector>

namespace batchpeak::network {

/// What the micro-batches of a step change before the step is done: the state of the device's random numbers,
/// and statistics of batch normalization. It is kept so that a step that fails leaves no trace.
///
/// Parameters and optimizer state are not among it: OptimizerStep changes them last, and all or none.
class RestorePoint
{
public:
    /// Allocates the copies, which last.
    /// \param statistics  of Network::statistics
    RestorePoint(at::Device device, std::vector<at::Tensor> statistics);

    /// Takes the copies. Where that throws, nothing has changed and the point is not set.
    void set();
    bool isSet() const { return m_isSet; }
    /// The step is done, and there is no way back.
    void clear() { m_isSet = false; }
    /// Puts everything back where the point is set. Allocates nothing, so that a full device cannot refuse
    /// it.
    void restore();

private:
    at::Device m_device;
    std::vector<at::Tensor> m_statistics;
    std::vector<at::Tensor> m_copies;
    /// On the host's own heap: on the CPU, too, it takes nothing of the budget of tensors.
    std::vector<std::uint8_t> m_random;
    bool m_isSet = false;
};

} // namespace batchpeak::network
