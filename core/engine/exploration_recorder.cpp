// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration_recorder.h"

#include "stored_snapshot.h"
#include "tuning_text.h"

#include <QFileInfo>

#include <utility>
#include <variant>

namespace batchpeak::engine {

namespace {

store::ExplorationInfo infoFrom(const RunDescription& run)
{
    const bool isMicro = run.objective == search::Objective::Micro;
    return {.started = QDateTime::currentDateTimeUtc(),
            .filePath = QFileInfo(run.filePath).absoluteFilePath(),
            .formatName = run.formatName,
            .family = run.family,
            .parameters = run.parameters,
            .frozenParameters = run.frozenParameters,
            .tuning = tuningRecord(run.tuning),
            .phase = QString::fromUtf8(model::toText(run.phase)),
            .precision = QString::fromUtf8(model::toText(run.precision)),
            .optimizer = QString::fromUtf8(model::toText(run.optimizer)),
            .sequenceLength = run.sequenceLength,
            .globalBatchSize = run.plan.globalBatchSize,
            .configDevices = run.plan.devices,
            .setting = QString::fromStdString(config::toText(run.plan.setting)),
            .objective = isMicro ? QStringLiteral("micro") : QStringLiteral("effective"),
            .strategy = run.strategy,
            .tolerance = run.tolerance,
            .version = QStringLiteral(BATCHPEAK_VERSION),
            .fidelity = fidelityRecord(run.fidelity)};
}

} // namespace

ExplorationRecorder::ExplorationRecorder(Exploration& exploration, QString storePath, QObject* parent)
    : QObject(parent), m_exploration(exploration), m_store(std::move(storePath))
{
    connect(&m_store, &store::PatientStore::said, this, &ExplorationRecorder::said);
    connect(&exploration, &Exploration::occurred, this, [this](const Event& event) {
        std::visit([this](const auto& occurred) { record(occurred); }, event);
    });
}

void ExplorationRecorder::record(const Started& /*started*/)
{
    m_store.begin(infoFrom(*m_exploration.snapshot().run));
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
                       .limitBytes = device.limitBytes});
    if (!device.approximations.isEmpty())
        m_store.setFidelity(fidelityRecord(m_exploration.snapshot().run->fidelity));
}

void ExplorationRecorder::record(const TrialFinished& finished)
{
    m_store.addTrial(finished.trial);
}

void ExplorationRecorder::record(const RecommendationChanged& changed)
{
    const search::Recommendation& recommendation = changed.recommendation;
    m_store.addRecommendation({.microBatchSize = recommendation.size,
                               .samplesPerSecond = recommendation.samplesPerSecond,
                               .relativeError = recommendation.relativeError,
                               .relativePerformance = recommendation.relativePerformance,
                               .confidence = recommendation.confidence,
                               .expectedLoss = recommendation.expectedLoss,
                               .reason = m_exploration.snapshot().reason});
}

void ExplorationRecorder::record(const Finished& finished)
{
    // Trials since the last change may have led to another reason, and to other figures.
    if (const auto& recommendation = m_exploration.snapshot().searchState.recommendation)
        record(RecommendationChanged{*recommendation});
    // A worker that was started anew may have told more than the first.
    m_store.setFidelity(fidelityRecord(m_exploration.snapshot().run->fidelity));
    m_store.finish({.finished = QDateTime::currentDateTimeUtc(),
                    .status = toText(finished.status),
                    .failure = m_exploration.snapshot().failure,
                    .ending = m_exploration.snapshot().ending});
}

} // namespace batchpeak::engine
