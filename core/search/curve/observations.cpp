// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "observations.h"

#include "random_source.h"
#include "trial/step_statistics.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace batchpeak::search {

namespace {

/// Keeps covariances of repeated sizes and times positive definite.
constexpr double jitter = 1e-9;

constexpr double degreesOfFreedom = 4.0;
constexpr double minWeight = 0.02;
constexpr int weighings = 3;
/// On a device where no other program ever disturbed a trial, and with steps whose error is below calmError,
/// a larger deviation in ln(seconds) is not noise. It belongs to the curve: a cliff, or a kernel of its own.
/// It keeps its weight.
constexpr double maxNoise = 0.5;
constexpr double calmError = 0.005;
/// Prior variance of the mean of one size in a comparison, so large that it says nothing.
constexpr double unknownMean = 1.0;

// For recalled rows: standard deviation of the factor by which a device of another day is faster (clocks,
// heat, drivers' moods), and of the additional change of one size's time. Chosen, not fitted: the first is so
// large that one trial of today decides the factor.
constexpr double recalledSpeed = 0.10;
constexpr double recalledChange = 0.003;

// Prior mean and standard deviation of the exponent of the time that contention takes. Two threads of a step
// beside one or two busy programs on two processors had 0.7 to 1.1 if they sleep while they wait for each
// other, as in the worlds of "batchpeak-bench-search" (1), and up to 2.3 if they spin.
constexpr double contentionExponent = 1.1;
constexpr double exponentDeviation = 0.5;
/// Nothing is known about trials that got less than a tenth of the device.
constexpr double maxContention = 0.9;

double logSlowdown(double contention)
{
    return -std::log1p(-std::clamp(contention, 0.0, maxContention));
}

/// Returns the typical times of the visits [ln s], minus what their contention is expected to take.
std::vector<double> logSecondsOf(const std::vector<trial::Visit>& visits)
{
    std::vector<double> logSeconds = trial::typicalStepSecondsOf(visits);
    for (std::size_t i = 0; i < visits.size(); ++i)
        logSeconds[i] =
            std::log(logSeconds[i]) - contentionExponent * logSlowdown(visits[i].contention.value_or(0.0));
    return logSeconds;
}

double typicalOf(const std::vector<trial::Visit>& visits)
{
    std::vector<double> seconds = logSecondsOf(visits);
    for (double& value : seconds)
        value = std::exp(value);
    return trial::typicalStepSeconds(seconds).value_or(0.0);
}

double meanLogSlowdown(const Measurement& trial)
{
    if (trial.visits.empty())
        return logSlowdown(trial.contention);
    double sum = 0.0;
    for (const trial::Visit& visit : trial.visits)
        sum += logSlowdown(visit.contention.value_or(0.0));
    return sum / static_cast<double>(trial.visits.size());
}

/// The timed steps of one visit, without a break between them.
struct Slice
{
    double begin = 0.0;
    double seconds = 0.0;
};

double timedSecondsOf(const Measurement& trial)
{
    return trial.stepSeconds.empty() ? std::max(trial.timedSteps(), 1.0) * trial.secondsPerStep
                                     : std::reduce(trial.stepSeconds.begin(), trial.stepSeconds.end());
}

std::vector<Slice> slicesOf(const Measurement& trial)
{
    if (!trial.visits.empty()) {
        std::vector<Slice> slices;
        for (const trial::Visit& visit : trial.visits)
            slices.push_back({.begin = visit.clockSeconds, .seconds = visit.seconds});
        return slices;
    }
    const double timed = timedSecondsOf(trial);
    return {{.begin = trial.clockSeconds - timed, .seconds = timed}};
}

/// Returns the mean of exp(-t) over 0..x.
double meanDecay(double x)
{
    return x < 1e-6 ? 1.0 - 0.5 * x : -std::expm1(-x) / x;
}

/// Returns the mean correlation between the moments of one slice and those of another, or of itself.
double correlation(const Slice& a, const Slice& b, double time)
{
    const double lengthA = a.seconds / time;
    const double lengthB = b.seconds / time;
    if (a.begin == b.begin && a.seconds == b.seconds)
        return lengthA < 1e-4 ? 1.0 - lengthA / 3.0 : 2.0 * (1.0 - meanDecay(lengthA)) / lengthA;
    const double gap = std::max({0.0, b.begin - a.begin - a.seconds, a.begin - b.begin - b.seconds});
    return std::exp(-gap / time) * meanDecay(lengthA) * meanDecay(lengthB);
}

double correlation(const std::vector<Slice>& a, const std::vector<Slice>& b, double time)
{
    double sum = 0.0;
    for (const Slice& ofA : a) {
        for (const Slice& ofB : b)
            sum += correlation(ofA, ofB, time);
    }
    return sum / static_cast<double>(a.size() * b.size());
}

template<typename Correlation>
Eigen::MatrixXd pairwise(const Eigen::VectorXd& rows, const Eigen::VectorXd& columns, Correlation correlation)
{
    Eigen::MatrixXd matrix(rows.size(), columns.size());
    for (Eigen::Index column = 0; column < columns.size(); ++column) {
        for (Eigen::Index row = 0; row < rows.size(); ++row)
            matrix(row, column) = correlation(std::abs(rows[row] - columns[column]));
    }
    return matrix;
}

double medianOfSize(const Observations& trials, double size)
{
    std::vector<double> calm;
    std::vector<double> disturbed;
    for (Eigen::Index i = 0; i < trials.count(); ++i) {
        if (trials.size[i] == size)
            (trials.isDisturbed[i] > 0.0 ? disturbed : calm).push_back(trials.seconds[i]);
    }
    std::vector<double>& ofSize = calm.empty() ? disturbed : calm;
    const auto middle = ofSize.begin() + static_cast<std::ptrdiff_t>(ofSize.size() / 2);
    std::ranges::nth_element(ofSize, middle);
    return *middle;
}

template<std::size_t count>
std::size_t placeOf(double value, const double (&values)[count])
{
    return static_cast<std::size_t>(std::ranges::find(values, value) - std::begin(values));
}

} // namespace

