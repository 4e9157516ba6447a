// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include <optional>

namespace batchpeak::network {

/// Switches automatic bf16 arithmetic on for the operations of this thread while it lives, and clears
/// the cache of converted weights at the end. Leave it before backward.
class AutocastGuard
{
public:
    /// \param enabled  false leaves everything as it is
    AutocastGuard(c10::DeviceType device, bool enabled);
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

} // namespace batchpeak::network
