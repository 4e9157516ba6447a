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

/// An invented but plausible Snapshot of each state that the window shows. All numbers come from formulas;
/// nothing was measured.
struct SampleSnapshot
{
    QString name;
    engine::Snapshot snapshot;
};

engine::Snapshot emptySnapshot();
engine::Snapshot readySnapshot();
/// Idle, with a GPU.
engine::Snapshot withDevice();
engine::Snapshot startingSnapshot();
/// Size 64 leads with a confidence of 31 %.
engine::Snapshot earlySnapshot();
/// Size 192 is recommended with a confidence of 93 %, size 208 is running, and sizes from 288 on ran out of
/// memory.
engine::Snapshot runningSnapshot();
/// Sizes 160, 192 and 224 were compared as trial 17; sizes 192 and 208 are being compared.
engine::Snapshot comparingSnapshot();
/// Near the end on a GPU whose peak is known and that measures energy: the leading sizes were compared
/// repeatedly.
engine::Snapshot pairsSnapshot();
/// All trials have ended, and the search has been choosing the next one for three seconds.
engine::Snapshot choosingSnapshot();
engine::Snapshot pausedSnapshot();
engine::Snapshot stalledSnapshot();
engine::Snapshot verifyingSnapshot();
engine::Snapshot finishedSnapshot();
/// At the end of its budget, with everything that the card can show.
engine::Snapshot doubtfulSnapshot();
/// As confident as the device allows, with the possible gain of a continuation.
engine::Snapshot continuationSnapshot();
engine::Snapshot nothingFitsSnapshot();
engine::Snapshot failedSnapshot();
/// No GPU can be used, and the CPU was not requested.
engine::Snapshot gpuUnusableSnapshot();
/// A trial of every outcome and every flag, on two devices.
engine::Snapshot everyOutcomeSnapshot();
/// The CPU device: no clock, no temperature, peaks far below the limit.
engine::Snapshot cpuSnapshot();

/// Config of a trainer with its own names for the batches, and a network from another file.
engine::Snapshot trainerSnapshot();

/// Adapters with a frozen 4-bit base; the speeds are approximate.
engine::RunDescription adapterRun();
engine::Snapshot adapterSnapshot();
/// At the end of a run that differs from the config's.
engine::Snapshot anotherRunSnapshot();

std::vector<SampleSnapshot> allSamples();

// Parts of the snapshots: an invented device, and trials by an invented law.

inline constexpr double gibibyte = 1024.0 * 1024.0 * 1024.0;
std::int64_t bytesOf(double gibibytes);
/// Throughput with a fixed cost, then a slope, then saturation, like that of an accelerator.
double throughputAt(double size);
double peakGibibytesAt(double size);

/// Two GPUs, one of which other programs use, and the CPU.
device::LocalDevices sampleDevices();
device::LocalDevices processorAlone();
engine::DeviceSnapshot sampleGpu(const QString& id);
/// Marks the device as released: its worker has ended.
void release(engine::DeviceSnapshot& device);
trial::TrialRecord trialThat(std::optional<trial::Outcome> outcome, int number, std::int64_t size,
                             double wallSeconds);
/// Returns a comparison of sizes that follow the law, except for \p deviations [relative]; the visits scatter
/// around these values.
/// \param outcome  outcome; nothing while the comparison runs
trial::TrialRecord comparisonOf(std::optional<trial::Outcome> outcome, int number,
                                const std::vector<std::int64_t>& sizes,
                                const std::vector<double>& deviations);

/// Adds a line to the log of an exploration, or of a training run.
template<typename Snapshot>
void say(Snapshot& snapshot, int second, const QString& text, engine::LogLevel level = engine::LogLevel::Info)
{
    const QDateTime time(QDate(2026, 3, 14), QTime(14, 0, 0).addSecs(second));
    snapshot.log.push_back({.time = time, .level = level, .text = text});
}

} // namespace batchpeak::test
