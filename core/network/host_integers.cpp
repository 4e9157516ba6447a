// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "host_integers.h"

#include <ATen/ops/zeros.h>

#include <numeric>
#include <utility>

namespace batchpeak::network {

HostIntegers::HostIntegers(at::Device device, std::int64_t samples, std::vector<std::int64_t> widths)
    : m_device(device), m_samples(samples), m_widths(std::move(widths))
{
    const std::int64_t ofSample = std::accumulate(m_widths.begin(), m_widths.end(), std::int64_t{0});
    // Pinned, so that the copy waits neither for the device nor lets it wait.
    m_host = at::zeros({samples * ofSample},
                       at::TensorOptions(at::kCPU).dtype(at::kLong).pinned_memory(device.is_cuda()));
}

std::span<std::int64_t> HostIntegers::row(std::size_t tensor, std::int64_t sample)
{
    const auto end = m_widths.begin() + static_cast<std::ptrdiff_t>(tensor);
    const std::int64_t before = std::accumulate(m_widths.begin(), end, std::int64_t{0});
    const std::int64_t width = m_widths[tensor];
    return {m_host.mutable_data_ptr<std::int64_t>() + before * m_samples + sample * width,
            static_cast<std::size_t>(width)};
}

std::vector<at::Tensor> HostIntegers::onDevice() const
{
    const at::Tensor all = m_host.to(m_device, /*non_blocking=*/true);
    std::vector<at::Tensor> tensors;
    std::int64_t first = 0;
    for (const std::int64_t width : m_widths) {
        tensors.push_back(all.narrow(0, first, m_samples * width).view({m_samples, width}));
        first += m_samples * width;
    }
    return tensors;
}

} // namespace batchpeak::network
