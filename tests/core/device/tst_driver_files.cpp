// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/local_device.h"
#include "support/fake_root.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak::device;
using batchpeak::test::FakeRoot;

/// Tests the reading of an NVIDIA driver's files, which replace its management library if that is not usable.
class DriverFilesTest : public QObject
{
    Q_OBJECT

private slots:
    // The device file may be missing, because it appears only when the driver is first used.
    void findsADriver_data()
    {
        rows<Text, bool>({{"none", {"", false}},
                          {"loaded, not yet used", {"proc/driver/nvidia/version", true}},
                          {"used", {"dev/nvidiactl", true}},
                          {"inside Windows", {"dev/dxg", true}},
                          {"another one", {"dev/dri/card0", false}}});
    }
    void findsADriver()
    {
        const auto& [file, isPresent] = row<Text, bool>();
        const FakeRoot root;
        if (!file.isEmpty())
            QVERIFY(root.write(file, "here"));
        QCOMPARE(nvidiaDriverIsPresent(root.path()), isPresent);
    }

    void listsGpusInBusOrder()
    {
        const FakeRoot root;
        QVERIFY(root.write(QStringLiteral("proc/driver/nvidia/gpus/0000:b1:00.0/information"),
                           "Model: \t\t NVIDIA H200\nIRQ:   \t\t 12\nGPU UUID: \t GPU-second\n"));
        QVERIFY(root.write(QStringLiteral("proc/driver/nvidia/gpus/0000:17:00.0/information"),
                           "Model: \t\t NVIDIA H100\nGPU UUID: \t GPU-first\n"));
        // The driver shows this UUID for a GPU that has not been used since the computer was started.
        QVERIFY(root.write(QStringLiteral("proc/driver/nvidia/gpus/0000:c1:00.0/information"),
                           "Model: \t\t NVIDIA H200\nGPU UUID: \t GPU-????????\n"));
        const std::vector<LocalDevice> gpus = devicesOfDriver(root.path());
        QCOMPARE(gpus.size(), std::size_t{2});
        QCOMPARE(gpus[0].uuid, "GPU-first");
        QCOMPARE(gpus[0].name, "NVIDIA H100");
        QCOMPARE(gpus[0].id(), "cuda:0");
        QCOMPARE(gpus[1].uuid, "GPU-second");
        QCOMPARE(gpus[1].id(), "cuda:1");
        QVERIFY(devicesOfDriver(FakeRoot().path()).empty());
    }
};

BATCHPEAK_TEST(DriverFilesTest)
#include "tst_driver_files.moc"
