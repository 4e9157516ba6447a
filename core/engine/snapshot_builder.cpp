// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot_builder.h"

#include "log_text.h"
#include "run_progress.h"
#include "snapshot/ending_text.h"
#include "snapshot/plan_text.h"
#include "snapshot/predicted_sizes.h"
#include "snapshot/recommendation_text.h"
#include "text/comparison_text.h"
#include "text/fidelity_text.h"

#include <algorithm>
#include <utility>

namespace batchpeak::engine {

namespace {

// A size that is nearly the same leaves nearly the same memory.
constexpr double nearlyTheSame = 0.9;

// A chart that is some hundred pixels wide shows no more points.
constexpr std::size_t maxCoursePoints = 512;

// Enough trials to tell a busy device from a momentary disturbance.
constexpr int trialsOfContention = 8;

/// Returns what disturbed the trial, from its flag.
QString disturbanceOf(const trial::TrialRecord& trial)
{
    for (const QString& flag : flagsOf(trial)) {
        if (flag.startsWith(QLatin1String(trial::flag::disturbed.data())))
            return flag.section(QLatin1String(": "), 1);
    }
    return {};
}

Contention contentionOf(const QString& device, const std::vector<trial::TrialRecord>& trials)
{
    Contention contention;
    int disturbed = 0;
    for (auto trial = trials.rbegin(); trial != trials.rend() && contention.trials < trialsOfContention;
         ++trial) {
        const bool tells = trial->outcome == trial::Outcome::Ok && !trial->thrashes;
        if (!tells || device != QLatin1String(trial->device.c_str()))
            continue;
        ++contention.trials;
        if (trial->disturbed && disturbed++ == 0)
            contention.by = disturbanceOf(*trial);
    }
    contention.disturbedShare =
        contention.trials > 0 ? static_cast<double>(disturbed) / contention.trials : 0.0;
    return contention;
}

TrialPlan planOf(const trial::TrialRecord& trial)
{
    TrialPlan plan{.number = trial.number,
                   .sizes = comparedSizes(trial),
                   .why = trial.purpose.value_or(trial::Purpose::FirstSizes),
                   .against = trial.against};
    if (plan.sizes.empty())
        plan.sizes.push_back(trial.microBatchSize);
    plan.sentence = planText(plan);
    return plan;
}

bool isWorthNaming(std::int64_t smaller, std::int64_t recommended)
{
    return smaller > 0 && static_cast<double>(smaller) <= nearlyTheSame * static_cast<double>(recommended);
}

} // namespace

void addCoursePoint(std::vector<CoursePoint>& course, const CoursePoint& point)
{
    const bool isSame = !course.empty() && course.back().trials == point.trials;
    if (isSame && course.back().size == point.size && course.back().confidence == point.confidence)
        return;
    course.push_back(point);
    if (course.size() <= maxCoursePoints)
        return;
    // Drops every second point of the older half, except where the size changes.
    std::vector<CoursePoint> kept;
    for (std::size_t place = 0; place < course.size(); ++place) {
        const bool isOld = place > 0 && place < maxCoursePoints / 2;
        if (!isOld || place % 2 == 0 || course[place].size != course[place - 1].size)
            kept.push_back(course[place]);
    }
    if (kept.size() == course.size())
        kept.erase(kept.begin() + 1);
    course = std::move(kept);
}

SnapshotBuilder::SnapshotBuilder(RunDescription run)
{
    m_snapshot.run = std::move(run);
}

trial::TrialRecord& SnapshotBuilder::trial(std::int64_t number)
{
    return m_snapshot.trials.at(static_cast<std::size_t>(number) - 1);
}

const trial::TrialRecord& SnapshotBuilder::startTrial(trial::TrialRecord trial, double now)
{
    m_underWay[trial.number] = {.start = now, .stepSeconds = {}};
    if (trial.purpose == trial::Purpose::Asked)
        dropAsked(trial.microBatchSize);
    if (const QString text = largerAllTheSameText(m_snapshot.trials, trial); !text.isEmpty())
        log(LogLevel::Warning, text);
    m_snapshot.trials.push_back(std::move(trial));
    findTrialsUnderWay();
    log(LogLevel::Info, startText(m_snapshot.trials.back()));
    return m_snapshot.trials.back();
}

void SnapshotBuilder::setConfig(const QString& text, const QString& chosenModel)
{
    m_snapshot.run->configText = text;
    m_snapshot.run->chosenModel = chosenModel;
}

void SnapshotBuilder::restore(const InterruptedRun& run)
{
    m_snapshot.trials = run.stored.trials;
    std::ranges::sort(m_snapshot.trials, {}, &trial::TrialRecord::number);
    for (const store::LogRecord& line : run.stored.log)
        m_snapshot.log.push_back(
            {.time = line.time, .level = static_cast<LogLevel>(line.level), .text = line.text});
    for (const PlannerCall& call : run.calls) {
        using Kind = PlannerCall::Kind;
        if (call.kind == Kind::SetTolerance)
            setTolerance(call.share);
        else if (call.kind == Kind::SetTargetConfidence)
            setTargetConfidence(call.share);
        else if (call.kind == Kind::Extend)
            m_snapshot.run->maxTrials += static_cast<int>(call.size);
        else if (call.kind == Kind::TryNow)
            addAsked(call.size);
        else if (call.measurement)
            std::erase(m_snapshot.askedSizes, call.measurement->size);
    }
    if (!run.calls.empty())
        m_snapshot.elapsedSeconds = run.calls.back().elapsedSeconds;
}

void SnapshotBuilder::addAsked(std::int64_t size)
{
    if (std::ranges::find(m_snapshot.askedSizes, size) == m_snapshot.askedSizes.end())
        m_snapshot.askedSizes.push_back(size);
    planNext({});
}

void SnapshotBuilder::askAgain(std::int64_t size)
{
    std::erase(m_snapshot.askedSizes, size);
    m_snapshot.askedSizes.insert(m_snapshot.askedSizes.begin(), size);
    planNext({});
}

void SnapshotBuilder::dropAsked(std::int64_t size)
{
    std::erase(m_snapshot.askedSizes, size);
    planNext({});
}

/// Sets the trial that comes after the running ones: one that a person asked for, or else the one that the
/// search announces, unless a running trial may still change that.
void SnapshotBuilder::planNext(const std::optional<search::NextTrial>& ofSearch)
{
    m_snapshot.next.reset();
    if (!m_snapshot.askedSizes.empty())
        m_snapshot.next = TrialPlan{.sizes = {m_snapshot.askedSizes.front()}, .why = trial::Purpose::Asked};
    else if (ofSearch && m_underWay.empty())
        m_snapshot.next =
            TrialPlan{.sizes = ofSearch->sizes, .why = ofSearch->purpose, .against = ofSearch->against};
    if (m_snapshot.next)
        m_snapshot.next->sentence = planText(*m_snapshot.next);
}

void SnapshotBuilder::extend(int trials, std::optional<double> budgetSeconds)
{
    m_snapshot.run->maxTrials += trials;
    m_snapshot.run->budgetSeconds = budgetSeconds;
    m_isAskedForOther = true;
}

void SnapshotBuilder::setTolerance(double tolerance)
{
    m_snapshot.run->tolerance = tolerance;
    m_isAskedForOther = true;
}

void SnapshotBuilder::setTargetConfidence(double probability)
{
    m_snapshot.run->targetConfidence = probability;
    m_isAskedForOther = true;
}

void SnapshotBuilder::takeStep(const trial::Step& step)
{
    std::vector<double>& stepSeconds = m_underWay.at(step.id).stepSeconds;
    if (step.phase == trial::StepPhase::Timed)
        stepSeconds.push_back(step.seconds);
    addStep(trial(step.id), step, stepSeconds, *m_snapshot.run);
}

const trial::TrialRecord& SnapshotBuilder::endTrial(const trial::TrialResult& result,
                                                    const DeviceSnapshot& device, double now)
{
    const UnderWay underWay = std::move(m_underWay.extract(result.id).mapped());
    trial::TrialRecord& ended = trial(result.id);
    finishTrial(ended, result, underWay.stepSeconds, device, *m_snapshot.run);
    if (ended.wallSeconds <= 0)
        ended.wallSeconds = now - underWay.start;
    findTrialsUnderWay();
    log(levelOf(ended), endText(ended, m_snapshot.run->fidelity));
    return ended;
}

void SnapshotBuilder::findTrialsUnderWay()
{
    m_snapshot.underWay.clear();
    for (const auto& [number, underWay] : m_underWay)
        m_snapshot.underWay.push_back(planOf(trial(number)));
    planNext({});
}

void SnapshotBuilder::setDevices(std::vector<DeviceSnapshot> devices)
{
    m_snapshot.devices = std::move(devices);
    for (DeviceSnapshot& device : m_snapshot.devices) {
        device.contention = contentionOf(device.id, m_snapshot.trials);
        addApproximations(m_snapshot.run->fidelity, device);
    }
}

/// Adds a point for each trial that has ended, and for each change of the recommendation.
void SnapshotBuilder::addCoursePoint()
{
    CoursePoint point{.elapsedSeconds = m_snapshot.elapsedSeconds,
                      .trials = static_cast<int>(std::ranges::count_if(
                          m_snapshot.trials, [](const auto& trial) { return !trial.isRunning(); }))};
    if (const auto& best = m_snapshot.searchState.recommendation) {
        point.size = best->size;
        point.confidence = best->confidence;
        point.expectedLoss = best->expectedLoss;
        point.samplesPerSecond = best->samplesPerSecond;
    }
    engine::addCoursePoint(m_snapshot.course, point);
}

void SnapshotBuilder::logFollowUp(const trial::TrialRecord& trial, FollowUp followUp)
{
    switch (followUp) {
    case FollowUp::Repeated:
        return log(LogLevel::Info, repetitionText(trial));
    case FollowUp::LeftOut:
        return log(LogLevel::Warning, leftOutText(trial));
    case FollowUp::NoMoreRepetitions:
        return log(LogLevel::Warning, noMoreRepetitionsText(QString::fromStdString(trial.device)));
    case FollowUp::None:
        break;
    }
}

bool SnapshotBuilder::takeSearchState(const search::SearchState& searchState)
{
    const auto [before, recalled] = [&] {
        const search::SearchState last = std::exchange(m_snapshot.searchState, searchState);
        return std::pair(last.recommendation, last.recalledTrials);
    }();
    m_hasAnswered = m_isAskedForOther;
    if (recalled > 0 && searchState.recalledTrials == 0) {
        m_snapshot.recalled.clear();
        log(LogLevel::Warning, forgottenText());
    }
    m_secondsAtForecast = 0.0;
    for (const trial::TrialRecord& trial : m_snapshot.trials)
        m_secondsAtForecast += trial.isRunning() ? 0.0 : trial.wallSeconds;
    planNext(m_snapshot.searchState.next);
    m_snapshot.reason =
        reasonText(m_snapshot.searchState, QLocale(), {}, speedMark(m_snapshot.run->fidelity));
    m_snapshot.speedLimit = speedLimitText(m_snapshot.searchState.speedLimit, m_snapshot.isOnCpu());
    m_snapshot.smallerSize.clear();
    m_snapshot.recommendedPeakBytes = 0;
    m_snapshot.recommendedJoulesPerSample.reset();
    m_snapshot.accumulationSteps = 0;
    addCoursePoint();
    const auto& now = m_snapshot.searchState.recommendation;
    if (!now)
        return false;
    if (m_snapshot.run->phase == model::Phase::Train)
        m_snapshot.accumulationSteps = m_snapshot.run->plan.accumulationSteps(now->size);
    m_snapshot.recommendedPeakBytes = peakBytesOf(now->size);
    m_snapshot.recommendedJoulesPerSample = joulesPerSampleOf(now->size);
    if (const std::int64_t smaller = now->smallestWithinTolerance; isWorthNaming(smaller, now->size))
        m_snapshot.smallerSize = smallerSizeText({.size = smaller,
                                                  .tolerance = m_snapshot.run->tolerance,
                                                  .peakBytes = peakBytesOf(smaller),
                                                  .recommendedPeakBytes = m_snapshot.recommendedPeakBytes});
    if (before && before->size == now->size && before->confidence == now->confidence)
        return false;
    log(LogLevel::Info, recommendationText(*now));
    return true;
}

std::int64_t SnapshotBuilder::peakBytesOf(std::int64_t size) const
{
    std::int64_t peak = 0;
    for (const trial::TrialRecord& trial : m_snapshot.trials) {
        if (trial.microBatchSize == size && trial.outcome == trial::Outcome::Ok)
            peak = std::max(peak, trial.peakReservedBytes.value_or(0));
    }
    return peak;
}

std::optional<double> SnapshotBuilder::joulesPerSampleOf(std::int64_t size) const
{
    double joulesPerSample = 0.0;
    int steps = 0;
    for (const trial::TrialRecord& trial : m_snapshot.trials) {
        if (trial.microBatchSize != size || !trial.joulesPerSample || trial.disturbed)
            continue;
        joulesPerSample += *trial.joulesPerSample * trial.timedSteps;
        steps += trial.timedSteps;
    }
    return steps > 0 ? std::optional(joulesPerSample / steps) : std::nullopt;
}

void SnapshotBuilder::resumeSearch()
{
    m_snapshot.state = State::Exploring;
    if (m_snapshot.verification && m_snapshot.verification->outcome == Verification::Outcome::Pending)
        m_snapshot.verification.reset();
}

void SnapshotBuilder::setVerification(const std::optional<Verification>& verification)
{
    m_snapshot.verification = verification;
    if (!verification)
        return;
    m_snapshot.verification->speedMark = speedMark(m_snapshot.run->fidelity);
    m_snapshot.verification->memoryMark = memoryMark(m_snapshot.run->fidelity);
    using Outcome = Verification::Outcome;
    const bool isAsHoped =
        verification->outcome == Outcome::Pending || verification->outcome == Outcome::Confirmed;
    log(isAsHoped ? LogLevel::Info : LogLevel::Warning, verificationText(*m_snapshot.verification));
}

void SnapshotBuilder::takeTime(double now, std::optional<double> budgetSeconds, int usableDevices)
{
    m_snapshot.elapsedSeconds = now - m_idleSeconds;
    for (const auto& [number, underWay] : m_underWay)
        trial(number).wallSeconds = now - underWay.start;
    Course course{.expectedTrials = m_snapshot.searchState.expectedTrials,
                  .forecastSeconds = forecastSeconds(),
                  .spentSeconds = -m_secondsAtForecast,
                  .devices = usableDevices,
                  .elapsedSeconds = m_snapshot.elapsedSeconds,
                  .budgetSeconds = budgetSeconds};
    for (const trial::TrialRecord& trial : m_snapshot.trials) {
        course.finishedTrials += trial.isRunning() ? 0 : 1;
        course.spentSeconds += trial.wallSeconds;
    }
    const Progress progress = estimateProgress(course);
    m_snapshot.timeLeft = progress.secondsLeft;
    showProgress(progress.share);
}

void SnapshotBuilder::showProgress(double estimated)
{
    const double before = m_snapshot.progress;
    m_snapshot.progress = heldShare(estimated, before);
    const QString why = setbackText(m_snapshot.searchState.expectedTrials - m_trialsExpected);
    // The expected number of trials changes while the progress is behind.
    if (!m_snapshot.setback.isEmpty())
        m_snapshot.setback = why;
    if (m_isAskedForOther) {
        m_maxProgress = m_snapshot.progress = estimated;
        m_isAskedForOther = !std::exchange(m_hasAnswered, false);
    } else if (m_snapshot.progress < before) {
        m_snapshot.setback = why;
        log(LogLevel::Info, setbackLine(before, m_snapshot.progress, m_snapshot.setback));
    }
    if (m_snapshot.progress < m_maxProgress)
        return;
    m_snapshot.setback.clear();
    m_maxProgress = m_snapshot.progress;
    // While the shown progress is held, the estimate is already behind it.
    if (estimated >= m_maxProgress)
        m_trialsExpected = m_snapshot.searchState.expectedTrials;
}

/// Returns the forecast of the search, plus the verification after it, which takes as long as the last trial
/// of its size.
std::optional<search::Estimate> SnapshotBuilder::forecastSeconds() const
{
    const auto& forecast = m_snapshot.searchState.forecast;
    std::optional<search::Estimate> seconds = forecast ? forecast->seconds : std::nullopt;
    const bool isVerifying = m_snapshot.state == State::Verifying;
    const auto& best = m_snapshot.searchState.recommendation;
    if (!best || !(isVerifying || (seconds && m_snapshot.run->isVerified)))
        return seconds;
    const auto last =
        std::find_if(m_snapshot.trials.rbegin(), m_snapshot.trials.rend(), [&](const auto& trial) {
            return trial.microBatchSize == best->size && !trial.isRunning() && !trial.isComparison();
        });
    if (last == m_snapshot.trials.rend())
        return seconds;
    search::Estimate sum = seconds.value_or(search::Estimate());
    for (double* part : {&sum.likely, &sum.low, &sum.high})
        *part += last->wallSeconds;
    return sum;
}

void SnapshotBuilder::log(LogLevel level, const QString& text)
{
    addLine(m_snapshot.log, level, text);
}

void SnapshotBuilder::reopen(double idleSeconds)
{
    m_idleSeconds += idleSeconds;
    m_snapshot.state = State::Starting;
    m_snapshot.finish.reset();
    m_snapshot.ending.clear();
    m_snapshot.canContinue = false;
    m_snapshot.failure.clear();
    m_snapshot.verification.reset();
    m_snapshot.predictedSizes.clear();
    m_snapshot.progress = 0.0;
    m_snapshot.setback.clear();
    m_maxProgress = 0.0;
}

void SnapshotBuilder::close(FinishStatus status, bool canContinue)
{
    const bool failed = status == FinishStatus::Failed;
    m_snapshot.state = failed ? State::Failed : State::Finished;
    m_snapshot.finish = status;
    m_snapshot.canContinue = canContinue;
    m_snapshot.ending = endingText(m_snapshot);
    m_snapshot.reason =
        reasonText(m_snapshot.searchState, QLocale(), status, speedMark(m_snapshot.run->fidelity));
    if (m_snapshot.trainingSize() > 0 && m_snapshot.run->hasBatch)
        m_snapshot.predictedSizes = predictedSizes(m_snapshot);
    m_snapshot.askedSizes.clear();
    m_snapshot.commands = {};
    m_snapshot.devicesAreFree = false;
    m_snapshot.thinkingSeconds.reset();
    m_snapshot.stalledSeconds = 0.0;
    m_snapshot.timeLeft.reset();
    m_snapshot.setback.clear();
    m_snapshot.next.reset();
    if (!failed)
        m_snapshot.progress = 1.0;
    log(m_snapshot.failure.isEmpty() ? LogLevel::Info : LogLevel::Error,
        m_snapshot.failure.isEmpty() ? m_snapshot.ending : m_snapshot.failure);
}

} // namespace batchpeak::engine
