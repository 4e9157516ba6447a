// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/snapshot.h"

#include <QLocale>
#include <QString>
#include <QStringList>

#include <cstdint>
#include <optional>
#include <vector>

namespace batchpeak::training {

/// A size to be confirmed by full steps: its prediction from trials, and the measurements so far.
struct ConfirmedSize
{
    engine::PredictedSize predicted;
    /// Measured throughput, from a typical step that is robust against stalls and unusually fast steps; no
    /// value before the first timed step.
    std::optional<double> achievedSamplesPerSecond;
    /// Relative standard error of achievedSamplesPerSecond; no value before the third step.
    std::optional<double> relativeError;
    /// Samples divided by seconds over all timed steps, including stalls.
    std::optional<double> meanSamplesPerSecond;
    int steps = 0;
    std::int64_t peakReservedBytes = 0;
    /// Number of flushes of the allocator's cache in timed steps.
    std::int64_t allocationRetries = 0;
    bool ranOutOfMemory = false;

    /// Returns achieved / predicted - 1: how far training differs from the trials.
    std::optional<double> miscorrelation() const;
    /// Returns half of the 95 % confidence interval of the miscorrelation; nothing before the third step. A
    /// single step says little: it may be the first after a warm-up, or have stalled.
    std::optional<double> miscorrelationInterval() const;
    /// Whether the miscorrelation exceeds the accuracy that predictions aim at, and exceeds what chance can
    /// explain so far.
    bool isFarOff() const;
    /// Whether stalls or unusually fast steps make the mean differ from the typical step by more than 3 %.
    bool isDisturbed() const;

    bool operator==(const ConfirmedSize&) const = default;
};

struct ConfirmationSnapshot
{
    bool isRunning = false;
    std::int64_t batchSize = 0;
    /// Fidelity of the steps that are measured here.
    config::Fidelity fidelity;
    /// If the trials ran on another device than the steps: the device of the trials, and the device of the
    /// steps.
    QString exploredDevice;
    QString device;
    /// Sizes: the recommended size first, then its runner-up if there is one.
    std::vector<ConfirmedSize> sizes;
    /// Number of timed steps done, and in total, of all sizes together.
    int stepsDone = 0;
    int stepsInAll = 0;
    /// Whether it was asked to stop before all steps were done.
    bool isStopped = false;
    /// Reason that it could not run, as a full sentence; else empty.
    QString failure;
};

/// Returns a sentence that says whether full steps confirm the recommended size as the faster one. Two sizes
/// are distinguished if they differ by more than twice the standard error of the difference, which happens by
/// chance once in twenty times.
QString verdictText(const ConfirmationSnapshot& snapshot, const QLocale& locale = QLocale());

/// Returns caveats about the figures, as full sentences; usually none.
QStringList confirmationRemarks(const ConfirmationSnapshot& snapshot, const QLocale& locale = QLocale());

} // namespace batchpeak::training
