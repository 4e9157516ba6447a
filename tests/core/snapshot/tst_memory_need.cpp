// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/failure_text.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <QTest>

#include <optional>

using namespace batchpeak;
using namespace batchpeak::engine;

namespace {

constexpr std::int64_t gibibyte = std::int64_t{1} << 30;

/// What was seen of a size that found no room.
struct Seen
{
    std::int64_t usable = 8 * gibibyte;
    std::int64_t baseline = 1'000'000;
    std::optional<std::int64_t> peak;
    trial::Outcome outcome = trial::Outcome::OutOfMemory;
    const char* said = "";
    /// Words that would contradict it.
    const char* unsaid = "needs at least";
};

} // namespace

class MemoryNeedTest : public QObject
{
    Q_OBJECT

private slots:
    void saysWhatWasSeen_data()
    {
        const auto add = rows<Seen>();
        add("more than there is", {.peak = 9 * gibibyte,
                                   .said = "It needs at least 9.0 GiB, and 8.0 GiB may be used.",
                                   .unsaid = "unknown"});
        add("nothing but the network", {.said = "ran out of memory although 8.0 GiB may be used"});
        add("a peak of 0", {.peak = 0, .said = "ran out of memory although 8.0 GiB may be used"});
        add("less than there is",
            {.peak = 2 * gibibyte, .said = "ran out of memory although 8.0 GiB may be used"});
        add("all that there is",
            {.peak = 8 * gibibyte, .said = "ran out of memory although 8.0 GiB may be used"});
        add("no number at all", {.baseline = 0, .said = "how much it needs is unknown."});
        add("none of the device either",
            {.usable = 0, .baseline = 0, .said = "How much it needs is unknown.", .unsaid = "may be used"});
        add("a need alone", {.usable = 0, .said = "It needs at least 976.6 KiB.", .unsaid = "may be used"});
        add("a cache that was flushed", {.peak = 2 * gibibyte,
                                         .outcome = trial::Outcome::Ok,
                                         .said = "had too little room although 8.0 GiB"});
        add("too much network", {.baseline = 9 * gibibyte,
                                 .said = "The network alone, without any sample, needs 9.0 GiB, and 8.0"});
    }
    void saysWhatWasSeen()
    {
        const Seen& seen = row<Seen>();
        Snapshot snapshot;
        snapshot.devices = {
            {.id = QStringLiteral("cpu"), .usableBytes = seen.usable, .baselineBytes = seen.baseline}};
        snapshot.trials = {{.number = 1,
                            .microBatchSize = 1,
                            .outcome = seen.outcome,
                            .peakReservedBytes = seen.peak,
                            .thrashes = seen.outcome == trial::Outcome::Ok}};
        const QString text = nothingFitsText(snapshot, 1);
        VERIFY_CONTAINS(text, seen.said);
        QVERIFY2(!text.contains(QLatin1String(seen.unsaid)), qPrintable(text));
    }
};

BATCHPEAK_TEST(MemoryNeedTest)
#include "tst_memory_need.moc"
