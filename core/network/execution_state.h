// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include <cstdint>
#include <optional>

namespace batchpeak::network {

/// What decides the result of an operation beside its inputs, and is set and put back around some of them.

/// Switches automatic arithmetic in 16 bits on for the operations of this thread while it lives, and clears
/// the cache of converted weights at the end. Leave it before backward.
class AutocastGuard
{
public:
    /// \param type  of products; without one everything stays as it is
    AutocastGuard(c10::DeviceType device, std::optional<c10::ScalarType> type);
    ~AutocastGuard();
    AutocastGuard(const AutocastGuard&) = delete;
    AutocastGuard& operator=(const AutocastGuard&) = delete;

private:
    struct Before
    {
        bool enabled = false;
        c10::ScalarType type = c10::ScalarType::Float;
    };

    c10::DeviceType m_device;
    std::optional<Before> m_before;
};

/// Keeps all of libtorch from oneDNN while it lives: what has operations of its own for the CPU takes those.
class WithoutOneDnn
{
public:
    WithoutOneDnn();
    ~WithoutOneDnn();
    WithoutOneDnn(const WithoutOneDnn&) = delete;
    WithoutOneDnn& operator=(const WithoutOneDnn&) = delete;

private:
    bool m_wasUsed;
};

/// Starts the device's default generator anew, from which dropout and initial parameters come.
void seedRandom(at::Device device, std::uint64_t seed);

/// The state of that generator: bytes in main memory, in libtorch's own layout, whatever the device.
at::Tensor randomState(at::Device device);

/// \param state  of randomState for a device of the same kind
void setRandomState(at::Device device, const at::Tensor& state);

} // namespace batchpeak::network
