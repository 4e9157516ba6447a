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

/// How close the trials were to the run that the config describes.
struct FidelityRecord
{
    /// Kind in the words of the events: "as_configured", "approximate", "another_run"; empty if an older
    /// program did not store it.
    QString kind;
    /// What differed in the trials from the run, what a person had replaced, and what the trials assumed if
    /// the data of the run decide, as short noun phrases.
    QStringList reasons;
    QStringList replaced;
    QStringList assumed = {};

    bool operator==(const FidelityRecord&) const = default;
};

/// A file into which a size was written, so that this can be reverted.
struct WrittenConfig
{
    /// Number of the writing in the history.
    qint64 id = 0;
    QDateTime time;
    QString filePath;
    /// Previous contents of the file; nothing if it did not exist.
    std::optional<QByteArray> before;
    QByteArray after;

    bool operator==(const WrittenConfig&) const = default;
};

/// What was explored and with which options; known before the first trial.
struct ExplorationInfo
{
    QDateTime started;
    QString filePath;
    QString formatName;
    QString family;
    qint64 parameters = 0;
    /// Number of those parameters that training does not change.
    qint64 frozenParameters = 0;
    /// What training changes in the network, in words that distinguish the methods; empty if it is
    /// everything.
    QString tuning;
    QString phase;
    QString precision;
    QString optimizer;
    qint64 sequenceLength = 0;
    qint64 globalBatchSize = 0;
    /// Number of data-parallel devices that the config asks for.
    qint64 configDevices = 1;
    /// Number of processes that take each step together.
    qint64 processes = 1;
    QString setting;
    QString objective;
    QString strategy;
    double tolerance = 0.02;
    /// Version of Batchpeak.
    QString version;
    FidelityRecord fidelity;
    /// Text of the config as it was read, and the file or id of the network that a person chose instead of
    /// its own. An older program did not store these, nor the members below.
    QString configText = {};
    /// SHA-256 of the text in UTF-8, in hexadecimal digits.
    QString configHash = {};
    QString chosenModel = {};
    /// Arguments after "batchpeak explore FILE".
    QStringList command = {};
    /// Load request to the workers, as in the trial protocol: two explorations with the same request have the
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
    /// Program that answered on the device: "batchpeak-worker 0.1.0".
    QString program;
    qint64 totalBytes = 0;
    qint64 limitBytes = 0;
    /// "torch 2.11.0"
    QString framework = {};
    /// UUID of an NVIDIA GPU, and version of its driver; empty for others.
    QString uuid = {};
    QString driver = {};

    bool operator==(const DeviceRecord&) const = default;
};

/// Estimate of a search for one size; every displayed number of the size is from it.
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
    /// Share of the best samples/s that choosing this size may cost; nothing if an older program did not
    /// store it.
    std::optional<double> expectedLoss;
    QString reason;
    /// Estimates by ascending size; empty if an older program did not store them.
    std::vector<EstimateRecord> estimates = {};

    bool operator==(const RecommendationRecord&) const = default;
};

struct ExplorationEnd
{
    QDateTime finished;
    /// Status in the words of the events: "confident", "cancelled", ...
    QString status;
    /// Why it failed or nothing fits; empty otherwise.
    QString failure;
    /// Why it ended as it did, and what continuing could gain; empty if an older program did not store it.
    QString ending;

    bool operator==(const ExplorationEnd&) const = default;
};

/// One exploration in the list of a history.
struct ExplorationSummary
{
    qint64 id = 0;
    ExplorationInfo info;
    /// Number of trials, without canceled ones and those under way.
    int trials = 0;
    /// Newest recommendation.
    std::optional<RecommendationRecord> recommendation;
    /// End; nothing if the program ended before the exploration did.
    std::optional<ExplorationEnd> end;
};

struct LogRecord
{
    QDateTime time;
    /// 0: information, 1: warning, 2: error.
    int level = 0;
    QString text;

    bool operator==(const LogRecord&) const = default;
};

/// What an exploration is and where it runs, without its results.
struct ExplorationOutline
{
    ExplorationSummary summary;
    std::vector<DeviceRecord> devices;
};

/// Everything that is stored of an exploration.
struct StoredExploration
{
    ExplorationSummary summary;
    std::vector<DeviceRecord> devices;
    /// Trials, in the order in which they ended.
    std::vector<trial::TrialRecord> trials;
    /// Recommendations, the newest last.
    std::vector<RecommendationRecord> recommendations;
    /// What the search was asked, and every call to it since with its time, in the engine's words
    /// (core/history/search_journal.h); empty if an older program wrote the exploration.
    QByteArray searchSpace = {};
    std::vector<QByteArray> searchCalls = {};
    std::vector<LogRecord> log = {};
};

} // namespace batchpeak::store
