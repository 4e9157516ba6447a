// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runs_elsewhere.h"

#include "store/exploration_store.h"
#include "store/history_writer.h"
#include "text/readable_text.h"
#include "text/translated.h"

#include <QFileInfo>

#include <algorithm>

namespace batchpeak::engine {

namespace {

/// Returns the first run that an exploration on these devices would disturb; null if there is none. Unknown
/// devices match any.
const RunElsewhere* disturbedOf(const std::vector<RunElsewhere>& runs, const QStringList& devices)
{
    const auto isMeant = [&](const QString& id) {
        return devices.contains(id) || devices.contains(id.section(QLatin1Char(':'), 0, 0));
    };
    const auto run = std::ranges::find_if(runs, [&](const RunElsewhere& elsewhere) {
        return devices.isEmpty() || elsewhere.devices.isEmpty() ||
               std::ranges::any_of(elsewhere.devices, isMeant);
    });
    return run == runs.end() ? nullptr : &*run;
}

} // namespace

std::vector<RunElsewhere> runsElsewhere(const QString& historyPath, const std::function<bool(qint64)>& isOwn)
{
    const std::vector<qint64> underWay =
        historyPath.isEmpty() ? std::vector<qint64>() : store::HistoryWriter::underWay(historyPath);
    if (underWay.empty() || !QFileInfo::exists(historyPath))
        return {};
    const store::ExplorationStore store(historyPath);
    std::vector<RunElsewhere> runs;
    for (const qint64 exploration : underWay) {
        if (isOwn && isOwn(exploration))
            continue;
        const auto stored = store.outline(exploration);
        if (!stored || stored->summary.end)
            continue;
        runs.push_back({.exploration = exploration,
                        .started = stored->summary.info.started,
                        .filePath = stored->summary.info.filePath});
        for (const store::DeviceRecord& device : stored->devices)
            runs.back().devices << device.id;
    }
    return runs;
}

QString elsewhereText(const std::vector<RunElsewhere>& runs, const QString& path, const QStringList& devices)
{
    const RunElsewhere* const run = disturbedOf(runs, devices);
    if (!run)
        return {};
    return Translated::tr("Another window or terminal has been exploring %1 since %2.")
        .arg(run->filePath == path ? Translated::tr("this config") : QFileInfo(run->filePath).fileName(),
             momentText(run->started));
}

QString disturbanceText(const std::vector<RunElsewhere>& runs, const QString& path,
                        const QStringList& devices)
{
    const RunElsewhere* const run = disturbedOf(runs, devices);
    if (!run)
        return {};
    const bool isKnown = !devices.isEmpty() && !run->devices.isEmpty();
    return (isKnown ? Translated::tr("%1 Both disturb each other.")
                    : Translated::tr("%1 Both may disturb each other."))
        .arg(elsewhereText(runs, path, devices));
}

} // namespace batchpeak::engine
