// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sweep_truth.h"

#include "gaussian_chain.h"
#include "trial/step_statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>
#include <utility>

using batchpeak::search::RandomSource;

namespace {

constexpr double degreesOfFreedom = 4.0;
/// Number of rounds of sampling before the first draw, and from one draw to the next.
constexpr int settlingRounds = 400;
constexpr int roundsPerDraw = 4;
/// Prior variance of a level [ln], so large that the prior carries no information.
constexpr double openVariance = 100.0;

// Possible values of the scales, all equally likely. They differ by a factor of about 2, since the visits do
// not determine the scales more precisely.
constexpr std::array deviceDeviations{0.0005, 0.002, 0.004, 0.008, 0.015, 0.03, 0.06, 0.12};
constexpr std::array deviceSeconds{1.5, 4.0, 10.0, 25.0, 60.0, 180.0};
constexpr std::array visitDeviations{0.0005, 0.001, 0.002, 0.004, 0.008, 0.015, 0.03, 0.06, 0.12};
/// Standard deviations of the random walk for a factor of e between sizes.
constexpr std::array walkDeviations{0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5};
constexpr std::array roughnesses{0.0001, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05};
/// Size, as a share of the largest one, at which the constant part of a step takes as long as the rest.
constexpr std::array halfSpeedShares{0.0001, 0.001, 0.003, 0.01, 0.02, 0.04, 0.08, 0.15, 0.3, 0.6};

/// Draws from a gamma distribution whose shape is a multiple of one half, as half the sum of squares of
/// normals.
double halfIntegerGamma(RandomSource& random, int halves, double rate)
{
    double sum = 0.0;
    for (int i = 0; i < halves; ++i)
        sum += std::pow(random.normal(), 2.0);
    return 0.5 * sum / rate;
}

/// Draws an index with a probability proportional to its likelihood.
/// \param logarithms  logarithms of the likelihoods
std::size_t drawPlace(std::vector<double> logarithms, RandomSource& random)
{
    const double max = std::ranges::max(logarithms);
    double sum = 0.0;
    for (double& logarithm : logarithms)
        sum += logarithm = std::exp(logarithm - max);
    double left = sum * random.uniform();
    for (std::size_t place = 0; place < logarithms.size(); ++place) {
        left -= logarithms[place];
        if (left < 0.0)
            return place;
    }
    return logarithms.size() - 1;
}

/// Chain of Gibbs sampling over all unknowns.
class Sampler
{
public:
    /// \param visits  visits ordered by time
    Sampler(const std::vector<SizeVisit>& visits, const std::vector<std::int64_t>& sizes, std::uint64_t seed)
        : m_visits(visits), m_sizes(sizes), m_random(seed)
    {
        std::vector<int> counts(sizes.size(), 0);
        m_level.assign(sizes.size(), 0.0);
        for (const SizeVisit& visit : visits) {
            const auto place =
                static_cast<std::size_t>(std::ranges::lower_bound(sizes, visit.size) - sizes.begin());
            m_place.push_back(place);
            m_observed.push_back(std::log(visit.typicalSeconds));
            m_level[place] += m_observed.back();
            ++counts[place];
        }
        for (std::size_t place = 0; place < sizes.size(); ++place)
            m_level[place] /= counts[place];
        m_weight.assign(visits.size(), 1.0);
        m_device.assign(visits.size(), 0.0);
    }

    void step()
    {
        drawDevice();
        drawWeights();
        drawSizes();
    }

    /// ln of the typical time [s] of each size.
    const std::vector<double>& levels() const { return m_level; }
    double deviceAt(std::size_t visit) const { return m_device[visit]; }
    double noiseAt(std::size_t visit) const
    {
        return m_observed[visit] - m_level[m_place[visit]] - m_device[visit];
    }
    double deviceVariance() const { return std::pow(deviceDeviations[m_deviation], 2.0); }
    /// ln of the ratio of a visit's mean step to the size's typical step on the device at that moment.
    double meanExcess(std::size_t visit) const
    {
        return std::log(m_visits[visit].meanSeconds) - m_level[m_place[visit]] - m_device[visit];
    }

private:
    using Links = std::vector<GaussianChain::Link>;

    double visitVariance(std::size_t visit, std::size_t deviation) const
    {
        return std::pow(visitDeviations[deviation], 2.0) + std::pow(m_visits[visit].relativeError, 2.0);
    }

