// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "autocast_guard.h"

#include <ATen/autocast_mode.h>

namespace batchpeak::network {

AutocastGuard::AutocastGuard(c10::DeviceType device, bool enabled) : m_device(device)
{
    if (!enabled)
        return;
    m_before = {.enabled = at::autocast::is_autocast_enabled(device),
                .type = at::autocast::get_autocast_dtype(device)};
    at::autocast::set_autocast_dtype(device, at::kBFloat16);
    at::autocast::set_autocast_enabled(device, true);
    at::autocast::increment_nesting();
}

AutocastGuard::~AutocastGuard()
{
    if (!m_before)
        return;
    if (at::autocast::decrement_nesting() == 0)
        at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(m_device, m_before->enabled);
    at::autocast::set_autocast_dtype(m_device, m_before->type);
}

} // namespace batchpeak::network
