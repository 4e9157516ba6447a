// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/snapshot.h"

#include <QDateTime>

#include <cstdint>

namespace batchpeak::test {

/// The parts of which the sample Snapshots are made: an invented device, and trials by an invented law.

inline constexpr double gibibyte = 1024.0 * 1024.0 * 1024.0;
std::int64_t bytesOf(double gibibytes);
/// A fixed cost, then a slope, then full: what an accelerator does.
double throughputAt(double size);
double peakGibibytesAt(double size);

engine::DeviceSnapshot sampleGpu(const QString& id);
/// Its worker has ended.
void release(engine::DeviceSnapshot& device);
/// \param deviation  of the samples/s from the law, relative
trial::TrialRecord okTrial(int number, std::int64_t size, double deviation = 0.0);
trial::TrialRecord trialThat(std::optional<trial::Outcome> outcome, int number, std::int64_t size,
                             double wallSeconds);

/// The fitted curve over from..to, with a band that is narrow at the sizes tried.
void addCurve(engine::Snapshot& snapshot, double from, double to, double spread);
/// The memory line of peakGibibytesAt.
void addMemory(engine::Snapshot& snapshot);
/// \param base  size with which the gain is compared
void recommend(engine::Snapshot& snapshot, std::int64_t size, int confidence, double base,
               const QString& reason);
/// A line of the log of an exploration, or of a training run.
template<typename Snapshot>
void say(Snapshot& snapshot, int second, const QString& text, engine::LogLevel level = engine::LogLevel::Info)
{
    const QDateTime time(QDate(2026, 3, 14), QTime(14, 0, 0).addSecs(second));
    snapshot.log.push_back({.time = time, .level = level, .text = text});
}

} // namespace batchpeak::test
