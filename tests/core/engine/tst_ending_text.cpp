// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/log_text.h"
#include "snapshot/ending_text.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak;
using namespace batchpeak::engine;

class EndingTextTest : public QObject
{
    Q_OBJECT

private slots:
    void describesTheExpectedLoss_data()
    {
        rows<double, Text>({{"some", {0.0081, "0.8 %"}},
                            {"little", {0.0004, "less than 0.1 %"}},
                            {"not computed", {0.0, ""}}});
    }
    void describesTheExpectedLoss()
    {
        const auto& [share, text] = row<double, Text>();
        QCOMPARE(expectedLossText(share, QLocale::c()), text);
    }

    void describesTheGainOfContinuing()
    {
        QCOMPARE(
            continuationText({.size = 8, .rival = 192, .seconds = 28000.0, .maxGain = 0.267}, QLocale::c()),
            QStringLiteral("Continuing could gain up to 26.7 % (192 may be faster)."));
    }

    void describesTheEnd_data()
    {
        const auto add = rows<FinishStatus, bool, Text>();
        add("confident", {FinishStatus::Confident, false, "Target confidence reached."});
        add("confident, and more to learn", {FinishStatus::Confident, true, "Target confidence reached."});
        add("exhausted", {FinishStatus::Exhausted, false, "No size left that is worth a trial."});
        add("exhausted, and more to learn",
            {FinishStatus::Exhausted, true,
             "No further trial is worth its time. Continuing could gain up to 0.9 % (28 may be faster)."});
        add("budget", {FinishStatus::Budget, false, "Trial budget (12) reached."});
        add("budget, and more to learn",
            {FinishStatus::Budget, true,
             "Trial budget (12) reached. Continuing could gain up to 0.9 % (28 may "
             "be faster)."});
        add("nothing fits", {FinishStatus::NothingFits, true, "Ended without a recommendation."});
    }
    void describesTheEnd()
    {
        const auto& [status, hasMore, text] = row<FinishStatus, bool, Text>();
        Snapshot snapshot{.run = RunDescription{.maxTrials = 12}, .finish = status};
        if (hasMore)
            snapshot.searchState.continuation = {
                .size = 24, .rival = 28, .seconds = 2400.0, .maxGain = 0.009};
        QCOMPARE(endingText(snapshot, QLocale::c()), text);
    }

    void namesTheBudgetThatWasReached_data()
    {
        rows<std::optional<double>, int, Text>(
            {{"trials", {std::nullopt, 3, "trial budget (3) reached"}},
             {"trials before the time", {20.0, 3, "trial budget (3) reached"}},
             {"time", {20.0, 2, "time budget (20 s) reached"}},
             {"minutes", {600.0, 0, "time budget (10 min 0 s) reached"}}});
    }
    void namesTheBudgetThatWasReached()
    {
        const auto& [seconds, trials, text] = row<std::optional<double>, int, Text>();
        Snapshot snapshot{.run = RunDescription{.maxTrials = 3, .budgetSeconds = seconds}};
        snapshot.trials.resize(static_cast<std::size_t>(trials));
        QCOMPARE(budgetText(snapshot), text);
    }

    // A trial that was canceled for a pause does not count towards the trial budget.
    void countsNoCancelledTrial()
    {
        Snapshot snapshot{.run = RunDescription{.maxTrials = 3, .budgetSeconds = 20.0}};
        snapshot.trials.resize(3, {.outcome = trial::Outcome::Ok});
        snapshot.trials[1].outcome = trial::Outcome::Cancelled;
        QVERIFY(budgetText(snapshot).startsWith(QLatin1String("time")));
    }

    void countsNoVerification()
    {
        Snapshot snapshot{.run = RunDescription{.maxTrials = 3, .budgetSeconds = 20.0}};
        snapshot.trials.resize(3, {.outcome = trial::Outcome::Ok});
        snapshot.trials.back().isVerification = true;
        QVERIFY(budgetText(snapshot).startsWith(QLatin1String("time")));
        QCOMPARE(engine::uncancelledVerifications(snapshot), 1);
    }

    void reportsTheExpectedLossInTheLog()
    {
        search::Recommendation recommendation{.size = 8, .confidence = 90};
        QCOMPARE(recommendationText(recommendation, QLocale::c()),
                 QStringLiteral("Recommended: 8, confidence 90 of 100."));
        recommendation.expectedLoss = 0.008;
        QCOMPARE(recommendationText(recommendation, QLocale::c()),
                 QStringLiteral("Recommended: 8, confidence 90 of 100, expected loss 0.8 %."));
    }
};

BATCHPEAK_TEST(EndingTextTest)
#include "tst_ending_text.moc"
