// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sample_messages.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "trial/protocol.h"

#include <QTest>

#include <cmath>
#include <cstdint>
#include <limits>

using namespace batchpeak;
using namespace batchpeak::trial;

class WorkerMessagesTest : public QObject
{
    Q_OBJECT

private slots:
    void restoresWorkerMessages_data()
    {
        rows<WorkerMessage>(
            {{"heartbeat", Heartbeat{}},
             {"hello", WorkerHello{.program = "batchpeak-worker 0.1.0",
                                   .framework = "libtorch 2.11.0",
                                   .device = {.kind = "cuda",
                                              .name = "NVIDIA H200",
                                              .uuid = "GPU-1",
                                              .totalBytes = 150123456789,
                                              .freeBytes = 149,
                                              .contextBytes = 11,
                                              .limitBytes = 75,
                                              .allocatorSettings = "max_split_size_mb:64"}}},
             {"loaded",
              Loaded{.parameters = 124439808, .baselineBytes = 1991036928, .limitBytes = 6442450944}},
             {"loaded, run otherwise",
              Loaded{.parameters = 1, .approximations = {"a 4-bit base without a fused kernel", "größe"}}},
             {"warm-up step", Step{.id = 7, .phase = StepPhase::Warmup, .index = 0, .seconds = 0.213}},
             {"timed step", Step{.id = 7, .index = 3, .seconds = 1e-9}},
             {"result, all fields", fullResult()},
             {"result, out of memory",
              TrialResult{.id = 8, .microBatchSize = 4096, .outcome = Outcome::OutOfMemory}},
             {"comparison, all fields", fullComparison()},
             {"comparison, cut short", cutComparison()},
             {"log", Log{.level = LogLevel::Warning, .text = "1,5 µs\ttab"}},
             {"error", WorkerError{.text = "lost", .fatal = true}},
             {"training ready", TrainingReady{.samples = 512, .tokensPerSample = 128}},
             {"training ready, some held out", TrainingReady{.samples = 512, .heldOutSamples = 27}},
             {"batch, all fields", BatchResult{.id = 9,
                                               .microBatchSize = 24,
                                               .outcome = Outcome::OutOfMemory,
                                               .loss = 0.1 + 0.2,
                                               .seconds = 1.5,
                                               .optimizerSeconds = 0.25,
                                               .countedTargets = 12800,
                                               .peakAllocatedBytes = (std::int64_t{1} << 53) + 1,
                                               .peakReservedBytes = std::numeric_limits<std::int64_t>::max(),
                                               .allocationRetries = 2,
                                               .refusedHostBytes = 4096,
                                               .text = "Größe",
                                               .isLast = true}},
             {"saved", Saved{.id = 10, .bytes = 4096}},
             {"not saved", Saved{.id = 10, .problem = "The disk is full."}}});
    }
    void restoresWorkerMessages()
    {
        const auto& message = row<WorkerMessage>();
        const std::string line = toLine(message);
        QVERIFY(line.ends_with('\n'));
        QCOMPARE(std::count(line.begin(), line.end(), '\n'), 1);
        const auto parsed = parseWorkerMessage(line);
        QVERIFY2(std::holds_alternative<WorkerMessage>(parsed), line.c_str());
        QVERIFY2(std::get<WorkerMessage>(parsed) == message, line.c_str());
    }

    void restoresEveryOutcome()
    {
        for (const Outcome outcome :
             {Outcome::Ok, Outcome::OutOfMemory, Outcome::Unsupported, Outcome::Failed, Outcome::Timeout,
              Outcome::Cancelled, Outcome::Crashed}) {
            QVERIFY(!toText(outcome).empty());
            QCOMPARE(fromText<Outcome>(toText(outcome)), outcome);
        }
        QCOMPARE(fromText<Outcome>("OOM"), std::nullopt);
    }

