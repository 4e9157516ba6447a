// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/event.h"
#include "training_snapshot.h"

#include <QString>

#include <cstdint>
#include <variant>

namespace batchpeak::training {

/// Sent at the start of every epoch, including the first.
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

/// Sent once for each start(), however the run ended. The snapshot holds the details.
struct TrainingFinished
{
    TrainingEnd end = TrainingEnd::Failed;
};

/// Event of a training run, for its event log, the terminal and the window.
using TrainingEvent = std::variant<engine::Started, engine::DeviceReady, MaximumFound, EpochBegan, StepDone,
                                   Evaluated, SizeChange, CheckpointSaved, TrainingFinished>;

} // namespace batchpeak::training
