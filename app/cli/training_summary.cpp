// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_summary.h"

#include "engine/batch_text.h"
#include "number_text.h"
#include "plan_text.h"
#include "text_table.h"
#include "training_lines.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace batchpeak::cli {

namespace {

using training::StepRecord;
using training::TrainingSnapshot;

QString endText(std::optional<training::TrainingEnd> end)
{
    using training::TrainingEnd;
    if (end == TrainingEnd::Interrupted)
        return QStringLiteral(", then it was interrupted");
    if (end == TrainingEnd::NothingFits)
        return QStringLiteral(", then not even a micro-batch of 1 fitted");
    return end == TrainingEnd::Failed ? QStringLiteral(", then it could not go on") : QString();
}

/// "steps 1 to 13 of 20, 3,328 samples, then it was interrupted"
QString trainedText(const TrainingSnapshot& snapshot)
{
    std::int64_t samples = 0;
    for (const StepRecord& step : snapshot.steps)
        samples += step.batchSize;
    const std::int64_t steps = snapshot.run ? snapshot.run->steps : 0;
    return QStringLiteral("steps %1 to %2%3, %4%5")
        .arg(groupedText(snapshot.steps.front().step), groupedText(snapshot.steps.back().step),
             steps > 0 ? QStringLiteral(" of %1").arg(groupedText(steps)) : QString(),
             countText(samples, QStringLiteral("sample")), endText(snapshot.end));
}

/// What was found, and what an exploration says beside it.
/// \param isTrainedWith  it does not only bound a batch that grows
QString maximumText(const training::MaximumFound& maximum, bool isTrainedWith)
{
    QStringList effort{countText(maximum.trials, QStringLiteral("trial"))};
    if (maximum.outOfMemoryEvents > 0)
        effort << QStringLiteral("%1 out of memory").arg(maximum.outOfMemoryEvents);
    effort << durationText(maximum.seconds);
    QString text =
        QStringLiteral("%1, %2 (%3)")
            .arg(groupedText(maximum.measured), wayText(maximum.way), effort.join(QStringLiteral(", ")));
    if (isTrainedWith && maximum.used != maximum.measured)
        text += QStringLiteral("; trained with %1, a power of two").arg(groupedText(maximum.used));
    return text +
           (maximum.recommended > 0
                ? QStringLiteral("; the exploration recommends %1").arg(groupedText(maximum.recommended))
                : QStringLiteral("; no exploration has recommended a size yet"));
}

QString peakText(const TrainingSnapshot& snapshot)
{
    std::int64_t peak = 0;
    for (const StepRecord& step : snapshot.steps)
        peak = std::max(peak, step.peakReservedBytes);
    return snapshot.device.limitBytes > 0
               ? QStringLiteral("%1 of %2").arg(bytesText(peak), bytesText(snapshot.device.limitBytes))
               : bytesText(peak);
}

/// Of all steps but those that warm up, where there are others.
QString meanSpeedText(const TrainingSnapshot& snapshot)
{
    const StepRecord& last = snapshot.steps.back();
    if (snapshot.samplesPerSecond <= 0 || last.samplesPerSecond <= 0)
        return speedText(last.samplesPerSecond, last.tokensPerSecond);
    const double tokensPerSample = last.tokensPerSecond / last.samplesPerSecond;
    return speedText(snapshot.samplesPerSecond, snapshot.samplesPerSecond * tokensPerSample);
}

QString microBatchText(const TrainingSnapshot& snapshot)
{
    const StepRecord& last = snapshot.steps.back();
    return QStringLiteral("%1, %2 for a batch of %3")
        .arg(snapshot.run ? engine::sizeText(snapshot.run->run.plan, last.microBatchSize)
                          : QString::number(last.microBatchSize),
             countText(last.accumulationSteps, QStringLiteral("accumulation step")),
             groupedText(last.batchSize));
}

void addEventRows(std::vector<QStringList>& rows, const TrainingSnapshot& snapshot)
{
    if (snapshot.outOfMemoryEvents > 0)
        rows.push_back(
            {QStringLiteral("out of memory"), countText(snapshot.outOfMemoryEvents, QStringLiteral("time"))});
    if (!snapshot.evaluations.empty()) {
        const StepRecord& last = snapshot.evaluations.back();
        rows.push_back({QStringLiteral("evaluation"), QStringLiteral("loss %1 after step %2, micro-batch %3")
                                                          .arg(lossText(last.loss), groupedText(last.step),
                                                               groupedText(last.microBatchSize))});
    }
}

void addCheckpointRows(std::vector<QStringList>& rows, const TrainingSnapshot& snapshot)
{
    if (snapshot.checkpoint.isEmpty())
        return;
    rows.push_back({QStringLiteral("checkpoint"), snapshot.checkpoint});
    rows.push_back({QStringLiteral("to go on"), QStringLiteral("--resume %1").arg(snapshot.checkpoint)});
}
void addStepRows(std::vector<QStringList>& rows, const TrainingSnapshot& snapshot)
{
    const StepRecord& first = snapshot.steps.front();
    const StepRecord& last = snapshot.steps.back();
    rows.push_back({QStringLiteral("trained"), trainedText(snapshot)});
    rows.push_back({QStringLiteral("loss"), QStringLiteral("%1 at step %2, %3 at step %4")
                                                .arg(lossText(first.loss), groupedText(first.step),
                                                     lossText(last.loss), groupedText(last.step))});
    rows.push_back({QStringLiteral("speed"), meanSpeedText(snapshot)});
    rows.push_back({QStringLiteral("micro-batch"), microBatchText(snapshot)});
    rows.push_back({QStringLiteral("peak memory"), peakText(snapshot)});
}

} // namespace

QStringList finalLines(const TrainingSnapshot& snapshot)
{
    std::vector<QStringList> rows;
    if (!snapshot.steps.empty())
        addStepRows(rows, snapshot);
    if (snapshot.maximum)
        rows.push_back({QStringLiteral("largest that fits"),
                        maximumText(*snapshot.maximum, !snapshot.run || snapshot.run->growth.isEmpty())});
    addEventRows(rows, snapshot);
    if (rows.empty())
        return {};
    rows.push_back({QStringLiteral("time"), durationText(snapshot.elapsedSeconds)});
    addCheckpointRows(rows, snapshot);
    return alignedLines(rows);
}

} // namespace batchpeak::cli
