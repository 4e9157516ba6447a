// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration_recorder.h"

#include "store/exploration_store.h"
#include "store/store_error.h"
#include "trial_record.h"

#include <QFileInfo>

#include <string_view>
#include <utility>

namespace batchpeak::engine {

namespace {

QString word(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

store::ExplorationInfo infoFrom(const RunDescription& run)
{
    const bool isMicro = run.objective == search::Objective::Micro;
    return {.started = QDateTime::currentDateTimeUtc(),
            .filePath = QFileInfo(run.filePath).absoluteFilePath(),
            .formatName = run.formatName,
            .family = run.family,
            .parameters = run.parameters,
            .phase = word(model::toText(run.phase)),
            .precision = word(model::toText(run.precision)),
            .optimizer = word(model::toText(run.optimizer)),
            .sequenceLength = run.sequenceLength,
            .globalBatchSize = run.plan.globalBatchSize,
            .configDevices = run.plan.devices,
            .setting = QString::fromStdString(config::toText(run.plan.setting)),
            .objective = isMicro ? QStringLiteral("micro") : QStringLiteral("effective"),
            .strategy = run.strategy,
            .tolerance = run.tolerance,
            .version = QStringLiteral(BATCHPEAK_VERSION)};
}

template<typename Value>
std::optional<qint64> bytes(const std::optional<Value>& value)
{
    return value ? std::optional<qint64>(*value) : std::nullopt;
}

} // namespace

ExplorationRecorder::ExplorationRecorder(Exploration& exploration, QString storePath, QObject* parent)
    : QObject(parent), m_exploration(exploration), m_storePath(std::move(storePath))
{
    connect(&exploration, &Exploration::started, this, &ExplorationRecorder::begin);
    connect(&exploration, &Exploration::deviceReady, this, &ExplorationRecorder::addDevice);
    connect(&exploration, &Exploration::trialFinished, this, &ExplorationRecorder::addTrial);
    connect(&exploration, &Exploration::recommendationChanged, this, &ExplorationRecorder::addRecommendation);
    connect(&exploration, &Exploration::finished, this, &ExplorationRecorder::finish);
}

ExplorationRecorder::~ExplorationRecorder() = default;

template<typename Write>
void ExplorationRecorder::attempt(const Write& write)
{
    try {
        write();
    } catch (const store::StoreError& error) {
        m_store.reset();
        emit failed(error.sentence());
    }
}

void ExplorationRecorder::begin()
{
    attempt([this] {
        m_store = std::make_unique<store::ExplorationStore>(m_storePath);
        m_id = m_store->begin(infoFrom(*m_exploration.snapshot().run));
    });
}

void ExplorationRecorder::addDevice(const DeviceSnapshot& device)
{
    if (!m_store)
        return;
    attempt([&] {
        m_store->addDevice(m_id, {.id = device.id,
                                  .name = device.name,
                                  .program = device.program,
                                  .totalBytes = device.totalBytes,
                                  .limitBytes = device.limitBytes});
    });
}

void ExplorationRecorder::addTrial(const TrialSnapshot& trial)
{
    if (!m_store)
        return;
    attempt([&] {
        m_store->addTrial(m_id, {.number = trial.number,
                                 .device = trial.device,
                                 .microBatchSize = trial.microBatchSize,
                                 .outcome = word(trial::toText(outcomeOf(trial.state))),
                                 .samplesPerSecond = trial.samplesPerSecond,
                                 .relativeError = trial.relativeError,
                                 .secondsPerStep = trial.secondsPerStep,
                                 .optimizerSeconds = trial.optimizerSeconds,
                                 .peakAllocatedBytes = bytes(trial.peakAllocatedBytes),
                                 .peakReservedBytes = bytes(trial.peakReservedBytes),
                                 .timedSteps = trial.timedSteps,
                                 .wallSeconds = trial.wallSeconds,
                                 .joulesPerSample = trial.joulesPerSample,
                                 .flags = trial.flags,
                                 .text = trial.text});
    });
}

void ExplorationRecorder::addRecommendation(const search::Recommendation& recommendation)
{
    if (!m_store)
        return;
    attempt([&] {
        m_store->addRecommendation(m_id, {.microBatchSize = recommendation.size,
                                          .samplesPerSecond = recommendation.samplesPerSecond,
                                          .relativeError = recommendation.relativeError,
                                          .relativePerformance = recommendation.relativePerformance,
                                          .confidence = recommendation.confidence,
                                          .reason = m_exploration.snapshot().reason});
    });
}

void ExplorationRecorder::finish(FinishStatus status)
{
    // Trials since the last change may have led to another reason, and to other figures.
    if (const auto& recommendation = m_exploration.snapshot().searchState.recommendation)
        addRecommendation(*recommendation);
    if (!m_store)
        return;
    attempt([&] {
        m_store->finish(m_id, {.finished = QDateTime::currentDateTimeUtc(),
                               .status = toText(status),
                               .failure = m_exploration.snapshot().failure});
    });
    m_store.reset();
}

} // namespace batchpeak::engine