    // The lines of the protocol's documentation, byte for byte except for their ellipses.
    void readsDocumentedWorkerLines_data()
    {
        const auto add = rows<QByteArray, WorkerMessage>();
        add("hello",
            {R"({"type":"hello","protocol":3,"program":"batchpeak-worker 0.1.0","framework":"libtorch 2.11.0","device":{"kind":"cuda","name":"NVIDIA H200","uuid":"GPU-...","total_bytes":0,"free_bytes":0}})",
             WorkerHello{.program = "batchpeak-worker 0.1.0",
                         .framework = "libtorch 2.11.0",
                         .device = {.kind = "cuda", .name = "NVIDIA H200", .uuid = "GPU-..."}}});
        add("loaded", {R"({"type":"loaded","parameters":124439808,"baseline_bytes":0,"limit_bytes":0})",
                       Loaded{.parameters = 124439808}});
        add("step", {R"({"type":"step","id":7,"phase":"warmup","index":0,"seconds":0.213})",
                     Step{.id = 7, .phase = StepPhase::Warmup, .seconds = 0.213}});
        add("result",
            {R"({"type":"result","id":7,"micro_batch_size":96,"outcome":"ok","steps":2,"samples":192,"seconds_per_step":0.213,"step_seconds":[0.212,0.213],"clock":12.31,"relative_error":0.004,
 "forward_seconds":0.07,"backward_seconds":0.13,"optimizer_seconds":0.01,"peak_allocated_bytes":0,"peak_reserved_bytes":0,"alloc_retries":0,"wall_seconds":3.1,"flags":[]})",
             TrialResult{.id = 7,
                         .microBatchSize = 96,
                         .outcome = Outcome::Ok,
                         .steps = 2,
                         .samples = 192,
                         .secondsPerStep = 0.213,
                         .stepSeconds = {0.212, 0.213},
                         .clockSeconds = 12.31,
                         .relativeError = 0.004,
                         .forwardSeconds = 0.07,
                         .backwardSeconds = 0.13,
                         .optimizerSeconds = 0.01,
                         .wallSeconds = 3.1}});
        add("log", {R"({"type":"log","level":"warning","text":"..."})",
                    Log{.level = LogLevel::Warning, .text = "..."}});
        add("error",
            {R"({"type":"error","text":"...","fatal":true})", WorkerError{.text = "...", .fatal = true}});
        add("comparison",
            {R"({"type":"result","id":8,"outcome":"ok","compared":[{"micro_batch_size":24,"peak_reserved_bytes":0,"alloc_retries":0,"visits":[{"clock":12.31,"seconds":0.64,"step_seconds":[0.213,0.212,0.214]},{"clock":15.47,"seconds":0.65,"step_seconds":[0.215,0.214,0.213]}]},{"micro_batch_size":28,"peak_reserved_bytes":0,"alloc_retries":0,"visits":[{"clock":13.21,"seconds":0.73,"step_seconds":[0.242,0.243,0.241]},{"clock":14.22,"seconds":0.73,"step_seconds":[0.241,0.242,0.244]}]}],"optimizer_seconds":0.01,"wall_seconds":6.1,"flags":[]})",
             TrialResult{
                 .id = 8,
                 .outcome = Outcome::Ok,
                 .optimizerSeconds = 0.01,
                 .wallSeconds = 6.1,
                 .compared = {
                     {.microBatchSize = 24,
                      .visits =
                          {{.clockSeconds = 12.31, .seconds = 0.64, .stepSeconds = {0.213, 0.212, 0.214}},
                           {.clockSeconds = 15.47, .seconds = 0.65, .stepSeconds = {0.215, 0.214, 0.213}}}},
                     {.microBatchSize = 28,
                      .visits = {
                          {.clockSeconds = 13.21, .seconds = 0.73, .stepSeconds = {0.242, 0.243, 0.241}},
                          {.clockSeconds = 14.22,
                           .seconds = 0.73,
                           .stepSeconds = {0.241, 0.242, 0.244}}}}}}});
        add("step of a comparison", {R"({"type":"step","id":8,"phase":"timed","index":10,"seconds":0.213})",
                                     Step{.id = 8, .index = 10, .seconds = 0.213}});
        add("comparison without optional fields",
            {R"({"type":"result","id":8,"outcome":"ok","compared":[{"micro_batch_size":1,"visits":[{"clock":1,"seconds":1,"step_seconds":[1]}]},{"micro_batch_size":2,"visits":[{"clock":1,"seconds":1,"step_seconds":[1]}]}]})",
             TrialResult{
                 .id = 8,
                 .outcome = Outcome::Ok,
                 .compared = {{.microBatchSize = 1,
                               .visits = {{.clockSeconds = 1.0, .seconds = 1.0, .stepSeconds = {1.0}}}},
                              {.microBatchSize = 2,
                               .visits = {{.clockSeconds = 1.0, .seconds = 1.0, .stepSeconds = {1.0}}}}}}});
        add("comparison that failed at once",
            {R"({"type":"result","id":8,"micro_batch_size":24,"outcome":"oom","compared":[]})",
             TrialResult{.id = 8, .microBatchSize = 24, .outcome = Outcome::OutOfMemory}});
        add("bare hello", {R"({"type":"hello","protocol":1})", WorkerHello{.protocol = 1}});
        const TrialResult required{.id = 7,
                                   .microBatchSize = 96,
                                   .outcome = Outcome::Ok,
                                   .steps = 12,
                                   .samples = 1152,
                                   .secondsPerStep = 0.2,
                                   .peakReservedBytes = 5};
        add("required fields alone", {resultWith(""), required});
        add("invalid readings",
            {resultWith(R"(,"energy_joules":"low","temperature_celsius":-1,"processor_share":null)"),
             required});
        add("a failure need not say times",
            {R"({"type":"result","id":7,"micro_batch_size":96,"outcome":"failed"})",
             TrialResult{.id = 7, .microBatchSize = 96}});
    }
    void readsDocumentedWorkerLines()
    {
        const auto& [line, expected] = row<QByteArray, WorkerMessage>();
        const auto parsed = parseWorkerMessage(view(line));
        if (const auto* error = std::get_if<ProtocolError>(&parsed))
            QFAIL(error->text.c_str());
        QVERIFY(std::get<WorkerMessage>(parsed) == expected);
    }

    void restoresALossOfNan()
    {
        const std::string line = toLine(WorkerMessage(BatchResult{
            .id = 1, .microBatchSize = 1, .outcome = Outcome::Ok, .loss = std::nan(""), .seconds = 1.0}));
        const auto parsed = parseWorkerMessage(line);
        QVERIFY2(std::holds_alternative<WorkerMessage>(parsed), line.c_str());
        QVERIFY(std::isnan(std::get<BatchResult>(std::get<WorkerMessage>(parsed)).loss));
    }

    void refusesBadWorkerLines_data()
    {
        const auto batchWith = [](const char* fields) {
            return QByteArray(R"({"type":"batch_result","id":1,"micro_batch_size":4,)") + fields + '}';
        };
        rows<QByteArray, Text>(
            {{"ok without a step", {resultWith(R"(,"steps":0)"), "timed step"}},
             {"ok in no time", {resultWith(R"(,"seconds_per_step":0)"), "seconds_per_step"}},
             {"negative time", {resultWith(R"(,"seconds_per_step":-0.2)"), "seconds_per_step"}},
             {"endless time", {resultWith(R"(,"seconds_per_step":1e999)"), "too large"}},
             {"not a number", {resultWith(R"(,"seconds_per_step":NaN)"), "not JSON"}},
             {"null time", {resultWith(R"(,"seconds_per_step":null)"), "has no field \"seconds_per_step\""}},
             {"one step in no time", {resultWith(R"(,"step_seconds":[0.2,0])"), "step_seconds"}},
             {"more steps than their times", {resultWith(R"(,"step_seconds":[0.2,0.2])"), "\"steps\""}},
             {"faster than each step",
              {resultWith(R"(,"steps":2,"step_seconds":[0.41,0.5])"), "\"seconds_per_step\""}},
             {"slower than each step",
              {resultWith(R"(,"steps":2,"step_seconds":[0.05,0.09])"), "\"seconds_per_step\""}},
             {"one step in words", {resultWith(R"(,"step_seconds":["0.2"])"), "step_seconds"}},
             {"negative error", {resultWith(R"(,"relative_error":-0.1)"), "relative_error"}},
             {"an error beyond reason", {resultWith(R"(,"relative_error":1e308)"), "from zero to a million"}},
             {"negative memory", {resultWith(R"(,"peak_reserved_bytes":-5)"), "peak_reserved_bytes"}},
             {"more memory than any computer has",
              {resultWith(R"(,"peak_reserved_bytes":1152921504606846977)"), "no computer has as much"}},
             {"a step of an instant", {resultWith(R"(,"seconds_per_step":1e-300)"), "nanosecond"}},
             {"one step of an instant", {resultWith(R"(,"step_seconds":[0.2,1e-300])"), "nanosecond"}},
             {"one endless step", {resultWith(R"(,"step_seconds":[0.2,1e300])"), "ten years"}},
             {"flushes without end", {resultWith(R"(,"alloc_retries":9223372036854775807)"), "too large"}},
             {"fractional memory", {resultWith(R"(,"peak_reserved_bytes":5.5)"), "whole number"}},
             {"samples beyond 63 bits",
              {resultWith(R"(,"micro_batch_size":9223372036854775807)"), "too large"}},
             {"unknown outcome", {resultWith(R"(,"outcome":"fine")"), "\"fine\""}},
             {"crashed, by itself", {resultWith(R"(,"outcome":"crashed")"), "crashed"}},
             {"flag is a text", {resultWith(R"(,"flags":"thrashes")"), "flags"}},
             {"flag is a number", {resultWith(R"(,"flags":[1])"), "flags"}},
             {"clock before hello", {resultWith(R"(,"clock":-1)"), "clock"}},
             {"clock in words", {resultWith(R"(,"clock":"noon")"), "clock"}},
             {"ok, but nothing compared", {resultWith(R"(,"compared":[])"), "sizes, but holds 0"}},
             {"compared in words", {resultWith(R"(,"compared":"all")"), "list of objects"}},
             {"compared with a number", {resultWith(R"(,"compared":[24,28])"), "list of objects"}},
             {"one size compared",
              {resultWith(R"(,"compared":[{"micro_batch_size":1}])"), "sizes, but holds 1"}},
             {"compared with itself", {comparisonWith(R"(},{"micro_batch_size":24)"), "twice"}},
             {"compared with itself, then cut short",
              {comparisonWith(R"(},{"micro_batch_size":24)", "failed"), "twice"}},
             {"compared with nothing", {comparisonWith(R"(,"micro_batch_size":0)"), "at least 1"}},
             {"a compared size without a visit", {comparisonWith(""), "lacks visits"}},
             {"sizes without a visit",
              {resultWith(R"(,"compared":[{"micro_batch_size":1},{"micro_batch_size":2}])"), "lacks visits"}},
             {"a visit too few",
              {comparisonWith(R"(,"visits":[{"clock":2,"seconds":1,"step_seconds":[1]},)"
                              R"({"clock":3,"seconds":1,"step_seconds":[1]}])"),
               "lacks visits"}},
             {"a visit without a clock",
              {comparisonWith(R"(,"visits":[{"seconds":1,"step_seconds":[1]}])"), "\"clock\""}},
             {"a visit before hello",
              {comparisonWith(R"(,"visits":[{"clock":-1,"seconds":1,"step_seconds":[1]}])"), "\"clock\""}},
             {"a visit in no time",
              {comparisonWith(R"(,"visits":[{"clock":1,"seconds":0,"step_seconds":[1]}])"), "no visit"}},
             {"an endless visit",
              {comparisonWith(R"(,"visits":[{"clock":1,"seconds":1e999,"step_seconds":[1]}])"), "too large"}},
             {"a visit shorter than its steps",
              {comparisonWith(R"(,"visits":[{"clock":1,"seconds":1,"step_seconds":[1.1,1]}])"), "add up to"}},
             {"a visit without a step",
              {comparisonWith(R"(,"visits":[{"clock":1,"seconds":1,"step_seconds":[]}])"), "without a step"}},
             {"a visit without steps, then cut short",
              {comparisonWith(R"(,"visits":[{"clock":1,"seconds":1}])", "oom"), "without a step"}},
             {"a visit with a step in no time",
              {comparisonWith(R"(,"visits":[{"clock":1,"seconds":1,"step_seconds":[1,0]}])"),
               "step_seconds"}},
             {"negative memory of a compared size",
              {comparisonWith(R"(,"peak_reserved_bytes":-1)"), "peak_reserved_bytes"}},
             {"ended by an unknown size",
              {R"({"type":"result","id":8,"outcome":"oom","compared":[]})", "micro_batch_size"}},
             {"unknown type", {R"({"type":"trial"})", "\"trial\""}},
             {"step without seconds", {R"({"type":"step","id":1})", "seconds"}},
             {"protocol in words", {R"({"type":"hello","protocol":"one"})", "protocol"}},
             {"empty line", {"\n", "not JSON"}},
             {"no JSON", {"Traceback (most recent call last):\n", "Traceback"}},
             {"no object", {"[1]", "not a JSON object"}},
             {"two on a line", {R"({"type":"bye"}{"type":"bye"})", "not JSON"}},
             {"invalid UTF-8", {"{\"type\":\"log\",\"text\":\"\xff\xfe\"}", "not JSON"}},
             {"invalid UTF-8 alone", {"\xff\xfe\x80", "not JSON"}},
             {"deep nesting", {nested(100'000), "levels deep"}},
             {"one level too many", {nested(33), "levels deep"}},
             {"one byte too long", {nested(2).leftJustified(maxLineBytes + 1), "1048577 bytes"}},
             {"batch: no outcome", {batchWith(R"("seconds":1)"), "outcome"}},
             {"batch: ok without a time", {batchWith(R"("outcome":"ok","loss":1)"), "seconds"}},
             {"batch: ok in no time", {batchWith(R"("outcome":"ok","loss":1,"seconds":0)"), "seconds"}},
             {"batch: crashed, by itself", {batchWith(R"("outcome":"crashed")"), "crashed"}},
             {"batch: loss in words", {batchWith(R"("outcome":"ok","seconds":1,"loss":"low")"), "loss"}},
             {"an epoch of nothing", {R"({"type":"training_ready","samples":0})", "samples"}},
             {"saved without id", {R"({"type":"saved"})", "id"}}});
    }
    void refusesBadWorkerLines()
    {
        const auto& [line, named] = row<QByteArray, Text>();
        const auto parsed = parseWorkerMessage(view(line));
        QVERIFY(std::holds_alternative<ProtocolError>(parsed));
        const QString text = QString::fromStdString(std::get<ProtocolError>(parsed).text);
        VERIFY_CONTAINS(text, named);
        QVERIFY2(text.endsWith(QLatin1Char('.')), qPrintable(text));
        QVERIFY2(text.size() < 500, "a sentence, not the line");
    }

    // Approximations are shown next to every number, and a program may report any text.
    void limitsReportedApproximations_data()
    {
        QByteArray many = "\"0\"";
        std::vector<std::string> first{"0"};
        for (std::size_t i = 1; i < 100; ++i) {
            many += ",\"" + QByteArray::number(qulonglong(i)) + "\"";
            if (i < maxApproximations)
                first.push_back(std::to_string(i));
        }
        // The limit must not cut a character of two bytes.
        const QByteArray twoBytes = "\xc3\xa9";
        const QByteArray kept = "x" + twoBytes.repeated(59);
        QCOMPARE(static_cast<std::size_t>(kept.size()), longestApproximation - 1);
        rows<QByteArray, std::vector<std::string>>(
            {{"nothing", {"", {}}},
             {"blanks", {"\"\",\"  \"", {}}},
             {"control characters", {"\"a\\nb\\u0000c\\u001b[31m\"", {"a b c [31m"}}},
             {"too many", {many, first}},
             {"too long", {"\"" + kept + twoBytes.repeated(100) + "\"", {kept.toStdString()}}}});
    }
    void limitsReportedApproximations()
    {
        const auto& [list, accepted] = row<QByteArray, std::vector<std::string>>();
        const QByteArray line = "{\"type\":\"loaded\",\"approximations\":[" + list + "]}";
        const auto parsed = parseWorkerMessage(view(line));
        QVERIFY(std::holds_alternative<WorkerMessage>(parsed));
        QVERIFY(std::get<Loaded>(std::get<WorkerMessage>(parsed)).approximations == accepted);
    }
};

BATCHPEAK_TEST(WorkerMessagesTest)
#include "tst_worker_messages.moc"
