// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu.h"

#include <QObject>
#include <QTest>

#include <cstdint>

namespace batchpeak::test {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

/// A part of the suite: its tests are skipped with a reason where there is no GPU, and leave no limit of
/// memory behind.
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

/// The main of a part.
template<typename Suite>
int runOnGpu(int argc, char** argv)
{
    Gpu gpu;
    Suite suite(gpu);
    return QTest::qExec(&suite, argc, argv);
}

} // namespace batchpeak::test
