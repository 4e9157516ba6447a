// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "worker_talk.h"

using namespace batchpeak::trial;

namespace {

// The timeout is generous, since no test asserts times, and other tests may use the processor.
constexpr int timeoutMilliseconds = 60'000;

} // namespace

batchpeak::trial::LoadRequest tinyGpt(batchpeak::model::Phase phase, std::int64_t limit)
{
    return {.model = {.family = "gpt2",
                      .architecture = batchpeak::model::DecoderSpec{.vocabularySize = 64,
                                                                    .hiddenSize = 16,
                                                                    .layers = 2,
                                                                    .heads = 2,
                                                                    .keyValueHeads = 2,
                                                                    .feedForwardSize = 32,
                                                                    .maxPositions = 16}},
            .phase = phase,
            .sequenceLength = 16,
            .memoryLimitBytes = limit};
}

WorkerTalk::WorkerTalk(const QString& program, const QStringList& arguments, const QStringList& environment)
{
    process.setEnvironment(QProcess::systemEnvironment() + environment);
    process.start(program, arguments);
}

WorkerTalk::~WorkerTalk()
{
    process.kill();
    process.waitForFinished();
}

void WorkerTalk::say(const ParentMessage& message)
{
    sayLine(QByteArray::fromStdString(toLine(message)));
}

void WorkerTalk::sayLine(const QByteArray& line)
{
    process.waitForStarted();
    process.write(line);
    process.waitForBytesWritten();
}

TrialResult WorkerTalk::resultOf(const TrialRequest& request)
{
    say(request);
    return hear<TrialResult>().value_or(TrialResult{.text = "no result"});
}

TrialResult WorkerTalk::resultOf(const CompareRequest& request)
{
    say(request);
    return hear<TrialResult>().value_or(TrialResult{.text = "no result"});
}

BatchResult WorkerTalk::resultOf(const BatchRequest& request)
{
    say(request);
    return hear<BatchResult>().value_or(BatchResult{.text = "no result"});
}

int WorkerTalk::exitCode()
{
    const bool hasEnded = process.state() == QProcess::NotRunning || process.waitForFinished();
    return hasEnded && process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
}

TrialRequest quickTrial(std::int64_t id, std::int64_t size)
{
    return {.id = id, .microBatchSize = size, .minSteps = 3, .maxSteps = 3};
}

GpuWorker::GpuWorker(const QString& program, const QStringList& environment)
    : WorkerTalk(program, {QStringLiteral("--device"), QStringLiteral("cuda")}, environment)
{
    say(Hello{});
    hello = hear<WorkerHello>();
}

std::optional<Loaded> GpuWorker::load(const LoadRequest& request)
{
    say(request);
    while (const auto message = hear()) {
        if (const auto* loaded = std::get_if<Loaded>(&*message))
            return *loaded;
        if (const auto* error = std::get_if<WorkerError>(&*message)) {
            qWarning("%s", error->text.c_str());
            break;
        }
    }
    return std::nullopt;
}

CpuWorker::CpuWorker(const char* program)
    : WorkerTalk(QString::fromUtf8(program), {QStringLiteral("--device"), QStringLiteral("cpu")})
{}

std::optional<Loaded> CpuWorker::load(const LoadRequest& request)
{
    say(Hello{});
    say(request);
    return hear<Loaded>();
}

std::optional<WorkerMessage> WorkerTalk::hear()
{
    while (!process.canReadLine()) {
        if (!process.waitForReadyRead(timeoutMilliseconds))
            return std::nullopt;
    }
    const auto parsed = parseWorkerMessage(process.readLine().toStdString());
    if (const auto* error = std::get_if<ProtocolError>(&parsed)) {
        qWarning("%s", error->text.c_str());
        return std::nullopt;
    }
    return std::get<WorkerMessage>(parsed);
}
