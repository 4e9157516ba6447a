// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ending_text.h"
#include "engine/log_text.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak;
using namespace batchpeak::engine;

class EndingTextTest : public QObject
{
    Q_OBJECT

private slots:
    void saysWhatItMayCost_data()
    {
        rows<double, Text>({{"some", {0.0081, "0.8 % of the speed"}},
                            {"little", {0.0004, "less than 0.1 % of the speed"}},
                            {"not reckoned", {0.0, ""}}});
    }
    void saysWhatItMayCost()
    {
        const auto& [share, text] = row<double, Text>();
        QCOMPARE(expectedLossText(share, QLocale::c()), text);
    }

    void roundsWhatIsExpected_data()
    {
        rows<double, Text>({{"moments", {3.0, "10 s"}},
                            {"seconds", {44.0, "40 s"}},
                            {"minutes", {200.0, "3 min"}},
                            {"many minutes", {2380.0, "40 min"}},
                            {"hours", {9200.0, "2 h 35 min"}}});
    }
    void roundsWhatIsExpected()
    {
        const auto& [seconds, text] = row<double, Text>();
        QCOMPARE(prospectText({.size = 24, .rival = 28, .seconds = seconds, .gain = 0.009}, QLocale::c()),
                 QStringLiteral("telling 24 from 28 apart would take about %1 more and could gain 0.9 %")
                     .arg(text));
    }

    void saysHowItEnded_data()
    {
        const auto add = rows<FinishStatus, bool, Text>();
        add("confident", {FinishStatus::Confident, false, "The wanted confidence is reached."});
        add("confident, and more to learn",
            {FinishStatus::Confident, true, "The wanted confidence is reached."});
        add("exhausted", {FinishStatus::Exhausted, false, "Nothing is left that is worth a trial."});
        add("exhausted, and more to learn",
            {FinishStatus::Exhausted, true,
             "As sure as this device allows: telling 24 from 28 apart would take about 40 min more and could "
             "gain 0.9 %."});
        add("budget", {FinishStatus::Budget, false, "The budget of trials or time is used up."});
        add("budget, and more to learn", {FinishStatus::Budget, true,
                                          "The budget of trials or time is used up. Telling 24 from 28 apart "
                                          "would take about 40 min more and "
                                          "could gain 0.9 %."});
        add("nothing fits", {FinishStatus::NothingFits, true, "Ended without a recommendation."});
    }
    void saysHowItEnded()
    {
        const auto& [status, hasMore, text] = row<FinishStatus, bool, Text>();
        search::SearchState searchState;
        if (hasMore)
            searchState.prospect = {.size = 24, .rival = 28, .seconds = 2400.0, .gain = 0.009};
        QCOMPARE(endingText(status, searchState, QLocale::c()), text);
    }

    void theLogSaysItWithTheConfidence()
    {
        search::Recommendation recommendation{.size = 8, .confidence = 90};
        QCOMPARE(recommendationText(recommendation, QLocale::c()),
                 QStringLiteral("Recommended: 8, confidence 90 of 100."));
        recommendation.expectedLoss = 0.008;
        QCOMPARE(recommendationText(recommendation, QLocale::c()),
                 QStringLiteral("Recommended: 8, confidence 90 of 100, which may cost 0.8 % of the speed."));
    }
};

BATCHPEAK_TEST(EndingTextTest)
#include "tst_ending_text.moc"
