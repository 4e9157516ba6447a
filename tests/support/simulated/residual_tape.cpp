// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "residual_tape.h"

#include "recorded_sweep.h"
#include "sweep_truth.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace {

/// Mean length of a block [s]: several times the duration for which computers were observed to keep a speed
/// (6 to 18 s), and a fraction of the shortest sweep.
constexpr double meanBlockSeconds = 30.0;
/// Ratio of the standard deviation of a normal distribution to its median absolute deviation.
constexpr double deviationOverMedian = 1.4826;
/// Number of standard deviations beyond which the deviation of a visit is attributed to the device at that
/// moment.
constexpr double maxDeviations = 2.0;

} // namespace

ResidualTape::ResidualTape(const RecordedSweep& sweep, const SweepTruth& truth)
{
    std::vector<const RecordedSweep::Trial*> trials;
    for (const RecordedSweep::Trial& trial : sweep.trials) {
        if (trial.fits)
            trials.push_back(&trial);
    }
    std::ranges::stable_sort(trials, {}, &RecordedSweep::Trial::clockSeconds);
    const std::vector<SweepTruth::Residual>& residuals = truth.residuals();
    std::vector<double> deviations;
    for (const SweepTruth::Residual& residual : residuals)
        deviations.push_back(std::abs(residual.visit));
    std::ranges::nth_element(deviations,
                             deviations.begin() + static_cast<std::ptrdiff_t>(deviations.size() / 2));
    const double max = maxDeviations * deviationOverMedian * deviations[deviations.size() / 2];
    const double first = trials.front()->clockSeconds;
    for (std::size_t place = 0; place < trials.size(); ++place) {
        const RecordedSweep::Trial& trial = *trials[place];
        Visit visit{.clockSeconds = trial.clockSeconds - first,
                    .visit = std::clamp(residuals[place].visit, -max, max)};
        visit.deviceSpeed = residuals[place].deviceSpeed + residuals[place].visit - visit.visit;
        const double mean = std::reduce(trial.stepSeconds.begin(), trial.stepSeconds.end()) /
                            static_cast<double>(trial.stepSeconds.size());
        visit.deviceSpeed += std::log(mean / trial.secondsPerStep());
        for (const double seconds : trial.stepSeconds)
            visit.steps.push_back(std::log(seconds / mean));
        m_length = visit.clockSeconds + trial.wallSeconds;
        m_visits.push_back(std::move(visit));
    }
}

double ResidualTape::meanSlowdown() const
{
    // Averages speeds instead of times, since the amount of work counts.
    double speed = 0.0;
    for (std::size_t place = 0; place < m_visits.size(); ++place) {
        const Visit& visit = m_visits[place];
        const double end = place + 1 < m_visits.size() ? m_visits[place + 1].clockSeconds : m_length;
        speed += (end - visit.clockSeconds) / m_length / std::exp(visit.deviceSpeed + visit.visit);
    }
    return 1.0 / speed;
}

std::size_t ResidualTape::placeAt(double clock) const
{
    const auto above = std::ranges::upper_bound(m_visits, clock, {}, &Visit::clockSeconds);
    return above == m_visits.begin() ? 0 : static_cast<std::size_t>(above - m_visits.begin()) - 1;
}

TapePlayer::TapePlayer(std::shared_ptr<const ResidualTape> tape, std::uint64_t seed)
    : m_tape(std::move(tape)), m_random(seed)
{
    begin(0.0);
}

void TapePlayer::begin(double clock)
{
    m_blockEnd = clock - meanBlockSeconds * std::log(1.0 - m_random.uniform());
    m_ahead = m_tape->length() * m_random.uniform() - clock;
    m_place = m_tape->placeAt(clock + m_ahead);
}

void TapePlayer::moveTo(double clock)
{
    m_clock = clock;
    if (clock >= m_blockEnd - clockTick) {
        begin(clock);
        return;
    }
    // The tape is circular.
    while (clock + m_ahead >= m_tape->length() - clockTick)
        m_ahead -= m_tape->length();
    m_place = m_tape->placeAt(clock + m_ahead + clockTick);
}

double TapePlayer::sameFor() const
{
    const bool isLast = m_place + 1 == m_tape->visits().size();
    const double end = isLast ? m_tape->length() : visitAt(m_place + 1).clockSeconds;
    return std::max(std::min(m_blockEnd - m_clock, end - (m_clock + m_ahead)), clockTick);
}