Observations::Observations(const std::vector<Measurement>& timed) : noise(timed)
{
    const auto count = static_cast<Eigen::Index>(timed.size());
    for (Eigen::VectorXd* column :
         {&size, &logSize, &seconds, &medianSeconds, &timedSeconds, &timedSteps, &error, &visits, &weight})
        column->setOnes(count);
    contention.setZero(count);
    isDisturbed.setZero(count);
    isRecalled.setZero(count);
    std::vector<std::vector<Slice>> slices;
    for (Eigen::Index i = 0; i < count; ++i) {
        const Measurement& trial = timed[static_cast<std::size_t>(i)];
        size[i] = static_cast<double>(trial.size);
        logSize[i] = std::log(size[i]);
        contention[i] = meanLogSlowdown(trial);
        seconds[i] = trial.visits.empty()
                         ? trial.secondsPerStep * std::exp(-contentionExponent * contention[i])
                         : typicalOf(trial.visits);
        timedSteps[i] = std::max(trial.timedSteps(), 1.0);
        timedSeconds[i] = timedSecondsOf(trial);
        error[i] = noise.standardError(static_cast<std::size_t>(i));
        isDisturbed[i] = trial.disturbed && trial.visits.empty() ? 1.0 : 0.0;
        isRecalled[i] = trial.isRecalled() ? 1.0 : 0.0;
        slices.push_back(slicesOf(trial));
        visits[i] = static_cast<double>(slices.back().size());
    }
    addRecalled(timed);
    for (Eigen::Index i = 0; i < count; ++i)
        medianSeconds[i] = medianOfSize(*this, size[i]);
    m_smooth = pairwise(logSize, logSize, smoothCorrelation);
    for (std::size_t i = 0; i < std::size(roughLengths); ++i)
        m_rough[i] = roughCovariance(logSize, roughLengths[i]);
    for (std::size_t t = 0; t < std::size(speedTimes); ++t) {
        m_speed[t].resize(count, count);
        for (Eigen::Index i = 0; i < count; ++i) {
            for (Eigen::Index j = 0; j <= i; ++j) {
                m_speed[t](i, j) = correlation(slices[static_cast<std::size_t>(i)],
                                               slices[static_cast<std::size_t>(j)], speedTimes[t]);
                m_speed[t](j, i) = m_speed[t](i, j);
            }
        }
        Eigen::MatrixXd matrix = m_speed[t];
        matrix.diagonal().array() += jitter;
        m_speedFactor[t] = matrix.llt().matrixL();
    }
    for (std::size_t first = 0; first < timed.size();) {
        std::size_t last = first + 1;
        while (last < timed.size() && !timed[first].visits.empty() && !timed[last].visits.empty() &&
               timed[last].clockSeconds == timed[first].clockSeconds)
            ++last;
        if (!timed[first].visits.empty())
            addComparison(timed, first, last);
        first = last;
    }
}

