// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_snapshot.h"

#include "model/enum_names.h"

#include <algorithm>

namespace batchpeak::training {

namespace {

using ChangeReason = SizeChange::Reason;
using GrowthKind = accumulation::GrowthDecision::Kind;

constexpr model::EnumNames<TrainingEnd, 4> trainingEnds{{{TrainingEnd::Completed, "completed"},
                                                         {TrainingEnd::Interrupted, "interrupted"},
                                                         {TrainingEnd::NothingFits, "nothing_fits"},
                                                         {TrainingEnd::Failed, "failed"}}};
constexpr model::EnumNames<MaximumWay, 3> maximumWays{
    {{MaximumWay::Halving, "halving"}, {MaximumWay::Binary, "binary"}, {MaximumWay::Predict, "predict"}}};
constexpr model::EnumNames<ChangeReason, 3> changeReasons{{{ChangeReason::OutOfMemory, "out_of_memory"},
                                                           {ChangeReason::Thrashing, "thrashing"},
                                                           {ChangeReason::Growth, "growth"}}};
constexpr model::EnumNames<GrowthKind, 4> growthKinds{{{GrowthKind::Stays, "stays"},
                                                       {GrowthKind::Changes, "changes"},
                                                       {GrowthKind::PassesMaximum, "passes_maximum"},
                                                       {GrowthKind::LeavesNothing, "leaves_nothing"}}};

} // namespace

QString toText(TrainingEnd end)
{
    return QString::fromUtf8(model::wordFor(trainingEnds, end));
}

QString toText(MaximumWay way)
{
    return QString::fromUtf8(model::wordFor(maximumWays, way));
}

std::optional<MaximumWay> maximumWayFromText(const QString& text)
{
    return model::valueFor(maximumWays, text.toStdString());
}

QString toText(SizeChange::Reason reason)
{
    return QString::fromUtf8(model::wordFor(changeReasons, reason));
}

QString toText(accumulation::GrowthDecision::Kind kind)
{
    return QString::fromUtf8(model::wordFor(growthKinds, kind));
}

bool TrainingSnapshot::isUnderWay() const
{
    return state != TrainingState::Idle && state != TrainingState::Finished && state != TrainingState::Failed;
}

std::int64_t TrainingSnapshot::lastStep() const
{
    if (!steps.empty())
        return steps.back().step;
    return run ? run->firstStep : 0;
}

double TrainingSnapshot::progress() const
{
    if (end == TrainingEnd::Completed)
        return 1.0;
    if (!run || run->steps <= run->firstStep)
        return 0.0;
    const auto done = static_cast<double>(lastStep() - run->firstStep);
    return std::clamp(done / static_cast<double>(run->steps - run->firstStep), 0.0, 1.0);
}

} // namespace batchpeak::training
