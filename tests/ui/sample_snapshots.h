// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "device/local_device.h"
#include "snapshot/snapshot.h"

#include <QDateTime>
#include <QString>

#include <cstdint>
#include <optional>
#include <vector>

namespace batchpeak::test {

/// An invented but plausible Snapshot of each state that the window has to show. All numbers are made
/// up by formulas: nothing here was measured.
struct SampleSnapshot
{
    QString name;
    engine::Snapshot snapshot;
};

engine::Snapshot emptySnapshot();
engine::Snapshot readySnapshot();
/// Idle still, with a GPU.
engine::Snapshot withDevice();
engine::Snapshot startingSnapshot();
/// Leading, 31 %.
engine::Snapshot earlySnapshot();
/// Recommended 192 at 93 %, size 208 running, out of memory from 288 on.
engine::Snapshot runningSnapshot();
/// The leading sizes have been compared as trial 17, and two of them are being compared again.
engine::Snapshot comparingSnapshot();
/// Near its end on a GPU whose peak is known and that measures energy: the leading sizes were compared again
/// and again.
engine::Snapshot pairsSnapshot();
/// All trials have ended, and the search has been thinking about the next for three seconds.
engine::Snapshot choosingSnapshot();
engine::Snapshot pausedSnapshot();
engine::Snapshot stalledSnapshot();
engine::Snapshot verifyingSnapshot();
engine::Snapshot finishedSnapshot();
/// At the end of its budget, with all that the card may have to say.
engine::Snapshot doubtfulSnapshot();
/// As sure as the device allows, and what going on could gain.
engine::Snapshot continuationSnapshot();
engine::Snapshot nothingFitsSnapshot();
engine::Snapshot failedSnapshot();
/// No GPU can be used, and nobody has asked for the CPU.
engine::Snapshot gpuUnusableSnapshot();
/// A trial of every outcome and every flag, on two devices.
engine::Snapshot everyOutcomeSnapshot();
/// The CPU device: no clock, no temperature, peaks far below the limit.
engine::Snapshot cpuSnapshot();

/// Of a trainer with names of its own for the batches, and a network from elsewhere.
engine::Snapshot trainerSnapshot();

/// Adapters beside a frozen 4-bit base, whose speeds are approximate.
engine::RunDescription adapterRun();
engine::Snapshot adapterSnapshot();
/// At its end, and not the config's run at all.
engine::Snapshot anotherRunSnapshot();

std::vector<SampleSnapshot> allSamples();

// The parts of which they are made: an invented device, and trials by an invented law.

inline constexpr double gibibyte = 1024.0 * 1024.0 * 1024.0;
std::int64_t bytesOf(double gibibytes);
/// A fixed cost, then a slope, then full: what an accelerator does.
double throughputAt(double size);
double peakGibibytesAt(double size);

/// Two GPUs, of which others use one, and the CPU.
device::LocalDevices sampleDevices();
device::LocalDevices processorAlone();
engine::DeviceSnapshot sampleGpu(const QString& id);
/// Its worker has ended.
void release(engine::DeviceSnapshot& device);
trial::TrialRecord trialThat(std::optional<trial::Outcome> outcome, int number, std::int64_t size,
                             double wallSeconds);
/// Of sizes that follow the law, but for what \p deviations [relative] says; visits scatter around that.
/// \param outcome  nothing while it runs
trial::TrialRecord comparisonOf(std::optional<trial::Outcome> outcome, int number,
                                const std::vector<std::int64_t>& sizes,
                                const std::vector<double>& deviations);

/// A line of the log of an exploration, or of a training run.
template<typename Snapshot>
void say(Snapshot& snapshot, int second, const QString& text, engine::LogLevel level = engine::LogLevel::Info)
{
    const QDateTime time(QDate(2026, 3, 14), QTime(14, 0, 0).addSecs(second));
    snapshot.log.push_back({.time = time, .level = level, .text = text});
}

} // namespace batchpeak::test
