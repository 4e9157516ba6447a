// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace batchpeak::network {

/// The integers of one micro-batch, written on the host and brought to the device by one copy, whatever
/// number of tensors they make. On the CPU there is no copy: they lie where they were written.
class HostIntegers
{
public:
    /// Zeros.
    /// \param widths  integers of one sample in each tensor
    HostIntegers(at::Device device, std::int64_t samples, std::vector<std::int64_t> widths);

    /// Those of one sample in one tensor.
    std::span<std::int64_t> row(std::size_t tensor, std::int64_t sample);
    /// int64 {samples, width} each, in the order of the widths; they share one stretch of memory.
    std::vector<at::Tensor> onDevice() const;

private:
    at::Device m_device;
    std::int64_t m_samples;
    std::vector<std::int64_t> m_widths;
    at::Tensor m_host;
};

} // namespace batchpeak::network
