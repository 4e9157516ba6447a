// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/event.h"
#include "training_snapshot.h"

#include <QString>

#include <cstdint>
#include <variant>

namespace batchpeak::training {

/// The first epoch, and each one after it.
struct EpochBegan
{
    ScheduleEntry entry;
};

struct StepDone
{
    StepRecord step;
};

struct Evaluated
{
    StepRecord evaluation;
};

struct CheckpointSaved
{
    QString path;
    std::int64_t step = 0;
};

/// Once for each start(), whatever the end. The snapshot holds how.
struct TrainingFinished
{
    TrainingEnd end = TrainingEnd::Failed;
};

/// What happens in a training run: what its event log, the terminal and the window hear of.
using TrainingEvent = std::variant<engine::Started, engine::DeviceReady, MaximumFound, EpochBegan, StepDone,
                                   Evaluated, SizeChange, CheckpointSaved, TrainingFinished>;

} // namespace batchpeak::training
