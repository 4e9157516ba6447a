// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/event_log.h"
#include "exploration_harness.h"
#include "search/strategy.h"
#include "snapshot/unlike_devices.h"
#include "support/events_in.h"
#include "support/fake_parts.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <QBuffer>
#include <QTest>

using namespace batchpeak;
using namespace batchpeak::engine;
using search::Reason;

namespace {

constexpr std::int64_t gibibyte = std::int64_t{1} << 30;

DeviceSnapshot deviceOf(const char* id, double gibibytes)
{
    return {.id = QString::fromLatin1(id),
            .usableBytes = static_cast<std::int64_t>(gibibytes * static_cast<double>(gibibyte))};
}

/// Returns a run that needs 1 GiB plus 0.25 GiB per sample.
Snapshot snapshotOf(const std::vector<DeviceSnapshot>& devices, Reason::Kind kind)
{
    Snapshot snapshot;
    snapshot.devices = devices;
    snapshot.searchState.memory = {.constantBytes = static_cast<double>(gibibyte),
                                   .bytesPerSample = 0.25 * static_cast<double>(gibibyte)};
    snapshot.searchState.recommendation = search::Recommendation{.size = 80, .reason = {.kind = kind}};
    snapshot.recommendedPeakBytes = 21 * gibibyte;
    return snapshot;
}

} // namespace

/// Tests a run on devices with different memory.
class UnlikeDevicesTest : public QObject
{
    Q_OBJECT

private slots:
    void namesTheDecidingDevice_data()
    {
        rows<std::vector<DeviceSnapshot>, QStringList>({
            {"one", {{deviceOf("cuda:0", 24)}, {}}},
            {"alike", {{deviceOf("cuda:0", 24), deviceOf("cuda:1", 24.5)}, {}}},
            {"of unknown memory", {{deviceOf("cuda:0", 0), deviceOf("cuda:1", 24)}, {}}},
            {"unlike",
             {{deviceOf("cuda:0", 80), deviceOf("cuda:1", 24)},
              {QStringLiteral("cuda:1 limits it: 24.0 GiB"), QStringLiteral("80.0 GiB of cuda:0")}}},
            {"several",
             {{deviceOf("cuda:0", 24), deviceOf("cuda:1", 80), deviceOf("cuda:2", 48),
               deviceOf("cuda:3", 24)},
              {QStringLiteral("cuda:0 limits it"),
               QStringLiteral("80.0 GiB of cuda:1, 48.0 GiB of cuda:2.")}}},
        });
    }
    void namesTheDecidingDevice()
    {
        const auto& [devices, parts] = row<std::vector<DeviceSnapshot>, QStringList>();
        const QString text = unlikeDevicesText(devices, QLocale::c());
        QCOMPARE(text.isEmpty(), parts.isEmpty());
        for (const QString& part : parts)
            VERIFY_CONTAINS(text, part);
    }

    void reportsUnusedMemory_data()
    {
        const std::vector<DeviceSnapshot> unlike{deviceOf("cuda:0", 22), deviceOf("cuda:1", 74)};
        rows<std::vector<DeviceSnapshot>, Reason::Kind, QStringList>({
            {"memory ends",
             {unlike,
              Reason::Kind::MemoryEnds,
              {QStringLiteral("cuda:0 limits"), QStringLiteral("53.0 GiB of cuda:1"),
               QStringLiteral("292")}}},
            {"larger ones would not gain", {unlike, Reason::Kind::Compared, {}}},
            {"alike", {{unlike[0], unlike[0]}, Reason::Kind::MemoryEnds, {}}},
        });
    }
    void reportsUnusedMemory()
    {
        const auto& [devices, kind, parts] = row<std::vector<DeviceSnapshot>, Reason::Kind, QStringList>();
        const QString text = unusedMemoryText(snapshotOf(devices, kind), QLocale::c());
        QCOMPARE(text.isEmpty(), parts.isEmpty());
        for (const QString& part : parts)
            VERIFY_CONTAINS(text, part);
        Snapshot without = snapshotOf(devices, kind);
        without.searchState.recommendation.reset();
        QVERIFY(unusedMemoryText(without).isEmpty());
    }

    void isLimitedByTheSmallestDevice()
    {
        // The smaller device has 1 GB, 92 % of which hold 8 samples; 2 GB hold 17.
        test::ExplorationHarness harness("slope=100000000 alpha=0.2 little=GPU-b");
        test::setGpus(harness.parts, {"GPU-a", "GPU-b"});
        harness.parts.makeStrategy = search::makeStrategy;
        harness.options.devices = {QStringLiteral("cuda")};
        QBuffer buffer;
        buffer.open(QIODevice::WriteOnly);
        const EventLog log(harness.exploration(), buffer);
        QVERIFY(harness.runToEnd());
        const Snapshot& snapshot = harness.snapshot();
        QVERIFY2(snapshot.searchState.recommendation, qPrintable(harness.log()));
        QCOMPARE(snapshot.searchState.recommendation->size, 8);
        VERIFY_CONTAINS(harness.log(), "cuda:1 limits it: ");
        const QString unused = unusedMemoryText(snapshot);
        VERIFY_CONTAINS(unused, "of cuda:0 stay unused (this device would fit a size of about 17).");
        QCOMPARE(test::eventsIn(buffer.data()).last().value(QStringLiteral("unused_memory")).toString(),
                 unused);
    }
};

BATCHPEAK_TEST(UnlikeDevicesTest)
#include "tst_unlike_devices.moc"
