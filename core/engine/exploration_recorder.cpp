// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration_recorder.h"

#include "history/stored_snapshot.h"
#include "text/json_fields.h"
#include "text/tuning_text.h"

#include <QCryptographicHash>
#include <QFileInfo>

#include <utility>
#include <variant>
#include <vector>

namespace batchpeak::engine {

namespace {

store::ExplorationInfo infoFrom(const RunDescription& run)
{
    return {.started = QDateTime::currentDateTimeUtc(),
            .filePath = QFileInfo(run.filePath).absoluteFilePath(),
            .formatName = run.formatName,
            .family = run.family,
            .parameters = run.parameters,
            .frozenParameters = run.frozenParameters,
            .tuning = tuningRecord(run.tuning),
            .phase = enumText(run.phase),
            .precision = enumText(run.precision),
            .optimizer = enumText(run.optimizer),
            .sequenceLength = run.sequenceLength,
            .globalBatchSize = run.plan.globalBatchSize,
            .configDevices = run.plan.devices,
            .processes = run.processes,
            .setting = QString::fromStdString(config::toText(run.plan.setting)),
            .objective = enumText(run.objective),
            .strategy = run.strategy,
            .tolerance = run.tolerance,
            .version = QStringLiteral(BATCHPEAK_VERSION),
            .fidelity = fidelityRecord(run.fidelity),
            .configText = run.configText,
            .configHash = QString::fromLatin1(
                QCryptographicHash::hash(run.configText.toUtf8(), QCryptographicHash::Sha256).toHex()),
            .chosenModel = run.chosenModel,
            .command = run.command,
            .loadRequest = run.loadRequest,
            .headroom = run.headroom};
}

} // namespace

ExplorationRecorder::ExplorationRecorder(Exploration& exploration, QString storePath, QObject* parent)
    : QObject(parent), m_exploration(exploration), m_store(std::move(storePath))
{
    connect(&m_store, &store::HistoryWriter::message, this, &ExplorationRecorder::message);
    connect(&m_store, &store::HistoryWriter::kept, &exploration, &Exploration::setNumberInHistory);
    m_soon.setSingleShot(true);
    m_soon.setInterval(0);
    connect(&m_soon, &QTimer::timeout, this, &ExplorationRecorder::writeCalls);
    connect(&exploration, &Exploration::searchBegun, this,
            [this](const search::SearchSpace& space) { m_store.setSearchSpace(toText(space)); });
    connect(&exploration, &Exploration::searchTold, this, &ExplorationRecorder::keep);
    connect(&exploration, &Exploration::occurred, this, [this](const Event& event) {
        std::visit([this](const auto& occurred) { record(occurred); }, event);
    });
}

void ExplorationRecorder::record(const Started& /*started*/)
{
    m_calls.clear();
    m_lastLine = {};
    if (const InterruptedRun* const cut = m_exploration.takenUp()) {
        if (!cut->stored.log.empty())
            m_lastLine = cut->stored.log.back().time;
        m_store.resumeFrom(cut->stored);
    } else {
        m_store.begin(infoFrom(*m_exploration.snapshot().run));
    }
}

/// Keeps a call until its trial is written, so that one is never stored without the other.
void ExplorationRecorder::keep(const PlannerCall& call)
{
    m_calls.push_back(toText(call));
    m_soon.start();
}

void ExplorationRecorder::writeCalls()
{
    m_soon.stop();
    if (!m_calls.empty())
        m_store.addSearchCalls(std::exchange(m_calls, {}));
}

void ExplorationRecorder::record(const WentOn& /*wentOn*/)
{
    m_store.reopen();
}

void ExplorationRecorder::record(const DeviceReady& ready)
{
    const DeviceSnapshot& device = ready.device;
    m_store.addDevice({.id = device.id,
                       .name = device.name,
                       .program = device.program,
                       .totalBytes = device.totalBytes,
                       .limitBytes = device.limitBytes,
                       .framework = device.framework,
                       .uuid = device.uuid,
                       .driver = device.driver});
    if (!device.approximations.isEmpty())
        m_store.setFidelity(fidelityRecord(m_exploration.snapshot().run->fidelity));
}

/// Records the trial as canceled until it has ended.
void ExplorationRecorder::record(const TrialStarted& started)
{
    trial::TrialRecord trial = started.trial;
    trial.outcome = trial::Outcome::Cancelled;
    trial.text = tr("The program ended before this trial did.").toStdString();
    m_store.addTrial(trial);
}

void ExplorationRecorder::record(const TrialFinished& finished)
{
    m_soon.stop();
    m_store.addTrial(finished.trial, std::exchange(m_calls, {}));
    writeLog();
}

/// Writes the log lines since the last call; the snapshot keeps a limited number of the newest lines.
void ExplorationRecorder::writeLog()
{
    const std::vector<LogLine>& log = m_exploration.snapshot().log;
    std::size_t first = log.size();
    while (first > 0 && (!m_lastLine.isValid() || log[first - 1].time > m_lastLine))
        --first;
    std::vector<store::LogRecord> lines;
    for (; first < log.size(); ++first)
        lines.push_back(
            {.time = log[first].time, .level = static_cast<int>(log[first].level), .text = log[first].text});
    if (lines.empty())
        return;
    m_lastLine = lines.back().time;
    m_store.addLog(lines);
}

void ExplorationRecorder::record(const RecommendationChanged& changed)
{
    const search::Recommendation& recommendation = changed.recommendation;
    std::vector<store::EstimateRecord> estimates;
    for (const search::SizeEstimate& estimate : m_exploration.snapshot().searchState.estimates)
        estimates.push_back({.microBatchSize = estimate.size,
                             .samplesPerSecond = estimate.samplesPerSecond,
                             .relativeError = estimate.relativeError,
                             .probabilityWithin = estimate.probabilityWithin});
    m_store.addRecommendation({.microBatchSize = recommendation.size,
                               .samplesPerSecond = recommendation.samplesPerSecond,
                               .relativeError = recommendation.relativeError,
                               .relativePerformance = recommendation.relativePerformance,
                               .confidence = recommendation.confidence,
                               .expectedLoss = recommendation.expectedLoss,
                               .reason = m_exploration.snapshot().reason,
                               .estimates = std::move(estimates)});
}

void ExplorationRecorder::record(const Finished& finished)
{
    writeCalls();
    writeLog();
    // An exploration that could not be continued stays as it was, and may be continued another time.
    if (m_exploration.takenUp()) {
        m_store.leave();
        return;
    }
    // Trials since the last change may have changed the reason and the numbers.
    if (const auto& recommendation = m_exploration.snapshot().searchState.recommendation)
        record(RecommendationChanged{*recommendation});
    // A restarted worker may have reported more than the first one.
    m_store.setFidelity(fidelityRecord(m_exploration.snapshot().run->fidelity));
    m_store.finish({.finished = QDateTime::currentDateTimeUtc(),
                    .status = toText(finished.status),
                    .failure = m_exploration.snapshot().failure,
                    .ending = m_exploration.snapshot().ending});
}

} // namespace batchpeak::engine
