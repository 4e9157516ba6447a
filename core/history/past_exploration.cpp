// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "past_exploration.h"

#include "comparison_reading.h"
#include "options/option_table.h"
#include "search/trial_history.h"
#include "store/exploration_store.h"
#include "stored_snapshot.h"
#include "text/json_fields.h"
#include "text/tuning_text.h"
#include "thinned_trials.h"
#include "trial/step_statistics.h"
#include "trial_reading.h"

#include <QDir>
#include <QFileInfo>
#include <QProcess>

#include <algorithm>
#include <cmath>
#include <utility>

namespace batchpeak::engine {

namespace {

/// Whether a path of the history leads to that file, directly or through links. The base of a relative path
/// is not known any more.
bool isSameFile(const QString& kept, const QFileInfo& file)
{
    const QFileInfo past(kept);
    if (past.isRelative())
        return false;
    return past.absoluteFilePath() == file.absoluteFilePath() ||
           (file.exists() && past.canonicalFilePath() == file.canonicalFilePath());
}

/// Whether the setting asks for a search. A number or null asks for one size, which is then recommended
/// without alternatives.
bool isSearch(const QString& setting)
{
    bool isNumber = false;
    setting.toLongLong(&isNumber);
    return !isNumber && setting != QLatin1String("null");
}

/// Whether a person replaced the same parts of the config; an older program did not store this.
bool replacesTheSame(const store::FidelityRecord& past, const config::Fidelity& fidelity)
{
    return past.kind.isEmpty() || past.replaced == fidelityRecord(fidelity).replaced;
}

bool asksTheSame(const store::ExplorationInfo& past, const RunDescription& run)
{
    return past.family == run.family && past.parameters == run.parameters &&
           past.tuning == tuningRecord(run.tuning) && replacesTheSame(past.fidelity, run.fidelity) &&
           past.phase == enumText(run.phase) && past.precision == enumText(run.precision) &&
           past.optimizer == enumText(run.optimizer) && past.sequenceLength == run.sequenceLength &&
           past.globalBatchSize == run.plan.globalBatchSize && past.configDevices == run.plan.devices &&
           past.processes == run.processes && isSameFile(past.filePath, QFileInfo(run.filePath));
}

/// Maximum number of recalled trials: more tell a search nothing, and cost it time.
constexpr std::size_t maxRecalled = 96;
/// Exploration of trials that were recalled when their exploration was not stored yet.
constexpr std::int64_t unknownExploration = -1;

/// Returns what the trials on the devices depend on, sorted.
template<typename Device>
std::vector<QStringList> kindsOf(const std::vector<Device>& devices)
{
    std::vector<QStringList> kinds;
    kinds.reserve(devices.size());
    for (const Device& device : devices)
        kinds.push_back({device.name, device.program, device.framework, device.uuid, device.driver});
    std::ranges::sort(kinds);
    return kinds;
}

/// Whether the measurement still applies with the current memory limit. A size that thrashed did so beside
/// other programs.
bool stillHolds(const search::Measurement& measurement, std::int64_t limitThen, std::int64_t limitNow)
{
    using trial::Outcome;
    if (measurement.ran())
        return !measurement.thrashes;
    if (measurement.outcome == Outcome::OutOfMemory)
        return limitNow > 0 && limitNow <= limitThen;
    // Two verifications that crashed are also recorded as one measurement.
    return measurement.outcome == Outcome::Unsupported && !measurement.isVerification;
}

/// Returns what the search of the exploration knew at its end.
RecalledTrials knownAtTheEndOf(const store::StoredExploration& stored, std::int64_t limitNow)
{
    const auto space = searchSpaceFrom(stored.searchSpace);
    if (!space)
        return {};
    RecalledTrials recalled{.exploration = stored.summary.id};
    search::TrialHistory history(0);
    const auto now = static_cast<double>(QDateTime::currentMSecsSinceEpoch());
    const auto take = [&](search::Measurement measurement, const PlannerCall& call) {
        history.record(measurement);
        const double seconds =
            call.clockSeconds + std::max(0.0, (now - static_cast<double>(call.time)) / 1000.0);
        if (!measurement.isRecalled())
            measurement.exploration = recalled.exploration;
        recalled.measurements.push_back(search::earlier(std::move(measurement), seconds));
    };
    for (const QByteArray& text : stored.searchCalls) {
        const auto call = plannerCallFrom(text);
        if (!call)
            return {};
        for (search::Measurement measurement : call->recalled) {
            if (!measurement.isRecalled())
                measurement.exploration = unknownExploration;
            take(std::move(measurement), *call);
        }
        if (!call->measurement)
            continue;
        if (history.contradictsRecalled(*call->measurement)) {
            std::erase_if(recalled.measurements, [&](const search::Measurement& measurement) {
                return measurement.exploration != recalled.exploration;
            });
            history.forgetRecalled();
        }
        take(*call->measurement, *call);
        recalled.age = std::chrono::seconds(std::llround((now - static_cast<double>(call->time)) / 1000.0));
    }
    std::erase_if(recalled.measurements, [&](const search::Measurement& measurement) {
        return !stillHolds(measurement, space->memoryLimitBytes, limitNow);
    });
    thinOut(recalled.measurements, maxRecalled);
    return recalled;
}

/// Whether code that belongs to a run, apart from what a worker is told, was changed after that moment: the
/// module of a network, or a program in place of the worker with the Python files beside it. Code on another
/// computer is not checked.
bool hasNewerCode(const ExplorationOptions& options, const RunDescription& run, const QDateTime& moment)
{
    QStringList files{run.codePath};
    for (const QString& word : QProcess::splitCommand(options.workerCommand)) {
        const QFileInfo file(word);
        if (!file.isFile())
            continue;
        files.append(word);
        if (file.suffix() != QLatin1String("py"))
            continue;
        for (const QFileInfo& beside : file.dir().entryInfoList({QStringLiteral("*.py")}, QDir::Files))
            files.append(beside.filePath());
    }
    return std::ranges::any_of(files, [&](const QString& file) {
        return !file.isEmpty() && QFileInfo(file).lastModified() >= moment;
    });
}

} // namespace

bool isOfTheSameProgram(const store::ExplorationInfo& past, const RunDescription& run)
{
    const ExplorationOptions then = optionsFrom(past.command);
    const ExplorationOptions now = optionsFrom(run.command);
    return then.workerCommand == now.workerCommand && then.python == now.python && then.places == now.places;
}

bool isOfTheSameRun(const store::ExplorationInfo& past, const RunDescription& run)
{
    // Most explorations of a history are of other runs, and parsing options takes longer.
    if (past.loadRequest.isEmpty() || past.loadRequest != run.loadRequest ||
        past.version != QStringLiteral(BATCHPEAK_VERSION))
        return false;
    const ExplorationOptions now = optionsFrom(run.command);
    return isOfTheSameProgram(past, run) && (now.workerCommand.isEmpty() || now.isHere()) &&
           !hasNewerCode(now, run, past.started);
}

std::optional<store::StoredExploration> pastExploration(const QString& storePath, const RunDescription& run,
                                                        const QString& device)
{
    // Opening a history creates its file.
    if (!QFileInfo::exists(storePath))
        return std::nullopt;
    const store::ExplorationStore history(storePath);
    std::optional<store::StoredExploration> ofAnotherProgram;
    for (const store::ExplorationSummary& summary : history.list()) {
        const bool isRecommendation = summary.end && summary.recommendation && isSearch(summary.info.setting);
        if (!isRecommendation || !asksTheSame(summary.info, run))
            continue;
        const bool isOfTheSame = isOfTheSameProgram(summary.info, run);
        if (ofAnotherProgram && !isOfTheSame)
            continue;
        auto exploration = history.show(summary.id);
        const auto isThere = [&](const store::DeviceRecord& past) {
            return past.id == device || past.name == device;
        };
        if (!exploration || std::ranges::none_of(exploration->devices, isThere))
            continue;
        if (isOfTheSame)
            return exploration;
        ofAnotherProgram = std::move(exploration);
    }
    return ofAnotherProgram;
}

std::optional<RecalledTrials> recalledTrials(const QString& storePath, const RunDescription& run,
                                             const std::vector<DeviceSnapshot>& devices,
                                             std::int64_t memoryLimitBytes)
{
    if (!QFileInfo::exists(storePath) || devices.empty())
        return std::nullopt;
    const store::ExplorationStore history(storePath);
    for (const store::ExplorationSummary& summary : history.list()) {
        if (!summary.end || !summary.recommendation || !isSearch(summary.info.setting) ||
            !isOfTheSameRun(summary.info, run))
            continue;
        const auto stored = history.show(summary.id);
        if (!stored || kindsOf(stored->devices) != kindsOf(devices))
            continue;
        if (RecalledTrials recalled = knownAtTheEndOf(*stored, memoryLimitBytes);
            !recalled.measurements.empty())
            return recalled;
    }
    return std::nullopt;
}

namespace {

trial::TrialRecord recordOf(std::int64_t size, const search::Measurement& measurement)
{
    return {.device = {},
            .microBatchSize = size,
            .compared = {},
            .outcome = measurement.outcome,
            .optimizerSeconds = measurement.optimizerSeconds > 0.0
                                    ? std::optional(measurement.optimizerSeconds)
                                    : std::nullopt,
            .peakAllocatedBytes = measuredPeak(measurement.peakAllocatedBytes),
            .peakReservedBytes = measuredPeak(measurement.peakReservedBytes),
            .wallSeconds = measurement.wallSeconds,
            .readings = {},
            .attention = {},
            .thrashes = measurement.thrashes,
            .abandoned = measurement.abandoned,
            .disturbed = measurement.disturbed,
            .flags = {},
            .text = {}};
}

std::optional<trial::TrialRecord> recordOf(const trial::ComparedSize& size,
                                           const search::Measurement& comparison, const RunDescription& run)
{
    const trial::ComparedRecord measured = comparedRecordOf(size, comparison.optimizerSeconds, 0.0, run);
    if (!measured.secondsPerStep)
        return std::nullopt;
    trial::TrialRecord record = recordOf(size.microBatchSize, comparison);
    record.outcome = trial::Outcome::Ok;
    if (measured.peakReservedBytes)
        record.peakReservedBytes = measured.peakReservedBytes;
    for (const trial::Visit& visit : size.visits)
        record.timedSteps += static_cast<int>(visit.stepSeconds.size());
    record.secondsPerStep = measured.secondsPerStep;
    record.relativeError = measured.relativeError;
    record.samplesPerSecond = measured.samplesPerSecond;
    return record;
}

trial::TrialRecord recordOf(const search::Measurement& measurement, const RunDescription& run)
{
    trial::TrialRecord record = recordOf(measurement.size, measurement);
    record.timedSteps = static_cast<int>(measurement.timedSteps());
    if (measurement.ran() && measurement.secondsPerStep > 0.0) {
        record.secondsPerStep = measurement.secondsPerStep;
        record.relativeError = measurement.relativeError
                                   ? measurement.relativeError
                                   : trial::relativeStandardError(measurement.stepSeconds);
        record.samplesPerSecond =
            samplesPerSecond(run, measurement.size, measurement.secondsPerStep, measurement.optimizerSeconds);
    }
    return record;
}

} // namespace

std::vector<RecalledTrial> recalledTrialsOf(const std::vector<search::Measurement>& measurements,
                                            const QDateTime& start, const RunDescription& run)
{
    std::vector<RecalledTrial> recalled;
    for (const search::Measurement& measurement : measurements) {
        const auto add = [&](trial::TrialRecord record) {
            recalled.push_back({.trial = std::move(record),
                                .exploration = measurement.exploration > 0
                                                   ? std::optional(measurement.exploration)
                                                   : std::nullopt,
                                .ended = start.addMSecs(std::llround(1000.0 * measurement.clockSeconds))});
        };
        if (measurement.size > 0 && measurement.compared.empty())
            add(recordOf(measurement, run));
        for (const trial::ComparedSize& size : measurement.compared) {
            if (auto record = recordOf(size, measurement, run))
                add(std::move(*record));
        }
    }
    std::ranges::stable_sort(recalled, {}, &RecalledTrial::ended);
    return recalled;
}

std::vector<RecalledTrial> recalledTrialsOf(const std::vector<PlannerCall>& calls, const RunDescription& run)
{
    std::vector<RecalledTrial> recalled;
    search::TrialHistory history(0);
    for (const PlannerCall& call : calls) {
        if (call.kind == PlannerCall::Kind::Recall) {
            const auto start =
                QDateTime::fromMSecsSinceEpoch(call.time).addMSecs(-std::llround(1000.0 * call.clockSeconds));
            recalled = recalledTrialsOf(call.recalled, start, run);
            std::ranges::for_each(call.recalled, [&](const auto& earlier) { history.record(earlier); });
        } else if (call.measurement && !recalled.empty()) {
            if (history.contradictsRecalled(*call.measurement))
                return {};
            history.record(*call.measurement);
        }
    }
    return recalled;
}

} // namespace batchpeak::engine
