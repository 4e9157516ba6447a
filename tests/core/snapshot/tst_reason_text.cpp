// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/recommendation_text.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <QTest>

using namespace batchpeak::search;
using batchpeak::engine::besideOthersText;
using batchpeak::engine::reasonText;
using Status = SearchState::Status;

class ReasonTextTest : public QObject
{
    Q_OBJECT

private slots:
    void explainsTheRecommendation_data()
    {
        using Kind = Reason::Kind;
        const auto add = rows<Reason, Status, Text>();
        add("compared", {{.kind = Kind::Compared,
                          .runnerUp = 48,
                          .leadOverRunnerUp = 0.031,
                          .next = 96,
                          .largestPredictedFit = 1266},
                         Status::Searching,
                         "64|3.1 % faster|48|1266|Next: 96"});
        add("nothing comes after the end", {{.kind = Kind::Compared,
                                             .runnerUp = 48,
                                             .leadOverRunnerUp = 0.031,
                                             .rival = 72,
                                             .rivalProbability = 0.2,
                                             .next = 96},
                                            Status::Confident,
                                            "64|3.1 % faster|48"});
        add("cannot be told apart",
            {{.kind = Kind::Compared, .runnerUp = 72, .leadOverRunnerUp = -0.001, .next = 64},
             Status::Searching,
             "64|72|expected loss|Next: 64"});
        add("a rival", {{.kind = Kind::Compared, .rival = 72, .rivalProbability = 0.214},
                        Status::Searching,
                        "64|72|21 %"});
        add("memory ends",
            {{.kind = Kind::MemoryEnds, .largestPredictedFit = 64}, Status::Confident, "memory|64|fits"});
        add("verified", {{.kind = Kind::Verified}, Status::Exhausted, "64|only size"});
    }
    void reportsTheLoadOfOtherPrograms()
    {
        batchpeak::engine::Snapshot snapshot;
        snapshot.devices = {{.id = QStringLiteral("cpu"), .kind = QStringLiteral("cpu")}};
        const auto trial = [](std::optional<double> contention, double seconds) {
            batchpeak::trial::TrialRecord record{.outcome = batchpeak::trial::Outcome::Ok,
                                                 .wallSeconds = seconds};
            record.readings.contention = contention;
            record.readings.foreignProcessors = contention ? std::optional(2.0 * *contention) : std::nullopt;
            return record;
        };
        QVERIFY(besideOthersText(snapshot).isEmpty());
        snapshot.trials = {trial(std::nullopt, 10.0), trial(0.05, 10.0)};
        QVERIFY(besideOthersText(snapshot).isEmpty());
        // Trials have equal weight, as in the speeds that are shown.
        snapshot.trials = {trial(0.05, 60.0), trial(0.45, 60.0), trial(0.35, 10.0), trial(0.45, 30.0)};
        VERIFY_CONTAINS(besideOthersText(snapshot, QLocale::c()), QStringLiteral("0.7 processors"));
        // Trials with very different shares visibly deviate from the means of their sizes.
        VERIFY_CONTAINS(besideOthersText(snapshot, QLocale::c()), QStringLiteral("between 55 and 95 %"));
        snapshot.devices.front().id = QStringLiteral("cuda:0");
        VERIFY_CONTAINS(besideOthersText(snapshot, QLocale::c()), QStringLiteral("33 % of the GPU"));
        // A lower clock of the CPU is contention, but not another program.
        snapshot.devices.front().id = QStringLiteral("cpu");
        for (auto& lowered : snapshot.trials)
            lowered.readings.foreignProcessors = 0.02;
        QVERIFY(besideOthersText(snapshot).isEmpty());
    }

    void explainsTheRecommendation()
    {
        const auto& [why, status, text] = row<Reason, Status, Text>();
        const SearchState searchState{.status = status,
                                      .recommendation = Recommendation{.size = 64, .reason = why}};
        const QString reason = reasonText(searchState, QLocale::c());
        for (const QString& part : text.split(QLatin1Char('|')))
            VERIFY_CONTAINS(reason, part);
        // A search that has ended has no next size.
        QCOMPARE(reason.contains(QLatin1String("Next")), text.contains(QLatin1String("Next")));
    }

    void explainsInstability_data()
    {
        using Cause = Instability::Cause;
        const auto add = rows<Instability, int, Text>();
        add("calm", {{}, 60, ""});
        add("drift", {{.cause = Cause::Drift, .size = 0.12}, 60, "drifts by about 12 %"});
        add("noise",
            {{.cause = Cause::Noise, .size = 0.0312}, 60, "trials of one size differ by about 3.1 %"});
        add("tenants", {{.cause = Cause::OtherTenants, .size = 0.444}, 60, "other programs disturbed 44 %"});
        add("overcome", {{.cause = Cause::Noise, .size = 0.03}, 95, ""});
    }
    void explainsInstability()
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
        const QString reason = reasonText(searchState, QLocale::c());
        VERIFY_CONTAINS(reason, text);
        QCOMPARE(reason.contains(QLatin1String("hard to tell apart")), !text.isEmpty());
    }

    void namesNoNextSizeOnceStopped()
    {
        const SearchState searchState{
            .recommendation = Recommendation{
                .size = 64,
                .reason = {.kind = Reason::Kind::Climbing, .next = 96, .largestPredictedFit = 1266}}};
        const QString before = reasonText(searchState, QLocale::c());
        const QString after = reasonText(searchState, QLocale::c(), batchpeak::engine::FinishStatus::Budget);
        for (const char* part : {"64", "1266"}) {
            VERIFY_CONTAINS(before, part);
            VERIFY_CONTAINS(after, part);
        }
        VERIFY_CONTAINS(before, "Next: 96");
        QVERIFY(!after.contains(QLatin1String("96")));
    }

    void formatsNumbersForTheLocale()
    {
        const SearchState searchState{
            .recommendation = Recommendation{
                .size = 1024,
                .reason = {.kind = Reason::Kind::Compared, .runnerUp = 512, .leadOverRunnerUp = 0.031}}};
        const QString reason = reasonText(searchState, QLocale(QLocale::German));
        VERIFY_CONTAINS(reason, "1.024");
        VERIFY_CONTAINS(reason, "3,1 %");
    }

    void isEmptyWithoutARecommendation() { QVERIFY(reasonText({}, QLocale::c()).isEmpty()); }
};

BATCHPEAK_TEST(ReasonTextTest)
#include "tst_reason_text.moc"
