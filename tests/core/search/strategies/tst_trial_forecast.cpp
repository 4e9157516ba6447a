// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exact_device.h"
#include "search/strategies/posterior_strategy.h"
#include "search/strategies/trial_forecast.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <cmath>
#include <limits>
#include <memory>
#include <string>

using namespace batchpeak::search;
using Status = SearchState::Status;

namespace {

ForecastCase usual()
{
    return {.meanSeconds = 2.0,
            .nextSeconds = 3.0,
            .largestSeconds = 5.0,
            .lossShare = 0.2,
            .rivals = 4,
            .leadingShare = 0.4,
            .stepDeviation = 0.02};
}

bool isOrdered(const Estimate& estimate)
{
    return 0.0 < estimate.low && estimate.low <= estimate.likely && estimate.likely <= estimate.high &&
           std::isfinite(estimate.high);
}

} // namespace

/// Tests a search's forecast of its remaining trials and time.
class TrialForecastTest : public QObject
{
    Q_OBJECT

private slots:
    void ordersItsBounds_data()
    {
        ForecastCase certain = usual();
        certain.lossShare = 0.0;
        certain.rivals = 0;
        certain.leadingShare = 1.0;
        ForecastCase calm = usual();
        calm.stepDeviation = 0.0;
        ForecastCase hopeless = usual();
        hopeless.lossShare = 50.0;
        hopeless.rivals = 400;
        hopeless.leadingShare = 0.0;
        hopeless.stepDeviation = 1.0;
        ForecastCase instant = usual();
        instant.meanSeconds = instant.nextSeconds = instant.largestSeconds = 0.0;
        rows<ForecastCase>({{"usual", usual()},
                            {"nothing known", {}},
                            {"certain", certain},
                            {"no noise", calm},
                            {"hopeless", hopeless},
                            {"trials without time", instant}});
    }
    void ordersItsBounds()
    {
        const Forecast forecast = forecastOf(row<ForecastCase>());
        QVERIFY(isOrdered(forecast.trials));
        QVERIFY(isOrdered(*forecast.seconds));
    }

    void scalesWithTheTimeOfTrials()
    {
        ForecastCase slower = usual();
        for (double* seconds : {&slower.meanSeconds, &slower.nextSeconds, &slower.largestSeconds})
            *seconds *= 10.0;
        const Forecast forecast = forecastOf(slower);
        QCOMPARE(forecast.trials, forecastOf(usual()).trials);
        QCOMPARE(forecast.seconds->likely, 10.0 * forecastOf(usual()).seconds->likely);
    }

    void growsWithOpenQuestions()
    {
        ForecastCase open = usual();
        open.rivals = 12;
        QVERIFY(forecastOf(open).seconds->likely > forecastOf(usual()).seconds->likely);
        ForecastCase doubtful = usual();
        doubtful.lossShare = 0.8;
        QVERIFY(forecastOf(doubtful).seconds->likely > forecastOf(usual()).seconds->likely);
    }

    void isReportedByEveryStrategy_data()
    {
        const auto add = rows<std::string>();
        for (const std::string_view name : strategyNames())
            add(std::string(name), std::string(name));
    }
    void isReportedByEveryStrategy()
    {
        SearchSpace space = exact::spaceFor(300);
        space.maxTrials = 12;
        const std::unique_ptr<Strategy> strategy = makeStrategy(row<std::string>(), space);
        const exact::TrialOf run = exact::deviceWith(space, 500.0);
        int trials = 0;
        while (const auto proposal = strategy->next({})) {
            const SearchState& state = strategy->searchState();
            QVERIFY(state.forecast && state.forecast->trials.high <= space.maxTrials - trials);
            QCOMPARE(state.forecast->seconds.has_value(), trials > 0);
            QVERIFY(!state.forecast->seconds || isOrdered(*state.forecast->seconds));
            strategy->record(run(*proposal));
            ++trials;
        }
        QVERIFY(strategy->searchState().status != Status::Searching);
        QVERIFY(!strategy->searchState().forecast);
    }

    void isBoundedByTheBudget()
    {
        SearchSpace space = exact::spaceFor(1000);
        space.maxTrials = 4;
        PosteriorStrategy strategy(space);
        const exact::TrialOf run = exact::deviceWith(space, 500.0);
        for (int trial = 0; trial < 3; ++trial)
            strategy.record(run(*strategy.next({})));
        const Forecast forecast = *strategy.searchState().forecast;
        QCOMPARE(forecast.trials.high, 1.0);
        QCOMPARE(strategy.searchState().expectedTrials, 4);
        strategy.setMaxTrials(64);
        QVERIFY(strategy.searchState().forecast->trials.high > 1.0);
        QVERIFY(strategy.searchState().forecast->seconds->high > forecast.seconds->low);
    }
};

BATCHPEAK_TEST(TrialForecastTest)
#include "tst_trial_forecast.moc"
