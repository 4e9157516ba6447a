// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Included before Qt, whose keyword "slots" is a name in libtorch.
#include <c10/core/CachingDeviceAllocator.h>

#include "network/device_memory.h"
#include "network/libtorch.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak::network;

/// Tests the limit of a GPU that uses the computer's memory.
class SharedMemoryTest : public QObject
{
    Q_OBJECT

private slots:
    void holdsNoMemoryForASmallerLimit()
    {
        constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
        const AcceleratorLibrary library = loadAcceleratorLibrary();
        QVERIFY2(library.devices == 1, library.problem.c_str());
        const auto memory = openDeviceMemory({.kind = DeviceKind::Cuda}, true);
        memory->setLimit(512 * mebibyte);
        memory->setLimit(128 * mebibyte);
        QCOMPARE(memory->limitBytes(), 128 * mebibyte);
        // The counts of DeviceMemory exclude its own ballast; the allocator's statistics include it.
        const auto statistics = c10::getDeviceAllocator(c10::DeviceType::CUDA)->getDeviceStats(0);
        QVERIFY(statistics.reserved_bytes[0].peak < 64 * mebibyte);
    }
};

BATCHPEAK_TEST(SharedMemoryTest)
#include "tst_shared_memory.moc"
