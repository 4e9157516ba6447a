// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gaussian_chain.h"
#include "support/test_main.h"

#include <QTest>

#include <cmath>
#include <vector>

using batchpeak::search::RandomSource;

namespace {

/// Two correlated values, each observed once.
const std::vector<GaussianChain::Link> twoLinks{
    {.keeps = 0.0, .variance = 4.0, .observed = 1.0, .observationVariance = 1.0},
    {.keeps = 0.5, .variance = 3.0, .observed = -2.0, .observationVariance = 2.0}};

// Calculated by hand: the covariance of the values is [4, 2; 2, 4].
// The covariance of the observations is [5, 2; 2, 6], with determinant 26 and inverse [6, -2; -2, 5] / 26.
constexpr double determinant = 26.0;
constexpr double squares = (6.0 * 1.0 + 2.0 * -2.0 * 1.0 * -2.0 + 5.0 * 4.0) / determinant;
constexpr double firstMean =
    (4.0 * (6.0 * 1.0 + -2.0 * -2.0) + 2.0 * (-2.0 * 1.0 + 5.0 * -2.0)) / determinant;
constexpr double secondMean =
    (2.0 * (6.0 * 1.0 + -2.0 * -2.0) + 4.0 * (-2.0 * 1.0 + 5.0 * -2.0)) / determinant;
/// Covariance of both values, given the observations.
constexpr double covariance =
    2.0 - (4.0 * (6.0 * 2.0 + -2.0 * 4.0) + 2.0 * (-2.0 * 2.0 + 5.0 * 4.0)) / determinant;

} // namespace

class GaussianChainTest : public QObject
{
    Q_OBJECT

private slots:
    void returnsTheLogLikelihood()
    {
        QCOMPARE(GaussianChain::logLikelihood(twoLinks), -0.5 * (std::log(determinant) + squares));
    }

    void drawsFromThePosterior()
    {
        RandomSource random(1);
        constexpr int draws = 40000;
        double first = 0.0;
        double second = 0.0;
        double product = 0.0;
        for (int i = 0; i < draws; ++i) {
            const std::vector<double> values = GaussianChain::draw(twoLinks, random);
            first += values[0] / draws;
            second += values[1] / draws;
            product += (values[0] - firstMean) * (values[1] - secondMean) / draws;
        }
        QVERIFY2(std::abs(first - firstMean) < 0.02, std::to_string(first).c_str());
        QVERIFY2(std::abs(second - secondMean) < 0.02, std::to_string(second).c_str());
        QVERIFY2(std::abs(product - covariance) < 0.03, std::to_string(product).c_str());
    }

    void drawsFiniteValuesWithoutCorrelation()
    {
        std::vector<GaussianChain::Link> links = twoLinks;
        links[1].keeps = 1e-320;
        RandomSource random(1);
        for (const double value : GaussianChain::draw(links, random))
            QVERIFY(std::isfinite(value));
    }
};

BATCHPEAK_TEST(GaussianChainTest)
#include "tst_gaussian_chain.moc"
