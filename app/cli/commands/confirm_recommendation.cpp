// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "confirm_recommendation.h"

#include "command.h"
#include "console.h"
#include "history/past_exploration.h"
#include "run_terminal.h"
#include "snapshot/predicted_sizes.h"
#include "store/exploration_store.h"
#include "training/confirmation_run.h"
#include "training/training_event_log.h"
#include "training/training_setup.h"
#include "words/confirmation_text.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace batchpeak::cli {

namespace {

using training::ConfirmationRun;
using training::ConfirmationSnapshot;
using training::ConfirmedSize;

// The first interruption ends the run after the current step, the second at once.
constexpr int confirmationInterruptions = 2;

int exitCodeFor(const ConfirmationSnapshot& snapshot)
{
    if (!snapshot.failure.isEmpty())
        return exitCode::noTrials;
    if (snapshot.isStopped)
        return exitCode::interrupted;
    const bool nothingFits = std::ranges::all_of(snapshot.sizes, &ConfirmedSize::ranOutOfMemory);
    return nothingFits ? exitCode::nothingFits : exitCode::success;
}

/// The terminal's view of one confirmation run: its progress, the warnings of its worker, and the last lines.
class ConfirmationTerminal : public RunTerminal
{
public:
    ConfirmationTerminal(ConfirmationRun& run, Console& console);

protected:
    /// Ends the run after the current step; at once if called a second time.
    void interrupt() override;

private:
    void printLastLines();

    ConfirmationRun& m_run;
    bool m_interrupted = false;
};

ConfirmationTerminal::ConfirmationTerminal(ConfirmationRun& run, Console& console)
    : RunTerminal(console, confirmationInterruptions), m_run(run)
{
    connect(&run, &ConfirmationRun::finished, this, [this] {
        printLastLines();
        end(exitCodeFor(m_run.snapshot()));
    });
    connect(&run, &ConfirmationRun::logged, this, [&console](engine::LogLevel level, const QString& text) {
        if (level != engine::LogLevel::Info)
            console.remark(QStringLiteral("warning: ") + text);
    });
    drawLiveLine([this] { return confirmationLiveLine(m_run.snapshot()); });
}

void ConfirmationTerminal::interrupt()
{
    if (!std::exchange(m_interrupted, true))
        console().remark(QStringLiteral("ending after this step; Ctrl-C once more ends at once"));
    m_run.stop();
}

void ConfirmationTerminal::printLastLines()
{
    removeLiveLine();
    const ConfirmationSnapshot& snapshot = m_run.snapshot();
    if (snapshot.stepsDone > 0 || snapshot.failure.isEmpty())
        console().answer(confirmationLines(snapshot));
    if (!snapshot.failure.isEmpty())
        printError(snapshot.failure);
}

/// Returns the newest exploration that had the same request.
/// \throws UsageError if no exploration is usable
store::StoredExploration explorationFor(const engine::RunDescription& run, const QString& device)
{
    try {
        auto past = engine::pastExploration(store::ExplorationStore::defaultPath(), run, device);
        if (past)
            return std::move(*past);
    } catch (const store::StoreError& error) {
        throw UsageError(error.what());
    }
    throw UsageError(
        QStringLiteral(
            "--confirm needs a recommendation, and the history knows none of %1 on %2 with this network, "
            "precision, optimizer, sequence length and batch; run `batchpeak explore %1` first.")
            .arg(run.filePath, device)
            .toStdString());
}

std::vector<engine::PredictedSize> sizesOf(const store::StoredExploration& exploration)
{
    std::vector<engine::PredictedSize> sizes = engine::predictedSizes(exploration);
    if (sizes.empty()) {
        throw UsageError(
            QStringLiteral(
                "exploration %1 kept no times that predict whole steps; run `batchpeak explore %2` again.")
                .arg(QString::number(exploration.summary.id), exploration.summary.info.filePath)
                .toStdString());
    }
    return sizes;
}

void introduce(const store::StoredExploration& exploration, const engine::RunDescription& run,
               const QString& device, Console& console)
{
    const store::ExplorationSummary& summary = exploration.summary;
    console.answer(
        QStringLiteral("confirming what exploration %1 of %2 recommends for %3, on %4")
            .arg(QString::number(summary.id),
                 summary.info.started.toLocalTime().toString(QStringLiteral("yyyy-MM-dd HH:mm:ss")),
                 summary.info.filePath, device));
    if (!engine::isOfTheSameProgram(summary.info, run)) {
        console.remark(QStringLiteral("warning: that exploration measured with another program (%1), so "
                                      "achieved samples/s may differ from its predictions; explore the "
                                      "config with the same --with, --worker and --launcher first")
                           .arg(exploration.devices.front().program));
    }
}

} // namespace

int confirmRecommendation(const engine::ConfigFile& file, const training::TrainingOptions& options,
                          const ConfirmationRequest& request, Console& console)
{
    const config::ConfigContents& contents = file.contentsFor(options.run);
    const auto setup = training::setUpTraining(file.path(), contents, options, {});
    const QString device = setup.devices.setups().front().id;
    const store::StoredExploration exploration = explorationFor(setup.plan.description.run, device);
    const std::vector<engine::PredictedSize> sizes = sizesOf(exploration);
    introduce(exploration, setup.plan.description.run, device, console);

    QIODevice* const events = request.events();
    ConfirmationRun run;
    ConfirmationTerminal terminal(run, console);
    const auto ofDevice = std::ranges::find(exploration.devices, device, &store::DeviceRecord::id);
    const auto explored =
        ofDevice != exploration.devices.end() ? engine::identityOf(*ofDevice) : engine::DeviceIdentity();
    run.start(file.path(), contents, options, sizes, request.steps, explored);
    const int code = terminal.waitForEnd();
    const QString problem = events ? training::writeConfirmation(*events, run.snapshot()) : QString();
    if (!problem.isEmpty() && request.onMissingEvents)
        request.onMissingEvents(problem);
    return code;
}

} // namespace batchpeak::cli
