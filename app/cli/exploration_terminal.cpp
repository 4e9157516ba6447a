// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration_terminal.h"

#include "command.h"
#include "exploration_text.h"

#include <chrono>

namespace batchpeak::cli {

namespace {

using engine::FinishStatus;

// Often enough to look live, seldom enough to cost nothing over a slow connection.
constexpr std::chrono::milliseconds redrawInterval{100};

/// Of other ends the log says more.
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

ExplorationTerminal::ExplorationTerminal(engine::Exploration& exploration, Console& console, Detail detail)
    : m_exploration(exploration), m_console(console), m_detail(detail), m_log(console)
{
    listenForTheEnd();
    if (detail == Detail::LastLinesOnly)
        return;

    introduce();
    engine::onEvent<engine::RecommendationChanged>(exploration, this, [this](const auto& changed) {
        m_console.answer(recommendationLine(QDateTime::currentDateTimeUtc(), changed.recommendation));
    });
    engine::onEvent<engine::TrialFinished>(exploration, this, [this](const auto& finished) {
        if (deservesALine(finished.trial))
            m_console.remark(trialLine(finished.trial));
    });
    connect(&exploration, &engine::Exploration::snapshotChanged, this,
            [this](const engine::Snapshot& snapshot) { m_log.print(snapshot.log, snapshot.failure); });
    if (console.showsLiveLine()) {
        connect(&m_redraw, &QTimer::timeout, this,
                [this] { m_console.setLiveLine(liveLine(m_exploration.snapshot())); });
        m_redraw.start(redrawInterval);
    }
}

void ExplorationTerminal::listenForTheEnd()
{
    engine::onEvent<engine::Finished>(m_exploration, this,
                                      [this](const auto& finished) { end(finished.status); });
}

void ExplorationTerminal::introduce()
{
    if (const auto& run = m_exploration.snapshot().run) {
        for (const QString& line : introductionLines(*run))
            m_console.answer(line);
    }
}

void ExplorationTerminal::interrupt()
{
    if (m_interrupted)
        return;
    m_interrupted = true;
    // After the last lines only the end is waited for; a trial that still comes in changes nothing.
    m_exploration.disconnect(this);
    listenForTheEnd();
    engine::Snapshot bestSoFar = m_exploration.snapshot();
    bestSoFar.finish = FinishStatus::Cancelled;
    printLastLines(bestSoFar);
    m_exploration.stop();
}

void ExplorationTerminal::printLastLines(const engine::Snapshot& snapshot)
{
    m_redraw.stop();
    m_console.setLiveLine({});
    if (!snapshot.searchState.recommendation && !snapshot.failure.isEmpty()) {
        printError(snapshot.failure);
        return;
    }
    for (const QString& line : finalLines(snapshot))
        m_console.answer(line);
}

void ExplorationTerminal::end(FinishStatus status)
{
    const engine::Snapshot& snapshot = m_exploration.snapshot();
    if (!m_interrupted)
        printLastLines(snapshot);
    const bool hasRecommendation = snapshot.searchState.recommendation.has_value();
    emit ended(m_interrupted ? exitCode::interrupted : exitCodeFor(status, hasRecommendation));
}

} // namespace batchpeak::cli
