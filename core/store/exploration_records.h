// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trial/trial_record.h"

#include <QDateTime>
#include <QString>
#include <QStringList>

#include <optional>
#include <vector>

namespace batchpeak::store {

/// How near the trials were to the run that the config describes.
struct FidelityRecord
{
    /// The word of the events: "as_configured", "approximate", "another_run"; an older program did not tell.
    QString kind;
    /// What trials had otherwise than the run, what a person had replaced, and what trials took where the
    /// data of the run decide, as short noun phrases.
    QStringList reasons;
    QStringList replaced;
    QStringList assumed = {};

    bool operator==(const FidelityRecord&) const = default;
};

/// What was explored and how it was asked; known before the first trial.
struct ExplorationInfo
{
    QDateTime started;
    QString filePath;
    QString formatName;
    QString family;
    qint64 parameters = 0;
    /// Of those, what training leaves as it is.
    qint64 frozenParameters = 0;
    /// What training changes of the network, in words that tell one way from another; empty where it is all.
    QString tuning;
    QString phase;
    QString precision;
    QString optimizer;
    qint64 sequenceLength = 0;
    qint64 globalBatchSize = 0;
    /// Data-parallel devices that the config asks for.
    qint64 configDevices = 1;
    QString setting;
    QString objective;
    QString strategy;
    double tolerance = 0.02;
    /// Version of Batchpeak.
    QString version;
    FidelityRecord fidelity;

    bool operator==(const ExplorationInfo&) const = default;
};

struct DeviceRecord
{
    /// "cuda:0"
    QString id;
    QString name;
    /// What answered there: "batchpeak-worker 0.1.0".
    QString program;
    qint64 totalBytes = 0;
    qint64 limitBytes = 0;

    bool operator==(const DeviceRecord&) const = default;
};

struct RecommendationRecord
{
    qint64 microBatchSize = 0;
    double samplesPerSecond = 0.0;
    double relativeError = 0.0;
    double relativePerformance = 1.0;
    int confidence = 1;
    /// Share of the best samples/s that believing it may cost; an older program did not tell.
    std::optional<double> expectedLoss;
    QString reason;

    bool operator==(const RecommendationRecord&) const = default;
};

struct ExplorationEnd
{
    QDateTime finished;
    /// The word of the events: "confident", "cancelled", ...
    QString status;
    /// Why it failed or nothing fits; else empty.
    QString failure;
    /// Why it ended as it did, and what going on could gain; an older program did not say.
    QString ending;

    bool operator==(const ExplorationEnd&) const = default;
};

/// One line of a history.
struct ExplorationSummary
{
    qint64 id = 0;
    ExplorationInfo info;
    int trials = 0;
    /// The newest one.
    std::optional<RecommendationRecord> recommendation;
    /// Nothing where the program ended before the exploration did.
    std::optional<ExplorationEnd> end;
};

/// All that is kept of an exploration.
struct StoredExploration
{
    ExplorationSummary summary;
    std::vector<DeviceRecord> devices;
    /// In the order in which they ended; without the readings and steps of each, which are not kept.
    std::vector<trial::TrialRecord> trials;
    /// The newest last.
    std::vector<RecommendationRecord> recommendations;
};

} // namespace batchpeak::store
