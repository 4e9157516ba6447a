// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration_terminal.h"

#include "command.h"
#include "engine/log_text.h"
#include "words/exploration_text.h"

#include <utility>

namespace batchpeak::cli {

namespace {

using engine::FinishStatus;

/// Whether a trial gets a line of its own; the log says more about trials with other outcomes.
bool deservesALine(const trial::TrialRecord& trial)
{
    return trial.outcome == trial::Outcome::Ok || trial.outcome == trial::Outcome::OutOfMemory;
}

int exitCodeFor(FinishStatus status, bool hasRecommendation)
{
    switch (status) {
    case FinishStatus::Confident:
    case FinishStatus::Exhausted:
    case FinishStatus::Budget:
        return hasRecommendation ? exitCode::success : exitCode::noTrials;
    case FinishStatus::Cancelled:
        return exitCode::interrupted;
    case FinishStatus::NothingFits:
        return exitCode::nothingFits;
    case FinishStatus::Failed:
        break;
    }
    return exitCode::noTrials;
}

} // namespace

ExplorationTerminal::ExplorationTerminal(const engine::ObservedExploration& exploration, Console& console,
                                         Detail detail, std::function<void()> stop)
    // The system handles the second interruption.
    : RunTerminal(console, 1),
      m_exploration(exploration),
      m_stop(std::move(stop)),
      m_log(console, detail == Detail::LastLinesOnly ? engine::LogLevel::Error : engine::LogLevel::Warning)
{
    listenForTheEnd();
    printLog();
    if (detail == Detail::Everything)
        printDetails();
}

void ExplorationTerminal::printDetails()
{
    Console& console = this->console();
    // The run of an exploration elsewhere is known when it begins, maybe more than once.
    if (const auto& run = snapshot().run)
        console.answer(introductionLines(*run));
    else
        engine::onEvent<engine::Started>(m_exploration, this, [this, &console](const auto& /*started*/) {
            console.answer(introductionLines(*snapshot().run));
        });
    engine::onEvent<engine::Recalled>(m_exploration, this, [&console](const auto& recalled) {
        console.remark(engine::recalledText(recalled));
    });
    engine::onEvent<engine::DeviceReady>(m_exploration, this, [&console](const auto& ready) {
        if (const QString program = engine::programText(ready.device); !program.isEmpty())
            console.remark(program);
    });
    engine::onEvent<engine::RecommendationChanged>(
        m_exploration, this, [this, &console](const auto& changed) {
            console.answer(recommendationLine(m_exploration.eventTime(), changed.recommendation,
                                              snapshot().run->fidelity));
            if (const QString gain = gainText(snapshot()); !gain.isEmpty())
                console.remark(
                    QStringLiteral("size %1: %2").arg(QString::number(changed.recommendation.size), gain));
        });
    engine::onEvent<engine::TrialFinished>(m_exploration, this, [this, &console](const auto& finished) {
        if (deservesALine(finished.trial))
            console.remark(trialLine(finished.trial, snapshot().run->fidelity));
    });
    drawLiveLine([this] { return progressLine(); });
}

ProgressLine ExplorationTerminal::progressLine() const
{
    return liveLine(m_exploration.snapshot());
}

void ExplorationTerminal::printLog()
{
    connect(&m_exploration, &engine::ObservedExploration::snapshotChanged, this,
            [this](const engine::Snapshot& snapshot) { m_log.print(snapshot.log, snapshot.failure); });
}

void ExplorationTerminal::listenForTheEnd()
{
    engine::onEvent<engine::Finished>(m_exploration, this, [this](const auto& finished) {
        if (!m_interrupted)
            printLastLines(snapshot());
        const bool hasRecommendation = snapshot().searchState.recommendation.has_value();
        takeEnd(m_interrupted ? exitCode::interrupted : exitCodeFor(finished.status, hasRecommendation));
    });
}

void ExplorationTerminal::interrupt()
{
    if (std::exchange(m_interrupted, true))
        return;
    // After the last lines, the terminal waits only for the end; trials that still arrive change nothing.
    disconnect(&m_exploration, nullptr, this, nullptr);
    listenForTheEnd();
    // Warnings change nothing either, but a worker that does not end is an error to report.
    m_log.printOnly(engine::LogLevel::Error);
    printLog();
    engine::Snapshot bestSoFar = m_exploration.snapshot();
    bestSoFar.finish = FinishStatus::Cancelled;
    printLastLines(bestSoFar);
    m_stop();
}

/// Prints the first line, which is the result of the run, in a strong style.
void ExplorationTerminal::answerLastLines(const QStringList& lines)
{
    StyledText first;
    first.append(lines.front(), Style::Strong);
    console().answer(first);
    console().answer(lines.mid(1));
}

void ExplorationTerminal::printLastLines(const engine::Snapshot& snapshot)
{
    removeLiveLine();
    if (!snapshot.searchState.recommendation && !snapshot.failure.isEmpty())
        printError(snapshot.failure);
    else
        answerLastLines(finalLines(snapshot));
    if (snapshot.canBeTakenUp())
        console().remark(
            QStringLiteral("to continue: batchpeak explore --resume %1").arg(snapshot.numberInHistory));
}

} // namespace batchpeak::cli
