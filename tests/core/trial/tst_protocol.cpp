// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "protocol.h"

#include <QTest>

#include <algorithm>
#include <clocale>
#include <limits>

using namespace batchpeak;
using namespace batchpeak::trial;

namespace {

model::ModelSpec smallLlama()
{
    return {.family = "llama",
            .architecture = model::DecoderSpec{.vocabularySize = 32000,
                                               .hiddenSize = 64,
                                               .layers = 2,
                                               .heads = 8,
                                               .keyValueHeads = 2,
                                               .feedForwardSize = 172,
                                               .maxPositions = 2048,
                                               .positionEmbedding = model::PositionEmbedding::Rotary,
                                               .normalization = model::Normalization::RmsNorm,
                                               .activation = model::Activation::SwiGlu,
                                               .tiedEmbeddings = false,
                                               .attentionBias = false,
                                               .attentionOutputBias = false,
                                               .feedForwardBias = false,
                                               .outputBias = true,
                                               .normalizationEpsilon = 1e-6,
                                               .ropeTheta = 500000.5,
                                               .rotaryDimensions = 4,
                                               .dropout = 0.1,
                                               .attentionDropout = 0.2}};
}

// No member has the value that it would have without the field.
model::EncoderSpec smallEncoder()
{
    return {.vocabularySize = 33,
            .hiddenSize = 64,
            .layers = 2,
            .heads = 8,
            .feedForwardSize = 172,
            .maxPositions = 1026,
            .tokenTypes = 3,
            .positionEmbedding = model::PositionEmbedding::Rotary,
            .activation = model::Activation::Relu,
            .normalizesFirst = true,
            .embeddingNormalization = false,
            .finalNormalization = true,
            .pooler = true,
            .maskedLanguageHead = false,
            .nextSentenceHead = true,
            .tiedEmbeddings = false,
            .predictedTokens = 20,
            .tokenDropout = true,
            .maskToken = 32,
            .normalizationEpsilon = 1e-6,
            .ropeTheta = 500000.5,
            .rotaryDimensions = 4,
            .dropout = 0.1,
            .attentionDropout = 0.2};
}

model::EncoderDecoderSpec smallEncoderDecoder()
{
    return {.vocabularySize = 33,
            .hiddenSize = 64,
            .encoderLayers = 2,
            .decoderLayers = 3,
            .heads = 8,
            .headSize = 5,
            .feedForwardSize = 172,
            .relativeBuckets = 16,
            .maxRelativeDistance = 64,
            .normalization = model::Normalization::LayerNorm,
            .activation = model::Activation::GeGlu,
            .tiedEmbeddings = false,
            .normalizationEpsilon = 1e-5,
            .dropout = 0.1};
}

TrialResult fullResult()
{
    return {.id = 7,
            .microBatchSize = 96,
            .outcome = Outcome::Ok,
            .steps = 2,
            .samples = 192,
            .secondsPerStep = 0.1 + 0.2,
            .stepSeconds = {0.3, 0.30000000000000004},
            .relativeError = 0.004,
            .forwardSeconds = 0.07,
            .backwardSeconds = 0.13,
            .optimizerSeconds = 0.01,
            .peakAllocatedBytes = (std::int64_t{1} << 53) + 1,
            .peakReservedBytes = std::numeric_limits<std::int64_t>::max(),
            .refusedHostBytes = 4096,
            .allocationRetries = 3,
            .wallSeconds = 3.1,
            .readings = {.processorShare = 0.98,
                         .foreignProcessors = 0.0,
                         .minorPageFaultsPerStep = 12.5,
                         .majorPageFaultsPerStep = 0.2,
                         .energyJoules = 1234.5,
                         .meanPowerWatts = 612.0,
                         .temperatureCelsius = 71.0,
                         .clockMegahertz = 1755.0},
            .flags = {"thrashes", "disturbed: 71 % of the processor"},
            .text = "Größe \"96\"\n"};
}

// A message of the worker with one field changed or added.
QByteArray resultWith(const char* fields)
{
    return QByteArray(R"({"type":"result","id":7,"micro_batch_size":96,"outcome":"ok","steps":12,)"
                      R"("seconds_per_step":0.2,"peak_reserved_bytes":5)") +
           fields + '}';
}

QByteArray nested(int levels)
{
    return R"({"type":"bye","extra":)" + QByteArray(levels - 1, '[') + QByteArray(levels - 1, ']') + '}';
}

std::string_view view(const QByteArray& bytes)
{
    return {bytes.constData(), static_cast<std::size_t>(bytes.size())};
}

} // namespace

