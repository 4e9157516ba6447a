// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sample_messages.h"
#include "support/test_main.h"
#include "trial/protocol.h"

#include <QTest>

#include <cstdint>
#include <limits>

using namespace batchpeak;
using namespace batchpeak::trial;

class WorkerMessagesTest : public QObject
{
    Q_OBJECT

private slots:
    void workerMessagesComeBack_data()
    {
        QTest::addColumn<WorkerMessage>("message");
        QTest::newRow("hello") << WorkerMessage(WorkerHello{.program = "batchpeak-worker 0.1.0",
                                                            .framework = "libtorch 2.11.0",
                                                            .device = {.kind = "cuda",
                                                                       .name = "NVIDIA H200",
                                                                       .uuid = "GPU-1",
                                                                       .totalBytes = 150123456789,
                                                                       .freeBytes = 149}});
        QTest::newRow("loaded") << WorkerMessage(
            Loaded{.parameters = 124439808, .baselineBytes = 1991036928, .limitBytes = 6442450944});
        QTest::newRow("warm-up step")
            << WorkerMessage(Step{.id = 7, .phase = StepPhase::Warmup, .index = 0, .seconds = 0.213});
        QTest::newRow("timed step") << WorkerMessage(Step{.id = 7, .index = 3, .seconds = 1e-9});
        QTest::newRow("result, all fields") << WorkerMessage(fullResult());
        QTest::newRow("result, out of memory")
            << WorkerMessage(TrialResult{.id = 8, .microBatchSize = 4096, .outcome = Outcome::OutOfMemory});
        QTest::newRow("log") << WorkerMessage(Log{.level = LogLevel::Warning, .text = "1,5 µs\ttab"});
        QTest::newRow("error") << WorkerMessage(WorkerError{.text = "lost", .fatal = true});
    }
    void workerMessagesComeBack()
    {
        QFETCH(WorkerMessage, message);
        const std::string line = toLine(message);
        QVERIFY(line.ends_with('\n'));
        QCOMPARE(std::count(line.begin(), line.end(), '\n'), 1);
        const auto parsed = parseWorkerMessage(line);
        QVERIFY2(std::holds_alternative<WorkerMessage>(parsed), line.c_str());
        QVERIFY2(std::get<WorkerMessage>(parsed) == message, line.c_str());
    }

    void everyOutcomeHasAWord()
    {
        for (const Outcome outcome :
             {Outcome::Ok, Outcome::OutOfMemory, Outcome::Unsupported, Outcome::Failed, Outcome::Timeout,
              Outcome::Cancelled, Outcome::Crashed}) {
            QVERIFY(!toText(outcome).empty());
            QCOMPARE(outcomeFromText(toText(outcome)), outcome);
        }
        QCOMPARE(outcomeFromText("OOM"), std::nullopt);
    }

