// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "past_exploration.h"

#include "store/exploration_store.h"
#include "stored_snapshot.h"
#include "tuning_text.h"

#include <QFileInfo>

#include <algorithm>

namespace batchpeak::engine {

namespace {

/// Whether a path of the history leads to that file, through links or not. What a relative one began at is
/// not known any more.
bool isSameFile(const QString& kept, const QFileInfo& file)
{
    const QFileInfo past(kept);
    if (past.isRelative())
        return false;
    return past.absoluteFilePath() == file.absoluteFilePath() ||
           (file.exists() && past.canonicalFilePath() == file.canonicalFilePath());
}

/// A number or null asks for one size, which is then recommended whatever else there is.
bool isSearch(const QString& setting)
{
    bool isNumber = false;
    setting.toLongLong(&isNumber);
    return !isNumber && setting != QLatin1String("null");
}

/// What a person had in the place of the config's own; an older program did not tell.
bool replacesTheSame(const store::FidelityRecord& past, const config::Fidelity& fidelity)
{
    return past.kind.isEmpty() || past.replaced == fidelityRecord(fidelity).replaced;
}

bool asksTheSame(const store::ExplorationInfo& past, const RunDescription& run)
{
    return past.family == run.family && past.parameters == run.parameters &&
           past.tuning == tuningRecord(run.tuning) && replacesTheSame(past.fidelity, run.fidelity) &&
           past.phase == QString::fromUtf8(model::toText(run.phase)) &&
           past.precision == QString::fromUtf8(model::toText(run.precision)) &&
           past.optimizer == QString::fromUtf8(model::toText(run.optimizer)) &&
           past.sequenceLength == run.sequenceLength && past.globalBatchSize == run.plan.globalBatchSize &&
           past.configDevices == run.plan.devices && isSameFile(past.filePath, QFileInfo(run.filePath));
}

} // namespace

std::optional<store::StoredExploration> pastExploration(const QString& storePath, const RunDescription& run,
                                                        const QString& device)
{
    // Opening a history makes one.
    if (!QFileInfo::exists(storePath))
        return std::nullopt;
    const store::ExplorationStore history(storePath);
    for (const store::ExplorationSummary& summary : history.list()) {
        const bool isRecommendation = summary.end && summary.recommendation && isSearch(summary.info.setting);
        if (!isRecommendation || !asksTheSame(summary.info, run))
            continue;
        auto exploration = history.show(summary.id);
        const auto isThere = [&](const store::DeviceRecord& past) {
            return past.id == device || past.name == device;
        };
        if (exploration && std::ranges::any_of(exploration->devices, isThere))
            return exploration;
    }
    return std::nullopt;
}

} // namespace batchpeak::engine