class ProtocolTest : public QObject
{
    Q_OBJECT

private slots:
    void parentMessagesComeBack_data()
    {
        QTest::addColumn<ParentMessage>("message");
        QTest::newRow("hello") << ParentMessage(Hello{});
        QTest::newRow("load, all fields") << ParentMessage(LoadRequest{
            .model = smallLlama(),
            .phase = model::Phase::Eval,
            .sequenceLength = 128,
            .precision = model::Precision::Bf16,
            .optimizer = model::Optimizer::Sgd,
            .step = {.activationCheckpointing = true, .lossChunkRows = 512, .maxGradientNorm = 0.5},
            .memoryLimitBytes = std::int64_t{6} << 30,
            .seed = std::numeric_limits<std::uint64_t>::max()});
        QTest::newRow("load, defaults")
            << ParentMessage(LoadRequest{.model = {.family = "gpt2"}, .sequenceLength = 1});
        QTest::newRow("load, an encoder") << ParentMessage(
            LoadRequest{.model = {.family = "esm2", .architecture = smallEncoder()}, .sequenceLength = 8});
        QTest::newRow("load, an encoder-decoder")
            << ParentMessage(LoadRequest{.model = {.family = "t5", .architecture = smallEncoderDecoder()},
                                         .sequenceLength = 8,
                                         .targetLength = 3});
        QTest::newRow("trial") << ParentMessage(TrialRequest{.id = -1,
                                                             .microBatchSize = 65536,
                                                             .minSteps = 1,
                                                             .maxSteps = 1,
                                                             .minSeconds = 0.0,
                                                             .timeLimitSeconds = 1e-3,
                                                             .abandonAboveSeconds = 0.213});
        QTest::newRow("cancel") << ParentMessage(Cancel{.id = 7});
        QTest::newRow("bye") << ParentMessage(Bye{});
    }
    void parentMessagesComeBack()
    {
        QFETCH(ParentMessage, message);
        const std::string line = toLine(message);
        QVERIFY(line.ends_with('\n'));
        QCOMPARE(std::count(line.begin(), line.end(), '\n'), 1);
        const auto parsed = parseParentMessage(line);
        QVERIFY2(std::holds_alternative<ParentMessage>(parsed), line.c_str());
        QVERIFY2(std::get<ParentMessage>(parsed) == message, line.c_str());
    }

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
    void readsTheDescribedParentLines_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<ParentMessage>("expected");
        QTest::newRow("hello") << QByteArray(R"({"type":"hello","protocol":1})") << ParentMessage(Hello{});
        QTest::newRow("load")
            << QByteArray(
                   R"({"type":"load","model":{"family":"gpt2"},"phase":"train","sequence_length":1024,"precision":"bf16","optimizer":"adamw","memory_limit_bytes":0,"seed":1})")
            << ParentMessage(LoadRequest{
                   .model = {.family = "gpt2"}, .sequenceLength = 1024, .precision = model::Precision::Bf16});
        QTest::newRow("trial")
            << QByteArray(
                   R"({"type":"trial","id":7,"micro_batch_size":96,"min_steps":5,"max_steps":24,"min_seconds":0.4,"time_limit":60.0,"abandon_above":0.0})")
            << ParentMessage(TrialRequest{.id = 7, .microBatchSize = 96});
        QTest::newRow("cancel") << QByteArray(R"({"type":"cancel","id":7})")
                                << ParentMessage(Cancel{.id = 7});
        QTest::newRow("bye") << QByteArray(R"({"type":"bye"})") << ParentMessage(Bye{});
        QTest::newRow("carriage return and an unknown field")
            << QByteArray("{\"type\":\"bye\",\"reason\":{\"code\":[1]}}\r\n") << ParentMessage(Bye{});
        QTest::newRow("null is absent")
            << QByteArray(R"({"type":"trial","id":7,"micro_batch_size":96,"min_steps":null})")
            << ParentMessage(TrialRequest{.id = 7, .microBatchSize = 96});
    }
    void readsTheDescribedParentLines()
    {
        QFETCH(QByteArray, line);
        QFETCH(ParentMessage, expected);
        const auto parsed = parseParentMessage(view(line));
        QVERIFY(std::holds_alternative<ParentMessage>(parsed));
        QVERIFY(std::get<ParentMessage>(parsed) == expected);
    }

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

    void refusesBadParentLines_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<QString>("named");
        const auto trialWith = [](const char* fields) {
            return QByteArray(R"({"type":"trial","id":7,"micro_batch_size":96,)") + fields + '}';
        };
        const auto loadWith = [](const char* fields) {
            return QByteArray(R"({"type":"load","sequence_length":8,)") + fields + '}';
        };
        QTest::newRow("unknown type") << QByteArray(R"({"type":"dance"})") << QStringLiteral("\"dance\"");
        QTest::newRow("a worker's type")
            << QByteArray(R"({"type":"loaded"})") << QStringLiteral("\"loaded\"");
        QTest::newRow("no type") << QByteArray("{}") << QStringLiteral("\"type\"");
        QTest::newRow("type is a number") << QByteArray(R"({"type":3})") << QStringLiteral("a text");
        QTest::newRow("size 0") << QByteArray(R"({"type":"trial","id":7,"micro_batch_size":0})")
                                << QStringLiteral("at least 1");
        QTest::newRow("size is a fraction") << QByteArray(R"({"type":"trial","id":7,"micro_batch_size":1.5})")
                                            << QStringLiteral("whole number");
        QTest::newRow("size beyond 63 bits")
            << QByteArray(R"({"type":"trial","id":7,"micro_batch_size":9223372036854775808})")
            << QStringLiteral("whole number");
        QTest::newRow("size beyond 64 bits")
            << QByteArray(R"({"type":"trial","id":7,"micro_batch_size":99999999999999999999})")
            << QStringLiteral("whole number");
        QTest::newRow("steps beyond 31 bits")
            << trialWith(R"("max_steps":3000000000)") << QStringLiteral("too large");
        QTest::newRow("no steps") << trialWith(R"("min_steps":0)") << QStringLiteral("min_steps");
        QTest::newRow("fewest above most")
            << trialWith(R"("min_steps":5,"max_steps":4)") << QStringLiteral("max_steps");
        QTest::newRow("no time") << trialWith(R"("time_limit":0)") << QStringLiteral("time_limit");
        QTest::newRow("negative time") << trialWith(R"("min_seconds":-1)") << QStringLiteral("min_seconds");
        QTest::newRow("endless time") << trialWith(R"("time_limit":1e999)") << QStringLiteral("too large");
        QTest::newRow("time in words") << trialWith(R"("time_limit":"60")") << QStringLiteral("\\\"60\\\"");
        QTest::newRow("no model") << loadWith(R"("phase":"train")") << QStringLiteral("\"model\"");
        QTest::newRow("model is a list") << loadWith(R"("model":[])") << QStringLiteral("an object");
        QTest::newRow("model without family") << loadWith(R"("model":{})") << QStringLiteral("\"family\"");
        QTest::newRow("unknown activation")
            << loadWith(R"("model":{"family":"gpt2","activation":"swish"})") << QStringLiteral("\"swish\"");
        QTest::newRow("unknown phase")
            << loadWith(R"("model":{"family":"gpt2"},"phase":"both")") << QStringLiteral("\"both\"");
        QTest::newRow("negative limit") << loadWith(R"("model":{"family":"gpt2"},"memory_limit_bytes":-1)")
                                        << QStringLiteral("memory_limit_bytes");
        QTest::newRow("negative seed")
            << loadWith(R"("model":{"family":"gpt2"},"seed":-1)") << QStringLiteral("seed");
        QTest::newRow("no sequence") << QByteArray(R"({"type":"load","model":{"family":"gpt2"}})")
                                     << QStringLiteral("sequence_length");
        QTest::newRow("cancel without id") << QByteArray(R"({"type":"cancel"})") << QStringLiteral("\"id\"");
    }
    void refusesBadParentLines()
    {
        QFETCH(QByteArray, line);
        QFETCH(QString, named);
        const auto parsed = parseParentMessage(view(line));
        QVERIFY(std::holds_alternative<ProtocolError>(parsed));
        const QString text = QString::fromStdString(std::get<ProtocolError>(parsed).text);
        QVERIFY2(text.contains(named), qPrintable(text));
        QVERIFY2(text.endsWith(QLatin1Char('.')), qPrintable(text));
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

    void acceptsWhatIsJustWithinTheLimits()
    {
        QVERIFY(std::holds_alternative<ParentMessage>(parseParentMessage(view(nested(32)))));
        QVERIFY(std::holds_alternative<ParentMessage>(
            parseParentMessage(view(nested(2).leftJustified(maxLineBytes)))));
    }

    // A pipe may end anywhere: no start of a line is taken for the whole.
    void refusesEveryCutLine()
    {
        std::string line = toLine(WorkerMessage(fullResult()));
        line.pop_back();
        for (std::size_t length = 0; length < line.size(); ++length) {
            const auto parsed = parseWorkerMessage(std::string_view(line).substr(0, length));
            QVERIFY2(std::holds_alternative<ProtocolError>(parsed), line.substr(0, length).c_str());
        }
    }

    void writesTextOfAnyBytes()
    {
        const std::string line = toLine(WorkerMessage(Log{.text = std::string("\xff") + '\0' + "ok"}));
        const auto parsed = parseWorkerMessage(line);
        QVERIFY(std::holds_alternative<WorkerMessage>(parsed));
        QVERIFY(std::get<Log>(std::get<WorkerMessage>(parsed)).text.ends_with("ok"));
    }

    void keepsALineShortHoweverLongTheText()
    {
        const std::string line = toLine(WorkerMessage(WorkerError{.text = std::string(maxLineBytes, '"')}));
        QVERIFY(line.size() < maxLineBytes);
    }

    void doesNotCareForTheDecimalComma()
    {
        const char* comma = nullptr;
        for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "ru_RU.UTF-8"})
            comma = comma ? comma : std::setlocale(LC_ALL, name);
        if (!comma)
            QSKIP("No locale with a decimal comma is installed.");
        const std::string line = toLine(WorkerMessage(fullResult()));
        const auto parsed = parseWorkerMessage(line);
        std::setlocale(LC_ALL, "C");
        QVERIFY(line.find("0.004") != std::string::npos);
        QVERIFY(std::get<WorkerMessage>(parsed) == WorkerMessage(fullResult()));
    }
};

QTEST_APPLESS_MAIN(ProtocolTest)
#include "tst_protocol.moc"
