// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "calibration_fit.h"
#include "support/rows.h"
#include "support/test_main.h"

#include "search/random_source.h"
#include "statistics.h"

#include <QTest>

#include <cmath>

using batchpeak::search::RandomSource;

namespace {

/// Searches whose reports are right as often as \p truth says.
std::vector<CalibrationReports> searchesBy(const CalibrationMap& truth, int count)
{
    RandomSource random(5);
    std::vector<CalibrationReports> searches;
    for (int search = 0; search < count; ++search) {
        CalibrationReports reports;
        for (int trial = 2; trial <= 20; ++trial) {
            const double share = 0.02 + 0.96 * random.uniform();
            reports.push_back({.share = share,
                               .trials = trial,
                               .isRight = random.uniform() < truth.probability(share, trial)});
        }
        searches.push_back(reports);
    }
    return searches;
}

struct Confidence
{
    double stated;
    int rightOfTen;
    double error;
};

} // namespace

class CalibrationFitTest : public QObject
{
    Q_OBJECT

private slots:
    void findsTheMapThatMadeTheReports_data()
    {
        rows<CalibrationMap>({
            {"honest already", {.intercept = 0.0, .slope = 1.0, .growth = 0.0}},
            {"too modest, better with trials", {.intercept = 1.1, .slope = 0.5, .growth = 0.7}},
            {"over-confident, worse with trials", {.intercept = -0.8, .slope = 0.3, .growth = -0.4}},
        });
    }
    void findsTheMapThatMadeTheReports()
    {
        const CalibrationMap& truth = row<CalibrationMap>();
        const auto searches = searchesBy(truth, 4000);
        const CalibrationMap map = fitCalibration(searches);
        // The scatter of a fit to so many reports is about 0.01.
        QVERIFY2(std::abs(map.intercept - truth.intercept) < 0.05,
                 qPrintable(QString::number(map.intercept)));
        QVERIFY2(std::abs(map.slope - truth.slope) < 0.05, qPrintable(QString::number(map.slope)));
        QVERIFY2(std::abs(map.growth - truth.growth) < 0.05, qPrintable(QString::number(map.growth)));
    }

    void staysFiniteWhereAllAreRight()
    {
        const CalibrationReports search{{.share = 0.9, .trials = 5, .isRight = true},
                                        {.share = 0.95, .trials = 6, .isRight = true}};
        const CalibrationMap map = fitCalibration(std::vector<CalibrationReports>{search});
        QVERIFY(std::isfinite(map.intercept) && std::isfinite(map.slope) && std::isfinite(map.growth));
        QVERIFY(map.probability(0.95, 6) > 0.99);
    }

    void comesBackFromStepsThatAreTooLong()
    {
        // Nearly all are right, and a full Newton step from there overshoots by more each time.
        const auto searches = searchesBy({.intercept = 4.0, .slope = 0.4, .growth = 1.5}, 300);
        const CalibrationMap map = fitCalibration(searches);
        QVERIFY2(std::abs(map.intercept - 4.0) < 1.0, qPrintable(QString::number(map.intercept)));
        QVERIFY2(std::abs(map.slope - 0.4) < 0.5, qPrintable(QString::number(map.slope)));
        QVERIFY2(std::abs(map.growth - 1.5) < 1.0, qPrintable(QString::number(map.growth)));
    }

    void countsEverySearchTheSame()
    {
        // One search says often what another says once; half of what is said at this share is right.
        const CalibrationReport wrong{.share = 0.5, .trials = 8};
        CalibrationReport right = wrong;
        right.isRight = true;
        const std::vector<CalibrationReports> searches{CalibrationReports(30, wrong), {right}};
        QVERIFY(std::abs(fitCalibration(searches).probability(0.5, 8) - 0.5) < 1e-6);
    }

    void leavesOutWhatIsSaidOfOneTrial()
    {
        using batchpeak::trial::Outcome;
        SearchRecord record;
        record.moments = {{.outcome = Outcome::Ok, .share = 0.9, .regret = 0.5},
                          {.outcome = Outcome::OutOfMemory, .share = 0.8, .regret = 0.5},
                          {.outcome = Outcome::Ok, .share = 0.7, .regret = 0.019},
                          {.outcome = Outcome::Ok, .share = 0.6, .regret = 0.021}};
        const CalibrationReports reports = calibrationReports(record);
        QCOMPARE(reports.size(), std::size_t{2});
        QCOMPARE(reports[0].share, 0.7);
        QCOMPARE(reports[0].trials, 3);
        QVERIFY(reports[0].isRight);
        QVERIFY(!reports[1].isRight);
    }

    void measuresHowFarOffConfidenceIs_data()
    {
        rows<Confidence>({
            {"honest", {0.7, 7, 0.0}},
            {"over-confident", {0.95, 7, 0.25}},
            {"too modest", {0.45, 10, 0.55}},
            {"certain and right", {1.0, 10, 0.0}},
        });
    }
    void measuresHowFarOffConfidenceIs()
    {
        const auto& [stated, rightOfTen, error] = row<Confidence>();
        std::vector<Statement> statements(10, {.stated = stated});
        for (int i = 0; i < rightOfTen; ++i)
            statements[static_cast<std::size_t>(i)].isRight = true;
        QVERIFY(std::abs(expectedCalibrationError(statements) - error) < 1e-12);
    }
};

BATCHPEAK_TEST(CalibrationFitTest)
#include "tst_calibration_fit.moc"
