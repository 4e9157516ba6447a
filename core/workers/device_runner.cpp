// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "device_runner.h"

#include "text/readable_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

namespace batchpeak::engine {

namespace {

// A worker that fails to start once may have found a busy device; one that fails twice never will start.
constexpr int failuresBeforeGivingUp = 2;

} // namespace

DeviceRunner::DeviceRunner(DeviceSetup setup, QObject* parent)
    : QObject(parent),
      m_waiting(setup.processorReadings ? std::optional(WaitPolicy()) : std::nullopt),
      m_processorReadings(setup.processorReadings),
      m_reconnectFor(setup.reconnectFor),
      m_isHere(!setup.place),
      m_worker(std::move(setup))
{
    setConnection({.state = Connection::State::Starting});
    m_untilNextTry.setSingleShot(true);
    connect(&m_untilNextTry, &QTimer::timeout, this, &DeviceRunner::launch);
    connect(&m_worker, &WorkerConversation::loaded, this, [this] {
        takeConnection();
        emit ready();
    });
    connect(&m_worker, &WorkerConversation::stepTaken, this, &DeviceRunner::stepTaken);
    connect(&m_worker, &WorkerConversation::answered, this,
            [this](const trial::WorkerMessage& answer) { takeResult(std::get<trial::TrialResult>(answer)); });
    connect(&m_worker, &WorkerConversation::ended, this, &DeviceRunner::takeLoss);
    connect(&m_worker, &WorkerConversation::logged, this, &DeviceRunner::logged);
}

void DeviceRunner::start()
{
    if (!m_waiting)
        return launch();
    // Processor times have a resolution of 10 ms.
    constexpr auto firstReading = std::chrono::milliseconds(200);
    const std::set<std::int64_t> own{QCoreApplication::applicationPid()};
    m_processorReadings(own);
    QTimer::singleShot(firstReading, this, [this, own] {
        if (m_stage != Stage::Off)
            return;
        m_waiting->begin(m_processorReadings(own).otherProcessors.value_or(0.0));
        if (m_waiting->sleeps())
            emit logged(LogLevel::Info,
                        tr("%1: other programs use the processors. The worker's threads sleep "
                           "while they wait (OMP_WAIT_POLICY=PASSIVE).")
                            .arg(snapshot().id));
        launch();
    });
}

void DeviceRunner::launch()
{
    m_stage = Stage::Running;
    // Until it is back, a lost connection is lost.
    if (!m_sinceLost.isValid())
        setConnection({.state = Connection::State::Starting});
    m_trialsOfWorker = 0;
    m_sleeps = m_waiting && m_waiting->sleeps();
    m_worker.start(m_waiting ? m_waiting->environment() : QStringList());
}

void DeviceRunner::setConnection(const Connection& connection)
{
    Connection& present = m_worker.device().connection;
    const bool isShown = !m_isHere || connection.state == Connection::State::GivenUp;
    if (!isShown || present == connection)
        return;
    present = connection;
    emit connectionChanged();
}

void DeviceRunner::setTelemetry(const Telemetry& telemetry)
{
    m_worker.device().telemetry = telemetry;
    using State = Connection::State;
    const State state = snapshot().connection.state;
    const auto left = m_worker.leftOfSilence();
    if (left && state == State::Connected)
        setConnection(
            {.state = State::Silent, .until = QDateTime::currentDateTime().addMSecs(left->count())});
    else if (!left && state == State::Silent && !m_worker.hasEnded())
        setConnection({.state = State::Connected});
    if (m_waiting && telemetry.otherProcessors)
        m_waiting->look(*telemetry.otherProcessors);
}

bool DeviceRunner::renewForCompany()
{
    if (!m_waiting || m_waiting->sleeps() == m_sleeps || !isFree())
        return false;
    const QString& device = snapshot().id;
    emit logged(LogLevel::Info, m_sleeps
                                    ? tr("%1: other programs have left the processors. Starting a worker "
                                         "whose threads spin while they wait, as PyTorch's do.")
                                          .arg(device)
                                    : tr("%1: other programs use the processors. Starting a worker whose "
                                         "threads sleep while they wait (OMP_WAIT_POLICY=PASSIVE).")
                                          .arg(device));
    renew();
    return true;
}

void DeviceRunner::runTrial(const trial::TrialRequest& request)
{
    if (isFree())
        ask({.id = request.id, .microBatchSize = request.microBatchSize}, request);
}

void DeviceRunner::compare(const trial::CompareRequest& request)
{
    if (isFree() && canCompare())
        ask({.id = request.id}, request);
}

template<typename Request>
void DeviceRunner::ask(const Running& running, const Request& request)
{
    m_trial = running;
    m_skipRequested = false;
    ++m_trialsOfWorker;
    m_worker.ask(request);
}

void DeviceRunner::renew()
{
    if (!isFree())
        return;
    m_stage = Stage::Renewing;
    m_worker.end();
}

void DeviceRunner::skip()
{
    if (!m_trial || m_endRequested)
        return;
    m_skipRequested = true;
    m_worker.cancel();
}

void DeviceRunner::rest()
{
    if (m_trial || m_endRequested || hasEnded() || m_stage == Stage::Resting)
        return;
    const bool hasWorker = m_stage != Stage::Reconnecting;
    m_untilNextTry.stop();
    m_sinceLost.invalidate();
    m_stage = Stage::Resting;
    if (hasWorker)
        return m_worker.end();
    setConnection({.state = Connection::State::Off});
    emit rested();
}

void DeviceRunner::wake()
{
    if (m_stage != Stage::Resting || m_endRequested)
        return;
    if (m_worker.hasEnded())
        launch();
    else
        m_stage = Stage::Renewing;
}

void DeviceRunner::end()
{
    if (std::exchange(m_endRequested, true) || hasEnded())
        return;
    m_untilNextTry.stop();
    if (m_stage == Stage::Off || m_stage == Stage::Reconnecting || isAtRest())
        return conclude();
    if (m_trial)
        m_worker.cancel();
    else
        m_worker.end();
}

void DeviceRunner::takeResult(const trial::TrialResult& result)
{
    m_failuresInARow = 0;
    m_connectionsLost = 0;
    if (m_endRequested) {
        m_worker.end();
    } else if (result.isLast) {
        ++m_worker.device().restarts;
        m_stage = Stage::Renewing;
        m_worker.end();
    }
    finishTrial(result, false);
}

void DeviceRunner::takeLoss(const WorkerLoss& loss)
{
    m_loss = loss;
    if (m_stage == Stage::Renewing && !m_endRequested && !loss.isStuck)
        return launch();
    if (m_endRequested) {
        // Nothing else reports this for a device that is no longer needed.
        if (loss.isStuck)
            emit logged(LogLevel::Error, tr("%1: %2").arg(snapshot().id, loss.problem));
        if (m_trial)
            finishTrial({.outcome = trial::Outcome::Cancelled}, false);
        return conclude();
    }
    if (m_stage == Stage::Resting && !loss.isStuck) {
        setConnection({.state = Connection::State::Off});
        emit rested();
        return;
    }
    if (reconnect(loss))
        return;
    const QString& device = snapshot().id;
    if (m_trial && m_skipRequested) {
        finishTrial({.outcome = trial::Outcome::Cancelled}, false);
    } else if (m_trial) {
        finishTrial({.outcome = loss.timedOut ? trial::Outcome::Timeout : trial::Outcome::Crashed,
                     .text = loss.problem.toStdString()},
                    true);
    } else if (isUnreachable(loss)) {
        ++m_failuresInARow;
    } else if (!loss.isStuck) {
        ++m_failuresInARow;
        emit logged(LogLevel::Warning,
                    loss.heldNetwork
                        ? tr("%1: the worker ended between two trials. %2").arg(device, loss.problem)
                        : tr("%1: no trial can run yet. %2").arg(device, loss.problem));
    }
    // A receiver of the signal may have ended the device.
    if (m_endRequested)
        return conclude();
    giveUpOrRelaunch();
}

/// Tries the place again later if the connection to it was lost and may come back.
/// \return whether it does
bool DeviceRunner::reconnect(const WorkerLoss& loss)
{
    if (!loss.connection || !loss.connection->mayReturn || !m_wasReady || loss.isStuck)
        return false;
    // A trial during which the worker cannot be heard would be repeated forever.
    constexpr int lossesOfATrial = 3;
    m_connectionsLost += m_trial ? 1 : 0;
    if (m_trial && m_connectionsLost >= lossesOfATrial)
        return false;
    if (m_sinceLost.isValid() && m_sinceLost.hasExpired(m_reconnectFor.count()))
        return false;
    constexpr std::chrono::milliseconds first = std::chrono::seconds(1);
    constexpr std::chrono::milliseconds longest = std::chrono::seconds(15);
    m_nextTryAfter = m_sinceLost.isValid() ? std::min(longest, 2 * m_nextTryAfter) : first;
    if (!m_sinceLost.isValid()) {
        m_sinceLost.start();
        m_triesUntil = QDateTime::currentDateTime().addMSecs(m_reconnectFor.count());
        emit logged(LogLevel::Warning,
                    tr("%1: %2 It is tried again for %3.")
                        .arg(snapshot().id, loss.connection->sentence, durationText(m_reconnectFor)));
    }
    m_stage = Stage::Reconnecting;
    setConnection(
        {.state = Connection::State::Lost, .reason = loss.connection->sentence, .until = m_triesUntil});
    m_untilNextTry.start(m_nextTryAfter);
    if (m_trial)
        finishTrial({.outcome = trial::Outcome::Cancelled}, true);
    return true;
}

void DeviceRunner::takeConnection()
{
    m_wasReady = true;
    setConnection({.state = Connection::State::Connected});
    if (!m_sinceLost.isValid())
        return;
    emit logged(LogLevel::Info,
                tr("%1: the connection is back after %2.")
                    .arg(snapshot().id, durationText(std::chrono::milliseconds(m_sinceLost.elapsed()))));
    m_sinceLost.invalidate();
}

/// Whether the place cannot be reached, and is not tried again: what cannot come back by itself does not come
/// back for a second try either.
bool DeviceRunner::isUnreachable(const WorkerLoss& loss) const
{
    return loss.connection && (!loss.connection->mayReturn || m_sinceLost.isValid());
}

void DeviceRunner::giveUpOrRelaunch()
{
    const QString& device = snapshot().id;
    const bool isUnreachable = this->isUnreachable(m_loss);
    if (m_loss.isStuck || isUnreachable || m_failuresInARow >= failuresBeforeGivingUp) {
        m_stage = Stage::GivenUp;
        setConnection({.state = Connection::State::GivenUp, .reason = m_loss.problem});
        emit logged(LogLevel::Error, m_loss.isStuck || isUnreachable
                                         ? tr("%1 is given up. %2").arg(device, m_loss.problem)
                                         : tr("%1 is given up: its worker failed %2 times in a row.")
                                               .arg(device)
                                               .arg(m_failuresInARow));
        emit gaveUp();
        return;
    }
    ++m_worker.device().restarts;
    emit logged(LogLevel::Info, tr("%1: starting a fresh worker.").arg(device));
    launch();
}

void DeviceRunner::finishTrial(trial::TrialResult result, bool workerLost)
{
    const Running trial = *std::exchange(m_trial, std::nullopt);
    result.id = trial.id;
    result.microBatchSize = trial.microBatchSize.value_or(result.microBatchSize);
    emit trialEnded(result, workerLost, m_worker.secondsSinceHello());
}

void DeviceRunner::conclude()
{
    m_stage = Stage::Ended;
    setConnection({.state = Connection::State::Off});
    emit ended();
}

} // namespace batchpeak::engine