    // The lines that the protocol's description shows, byte for byte but for its ellipses.
    void readsTheDescribedWorkerLines_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<WorkerMessage>("expected");
        QTest::newRow("hello")
            << QByteArray(
                   R"({"type":"hello","protocol":1,"program":"batchpeak-worker 0.1.0","framework":"libtorch 2.11.0","device":{"kind":"cuda","name":"NVIDIA H200","uuid":"GPU-...","total_bytes":0,"free_bytes":0}})")
            << WorkerMessage(
                   WorkerHello{.program = "batchpeak-worker 0.1.0",
                               .framework = "libtorch 2.11.0",
                               .device = {.kind = "cuda", .name = "NVIDIA H200", .uuid = "GPU-..."}});
        QTest::newRow("loaded")
            << QByteArray(R"({"type":"loaded","parameters":124439808,"baseline_bytes":0,"limit_bytes":0})")
            << WorkerMessage(Loaded{.parameters = 124439808});
        QTest::newRow("step") << QByteArray(
                                     R"({"type":"step","id":7,"phase":"warmup","index":0,"seconds":0.213})")
                              << WorkerMessage(Step{.id = 7, .phase = StepPhase::Warmup, .seconds = 0.213});
        QTest::newRow("result")
            << QByteArray(
                   R"({"type":"result","id":7,"micro_batch_size":96,"outcome":"ok","steps":12,"samples":1152,"seconds_per_step":0.213,"step_seconds":[0.212,0.213],"relative_error":0.004,
 "forward_seconds":0.07,"backward_seconds":0.13,"optimizer_seconds":0.01,"peak_allocated_bytes":0,"peak_reserved_bytes":0,"alloc_retries":0,"wall_seconds":3.1,"flags":[]})")
            << WorkerMessage(TrialResult{.id = 7,
                                         .microBatchSize = 96,
                                         .outcome = Outcome::Ok,
                                         .steps = 12,
                                         .samples = 1152,
                                         .secondsPerStep = 0.213,
                                         .stepSeconds = {0.212, 0.213},
                                         .relativeError = 0.004,
                                         .forwardSeconds = 0.07,
                                         .backwardSeconds = 0.13,
                                         .optimizerSeconds = 0.01,
                                         .wallSeconds = 3.1});
        QTest::newRow("log") << QByteArray(R"({"type":"log","level":"warning","text":"..."})")
                             << WorkerMessage(Log{.level = LogLevel::Warning, .text = "..."});
        QTest::newRow("error") << QByteArray(R"({"type":"error","text":"...","fatal":true})")
                               << WorkerMessage(WorkerError{.text = "...", .fatal = true});
        QTest::newRow("bare hello") << QByteArray(R"({"type":"hello","protocol":1})")
                                    << WorkerMessage(WorkerHello{});
        QTest::newRow("required fields alone") << resultWith("")
                                               << WorkerMessage(TrialResult{.id = 7,
                                                                            .microBatchSize = 96,
                                                                            .outcome = Outcome::Ok,
                                                                            .steps = 12,
                                                                            .samples = 1152,
                                                                            .secondsPerStep = 0.2,
                                                                            .peakReservedBytes = 5});
        QTest::newRow("gauges that read nothing")
            << resultWith(R"(,"energy_joules":"low","temperature_celsius":-1,"processor_share":null)")
            << WorkerMessage(TrialResult{.id = 7,
                                         .microBatchSize = 96,
                                         .outcome = Outcome::Ok,
                                         .steps = 12,
                                         .samples = 1152,
                                         .secondsPerStep = 0.2,
                                         .peakReservedBytes = 5});
        QTest::newRow("a failure need not say times")
            << QByteArray(R"({"type":"result","id":7,"micro_batch_size":96,"outcome":"failed"})")
            << WorkerMessage(TrialResult{.id = 7, .microBatchSize = 96});
    }
    void readsTheDescribedWorkerLines()
    {
        QFETCH(QByteArray, line);
        QFETCH(WorkerMessage, expected);
        const auto parsed = parseWorkerMessage(view(line));
        if (const auto* error = std::get_if<ProtocolError>(&parsed))
            QFAIL(error->text.c_str());
        QVERIFY(std::get<WorkerMessage>(parsed) == expected);
    }

    void refusesBadWorkerLines_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<QString>("named");
        QTest::newRow("ok without a step") << resultWith(R"(,"steps":0)") << QStringLiteral("timed step");
        QTest::newRow("ok in no time")
            << resultWith(R"(,"seconds_per_step":0)") << QStringLiteral("seconds_per_step");
        QTest::newRow("negative time")
            << resultWith(R"(,"seconds_per_step":-0.2)") << QStringLiteral("seconds_per_step");
        QTest::newRow("endless time")
            << resultWith(R"(,"seconds_per_step":1e999)") << QStringLiteral("too large");
        QTest::newRow("not a number")
            << resultWith(R"(,"seconds_per_step":NaN)") << QStringLiteral("not JSON");
        QTest::newRow("null time") << resultWith(R"(,"seconds_per_step":null)")
                                   << QStringLiteral("has no field \"seconds_per_step\"");
        QTest::newRow("one step in no time")
            << resultWith(R"(,"step_seconds":[0.2,0])") << QStringLiteral("step_seconds");
        QTest::newRow("one step in words")
            << resultWith(R"(,"step_seconds":["0.2"])") << QStringLiteral("step_seconds");
        QTest::newRow("negative error")
            << resultWith(R"(,"relative_error":-0.1)") << QStringLiteral("relative_error");
        QTest::newRow("negative memory")
            << resultWith(R"(,"peak_reserved_bytes":-5)") << QStringLiteral("peak_reserved_bytes");
        QTest::newRow("fractional memory")
            << resultWith(R"(,"peak_reserved_bytes":5.5)") << QStringLiteral("whole number");
        QTest::newRow("samples beyond 63 bits")
            << resultWith(R"(,"micro_batch_size":9223372036854775807)") << QStringLiteral("too large");
        QTest::newRow("unknown outcome") << resultWith(R"(,"outcome":"fine")") << QStringLiteral("\"fine\"");
        QTest::newRow("crashed, by itself")
            << resultWith(R"(,"outcome":"crashed")") << QStringLiteral("crashed");
        QTest::newRow("flag is a text") << resultWith(R"(,"flags":"thrashes")") << QStringLiteral("flags");
        QTest::newRow("flag is a number") << resultWith(R"(,"flags":[1])") << QStringLiteral("flags");
        QTest::newRow("unknown type") << QByteArray(R"({"type":"trial"})") << QStringLiteral("\"trial\"");
        QTest::newRow("step without seconds")
            << QByteArray(R"({"type":"step","id":1})") << QStringLiteral("seconds");
        QTest::newRow("protocol in words")
            << QByteArray(R"({"type":"hello","protocol":"one"})") << QStringLiteral("protocol");
        QTest::newRow("empty line") << QByteArray("\n") << QStringLiteral("not JSON");
        QTest::newRow("no JSON") << QByteArray("Traceback (most recent call last):\n")
                                 << QStringLiteral("Traceback");
        QTest::newRow("no object") << QByteArray("[1]") << QStringLiteral("not a JSON object");
        QTest::newRow("two on a line")
            << QByteArray(R"({"type":"bye"}{"type":"bye"})") << QStringLiteral("not JSON");
        QTest::newRow("invalid UTF-8")
            << QByteArray("{\"type\":\"log\",\"text\":\"\xff\xfe\"}") << QStringLiteral("not JSON");
        QTest::newRow("invalid UTF-8 alone") << QByteArray("\xff\xfe\x80") << QStringLiteral("not JSON");
        QTest::newRow("deep nesting") << nested(100'000) << QStringLiteral("levels deep");
        QTest::newRow("one level too many") << nested(33) << QStringLiteral("levels deep");
        QTest::newRow("one byte too long")
            << nested(2).leftJustified(maxLineBytes + 1) << QStringLiteral("1048577 bytes");
    }
    void refusesBadWorkerLines()
    {
        QFETCH(QByteArray, line);
        QFETCH(QString, named);
        const auto parsed = parseWorkerMessage(view(line));
        QVERIFY(std::holds_alternative<ProtocolError>(parsed));
        const QString text = QString::fromStdString(std::get<ProtocolError>(parsed).text);
        QVERIFY2(text.contains(named), qPrintable(text));
        QVERIFY2(text.endsWith(QLatin1Char('.')), qPrintable(text));
        QVERIFY2(text.size() < 500, "a sentence, not the line");
    }
};

BATCHPEAK_TEST(WorkerMessagesTest)
#include "tst_worker_messages.moc"
