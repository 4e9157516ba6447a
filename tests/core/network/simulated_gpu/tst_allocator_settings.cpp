// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Included before Qt, whose keyword "slots" is a name in libtorch.
#include <c10/core/AllocatorConfig.h>

#include "network/device_memory.h"
#include "network/libtorch.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak::network;

/// Tests the user's settings of a GPU's allocator together with the settings of a limit.
class AllocatorSettingsTest : public QObject
{
    Q_OBJECT

private slots:
    void keepsUserSettingsWhenALimitIsSet()
    {
        using c10::CachingAllocator::AcceleratorAllocatorConfig;
        constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
        qputenv("PYTORCH_CUDA_ALLOC_CONF", "max_split_size_mb:64");
        const AcceleratorLibrary library = loadAcceleratorLibrary();
        QVERIFY2(library.devices == 1, library.problem.c_str());
        const auto memory = openDeviceMemory({.kind = DeviceKind::Cuda});
        QCOMPARE(memory->userSettings(), "max_split_size_mb:64");
        memory->setLimit(256 * mebibyte);
        QCOMPARE(static_cast<std::int64_t>(AcceleratorAllocatorConfig::max_split_size()), 64 * mebibyte);
        QCOMPARE(memory->limitBytes(), 256 * mebibyte);
    }
};

BATCHPEAK_TEST(AllocatorSettingsTest)
#include "tst_allocator_settings.moc"
