// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "interrupted_run.h"

#include "snapshot/snapshot.h"
#include "store/exploration_store.h"
#include "store/history_writer.h"
#include "text/translated.h"

#include <QFileInfo>

#include <algorithm>

namespace batchpeak::engine {

namespace {

/// Whether the exploration was stopped by a person, by a system that ended its program, or because no trial
/// could be run any more, before the search had ended.
bool wasStopped(const store::ExplorationEnd& end)
{
    return end.status == toText(FinishStatus::Cancelled) || end.status == toText(FinishStatus::Failed);
}

} // namespace

std::optional<InterruptedRun> interruptedRunFrom(const store::StoredExploration& stored)
{
    const auto space = searchSpaceFrom(stored.searchSpace);
    if (!space || stored.searchCalls.empty())
        return std::nullopt;
    InterruptedRun run{.stored = stored, .space = *space};
    for (const QByteArray& text : stored.searchCalls) {
        const auto call = plannerCallFrom(text);
        if (!call)
            return std::nullopt;
        run.calls.push_back(*call);
    }
    return run;
}

search::SearchSpace spaceOf(const InterruptedRun& run, const search::SearchSpace& now)
{
    search::SearchSpace space = run.space;
    space.memoryLimitBytes = std::min(space.memoryLimitBytes, now.memoryLimitBytes);
    space.devices = now.devices;
    return space;
}

std::optional<double> budgetAfter(const InterruptedRun& run, std::optional<double> asked)
{
    std::optional<double> seconds = asked;
    for (const PlannerCall& call : run.calls) {
        if (call.kind == PlannerCall::Kind::Continue)
            seconds = call.seconds > 0.0 ? std::optional(call.elapsedSeconds + call.seconds) : std::nullopt;
        else if (call.kind == PlannerCall::Kind::Extend && seconds)
            *seconds += call.seconds;
    }
    return seconds;
}

QString whyInUse(const QString& storePath, qint64 exploration)
{
    if (!store::HistoryWriter::isUnderWay(storePath, exploration))
        return {};
    return Translated::tr("Another program runs exploration %1; end that one first.").arg(exploration);
}

QString resumeError(const QString& storePath, const store::StoredExploration& stored)
{
    const qint64 id = stored.summary.id;
    if (stored.summary.end && !wasStopped(*stored.summary.end))
        return Translated::tr("Exploration %1 has already finished; explore the config again.").arg(id);
    if (QString why = whyInUse(storePath, id); !why.isEmpty())
        return why;
    if (!interruptedRunFrom(stored))
        return Translated::tr(
                   "Too little of exploration %1 was saved to continue it; explore the config again.")
            .arg(id);
    return {};
}

std::optional<store::StoredExploration> cutExplorationOf(const QString& storePath, const QString& filePath,
                                                         Stopped stopped)
{
    // Opening a history creates its file.
    if (!QFileInfo::exists(storePath))
        return std::nullopt;
    const store::ExplorationStore history(storePath);
    for (const store::ExplorationSummary& summary : history.list()) {
        const bool isOfFile =
            filePath.isEmpty() || summary.info.filePath == QFileInfo(filePath).absoluteFilePath();
        const bool isMeant = !summary.end || (stopped == Stopped::Too && wasStopped(*summary.end));
        if (!isMeant || !isOfFile)
            continue;
        auto stored = history.show(summary.id);
        if (stored && resumeError(storePath, *stored).isEmpty())
            return stored;
    }
    return std::nullopt;
}

} // namespace batchpeak::engine