void Observations::addRecalled(const std::vector<Measurement>& timed)
{
    std::vector<std::int64_t> explorations;
    for (const Measurement& trial : timed) {
        if (trial.isRecalled() && std::ranges::find(explorations, trial.exploration) == explorations.end())
            explorations.push_back(trial.exploration);
    }
    m_isOfExploration.setZero(count(), static_cast<Eigen::Index>(explorations.size()));
    for (Eigen::Index row = 0; row < count(); ++row) {
        const auto place = std::ranges::find(explorations, timed[static_cast<std::size_t>(row)].exploration);
        if (place != explorations.end())
            m_isOfExploration(row, place - explorations.begin()) = 1.0;
    }
}

void Observations::addComparison(const std::vector<Measurement>& timed, std::size_t first, std::size_t last)
{
    std::vector<Slice> slices;
    std::vector<std::size_t> rows;
    std::vector<double> residuals;
    std::vector<double> contentions;
    for (std::size_t row = first; row < last; ++row) {
        const std::vector<trial::Visit>& visitsOfRow = timed[row].visits;
        double sum = 0.0;
        for (const trial::Visit& visit : visitsOfRow) {
            slices.push_back({.begin = visit.clockSeconds, .seconds = visit.seconds});
            rows.push_back(row);
            contentions.push_back(logSlowdown(visit.contention.value_or(0.0)));
        }
        for (const double logSeconds : logSecondsOf(visitsOfRow)) {
            residuals.push_back(logSeconds);
            sum += logSeconds;
        }
        for (std::size_t i = residuals.size() - visitsOfRow.size(); i < residuals.size(); ++i)
            residuals[i] -= sum / static_cast<double>(visitsOfRow.size());
    }
    const auto count = static_cast<Eigen::Index>(slices.size());
    Comparison comparison{.residual = Eigen::Map<Eigen::VectorXd>(residuals.data(), count),
                          .contention = Eigen::VectorXd(count),
                          .variance = Eigen::VectorXd(count),
                          .isSameSize = Eigen::MatrixXd(count, count),
                          .speed = {},
                          .sizes = static_cast<int>(last - first)};
    for (Eigen::Index i = 0; i < count; ++i) {
        const auto row = static_cast<Eigen::Index>(rows[static_cast<std::size_t>(i)]);
        comparison.contention[i] = contentions[static_cast<std::size_t>(i)];
        comparison.variance[i] = error[row] * error[row] * visits[row];
        for (Eigen::Index j = 0; j < count; ++j)
            comparison.isSameSize(i, j) =
                rows[static_cast<std::size_t>(i)] == rows[static_cast<std::size_t>(j)] ? 1.0 : 0.0;
    }
    for (std::size_t t = 0; t < std::size(speedTimes); ++t) {
        comparison.speed[t].resize(count, count);
        for (Eigen::Index i = 0; i < count; ++i) {
            for (Eigen::Index j = 0; j < count; ++j)
                comparison.speed[t](i, j) = correlation(slices[static_cast<std::size_t>(i)],
                                                        slices[static_cast<std::size_t>(j)], speedTimes[t]);
        }
    }
    m_comparisons.push_back(std::move(comparison));
}

double Observations::logEvidenceOfVisits(const Hyperparameters& hyperparameters) const
{
    double sum = 0.0;
    for (const Comparison& comparison : m_comparisons) {
        const auto count = comparison.residual.size();
        Eigen::MatrixXd matrix = unknownMean * comparison.isSameSize;
        matrix += hyperparameters.speed * hyperparameters.speed *
                  comparison.speed[placeOf(hyperparameters.speedTime, speedTimes)];
        matrix +=
            exponentDeviation * exponentDeviation * comparison.contention * comparison.contention.transpose();
        matrix.diagonal().array() +=
            comparison.variance.array() + hyperparameters.trial * hyperparameters.trial + jitter;
        const Eigen::LLT<Eigen::MatrixXd> factor(matrix);
        const double squared = factor.matrixL().solve(comparison.residual).squaredNorm();
        const double freedom = static_cast<double>(count - comparison.sizes);
        sum -= factor.matrixLLT().diagonal().array().log().sum();
        sum -= 0.5 * (degreesOfFreedom + freedom) * std::log1p(squared / degreesOfFreedom);
    }
    return sum;
}

double Observations::noiseDeviation(Eigen::Index row, const Hyperparameters& hyperparameters) const
{
    const double variance =
        error[row] * error[row] + hyperparameters.trial * hyperparameters.trial / visits[row];
    return std::sqrt(variance / weight[row] + disturbance * disturbance * isDisturbed[row] +
                     recalledChange * recalledChange * isRecalled[row]);
}

