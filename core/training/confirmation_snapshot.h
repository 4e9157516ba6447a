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

/// A size that full steps are to confirm: what trials say of it, and what was measured since.
struct ConfirmedSize
{
    engine::PredictedSize predicted;
    /// Measured: of a step that a stall or a lucky one does not move; nothing before the first timed one.
    std::optional<double> achievedSamplesPerSecond;
    /// Standard error of that, relative; nothing before the third.
    std::optional<double> relativeError;
    /// Samples over seconds of all timed steps, stalls and all.
    std::optional<double> meanSamplesPerSecond;
    int steps = 0;
    std::int64_t peakReservedBytes = 0;
    /// Flushes of the allocator's cache in timed steps.
    std::int64_t allocationRetries = 0;
    bool ranOutOfMemory = false;

    /// achieved / predicted - 1: how far trials and training are from each other.
    std::optional<double> miscorrelation() const;
    /// Half of the 95 % interval of that; nothing before the third step. One step says little: it may be the
    /// first after a warm-up, or have stalled.
    std::optional<double> miscorrelationInterval() const;
    /// Further off than a prediction aims at, and than chance explains by now.
    bool isFarOff() const;
    /// Whether stalls, or lucky steps, make the mean another one than the typical step, by more than 3 %.
    bool isDisturbed() const;

    bool operator==(const ConfirmedSize&) const = default;
};

struct ConfirmationSnapshot
{
    bool isRunning = false;
    std::int64_t batchSize = 0;
    /// Of the steps that are measured here.
    config::Fidelity fidelity;
    /// Where the trials ran on another device than the steps do: that of the trials, and that of the steps.
    QString exploredDevice;
    QString device;
    /// The recommended size first, then its runner-up where there is one.
    std::vector<ConfirmedSize> sizes;
    /// Timed steps done and to do, of all sizes together.
    int stepsDone = 0;
    int stepsInAll = 0;
    /// It was asked to end before all steps were done.
    bool isStopped = false;
    /// Why it could not be run, as a full sentence; else empty.
    QString failure;
};

/// Whether full steps confirm the recommended size as the faster one, in a sentence. Two sizes are told apart
/// where they differ by more than twice the standard error of the difference, which chance alone does once in
/// twenty times.
QString verdictText(const ConfirmationSnapshot& snapshot, const QLocale& locale = QLocale());

/// What limits how far the figures can be trusted, as full sentences; mostly none.
QStringList confirmationRemarks(const ConfirmationSnapshot& snapshot, const QLocale& locale = QLocale());

} // namespace batchpeak::training
