// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/run_progress.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak;
using namespace batchpeak::engine;
using search::Estimate;

namespace {

struct Case
{
    Course course;
    std::optional<Estimate> left;
    double share = 0.0;
};

const Estimate forecast{.likely = 60.0, .low = 30.0, .high = 120.0};

} // namespace

/// Tests the progress of an exploration and its remaining time.
class RunProgressTest : public QObject
{
    Q_OBJECT

private slots:
    void turnsTheForecastIntoTime_data()
    {
        rows<Case>(
            {{"no forecast", {.course = {.finishedTrials = 2, .expectedTrials = 8}, .share = 0.25}},
             {"right after a trial",
              {.course = {.forecastSeconds = forecast, .elapsedSeconds = 20.0},
               .left = forecast,
               .share = 0.25}},
             {"counted down",
              {.course = {.forecastSeconds = forecast, .spentSeconds = 10.0, .elapsedSeconds = 50.0},
               .left = Estimate{.likely = 50.0, .low = 20.0, .high = 110.0},
               .share = 0.5}},
             {"longer than the lowest forecast",
              {.course = {.forecastSeconds = forecast, .spentSeconds = 40.0, .elapsedSeconds = 60.0},
               .left = Estimate{.likely = 20.0, .low = 0.0, .high = 80.0},
               .share = 0.75}},
             {"the likely time is over",
              {.course = {.forecastSeconds = forecast, .spentSeconds = 60.0, .elapsedSeconds = 60.0},
               .left = Estimate{.likely = 0.0, .low = 0.0, .high = 60.0},
               .share = 0.8}},
             {"longer than the highest forecast",
              {.course = {.forecastSeconds = forecast, .spentSeconds = 200.0, .elapsedSeconds = 60.0},
               .left = Estimate{},
               .share = 0.99}},
             {"side by side",
              {.course =
                   {.forecastSeconds = forecast, .spentSeconds = 20.0, .devices = 2, .elapsedSeconds = 20.0},
               .left = Estimate{.likely = 20.0, .low = 5.0, .high = 50.0},
               .share = 0.5}},
             {"no longer than the budget",
              {.course = {.forecastSeconds = forecast, .elapsedSeconds = 60.0, .budgetSeconds = 100.0},
               .left = Estimate{.likely = 40.0, .low = 30.0, .high = 40.0},
               .share = 0.6}},
             {"the budget is spent",
              {.course = {.forecastSeconds = forecast, .elapsedSeconds = 101.0, .budgetSeconds = 100.0},
               .left = Estimate{},
               .share = 0.99}},
             {"a budget and nothing else",
              {.course = {.elapsedSeconds = 30.0, .budgetSeconds = 100.0}, .share = 0.3}}});
    }
    void turnsTheForecastIntoTime()
    {
        const auto& [course, left, share] = row<Case>();
        const Progress progress = estimateProgress(course);
        QCOMPARE(progress.secondsLeft, left);
        QCOMPARE(progress.share, share);
    }

    void holdsInsteadOfGoingBack_data()
    {
        rows<double, double, double>({{"forward", {0.5, 0.4, 0.5}},
                                      {"9 to 4 %", {0.04, 0.09, 0.09}},
                                      {"92 to 87 %", {0.87, 0.92, 0.92}},
                                      {"by as much as it must", {0.4, 0.9, 0.5}}});
    }
    void holdsInsteadOfGoingBack()
    {
        const auto& [estimated, shown, share] = row<double, double, double>();
        QCOMPARE(heldShare(estimated, shown), share);
    }
};

BATCHPEAK_TEST(RunProgressTest)
#include "tst_run_progress.moc"
