// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration_recorder.h"

#include "store/exploration_store.h"
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
    : QObject(parent), m_exploration(exploration), m_storePath(std::move(storePath))
{
    connect(&exploration, &Exploration::occurred, this, [this](const Event& event) {
        std::visit([this](const auto& occurred) { record(occurred); }, event);
    });
}

ExplorationRecorder::~ExplorationRecorder() = default;

template<typename Write>
void ExplorationRecorder::attempt(const Write& write)
{
    try {
        write();
    } catch (const store::StoreError& error) {
        m_store.reset();
        m_id = 0;
        emit failed(error.sentence());
    }
}

void ExplorationRecorder::record(const Started& /*started*/)
{
    attempt([this] {
        m_store = std::make_unique<store::ExplorationStore>(m_storePath);
        m_id = m_store->begin(infoFrom(*m_exploration.snapshot().run));
    });
}

void ExplorationRecorder::record(const WentOn& /*wentOn*/)
{
    if (m_id == 0)
        return;
    attempt([this] {
        m_store = std::make_unique<store::ExplorationStore>(m_storePath);
        m_store->reopen(m_id);
    });
}

void ExplorationRecorder::record(const DeviceReady& ready)
{
    if (!m_store)
        return;
    const DeviceSnapshot& device = ready.device;
    attempt([&] {
        m_store->addDevice(m_id, {.id = device.id,
                                  .name = device.name,
                                  .program = device.program,
                                  .totalBytes = device.totalBytes,
                                  .limitBytes = device.limitBytes});
        if (!device.approximations.isEmpty())
            m_store->setFidelity(m_id, fidelityRecord(m_exploration.snapshot().run->fidelity));
    });
}

void ExplorationRecorder::record(const TrialFinished& finished)
{
    if (!m_store)
        return;
    attempt([&] { m_store->addTrial(m_id, finished.trial); });
}

void ExplorationRecorder::record(const RecommendationChanged& changed)
{
    if (!m_store)
        return;
    const search::Recommendation& recommendation = changed.recommendation;
    attempt([&] {
        m_store->addRecommendation(m_id, {.microBatchSize = recommendation.size,
                                          .samplesPerSecond = recommendation.samplesPerSecond,
                                          .relativeError = recommendation.relativeError,
                                          .relativePerformance = recommendation.relativePerformance,
                                          .confidence = recommendation.confidence,
                                          .expectedLoss = recommendation.expectedLoss,
                                          .reason = m_exploration.snapshot().reason});
    });
}

void ExplorationRecorder::record(const Finished& finished)
{
    // Trials since the last change may have led to another reason, and to other figures.
    if (const auto& recommendation = m_exploration.snapshot().searchState.recommendation)
        record(RecommendationChanged{*recommendation});
    if (!m_store)
        return;
    attempt([&] {
        // A worker that was started anew may have told more than the first.
        m_store->setFidelity(m_id, fidelityRecord(m_exploration.snapshot().run->fidelity));
        m_store->finish(m_id, {.finished = QDateTime::currentDateTimeUtc(),
                               .status = toText(finished.status),
                               .failure = m_exploration.snapshot().failure,
                               .ending = m_exploration.snapshot().ending});
    });
    m_store.reset();
}

} // namespace batchpeak::engine