    Links deviceLinks(std::size_t deviation, std::size_t seconds, std::size_t visitDeviation) const
    {
        const double variance = std::pow(deviceDeviations[deviation], 2.0);
        Links links(m_visits.size());
        for (std::size_t visit = 0; visit < links.size(); ++visit) {
            const double keeps =
                visit == 0 ? 0.0
                           : std::exp((m_visits[visit - 1].clockSeconds - m_visits[visit].clockSeconds) /
                                      deviceSeconds[seconds]);
            links[visit] = {.keeps = keeps,
                            .variance = variance * (1.0 - keeps * keeps),
                            .observed = m_observed[visit] - m_level[m_place[visit]],
                            .observationVariance = visitVariance(visit, visitDeviation) / m_weight[visit]};
        }
        return links;
    }

    /// Draws a new value of one scale and returns its index.
    /// \param linksWith  returns the chain for an index of the values of the scale
    template<typename LinksWith>
    std::size_t drawScale(std::size_t choices, LinksWith linksWith)
    {
        std::vector<double> logarithms;
        for (std::size_t place = 0; place < choices; ++place)
            logarithms.push_back(GaussianChain::logLikelihood(linksWith(place)));
        return drawPlace(std::move(logarithms), m_random);
    }

    void drawDevice()
    {
        m_deviation = drawScale(deviceDeviations.size(), [&](std::size_t place) {
            return deviceLinks(place, m_seconds, m_visitDeviation);
        });
        m_seconds = drawScale(deviceSeconds.size(), [&](std::size_t place) {
            return deviceLinks(m_deviation, place, m_visitDeviation);
        });
        m_visitDeviation = drawScale(visitDeviations.size(), [&](std::size_t place) {
            return deviceLinks(m_deviation, m_seconds, place);
        });
        const Links links = deviceLinks(m_deviation, m_seconds, m_visitDeviation);
        m_device = GaussianChain::draw(links, m_random);
        shiftLevel(links);
    }

    /// Shifts the device against all sizes: either the device was slow all the time and the sizes are fast,
    /// or the reverse. One step draws from all such combinations, which separate steps would explore slowly.
    void shiftLevel(const Links& links)
    {
        double precision = 0.0;
        double sum = 0.0;
        double before = 0.0;
        for (std::size_t visit = 0; visit < links.size(); ++visit) {
            const GaussianChain::Link& link = links[visit];
            const double variance = std::max(link.variance, 1e-12);
            precision += std::pow(1.0 - link.keeps, 2.0) / variance;
            sum += (1.0 - link.keeps) * (m_device[visit] - link.keeps * before) / variance;
            before = m_device[visit];
        }
        const double shift = sum / precision + m_random.normal() / std::sqrt(precision);
        for (double& device : m_device)
            device -= shift;
        for (double& level : m_level)
            level += shift;
    }

    void drawWeights()
    {
        constexpr int halves = static_cast<int>(degreesOfFreedom) + 1;
        for (std::size_t visit = 0; visit < m_visits.size(); ++visit) {
            const double square = std::pow(noiseAt(visit), 2.0) / visitVariance(visit, m_visitDeviation);
            m_weight[visit] = halfIntegerGamma(m_random, halves, 0.5 * (degreesOfFreedom + square));
        }
    }

    /// Returns ln of the time of an affine step without its scale.
    double affine(std::size_t size, std::size_t halfSpeed) const
    {
        const auto largest = static_cast<double>(m_sizes.back());
        return std::log(halfSpeedShares[halfSpeed] * largest + static_cast<double>(m_sizes[size]));
    }

    Links sizeLinks(std::size_t halfSpeed, std::size_t walk, std::size_t roughness) const
    {
        Links links(m_sizes.size());
        for (std::size_t size = 0; size < links.size(); ++size) {
            const double apart =
                size == 0
                    ? 0.0
                    : std::log(static_cast<double>(m_sizes[size]) / static_cast<double>(m_sizes[size - 1]));
            links[size] = {.keeps = size == 0 ? 0.0 : 1.0,
                           .variance = size == 0 ? openVariance : apart * std::pow(walkDeviations[walk], 2.0),
                           .observed = m_mean[size] - affine(size, halfSpeed),
                           .observationVariance =
                               std::pow(roughnesses[roughness], 2.0) + m_meanVariance[size]};
        }
        return links;
    }

