// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "network/device_memory.h"

#include <memory>
#include <string>

namespace batchpeak::test {

/// The first GPU, as the programs of the GPU suite use it, or why there is none.
class Gpu
{
public:
    /// The first statement of main: see network::loadAcceleratorLibrary.
    Gpu();

    /// A full sentence; empty where there is a GPU.
    const std::string& reasonToSkip() const { return m_reason; }
    network::DeviceMemory& memory() { return *m_memory; }

private:
    std::string m_reason;
    std::unique_ptr<network::DeviceMemory> m_memory;
};

} // namespace batchpeak::test
