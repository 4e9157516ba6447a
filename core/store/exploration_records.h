// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trial/trial_record.h"

#include <QByteArray>
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

/// A file that a size was written into, so that it can be taken back.
struct WrittenConfig
{
    /// Its number in the history.
    qint64 id = 0;
    QDateTime time;
    QString filePath;
    /// What the file held; nothing where there was none.
    std::optional<QByteArray> before;
    QByteArray after;

    bool operator==(const WrittenConfig&) const = default;
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
    /// The config as it was read, and the file or id of the network that a person had in place of its own. An
    /// older program told none of this, nor of what is below.
    QString configText = {};
    /// SHA-256 of the text in UTF-8, in hexadecimal digits.
    QString configHash = {};
    QString chosenModel = {};
    /// The words behind "batchpeak explore FILE".
    QStringList command = {};
    /// What workers were asked to load, as of the trial protocol: two explorations of the same are of the
    /// same network and step.
    QString loadRequest = {};
    double headroom = 0.08;

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
    /// "torch 2.11.0"
    QString framework = {};
    /// Of an NVIDIA GPU, and of its driver; empty for others.
    QString uuid = {};
    QString driver = {};

    bool operator==(const DeviceRecord&) const = default;
};

/// What a search made of one size, which every number of it that was shown is.
struct EstimateRecord
{
    qint64 microBatchSize = 0;
    double samplesPerSecond = 0.0;
    /// Standard error relative to the value.
    double relativeError = 0.0;
    /// Probability that the size is within the tolerance of the best, 0..1.
    double probabilityWithin = 0.0;

    bool operator==(const EstimateRecord&) const = default;
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
    /// Ascending; an older program did not tell.
    std::vector<EstimateRecord> estimates = {};

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
    /// None that was cancelled, nor one that is under way.
    int trials = 0;
    /// The newest one.
    std::optional<RecommendationRecord> recommendation;
    /// Nothing where the program ended before the exploration did.
    std::optional<ExplorationEnd> end;
};

struct LogRecord
{
    QDateTime time;
    /// 0 tells, 1 warns, 2 is an error.
    int level = 0;
    QString text;

    bool operator==(const LogRecord&) const = default;
};

/// What an exploration is and where it runs, without what came of it.
struct ExplorationOutline
{
    ExplorationSummary summary;
    std::vector<DeviceRecord> devices;
};

/// All that is kept of an exploration.
struct StoredExploration
{
    ExplorationSummary summary;
    std::vector<DeviceRecord> devices;
    /// In the order in which they ended.
    std::vector<trial::TrialRecord> trials;
    /// The newest last.
    std::vector<RecommendationRecord> recommendations;
    /// What the search was asked, and all that it was told since with every step and its time, in the
    /// engine's words (core/history/search_journal.h); empty of an older program.
    QByteArray searchSpace = {};
    std::vector<QByteArray> searchCalls = {};
    std::vector<LogRecord> log = {};
};

} // namespace batchpeak::store
