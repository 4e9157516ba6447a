// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/snapshot.h"

#include <cstdint>

namespace batchpeak::ui::test {

/// The parts of which the sample Snapshots are made: an invented device, and trials by an invented law.

std::int64_t bytesOf(double gibibytes);
/// A fixed cost, then a slope, then full: what an accelerator does.
double throughputAt(double size);
double peakGibibytesAt(double size);

engine::DeviceSnapshot sampleGpu(const QString& id);
/// \param deviation  of the samples/s from the law, relative
engine::TrialSnapshot okTrial(int number, std::int64_t size, double deviation = 0.0);
engine::TrialSnapshot trialThat(engine::TrialState state, int number, std::int64_t size, double wallSeconds);

/// The fitted curve over from..to, with a band that is narrow at the sizes tried.
void addCurve(engine::Snapshot& snapshot, double from, double to, double spread);
/// The memory line of peakGibibytesAt.
void addMemory(engine::Snapshot& snapshot);
/// \param base  size with which the gain is compared
void recommend(engine::Snapshot& snapshot, std::int64_t size, int confidence, double base,
               const QString& reason);
void say(engine::Snapshot& snapshot, int second, const QString& text,
         engine::LogLevel level = engine::LogLevel::Info);

} // namespace batchpeak::ui::test
