// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu_suite.h"

#include "network/libtorch.h"

namespace batchpeak::test {

Gpu::Gpu()
{
    const network::AcceleratorLibrary library = network::loadAcceleratorLibrary();
    if (library.devices == 0)
        m_reason = library.problem.empty() ? "This computer has no NVIDIA GPU." : library.problem;
    else if (const auto problem = network::problemWithLibtorch())
        m_reason = *problem;
    else
        m_memory = network::openDeviceMemory({.kind = network::DeviceKind::Cuda});
}

void GpuSuite::initTestCase()
{
    if (!m_gpu.reasonToSkip().empty())
        QSKIP(m_gpu.reasonToSkip().c_str());
    QVERIFY(memory().totalBytes() > 0);
    QVERIFY(memory().freeBytes() <= memory().totalBytes());
}

} // namespace batchpeak::test
