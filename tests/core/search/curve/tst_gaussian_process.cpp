// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/curve/gaussian_process.h"
#include "support/rows.h"
#include "support/test_main.h"

#include "search/random_source.h"

#include <QTest>

#include <cmath>

using namespace batchpeak::search;

namespace {

constexpr int drawCount = 20000;
const std::vector<std::int64_t> sizes{1, 2, 3, 10, 11, 100, 101, 102, 1000};
/// Five standard deviations of an estimated covariance of two standard normal variables.
const double tolerance = 5.0 * std::sqrt(2.0 / drawCount);

template<typename Draw>
Eigen::MatrixXd covarianceOf(Eigen::Index count, const Draw& draw)
{
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(count, count);
    Eigen::VectorXd values(count);
    for (int i = 0; i < drawCount; ++i) {
        draw(values);
        sum += values * values.transpose();
    }
    return sum / drawCount;
}

template<typename Correlation>
double worstError(const Eigen::MatrixXd& covariance, const Correlation& correlation)
{
    double worst = 0.0;
    for (Eigen::Index i = 0; i < covariance.rows(); ++i) {
        for (Eigen::Index j = 0; j < covariance.cols(); ++j)
            worst = std::max(worst, std::abs(covariance(i, j) - correlation(i, j)));
    }
    return worst;
}

double distance(Eigen::Index i, Eigen::Index j)
{
    return std::abs(std::log(static_cast<double>(sizes[static_cast<std::size_t>(i)]) /
                             static_cast<double>(sizes[static_cast<std::size_t>(j)])));
}

} // namespace

class GaussianProcessTest : public QObject
{
    Q_OBJECT

private slots:
    void drawsTheSmoothPartWithItsCovariance()
    {
        RandomSource random(1);
        const std::vector<std::size_t> kept{0, 3, 6};
        PriorSampler draws(sizes, kept);
        const auto covariance =
            covarianceOf(9, [&](Eigen::VectorXd& values) { draws.drawSmooth(random, values); });
        const double error =
            worstError(covariance, [](auto i, auto j) { return smoothCorrelation(distance(i, j)); });
        QVERIFY2(error < tolerance, std::to_string(error).c_str());
    }

    void drawsTheRoughPartWithItsCovariance_data()
    {
        const auto add = rows<double>();
        for (const double length : roughLengths)
            add("length " + QByteArray::number(length).toStdString(), length);
    }
    void drawsTheRoughPartWithItsCovariance()
    {
        const double length = row<double>();
        RandomSource random(2);
        const PriorSampler draws(sizes, {});
        const auto covariance =
            covarianceOf(9, [&](Eigen::VectorXd& values) { draws.drawRough(random, length, values); });
        const double error =
            worstError(covariance, [=](auto i, auto j) { return std::exp(-distance(i, j) / length); });
        QVERIFY2(error < tolerance, std::to_string(error).c_str());
    }
};

BATCHPEAK_TEST(GaussianProcessTest)
#include "tst_gaussian_process.moc"
