// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "forecast_fit.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "time_left_figures.h"

#include "search/random_source.h"

#include <QTest>

#include <algorithm>
#include <cmath>

using namespace batchpeak::search;

namespace {

/// Returns a search whose trials take 1 s each and forecast \p said remaining seconds.
SearchRecord searchOf(int trials, const std::vector<double>& said)
{
    SearchRecord record;
    for (int trial = 1; trial <= trials; ++trial) {
        SearchRecord::Moment moment{.seconds = static_cast<double>(trial)};
        if (trial < trials) {
            const double likely = said.at(static_cast<std::size_t>(trial) - 1);
            moment.forecast =
                Forecast{.seconds = Estimate{.likely = likely, .low = 0.5 * likely, .high = 1.5 * likely}};
            moment.forecastCase = ForecastCase{.meanSeconds = 0.5};
        }
        record.moments.push_back(moment);
    }
    return record;
}

} // namespace

class ForecastFitTest : public QObject
{
    Q_OBJECT

private slots:
    void findsTheQuantiles_data() { rows<double>({{"low", 0.1}, {"median", 0.5}, {"high", 0.9}}); }
    void findsTheQuantiles()
    {
        const double share = row<double>();
        const double slope = 0.7;
        RandomSource random(3);
        std::vector<ForecastUpdate> lessons;
        for (int lesson = 0; lesson < 4000; ++lesson) {
            const ForecastCase situation{.meanSeconds = 1.0,
                                         .rivals = static_cast<int>(9.0 * random.uniform())};
            ForecastTerms terms{1.0, std::log1p(situation.rivals)};
            // The noise above the line is uniform between 0 and 1, so that each quantile equals its share.
            lessons.push_back({.terms = terms, .trials = std::exp(slope * terms[1] + random.uniform())});
        }
        const ForecastTerms found = fitForecast(lessons, &ForecastUpdate::trials, share);
        QVERIFY2(std::abs(found[0] - share) < 0.05, qPrintable(QString::number(found[0])));
        QVERIFY2(std::abs(found[1] - slope) < 0.05, qPrintable(QString::number(found[1])));
    }

    void usesEveryMomentButTheLast()
    {
        const std::vector<ForecastUpdate> lessons = forecastUpdates(searchOf(4, {3.0, 2.0, 1.0}));
        QCOMPARE(lessons.size(), std::size_t{3});
        QCOMPARE(lessons[0].trials, 3.0);
        // In units of the mean trial of half a second.
        QCOMPARE(lessons[0].time, 6.0);
        QCOMPARE(lessons[2].time, 2.0);
        QCOMPARE(lessons[1].weight, 1.0 / 3.0);
    }

    void judgesTheForecastOfAMoment()
    {
        const SearchRecord record = searchOf(9, {50.0, 50.0, 9.0, 50.0, 50.0, 50.0, 50.0, 50.0});
        const auto third = timeLeftAt(record, 1.0 / 3.0);
        QVERIFY(third);
        QCOMPARE(third->left, 6.0);
        QCOMPARE(third->said.likely, 9.0);
        QCOMPARE(third->error(), 0.5);
        QCOMPARE(third->errorOfWhole(), 1.0 / 3.0);
        QVERIFY(third->isInBand());
        // Between two trials, the forecast is counted down.
        QCOMPARE(timeLeftAt(record, 0.4)->said.likely, 8.4);
        QVERIFY(!timeLeftAt(record, 0.05));
        QCOMPARE(timeLeftAfter(record, 2)->left, 7.0);
        QVERIFY(!timeLeftAfter(record, 9));
    }

    void continuesWithDifferentRandomNumbers()
    {
        const SearchTask task{.family = "smooth", .seed = 31, .world = "bursts"};
        const SearchRecord record = runSearch(task);
        const auto sizesOf = [](const SearchRecord& search, std::size_t count) {
            std::vector<double> speeds;
            for (std::size_t place = 0; place < count; ++place)
                speeds.push_back(search.moments.at(place).measuredSpeed);
            return speeds;
        };
        SearchTask other = task;
        other.trialsOfSeed = 3;
        other.otherSeed = 77;
        const SearchRecord continued = runSearch(other);
        QCOMPARE(sizesOf(continued, 3), sizesOf(record, 3));
        QVERIFY(sizesOf(continued, 4) != sizesOf(record, 4));

        const std::vector<double> seconds = continuedSeconds(record, 3);
        QCOMPARE(seconds.size(), std::size_t{3});
        QVERIFY(std::ranges::all_of(seconds, [](double left) { return left > 0.0; }));
    }

    void computesTheErrorsOfTheMedian()
    {
        QCOMPARE(errorsOfMedian({8.0, 2.0, 4.0}), (std::vector<double>{0.5, 1.0, 0.0}));
        QVERIFY(errorsOfMedian({}).empty());
    }
};

BATCHPEAK_TEST(ForecastFitTest)
#include "tst_forecast_fit.moc"
