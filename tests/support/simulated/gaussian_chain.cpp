// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gaussian_chain.h"

#include <cmath>

namespace {

/// Factor below which a value carries no information about the previous one.
constexpr double minKept = 1e-6;

struct Belief
{
    double mean = 0.0;
    double variance = 0.0;

    Belief next(const GaussianChain::Link& link) const
    {
        return {link.keeps * mean, link.keeps * link.keeps * variance + link.variance};
    }

    Belief givenObservation(double observed, double observationVariance) const
    {
        const double gain = variance / (variance + observationVariance);
        return {mean + gain * (observed - mean), (1.0 - gain) * variance};
    }
};

} // namespace

double GaussianChain::logLikelihood(std::span<const Link> links)
{
    Belief belief;
    double sum = 0.0;
    for (const Link& link : links) {
        const Belief predicted = belief.next(link);
        const double variance = predicted.variance + link.observationVariance;
        const double error = link.observed - predicted.mean;
        sum -= 0.5 * (std::log(variance) + error * error / variance);
        belief = predicted.givenObservation(link.observed, link.observationVariance);
    }
    return sum;
}

std::vector<double> GaussianChain::draw(std::span<const Link> links, batchpeak::search::RandomSource& random)
{
    std::vector<Belief> beliefs;
    beliefs.reserve(links.size());
    for (const Link& link : links) {
        const Belief before = beliefs.empty() ? Belief{} : beliefs.back();
        beliefs.push_back(before.next(link).givenObservation(link.observed, link.observationVariance));
    }
    std::vector<double> values(links.size());
    for (std::size_t place = links.size(); place-- > 0;) {
        Belief belief = beliefs[place];
        if (place + 1 < links.size()) {
            // The next value acts as an observation of this one, whose noise is the noise that is added
            // there.
            const Link& next = links[place + 1];
            const double keeps = next.keeps;
            if (keeps > minKept)
                belief = belief.givenObservation(values[place + 1] / keeps, next.variance / (keeps * keeps));
        }
        values[place] = belief.mean + std::sqrt(belief.variance) * random.normal();
    }
    return values;
}
