// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "network/device_memory.h"

#include <QObject>
#include <QTest>

#include <cstdint>
#include <memory>
#include <string>

namespace batchpeak::test {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

/// The first GPU, as the programs of the GPU suite use it, or the reason why there is none.
class Gpu
{
public:
    /// Must be created in the first statement of main: see network::loadAcceleratorLibrary.
    Gpu();

    /// Returns the reason why there is no GPU, as a full sentence; empty if there is one.
    const std::string& reasonToSkip() const { return m_reason; }
    network::DeviceMemory& memory() { return *m_memory; }

private:
    std::string m_reason;
    std::unique_ptr<network::DeviceMemory> m_memory;
};

/// Part of the suite. Its tests are skipped with a reason if there is no GPU, and remove their memory limit
/// at the end.
class GpuSuite : public QObject
{
    Q_OBJECT

public:
    explicit GpuSuite(Gpu& gpu) : m_gpu(gpu) {}

protected:
    network::DeviceMemory& memory() { return m_gpu.memory(); }

private slots:
    void initTestCase();
    void cleanup() { memory().setLimit(0); }

private:
    Gpu& m_gpu;
};

/// Implements the main of a part.
template<typename Suite>
int runOnGpu(int argc, char** argv)
{
    Gpu gpu;
    Suite suite(gpu);
    return QTest::qExec(&suite, argc, argv);
}

} // namespace batchpeak::test
