// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/recommendation_text.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak::search;
using batchpeak::engine::reasonText;
using Status = SearchState::Status;

class ReasonTextTest : public QObject
{
    Q_OBJECT

private slots:
    void saysWhy_data()
    {
        using Kind = Reason::Kind;
        const auto add = rows<Reason, Status, Text>();
        add("compared",
            {{.kind = Kind::Compared,
              .runnerUp = 48,
              .leadOverRunnerUp = 0.031,
              .next = 96,
              .largestPredictedFit = 1266},
             Status::Searching,
             "64 is 3.1 % faster than 48, the next best; memory predicts room up to about 1266. Next: 96."});
        add("nothing comes after the end", {{.kind = Kind::Compared,
                                             .runnerUp = 48,
                                             .leadOverRunnerUp = 0.031,
                                             .rival = 72,
                                             .rivalProbability = 0.2,
                                             .next = 96},
                                            Status::Confident,
                                            "64 is 3.1 % faster than 48, the next best."});
        add("cannot be told apart",
            {{.kind = Kind::Compared, .runnerUp = 72, .leadOverRunnerUp = -0.001, .next = 64},
             Status::Searching,
             "64 and 72 cannot be told apart, and 64 carries less risk. Next: 64 once more."});
        add("a rival", {{.kind = Kind::Compared, .rival = 72, .rivalProbability = 0.214},
                        Status::Searching,
                        "64 is the best so far. 72 may still be better (21 %)."});
        add("memory ends", {{.kind = Kind::MemoryEnds, .largestPredictedFit = 64},
                            Status::Confident,
                            "Memory ends before throughput does: 64 is the largest size that fits."});
        add("verified",
            {{.kind = Kind::Verified}, Status::Exhausted, "64 is the only size asked for, and it runs."});
    }
    void saysWhy()
    {
        const auto& [reason, status, text] = row<Reason, Status, Text>();
        const SearchState searchState{.status = status,
                                      .recommendation = Recommendation{.size = 64, .reason = reason}};
        QCOMPARE(reasonText(searchState, QLocale::c()), text);
    }

    void saysWhatIsInTheWay_data()
    {
        using Cause = Instability::Cause;
        const QString lead = QStringLiteral("64 is 3.1 % faster than 48, the next best.");
        const QString hard = lead + QStringLiteral(" Sizes are hard to tell apart: ");
        const auto add = rows<Instability, int, Text>();
        add("calm", {{}, 60, lead});
        add("drift", {{.cause = Cause::Drift, .size = 0.12},
                      60,
                      hard + QStringLiteral("the device's speed drifts by about 12 %.")});
        add("noise", {{.cause = Cause::Noise, .size = 0.0312},
                      60,
                      hard + QStringLiteral("one trial and the next differ by about 3.1 %.")});
        add("tenants", {{.cause = Cause::OtherTenants, .size = 0.444},
                        60,
                        hard + QStringLiteral("other programs disturbed 44 % of the last trials.")});
        add("overcome", {{.cause = Cause::Noise, .size = 0.03}, 95, lead});
    }
    void saysWhatIsInTheWay()
    {
        const auto& [instability, confidence, text] = row<Instability, int, Text>();
        const SearchState searchState{.status = Status::Budget,
                                      .recommendation =
                                          Recommendation{.size = 64,
                                                         .confidence = confidence,
                                                         .reason = {.kind = Reason::Kind::Compared,
                                                                    .runnerUp = 48,
                                                                    .leadOverRunnerUp = 0.031,
                                                                    .instability = instability}}};
        QCOMPARE(reasonText(searchState, QLocale::c()), text);
    }

    void promisesNothingOnceStopped()
    {
        const SearchState searchState{
            .recommendation = Recommendation{
                .size = 64,
                .reason = {.kind = Reason::Kind::Climbing, .next = 96, .largestPredictedFit = 1266}}};
        QCOMPARE(reasonText(searchState, QLocale::c()),
                 QStringLiteral("Throughput still rises at 64; memory predicts room up to about 1266, so the "
                                "size will very likely rise. Next: 96."));
        QCOMPARE(reasonText(searchState, QLocale::c(), batchpeak::engine::FinishStatus::Budget),
                 QStringLiteral("Throughput still rises at 64; memory predicts room up to about 1266, so a "
                                "larger size is very likely faster."));
    }

    void writesNumbersAsTheReaderDoes()
    {
        const SearchState searchState{
            .recommendation = Recommendation{
                .size = 1024,
                .reason = {.kind = Reason::Kind::Compared, .runnerUp = 512, .leadOverRunnerUp = 0.031}}};
        QCOMPARE(reasonText(searchState, QLocale(QLocale::German)),
                 QStringLiteral("1.024 is 3,1 % faster than 512, the next best."));
    }

    void isEmptyWithoutARecommendation() { QVERIFY(reasonText({}, QLocale::c()).isEmpty()); }
};

BATCHPEAK_TEST(ReasonTextTest)
#include "tst_reason_text.moc"
