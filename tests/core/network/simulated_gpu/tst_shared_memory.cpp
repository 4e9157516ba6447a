// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Before Qt, whose keyword "slots" libtorch uses as a name.
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
    void isNotHeldForASmallerLimit()
    {
        constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
        const AcceleratorLibrary library = loadAcceleratorLibrary();
        QVERIFY2(library.devices == 1, library.problem.c_str());
        const auto memory = openDeviceMemory({.kind = DeviceKind::Cuda}, true);
        memory->setLimit(512 * mebibyte);
        memory->setLimit(128 * mebibyte);
        QCOMPARE(memory->limitBytes(), 128 * mebibyte);
        // The class leaves what it holds itself out of its own counts.
        const auto statistics = c10::getDeviceAllocator(c10::DeviceType::CUDA)->getDeviceStats(0);
        QVERIFY(statistics.reserved_bytes[0].peak < 64 * mebibyte);
    }
};

BATCHPEAK_TEST(SharedMemoryTest)
#include "tst_shared_memory.moc"
