// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "trial_sequence.h"

#include "device/host_memory.h"

#include <QEventLoop>

#include <chrono>
#include <utility>
#include <variant>

using namespace batchpeak;

namespace {

// Smallest size at which batch normalization and padding have an effect.
constexpr std::int64_t microBatchSize = 2;
constexpr double timeLimitSeconds = 60.0;
// Time limit from the load request to the result.
constexpr std::chrono::seconds patience{120};

} // namespace

TrialSequence::TrialSequence(engine::WorkerCommand worker, std::vector<trial::LoadRequest> loads,
                             Finished finished, Depth depth)
    : m_worker(std::move(worker)), m_loads(std::move(loads)), m_finished(std::move(finished)), m_depth(depth)
{
    // No network fits into one byte, so that a worker does not allocate its weights.
    for (trial::LoadRequest& load : m_loads)
        load.memoryLimitBytes = depth == Depth::Networks ? 1 : load.memoryLimitBytes;
    m_patience.setSingleShot(true);
    connect(&m_patience, &QTimer::timeout, this, [this] {
        m_problem = QStringLiteral("The trial did not come to an end.");
        m_process->kill();
    });
}

engine::WorkerCommand TrialSequence::ownWorker(const QString& program)
{
    return {.program = program,
            .arguments = {QStringLiteral("--device"), QStringLiteral("cpu")},
            .environment = {QStringLiteral("OMP_NUM_THREADS=1")}};
}

void TrialSequence::run()
{
    if (m_loads.empty())
        return;
    QEventLoop loop;
    connect(this, &TrialSequence::done, &loop, &QEventLoop::quit);
    QMetaObject::invokeMethod(this, &TrialSequence::startWorker, Qt::QueuedConnection);
    loop.exec();
}

void TrialSequence::startWorker()
{
    m_process = std::make_unique<engine::WorkerProcess>(
        engine::WorkerTimeouts(), [] { return device::MemoryKills(); }, nullptr);
    connect(m_process.get(), &engine::WorkerProcess::messageReceived, this, &TrialSequence::take);
    connect(m_process.get(), &engine::WorkerProcess::protocolViolated, this,
            [this](const QString& sentence) { m_problem = sentence; });
    connect(m_process.get(), &engine::WorkerProcess::ended, this, &TrialSequence::workerEnded,
            Qt::QueuedConnection);
    m_isAsked = true;
    m_problem.clear();
    m_patience.start(patience);
    m_process->start(m_worker);
    m_process->send(trial::Hello());
}

void TrialSequence::loadNext()
{
    m_isAsked = m_next < m_loads.size();
    if (!m_isAsked) {
        m_patience.stop();
        m_process->end();
        return;
    }
    m_patience.start(patience);
    m_process->send(m_loads[m_next]);
}

void TrialSequence::take(const trial::WorkerMessage& message)
{
    if (std::holds_alternative<trial::WorkerHello>(message)) {
        loadNext();
    } else if (const auto* loaded = std::get_if<trial::Loaded>(&message);
               loaded && m_depth == Depth::Networks) {
        finish({.approximations = loaded->approximations});
        loadNext();
    } else if (loaded) {
        m_process->send(trial::TrialRequest{.id = static_cast<std::int64_t>(m_next) + 1,
                                            .microBatchSize = microBatchSize,
                                            .minSteps = 2,
                                            .maxSteps = 2,
                                            .minSeconds = 0.0,
                                            .timeLimitSeconds = timeLimitSeconds});
    } else if (const auto* result = std::get_if<trial::TrialResult>(&message)) {
        takeResult(*result);
    } else if (const auto* error = std::get_if<trial::WorkerError>(&message)) {
        m_problem = QString::fromStdString(error->text);
        if (!error->fatal) {
            finish({.problem = m_problem});
            loadNext();
        }
    }
}

void TrialSequence::takeResult(const trial::TrialResult& result)
{
    const bool isWell = result.outcome == trial::Outcome::Ok;
    const QString text = QString::fromStdString(result.text);
    finish({.microBatchSize = result.microBatchSize,
            .secondsPerStep = result.secondsPerStep + result.optimizerSeconds.value_or(0.0),
            .peakBytes = result.peakReservedBytes,
            .problem = isWell ? QString()
                              : QStringLiteral("%1. %2").arg(
                                    QString::fromUtf8(toText(result.outcome).data(),
                                                      qsizetype(toText(result.outcome).size())),
                                    text)});
    // After its last result, the worker exits; workerEnded() then starts another one or ends the sequence.
    if (!result.isLast)
        loadNext();
}

void TrialSequence::finish(const SequenceResult& result)
{
    m_isAsked = false;
    m_finished(m_next++, result);
}

void TrialSequence::workerEnded(const engine::WorkerEnd& end)
{
    m_patience.stop();
    if (m_isAsked) {
        QStringList sentences{m_problem.isEmpty() ? end.sentence : m_problem};
        sentences += end.lastLines;
        finish({.problem = sentences.join(QLatin1Char(' '))});
    }
    if (m_next < m_loads.size())
        startWorker();
    else
        emit done();
}
