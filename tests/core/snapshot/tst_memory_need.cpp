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

/// Measurements of a size that does not fit, and the expected text.
struct Case
{
    std::int64_t usable = 8 * gibibyte;
    std::int64_t baseline = 1'000'000;
    std::optional<std::int64_t> peak;
    trial::Outcome outcome = trial::Outcome::OutOfMemory;
    const char* expected = "";
    /// Words that must not occur in the text.
    const char* forbidden = "needs at least";
};

} // namespace

class MemoryNeedTest : public QObject
{
    Q_OBJECT

private slots:
    void explainsTheMemoryNeed_data()
    {
        const auto add = rows<Case>();
        add("more than there is", {.peak = 9 * gibibyte,
                                   .expected = "It needs at least 9.0 GiB, and 8.0 GiB may be used.",
                                   .forbidden = "unknown"});
        add("nothing but the network", {.expected = "ran out of memory, although 8.0 GiB may be used"});
        add("a peak of 0", {.peak = 0, .expected = "ran out of memory, although 8.0 GiB may be used"});
        add("less than there is",
            {.peak = 2 * gibibyte, .expected = "ran out of memory, although 8.0 GiB may be used"});
        add("all that there is",
            {.peak = 8 * gibibyte, .expected = "ran out of memory, although 8.0 GiB may be used"});
        add("no number at all", {.baseline = 0, .expected = "The memory needed is therefore unknown."});
        add("no memory of the device either", {.usable = 0,
                                               .baseline = 0,
                                               .expected = "The memory it needs is unknown.",
                                               .forbidden = "may be used"});
        add("a need alone",
            {.usable = 0, .expected = "It needs at least 976.6 KiB.", .forbidden = "may be used"});
        add("a cache that was flushed", {.peak = 2 * gibibyte,
                                         .outcome = trial::Outcome::Ok,
                                         .expected = "had too little memory, although 8.0 GiB"});
        add("too much network",
            {.baseline = 9 * gibibyte,
             .expected = "The network alone, without any sample, needs 9.0 GiB, and 8.0"});
    }
    void explainsTheMemoryNeed()
    {
        const Case& one = row<Case>();
        Snapshot snapshot;
        snapshot.devices = {
            {.id = QStringLiteral("cpu"), .usableBytes = one.usable, .baselineBytes = one.baseline}};
        snapshot.trials = {{.number = 1,
                            .microBatchSize = 1,
                            .outcome = one.outcome,
                            .peakReservedBytes = one.peak,
                            .thrashes = one.outcome == trial::Outcome::Ok}};
        const QString text = nothingFitsText(snapshot, 1);
        VERIFY_CONTAINS(text, one.expected);
        QVERIFY2(!text.contains(QLatin1String(one.forbidden)), qPrintable(text));
    }
};

BATCHPEAK_TEST(MemoryNeedTest)
#include "tst_memory_need.moc"
