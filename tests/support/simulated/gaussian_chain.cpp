// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gaussian_chain.h"

#include <cmath>

namespace {

/// A smaller remaining share carries no information any more.
constexpr double minKept = 1e-6;

struct Belief
{
    double mean = 0.0;
    double variance = 0.0;

    Belief next(const GaussianChain::Link& link) const
    {
        return {link.keeps * mean, link.keeps * link.keeps * variance + link.variance};
    }

    Belief having(double seen, double seenVariance) const
    {
        const double gain = variance / (variance + seenVariance);
        return {mean + gain * (seen - mean), (1.0 - gain) * variance};
    }
};

} // namespace

double GaussianChain::logLikelihood(std::span<const Link> links)
{
    Belief belief;
    double sum = 0.0;
    for (const Link& link : links) {
        const Belief predicted = belief.next(link);
        const double variance = predicted.variance + link.seenVariance;
        const double error = link.seen - predicted.mean;
        sum -= 0.5 * (std::log(variance) + error * error / variance);
        belief = predicted.having(link.seen, link.seenVariance);
    }
    return sum;
}

std::vector<double> GaussianChain::draw(std::span<const Link> links, batchpeak::search::RandomSource& random)
{
    std::vector<Belief> beliefs;
    beliefs.reserve(links.size());
    for (const Link& link : links) {
        const Belief before = beliefs.empty() ? Belief{} : beliefs.back();
        beliefs.push_back(before.next(link).having(link.seen, link.seenVariance));
    }
    std::vector<double> values(links.size());
    for (std::size_t place = links.size(); place-- > 0;) {
        Belief belief = beliefs[place];
        if (place + 1 < links.size()) {
            // The value of the next place carries information about this one like an observation of it, whose
            // noise is the addition there.
            const Link& next = links[place + 1];
            const double keeps = next.keeps;
            if (keeps > minKept)
                belief = belief.having(values[place + 1] / keeps, next.variance / (keeps * keeps));
        }
        values[place] = belief.mean + std::sqrt(belief.variance) * random.normal();
    }
    return values;
}