    void drawSizes()
    {
        // All visits of a size are combined into one observation of it.
        m_mean.assign(m_sizes.size(), 0.0);
        std::vector<double> precision(m_sizes.size(), 0.0);
        for (std::size_t visit = 0; visit < m_visits.size(); ++visit) {
            const double weight = m_weight[visit] / visitVariance(visit, m_visitDeviation);
            m_mean[m_place[visit]] += weight * (m_observed[visit] - m_device[visit]);
            precision[m_place[visit]] += weight;
        }
        m_meanVariance.resize(m_sizes.size());
        for (std::size_t size = 0; size < m_sizes.size(); ++size) {
            m_mean[size] /= precision[size];
            m_meanVariance[size] = 1.0 / precision[size];
        }
        m_halfSpeed = drawScale(halfSpeedShares.size(),
                                [&](std::size_t place) { return sizeLinks(place, m_walk, m_roughness); });
        m_walk = drawScale(walkDeviations.size(),
                           [&](std::size_t place) { return sizeLinks(m_halfSpeed, place, m_roughness); });
        m_roughness = drawScale(roughnesses.size(),
                                [&](std::size_t place) { return sizeLinks(m_halfSpeed, m_walk, place); });

        const std::vector<double> curve =
            GaussianChain::draw(sizeLinks(m_halfSpeed, m_walk, m_roughness), m_random);
        const double roughVariance = std::pow(roughnesses[m_roughness], 2.0);
        for (std::size_t size = 0; size < m_sizes.size(); ++size) {
            const double smooth = affine(size, m_halfSpeed) + curve[size];
            const double gain = roughVariance / (roughVariance + m_meanVariance[size]);
            m_level[size] = smooth + gain * (m_mean[size] - smooth) +
                            std::sqrt(gain * m_meanVariance[size]) * m_random.normal();
        }
    }

    const std::vector<SizeVisit>& m_visits;
    const std::vector<std::int64_t>& m_sizes;
    RandomSource m_random;
    /// Values of each visit: index of its size, ln of its typical step, weight against outliers, ln of the
    /// speed of the device.
    std::vector<std::size_t> m_place;
    std::vector<double> m_observed;
    std::vector<double> m_weight;
    std::vector<double> m_device;
    /// Values of each size: level, mean of its observations, and variance of this mean.
    std::vector<double> m_level;
    std::vector<double> m_mean;
    std::vector<double> m_meanVariance;
    /// Indices into the lists of scales; each starts in the middle.
    std::size_t m_deviation = deviceDeviations.size() / 2;
    std::size_t m_seconds = deviceSeconds.size() / 2;
    std::size_t m_visitDeviation = visitDeviations.size() / 2;
    std::size_t m_walk = walkDeviations.size() / 2;
    std::size_t m_roughness = roughnesses.size() / 2;
    std::size_t m_halfSpeed = halfSpeedShares.size() / 2;
};

/// Returns ln of the mean of exp() over rounds that are drawn with replacement. Whole rounds are drawn
/// because the visits of one round are not independent.
double meanOverRounds(const std::map<int, std::vector<double>>& byRound, RandomSource& random)
{
    std::vector<const std::vector<double>*> rounds;
    for (const auto& [round, values] : byRound)
        rounds.push_back(&values);
    double sum = 0.0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < rounds.size(); ++i) {
        const auto place = static_cast<std::size_t>(random.uniform() * static_cast<double>(rounds.size()));
        for (const double value : *rounds[place])
            sum += std::exp(value);
        count += rounds[place]->size();
    }
    return std::log(sum / static_cast<double>(count));
}

} // namespace

SizeVisit visitOf(int round, std::int64_t size, double clockSeconds, std::span<const double> stepSeconds)
{
    const double sum = std::reduce(stepSeconds.begin(), stepSeconds.end());
    return {.round = round,
            .size = size,
            .clockSeconds = clockSeconds,
            .typicalSeconds = batchpeak::trial::typicalStepSeconds(stepSeconds).value_or(0.0),
            .meanSeconds = sum / static_cast<double>(stepSeconds.size()),
            .relativeError = batchpeak::trial::relativeStandardError(stepSeconds).value_or(0.0)};
}

std::vector<SizeVisit> visitsOf(const RecordedSweep& sweep)
{
    std::vector<SizeVisit> visits;
    for (const RecordedSweep::Trial& trial : sweep.trials) {
        if (trial.fits)
            visits.push_back(visitOf(trial.visit, trial.size, trial.clockSeconds, trial.stepSeconds));
    }
    return visits;
}

