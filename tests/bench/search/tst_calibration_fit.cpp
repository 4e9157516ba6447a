// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "calibration_fit.h"
#include "support/rows.h"
#include "support/test_main.h"

#include "search/random_source.h"
#include "statistics.h"

#include <QTest>

#include <algorithm>
#include <cmath>

using namespace batchpeak::search;

namespace {

CalibrationTerms termsOf(double share, double tolerance = 0.02)
{
    return calibrationTerms({.tolerance = tolerance, .share = share});
}

/// Returns searches with different tolerances whose reports are right with the probability that \p truth
/// states.
std::vector<CalibrationReports> searchesBy(const CalibrationTerms& truth, int count)
{
    RandomSource random(5);
    std::vector<CalibrationReports> searches;
    for (int search = 0; search < count; ++search) {
        CalibrationReports reports;
        const double tolerance = 0.005 + 0.045 * random.uniform();
        for (int trial = 0; trial < 20; ++trial) {
            const double share = 0.02 + 0.96 * random.uniform();
            const CalibrationTerms terms = termsOf(share, tolerance);
            reports.push_back({.terms = terms, .isRight = random.uniform() < probability(truth, terms)});
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
    void recoversTheWeights_data()
    {
        rows<CalibrationTerms>({
            {"honest already", {0.0, 1.0, 0.0}},
            {"too modest, worse at tight tolerances", {1.1, 0.5, 0.7}},
            {"over-confident, better at tight tolerances", {-0.8, 0.3, -0.4}},
        });
    }
    void recoversTheWeights()
    {
        const CalibrationTerms& truth = row<CalibrationTerms>();
        const CalibrationTerms found = fitCalibration(searchesBy(truth, 20000));
        // The standard error of a fit to so many reports is less than 0.1.
        for (std::size_t term = 0; term < 3; ++term)
            QVERIFY2(std::abs(found.at(term) - truth.at(term)) < 0.2,
                     qPrintable(QString::number(found.at(term))));
    }

    void staysFiniteIfAllReportsAreRight()
    {
        const CalibrationReports search{{.terms = termsOf(0.9), .isRight = true},
                                        {.terms = termsOf(0.94), .isRight = true}};
        const CalibrationTerms found = fitCalibration(std::vector<CalibrationReports>{search});
        QVERIFY(std::ranges::all_of(found, [](double weight) { return std::isfinite(weight); }));
        QVERIFY(probability(found, termsOf(0.94)) > 0.98);
    }

    void convergesDespiteLongNewtonSteps()
    {
        // Nearly all reports are right, and full Newton steps from there overshoot further each time.
        const CalibrationTerms found = fitCalibration(searchesBy({4.0, 0.4, 1.5}, 1500));
        QVERIFY2(std::abs(found[0] - 4.0) < 1.0, qPrintable(QString::number(found[0])));
        QVERIFY2(std::abs(found[1] - 0.4) < 0.5, qPrintable(QString::number(found[1])));
    }

    void countsAPassageOnce()
    {
        // One search repeats 30 times what another states once. Counted once each, half of them are right.
        const CalibrationReport wrong{.terms = termsOf(0.5)};
        CalibrationReport right = wrong;
        right.isRight = true;
        const std::vector<CalibrationReports> searches{CalibrationReports(30, wrong), {right}};
        QVERIFY(std::abs(probability(fitCalibration(searches), termsOf(0.5)) - 0.5) < 1e-3);
    }

    void ignoresReportsThatStateNoMoreThanPreviousOnes()
    {
        // All searches but one are right at first; then each repeats the statement 100 times and is wrong.
        std::vector<CalibrationReports> searches;
        for (int search = 0; search < 40; ++search) {
            CalibrationReports reports{{.terms = termsOf(0.99), .isRight = search > 0}};
            reports.insert(reports.end(), 100, {.terms = termsOf(0.99), .isRight = false});
            searches.push_back(reports);
        }
        QVERIFY(probability(fitCalibration(searches), termsOf(0.99)) > 0.95);
    }

    void ignoresReportsAfterOneTrial()
    {
        using batchpeak::trial::Outcome;
        SearchRecord record;
        const auto moment = [](Outcome outcome, double share, double regret) {
            SearchRecord::Moment at{.outcome = outcome, .regret = regret};
            at.evidence = CalibrationCase{.share = share};
            return at;
        };
        record.moments = {moment(Outcome::Ok, 0.9, 0.5), moment(Outcome::OutOfMemory, 0.8, 0.5),
                          moment(Outcome::Ok, 0.7, 0.019), moment(Outcome::Ok, 0.6, 0.021)};
        const CalibrationReports reports = calibrationReports(record);
        QCOMPARE(reports.size(), std::size_t{2});
        QCOMPARE(reports[0].terms[1], termsOf(0.7)[1]);
        QVERIFY(reports[0].isRight);
        QVERIFY(!reports[1].isRight);
    }

    void computesTheCalibrationError_data()
    {
        rows<Confidence>({
            {"honest", {0.7, 7, 0.0}},
            {"over-confident", {0.95, 7, 0.25}},
            {"too modest", {0.45, 10, 0.55}},
            {"certain and right", {1.0, 10, 0.0}},
        });
    }
    void computesTheCalibrationError()
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
