// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/approximations.h"
#include "engine/log_text.h"
#include "store/exploration_store.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak;
using namespace batchpeak::engine;

class LogTextTest : public QObject
{
    Q_OBJECT

private slots:
    void describesADevice_data()
    {
        const auto add = rows<DeviceSnapshot, Text>();
        constexpr std::int64_t gibibyte = std::int64_t{1} << 30;
        const DeviceSnapshot alone{.id = QStringLiteral("cuda:0"),
                                   .name = QStringLiteral("NVIDIA H200"),
                                   .totalBytes = 100 * gibibyte,
                                   .heldByOthersBytes = gibibyte,
                                   .limitBytes = 99 * gibibyte,
                                   .usableBytes = 90 * gibibyte};
        add("to itself", {alone, "cuda:0 is ready: NVIDIA H200, 90.0 GiB of 100.0 GiB may be used."});
        DeviceSnapshot shared = alone;
        shared.heldByOthersBytes = 40 * gibibyte;
        add("shared", {shared, "cuda:0 is ready: NVIDIA H200, 90.0 GiB of 100.0 GiB may be used. Other "
                               "programs hold 40.0 GiB of it."});
        DeviceSnapshot set = alone;
        set.allocatorSettings = QStringLiteral("max_split_size_mb:64");
        add("with settings of its allocator",
            {set, "cuda:0 is ready: NVIDIA H200, 90.0 GiB of 100.0 GiB may be used. Your allocator "
                  "settings apply: max_split_size_mb:64."});
        DeviceSnapshot own = alone;
        own.program = QStringLiteral("batchpeak-worker 0.1.0");
        add("with the own worker", {own, "cuda:0 is ready: NVIDIA H200, 90.0 GiB of 100.0 GiB may be used."});
        DeviceSnapshot python = alone;
        python.program = QStringLiteral("batchpeak-trial 0.1.0");
        python.framework = QStringLiteral("torch 2.9.1, transformers 5.1");
        add("with the user's Python",
            {python,
             "cuda:0 is ready: NVIDIA H200, 90.0 GiB of 100.0 GiB may be used. batchpeak-trial 0.1.0 runs "
             "the trials on cuda:0, with torch 2.9.1, transformers 5.1."});
        DeviceSnapshot unknown = alone;
        unknown.totalBytes = unknown.limitBytes = unknown.usableBytes = unknown.heldByOthersBytes = 0;
        add("of unknown memory", {unknown, "cuda:0 is ready: NVIDIA H200, of unknown memory."});
    }
    void describesADevice()
    {
        const auto& [device, text] = row<DeviceSnapshot, Text>();
        QCOMPARE(readyText(device, QLocale::c()), text);
    }

    void marksNumbersThatDifferFromTheConfig_data()
    {
        const auto add = rows<config::Fidelity, Text>();
        config::Fidelity fidelity;
        add("as configured", {fidelity, "Trial 3: 8 ran, 31.2 samples/s, peak 1.0 GiB, 2.00 J/sample."});
        fidelity.addReason(config::approximation::kernel4bit);
        add("another speed", {fidelity, "Trial 3: 8 ran, ~31.2 samples/s, peak 1.0 GiB, ~2.00 J/sample."});
        config::Fidelity other = fidelity;
        other.addReplaced("another optimizer");
        add("another speed of another run",
            {other, "Trial 3: 8 ran, ~31.2 samples/s, peak *1.0 GiB, ~2.00 J/sample."});
        fidelity.addReason("packed samples");
        add("another memory", {fidelity, "Trial 3: 8 ran, ~31.2 samples/s, peak ~1.0 GiB, ~2.00 J/sample."});
        config::Fidelity exact;
        exact.addReplaced("another optimizer");
        add("another run", {exact, "Trial 3: 8 ran, *31.2 samples/s, peak *1.0 GiB, *2.00 J/sample."});
    }
    void marksNumbersThatDifferFromTheConfig()
    {
        const auto& [fidelity, text] = row<config::Fidelity, Text>();
        const trial::TrialRecord trial{.number = 3,
                                       .microBatchSize = 8,
                                       .outcome = trial::Outcome::Ok,
                                       .samplesPerSecond = 31.2,
                                       .peakReservedBytes = std::int64_t{1} << 30,
                                       .joulesPerSample = 2.0};
        QCOMPARE(endText(trial, fidelity, QLocale::c()), text);
    }

    void limitsTheLogOfAFloodingWorker()
    {
        std::vector<LogLine> log;
        int notices = 0;
        for (int line = 0; line < 5000; ++line) {
            addLine(log, LogLevel::Info, QString(1 << 16, QLatin1Char('x')));
            notices += log.back().text.startsWith(QLatin1String("Lines of the log are cut")) ? 1 : 0;
        }
        qsizetype characters = 0;
        for (const LogLine& line : log)
            characters += line.text.size();
        QVERIFY(characters < (1 << 22) + (1 << 20));
        QCOMPARE(log.size(), store::keptLogLines);
        // The notice is not repeated, even if the first one is long ago.
        QCOMPARE(notices, 1);
        log.clear();
        addLine(log, LogLevel::Info, QStringLiteral("short"));
        QCOMPARE(log.size(), 1U);
    }
};

BATCHPEAK_TEST(LogTextTest)
#include "tst_log_text.moc"
