// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "verifier.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace batchpeak::engine {

namespace {

using Outcome = Verification::Outcome;

// Enough steps to detect a size that does not fit or is far slower; the search has measured its speed before.
constexpr int timedSteps = 5;
// A deviation of more than three standard errors occurs by chance about once in a thousand times.
constexpr double surprisingErrors = 3.0;

/// Returns the median; 0 if there are no values.
double medianOf(std::vector<double> values)
{
    std::ranges::sort(values);
    return values.empty() ? 0.0 : values[values.size() / 2];
}

/// Returns the longest wall time of the trials of that size that ran [s]; 0 if none did.
double longestWallSeconds(const Snapshot& snapshot, std::int64_t size)
{
    double longest = 0.0;
    for (const trial::TrialRecord& trial : snapshot.trials) {
        if (trial.microBatchSize == size && trial.outcome == trial::Outcome::Ok)
            longest = std::max(longest, trial.wallSeconds);
    }
    return longest;
}

bool isVerificationRunning(const Snapshot& snapshot)
{
    return std::ranges::any_of(snapshot.trials, [](const trial::TrialRecord& trial) {
        return trial.isVerification && trial.isRunning();
    });
}

} // namespace

bool Verifier::isDue(const Snapshot& snapshot, const DevicePool& pool) const
{
    const auto& recommendation = snapshot.searchState.recommendation;
    if (!m_isWanted || !recommendation || static_cast<int>(m_verdicts.size()) >= maxVerifications ||
        m_verdicts.contains(recommendation->size))
        return false;
    const trial::TrialRecord& last = snapshot.trials.back();
    const DeviceRunner* runner = pool.usableRunner(QString::fromStdString(last.device));
    const bool ranInFreshProcess =
        runner && runner->trialsOfWorker() == 1 && last.outcome == trial::Outcome::Ok && !last.disturbed;
    return !ranInFreshProcess || last.microBatchSize != recommendation->size;
}

void Verifier::begin(const Snapshot& snapshot)
{
    const search::Recommendation& recommendation = *snapshot.searchState.recommendation;
    m_verification = {.size = recommendation.size,
                      .expectedSamplesPerSecond = recommendation.samplesPerSecond};
    m_expectedError = recommendation.relativeError;
    m_expectedWallSeconds = longestWallSeconds(snapshot, recommendation.size);
    m_tolerance = snapshot.run->tolerance;
    m_hasFailedOnce = false;
    m_isUnderWay = true;
    m_repeater = {};
    std::vector<double> calm;
    std::vector<double> disturbed;
    for (const trial::TrialRecord& trial : snapshot.trials) {
        if (trial.microBatchSize != recommendation.size || trial.outcome != trial::Outcome::Ok)
            continue;
        m_device = QString::fromStdString(trial.device);
        if (trial.secondsPerStep)
            (trial.disturbed ? disturbed : calm).push_back(*trial.secondsPerStep);
    }
    m_isComparedWithCalm = !calm.empty();
    m_expectedSeconds = medianOf(calm.empty() ? disturbed : calm);
}

bool Verifier::isOvertaken(const Snapshot& snapshot) const
{
    const auto& recommendation = snapshot.searchState.recommendation;
    return !isVerificationRunning(snapshot) &&
           (!recommendation || recommendation->size != m_verification.size);
}

void Verifier::dropUnlessRunning(const Snapshot& snapshot)
{
    if (!isVerificationRunning(snapshot))
        m_isUnderWay = false;
}

void Verifier::giveUp()
{
    m_isUnderWay = false;
    m_verification.outcome = Outcome::NotRun;
    m_verdicts.insert_or_assign(m_verification.size, m_verification);
}

std::optional<Verification> Verifier::verdict(const Snapshot& snapshot) const
{
    const auto& recommendation = snapshot.searchState.recommendation;
    const auto verdict = recommendation ? m_verdicts.find(recommendation->size) : m_verdicts.end();
    return verdict == m_verdicts.end() ? std::nullopt : std::optional(verdict->second);
}

double Verifier::neededSeconds(const Snapshot& snapshot, double startUpSeconds)
{
    return startUpSeconds + longestWallSeconds(snapshot, snapshot.searchState.recommendation->size);
}

search::Proposal Verifier::proposal() const
{
    search::Proposal proposal{.size = m_verification.size,
                              .minSteps = timedSteps,
                              .maxSteps = timedSteps,
                              .minSeconds = 0.0,
                              .purpose = trial::Purpose::Verification};
    if (m_expectedWallSeconds > 0.0)
        proposal.predictedWallSeconds = m_expectedWallSeconds;
    return proposal;
}

std::optional<search::Measurement> Verifier::judge(const TrialReading& reading, const DeviceSnapshot& device,
                                                   bool mayRepeat)
{
    const auto& [trial, measurement] = reading;
    search::Measurement compared = measurement;
    // Undisturbed trials do not tell what other programs take.
    if (m_isComparedWithCalm)
        compared.contention = 0.0;
    if (m_repeater.trialEnded(compared, mayRepeat))
        return measurement;
    const bool saysNothing = measurement.saysNothing();
    if (saysNothing && !std::exchange(m_hasFailedOnce, true))
        return std::nullopt;
    m_isUnderWay = false;
    m_verification.outcome = outcomeOf(trial);
    m_verification.samplesPerSecond = trial.samplesPerSecond;
    m_verification.peakReservedBytes = trial.peakReservedBytes.value_or(0);
    if (device.limitBytes > 0 && m_verification.peakReservedBytes > 0)
        m_verification.spareBytes = device.limitBytes - m_verification.peakReservedBytes;
    m_verdicts.insert_or_assign(m_verification.size, m_verification);
    search::Measurement learnt = measurement;
    // After the second time in a row, the size is considered the cause.
    if (saysNothing)
        learnt.outcome = trial::Outcome::Unsupported;
    return learnt;
}

Verification::Outcome Verifier::outcomeOf(const trial::TrialRecord& trial) const
{
    if (!trial.ranWell() || !trial.secondsPerStep)
        return Outcome::Failed;
    return isSurprising(trial) && *trial.secondsPerStep > m_expectedSeconds ? Outcome::Slower
                                                                            : Outcome::Confirmed;
}

/// Whether the time deviates from the expected one, in either direction, by more than the tolerance and the
/// noise explain.
bool Verifier::isSurprising(const trial::TrialRecord& trial) const
{
    if (m_expectedSeconds <= 0.0)
        return false;
    const double error = std::hypot(m_expectedError, trial.relativeError.value_or(0.0));
    const double excess = *trial.secondsPerStep / m_expectedSeconds - 1.0;
    return std::abs(excess) > m_tolerance + surprisingErrors * error;
}

} // namespace batchpeak::engine
