// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include <cstdint>
#include <optional>

namespace batchpeak::network {

/// State that, beside its inputs, decides the result of an operation, and that is set and restored around
/// some operations.

/// Enables autocast to 16 bits for the operations of this thread while the guard lives, and clears autocast's
/// cache of converted weights at the end. The guard must end before the backward pass.
class AutocastGuard
{
public:
    /// \param type  dtype of products; without one nothing changes
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

/// Disables oneDNN in all of libtorch while the guard lives: operations that have kernels of their own for
/// the CPU use those.
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

/// Seeds the device's default generator, which dropout and initial parameters use.
void seedRandom(at::Device device, std::uint64_t seed);

/// Returns the state of that generator: bytes in main memory, in libtorch's own layout, for any device.
at::Tensor randomState(at::Device device);

/// \param state  result of randomState() for a device of the same kind
void setRandomState(at::Device device, const at::Tensor& state);

} // namespace batchpeak::network
