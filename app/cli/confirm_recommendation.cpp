// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "confirm_recommendation.h"

#include "confirmation_terminal.h"
#include "console.h"
#include "events_file.h"
#include "signal_relay.h"
#include "store/exploration_store.h"
#include "store/store_error.h"
#include "training/confirmation_events.h"
#include "training/past_exploration.h"
#include "training/training_setup.h"
#include "usage_error.h"

#include <QCoreApplication>

#include <vector>

namespace batchpeak::cli {

namespace {

using training::ConfirmationRun;
using training::ConfirmedSize;

// The first ends after the step under way, the second at once.
constexpr int signalsPassed = 2;

/// Of the newest exploration that asked the same.
/// \throws UsageError where there is none that helps
store::StoredExploration explorationFor(const engine::RunDescription& run, const QString& device)
{
    try {
        auto past = training::pastExploration(store::ExplorationStore::defaultPath(), run, device);
        if (past)
            return std::move(*past);
    } catch (const store::StoreError& error) {
        throw UsageError(error.what());
    }
    throw UsageError(
        QStringLiteral("--confirm needs a recommendation, and the history knows none of %1 on %2 "
                       "with this network, precision, optimizer, sequence length and batch; run "
                       "'batchpeak explore %1' first.")
            .arg(run.filePath, device)
            .toStdString());
}

std::vector<ConfirmedSize> sizesOf(const store::StoredExploration& exploration)
{
    std::vector<ConfirmedSize> sizes = training::predictedSizes(exploration);
    if (sizes.empty()) {
        throw UsageError(
            QStringLiteral("exploration %1 kept no times that predict whole steps; run 'batchpeak "
                           "explore %2' again.")
                .arg(QString::number(exploration.summary.id), exploration.summary.info.filePath)
                .toStdString());
    }
    return sizes;
}

void introduce(const store::StoredExploration& exploration, const QString& device, Console& console)
{
    const store::ExplorationSummary& summary = exploration.summary;
    console.answer(
        QStringLiteral("confirming what exploration %1 of %2 recommends for %3, on %4")
            .arg(QString::number(summary.id),
                 summary.info.started.toLocalTime().toString(QStringLiteral("yyyy-MM-dd HH:mm:ss")),
                 summary.info.filePath, device));
}

} // namespace

int confirmRecommendation(const engine::ConfigFile& file, const training::TrainingOptions& options,
                          const ConfirmationRequest& request, Console& console)
{
    const auto setup = training::setUpTraining(file.path(), file.contents(), options, {});
    const QString device = setup.devices.setups().front().id;
    const store::StoredExploration exploration = explorationFor(setup.plan.description.run, device);
    const std::vector<ConfirmedSize> sizes = sizesOf(exploration);
    introduce(exploration, device, console);

    ConfirmationRun run;
    ConfirmationTerminal terminal(run, console);
    SignalRelay signalRelay(signalsPassed);
    QObject::connect(&signalRelay, &SignalRelay::interrupted, &terminal, &ConfirmationTerminal::interrupt);
    // A run that ends while it starts ends an event loop that is yet to come.
    QObject::connect(
        &terminal, &ConfirmationTerminal::ended, &terminal, [](int code) { QCoreApplication::exit(code); },
        Qt::QueuedConnection);
    run.start(file.path(), file.contents(), options, sizes, request.steps);
    const int code = QCoreApplication::exec();
    if (request.events)
        checkEvents(training::writeConfirmation(*request.events, run.snapshot()));
    return code;
}

} // namespace batchpeak::cli