Eigen::MatrixXd Observations::covariance(const Hyperparameters& hyperparameters) const
{
    Eigen::MatrixXd matrix = hyperparameters.smooth * hyperparameters.smooth * m_smooth;
    matrix += hyperparameters.rough * hyperparameters.rough *
              m_rough[placeOf(hyperparameters.roughLength, roughLengths)];
    matrix += hyperparameters.speed * hyperparameters.speed *
              m_speed[placeOf(hyperparameters.speedTime, speedTimes)];
    const double trial = hyperparameters.trial * hyperparameters.trial;
    matrix.diagonal().array() += (error.array().square() + trial / visits.array()) / weight.array() +
                                 disturbance * disturbance * isDisturbed.array() +
                                 recalledChange * recalledChange * isRecalled.array() + jitter;
    if (!contention.isZero())
        matrix += exponentDeviation * exponentDeviation * contention * contention.transpose();
    if (m_isOfExploration.cols() > 0)
        matrix += recalledSpeed * recalledSpeed * m_isOfExploration * m_isOfExploration.transpose();
    return matrix;
}

Eigen::MatrixXd Observations::smoothCovariance(const Eigen::VectorXd& logSizes) const
{
    return pairwise(logSizes, logSize, smoothCorrelation);
}

Eigen::MatrixXd Observations::roughCovariance(const Eigen::VectorXd& logSizes, double roughLength) const
{
    return pairwise(logSizes, logSize, [roughLength](double d) { return roughCorrelation(d, roughLength); });
}

Eigen::VectorXd Observations::drawSpeed(double speedTime, RandomSource& random) const
{
    Eigen::VectorXd normal(count());
    for (double& value : normal)
        value = random.normal();
    return m_speedFactor[placeOf(speedTime, speedTimes)] * normal;
}

Eigen::VectorXd Observations::drawRecalledSpeed(RandomSource& random) const
{
    Eigen::VectorXd ofExplorations(m_isOfExploration.cols());
    for (double& value : ofExplorations)
        value = recalledSpeed * random.normal();
    return m_isOfExploration * ofExplorations;
}

Eigen::VectorXd Observations::drawContention(RandomSource& random) const
{
    if (contention.isZero())
        return Eigen::VectorXd::Zero(count());
    return exponentDeviation * random.normal() * contention;
}

std::vector<std::vector<Eigen::Index>> Observations::days() const
{
    const bool areAllRecalled = isRecalled.all();
    const Eigen::Index explorations = areAllRecalled ? 0 : m_isOfExploration.cols();
    std::vector<std::vector<Eigen::Index>> rows(static_cast<std::size_t>(explorations) + 1);
    for (Eigen::Index row = 0; row < count(); ++row) {
        Eigen::Index day = explorations;
        for (Eigen::Index exploration = 0; exploration < explorations; ++exploration) {
            if (m_isOfExploration(row, exploration) > 0.0)
                day = exploration;
        }
        rows[static_cast<std::size_t>(day)].push_back(row);
    }
    return rows;
}

Eigen::VectorXd Observations::contentionOffMean(const std::vector<std::vector<Eigen::Index>>& days) const
{
    Eigen::VectorXd off = contentionExponent * contention;
    for (const std::vector<Eigen::Index>& rows : days) {
        if (!rows.empty())
            off(rows).array() -= off(rows).mean();
    }
    return off;
}

void Observations::weighTails(const Hyperparameters& hyperparameters, const Eigen::MatrixXd& columns,
                              const Eigen::VectorXd& residual)
{
    const bool isCalm = contention.isZero() && isDisturbed.isZero() && error.mean() < calmError;
    weight.setOnes();
    for (int weighing = 0; weighing < weighings; ++weighing) {
        const Eigen::MatrixXd inverse = (covariance(hyperparameters) + columns * columns.transpose())
                                            .llt()
                                            .solve(Eigen::MatrixXd::Identity(count(), count()));
        const Eigen::VectorXd scaled = inverse * residual;
        for (Eigen::Index i = 0; i < count(); ++i) {
            // Deviation from what the other rows predict.
            const double off = scaled[i] / inverse(i, i);
            const double likely = (degreesOfFreedom + 1.0) / (degreesOfFreedom + off * scaled[i]);
            const bool isOfCurve = isCalm && std::abs(off) > maxNoise;
            weight[i] = isOfCurve ? 1.0 : std::clamp(likely, minWeight, 1.0);
        }
    }
}

} // namespace batchpeak::search
