// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "restore_point.h"

#include "execution_state.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/from_blob.h>

#include <utility>

namespace batchpeak::network {

RestorePoint::RestorePoint(at::Device device, std::vector<at::Tensor> statistics)
    : m_device(device), m_statistics(std::move(statistics))
{
    for (const at::Tensor& statistic : m_statistics)
        m_copies.push_back(at::empty_like(statistic));
}

void RestorePoint::set()
{
    m_isSet = false;
    const at::Tensor random = randomState(m_device);
    const auto* bytes = random.const_data_ptr<std::uint8_t>();
    m_random.assign(bytes, bytes + random.numel());
    const at::NoGradGuard noGradients;
    for (std::size_t i = 0; i < m_copies.size(); ++i)
        m_copies[i].copy_(m_statistics[i]);
    m_isSet = true;
}

void RestorePoint::restore()
{
    if (!m_isSet)
        return;
    setRandomState(m_device, at::from_blob(m_random.data(), {static_cast<std::int64_t>(m_random.size())},
                                           at::TensorOptions(at::kByte)));
    const at::NoGradGuard noGradients;
    for (std::size_t i = 0; i < m_copies.size(); ++i)
        m_statistics[i].copy_(m_copies[i]);
    m_isSet = false;
}

} // namespace batchpeak::network