SweepTruth::SweepTruth(std::vector<SizeVisit> visits, std::uint64_t seed, int draws)
{
    if (visits.empty())
        throw std::invalid_argument("A sweep without a visit tells nothing: record one first.");
    std::ranges::stable_sort(visits, {}, &SizeVisit::clockSeconds);
    std::set<std::int64_t> sizes;
    for (const SizeVisit& visit : visits)
        sizes.insert(visit.size);
    m_sizes.assign(sizes.begin(), sizes.end());
    for (const SizeVisit& visit : visits)
        m_residuals.push_back({.clockSeconds = visit.clockSeconds, .size = visit.size});

    Sampler sampler(visits, m_sizes, 2 * seed);
    RandomSource rounds(2 * seed + 1);
    for (int i = 0; i < settlingRounds; ++i)
        sampler.step();
    for (int draw = 0; draw < draws; ++draw) {
        for (int i = 0; i < roundsPerDraw; ++i)
            sampler.step();
        std::map<int, std::vector<double>> excess;
        for (std::size_t visit = 0; visit < visits.size(); ++visit) {
            excess[visits[visit].round].push_back(sampler.meanExcess(visit));
            m_residuals[visit].deviceSpeed += sampler.deviceAt(visit) / draws;
            m_residuals[visit].visit += sampler.noiseAt(visit) / draws;
        }
        // The second term is the logarithm of the ratio of the mean of a log-normal speed to its median.
        const double longRun = meanOverRounds(excess, rounds) + 0.5 * sampler.deviceVariance();
        std::vector<double>& seconds = m_seconds.emplace_back();
        for (const double level : sampler.levels())
            seconds.push_back(std::exp(level + longRun));
    }
}

double SweepTruth::seconds(int draw, std::int64_t size) const
{
    const std::vector<double>& seconds = m_seconds[static_cast<std::size_t>(draw)];
    const auto perSample = [&](std::size_t place) {
        return seconds[place] / static_cast<double>(m_sizes[place]);
    };
    const auto above = static_cast<std::size_t>(std::ranges::lower_bound(m_sizes, size) - m_sizes.begin());
    if (above < m_sizes.size() && m_sizes[above] == size)
        return seconds[above];
    const auto m = static_cast<double>(size);
    if (above == 0 || above == m_sizes.size())
        return m * perSample(above == 0 ? 0 : above - 1);
    const double low = std::log(static_cast<double>(m_sizes[above - 1]));
    const double share = (std::log(m) - low) / (std::log(static_cast<double>(m_sizes[above])) - low);
    return m * (perSample(above - 1) + share * (perSample(above) - perSample(above - 1)));
}

TruthVerdict::TruthVerdict(int draws, std::vector<std::int64_t> answers, double tolerance, SpeedOfDraw speed)
    : m_tolerance(tolerance), m_speed(std::move(speed))
{
    if (answers.empty())
        throw std::invalid_argument("Without a size that fits there is nothing to judge.");
    for (int draw = 0; draw < draws; ++draw) {
        double best = 0.0;
        for (const std::int64_t size : answers)
            best = std::max(best, m_speed(draw, size));
        m_best.push_back(best);
    }
    for (const std::int64_t size : answers) {
        if (const double share = shareWithin(size); share > m_perfectShare) {
            m_perfectShare = share;
            m_perfectSize = size;
        }
    }
}

double TruthVerdict::shareWithin(std::int64_t size) const
{
    int within = 0;
    for (std::size_t draw = 0; draw < m_best.size(); ++draw)
        within += m_speed(static_cast<int>(draw), size) >= (1.0 - m_tolerance) * m_best[draw] ? 1 : 0;
    return within / static_cast<double>(m_best.size());
}

double TruthVerdict::regret(std::int64_t size) const
{
    double sum = 0.0;
    for (std::size_t draw = 0; draw < m_best.size(); ++draw)
        sum += 1.0 - m_speed(static_cast<int>(draw), size) / m_best[draw];
    return sum / static_cast<double>(m_best.size());
}

double TruthVerdict::shareBetween(std::int64_t size, double low, double high) const
{
    int between = 0;
    for (std::size_t draw = 0; draw < m_best.size(); ++draw) {
        const double speed = m_speed(static_cast<int>(draw), size);
        between += speed >= low && speed <= high ? 1 : 0;
    }
    return between / static_cast<double>(m_best.size());
}
