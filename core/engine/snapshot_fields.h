// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/snapshot.h"

#include <QJsonObject>

namespace batchpeak::engine {

// The members of a Snapshot in events. The names are those of the fields in docs/events.md where an event has
// the same fact, so that the same functions read the events of an older program, as far as these go.

/// Returns every member except the trials, the course and the log, which grow; and except what only the
/// program that runs the exploration can do: its commands, and continuing it.
QJsonObject stateObject(const Snapshot& snapshot);
QJsonObject trialObject(const trial::TrialRecord& trial);
QJsonObject courseObject(const CoursePoint& point);
QJsonObject lineObject(const LogLine& line);

// Each of these reads what the object contains and leaves the rest as it is.
/// \return false if the object contains impossible values; nothing has changed then

bool takeState(Snapshot& snapshot, const QJsonObject& object);
/// Reads a run from the fields of the event "started".
bool takeRun(Snapshot& snapshot, const QJsonObject& object);
/// Reads a device with its id, which is added unless the snapshot has it.
bool takeDevice(Snapshot& snapshot, const QJsonObject& object);
/// Reads a trial with its number, which is added unless the snapshot has it.
bool takeTrial(Snapshot& snapshot, const QJsonObject& object);
/// Reads the search's answer from the fields of the events "recommendation" and "finished".
bool takeRecommendation(Snapshot& snapshot, const QJsonObject& object);
bool takeCoursePoint(Snapshot& snapshot, const QJsonObject& object);
/// Beyond the limit of a log, the oldest line is dropped.
bool takeLine(Snapshot& snapshot, const QJsonObject& object);

} // namespace batchpeak::engine
