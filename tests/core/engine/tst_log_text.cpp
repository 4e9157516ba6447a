// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/log_text.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak::engine;

class LogTextTest : public QObject
{
    Q_OBJECT

private slots:
    void saysWhatADeviceHas_data()
    {
        constexpr std::int64_t gibibyte = std::int64_t{1} << 30;
        QTest::addColumn<DeviceSnapshot>("device");
        QTest::addColumn<QString>("text");
        const DeviceSnapshot alone{.id = QStringLiteral("cuda:0"),
                                   .name = QStringLiteral("NVIDIA H200"),
                                   .totalBytes = 100 * gibibyte,
                                   .heldByOthersBytes = gibibyte,
                                   .limitBytes = 99 * gibibyte,
                                   .usableBytes = 90 * gibibyte};
        QTest::newRow("to itself") << alone
                                   << QStringLiteral(
                                          "cuda:0 is ready: NVIDIA H200, 90.0 GiB of 100.0 GiB may be used.");
        DeviceSnapshot shared = alone;
        shared.heldByOthersBytes = 40 * gibibyte;
        QTest::newRow("shared") << shared
                                << QStringLiteral(
                                       "cuda:0 is ready: NVIDIA H200, 90.0 GiB of 100.0 GiB may be "
                                       "used. Other programs hold 40.0 GiB of it.");
        DeviceSnapshot unknown = alone;
        unknown.totalBytes = unknown.limitBytes = unknown.usableBytes = unknown.heldByOthersBytes = 0;
        QTest::newRow("of unknown memory")
            << unknown << QStringLiteral("cuda:0 is ready: NVIDIA H200, of unknown memory.");
    }
    void saysWhatADeviceHas()
    {
        QFETCH(DeviceSnapshot, device);
        QTEST(readyText(device, QLocale::c()), "text");
    }
};

BATCHPEAK_TEST(LogTextTest)
#include "tst_log_text.moc"
