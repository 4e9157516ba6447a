// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_summary.h"

#include "batch_text.h"
#include "number_text.h"
#include "plan_text.h"
#include "text_table.h"

#include <algorithm>
#include <vector>

namespace batchpeak::cli {

namespace {

using training::StepRecord;
using training::TrainingSnapshot;

std::int64_t samplesOf(const std::vector<StepRecord>& steps)
{
    std::int64_t samples = 0;
    for (const StepRecord& step : steps)
        samples += step.batchSize;
    return samples;
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

QString endText(const TrainingSnapshot& snapshot)
{
    using training::TrainingEnd;
    switch (snapshot.end.value_or(TrainingEnd::Interrupted)) {
    case TrainingEnd::Completed:
        return QStringLiteral("all steps are done");
    case TrainingEnd::Interrupted:
        return QStringLiteral("it was interrupted");
    case TrainingEnd::NothingFits:
        return QStringLiteral("not even a micro-batch of 1 fits any more");
    case TrainingEnd::Failed:
        break;
    }
    return QStringLiteral("the training could not go on");
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

} // namespace

QStringList finalLines(const TrainingSnapshot& snapshot)
{
    if (snapshot.steps.empty())
        return {};
    const StepRecord& first = snapshot.steps.front();
    const StepRecord& last = snapshot.steps.back();
    std::vector<QStringList> rows{
        {QStringLiteral("trained"),
         QStringLiteral("%1, %2").arg(
             countText(static_cast<std::int64_t>(snapshot.steps.size()), QStringLiteral("step")),
             countText(samplesOf(snapshot.steps), QStringLiteral("sample")))},
        {QStringLiteral("loss"), QStringLiteral("%1 at step %2, %3 at step %4")
                                     .arg(lossText(first.loss), groupedText(first.step), lossText(last.loss),
                                          groupedText(last.step))},
        {QStringLiteral("speed"), meanSpeedText(snapshot)},
        {QStringLiteral("micro-batch"), microBatchText(snapshot)},
        {QStringLiteral("peak memory"), peakText(snapshot)}};
    addEventRows(rows, snapshot);
    rows.push_back({QStringLiteral("time"), durationText(snapshot.elapsedSeconds)});
    addCheckpointRows(rows, snapshot);
    rows.push_back({QStringLiteral("ended because"), endText(snapshot)});
    return alignedLines(rows);
}

} // namespace batchpeak::cli
