// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/smaller_run.h"
#include "snapshot/writing_rule.h"
#include "support/rows.h"
#include "support/small_config.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak;
using namespace batchpeak::engine;

namespace {

struct Case
{
    std::optional<double> minConfidence;
    double targetConfidence = 0.95;
    std::optional<int> confidence;
    int min = 50;
    const char* doubt = "";
};

Snapshot snapshotWith(std::optional<int> confidence)
{
    Snapshot snapshot;
    if (confidence)
        snapshot.searchState.recommendation = {.size = 1024, .confidence = *confidence};
    return snapshot;
}

} // namespace

class WritingRuleTest : public QObject
{
    Q_OBJECT

private slots:
    void requiresAConfidence_data()
    {
        rows<Case>({{"sure", {.confidence = 96}},
                    {"just sure enough", {.confidence = 50}},
                    {"unsure", {.confidence = 49, .doubt = "Confidence is 49 %, below the required 50 %."}},
                    {"without a recommendation", {}},
                    {"as asked", {.minConfidence = 0.29, .confidence = 29, .min = 29}},
                    {"less than asked",
                     {.minConfidence = 0.8,
                      .confidence = 79,
                      .min = 80,
                      .doubt = "Confidence is 79 %, below the required 80 %."}},
                    {"anything", {.minConfidence = 0.0, .confidence = 1, .min = 0}},
                    // If the search ends at a confidence of 30 %, writing requires no more than that.
                    {"as sure as the end", {.targetConfidence = 0.3, .confidence = 30, .min = 30}},
                    {"surer than the end",
                     {.minConfidence = 0.5,
                      .targetConfidence = 0.3,
                      .confidence = 30,
                      .doubt = "Confidence is 30 %, below the required 50 %."}}});
    }
    void requiresAConfidence()
    {
        const auto& [minConfidence, targetConfidence, confidence, min, doubt] = row<Case>();
        const ExplorationOptions options{.targetConfidence = targetConfidence,
                                         .minConfidence = minConfidence};
        const Snapshot snapshot = snapshotWith(confidence);
        const QString expected = QString::fromUtf8(doubt);
        QCOMPARE(minConfidenceToWrite(options), min);
        QCOMPARE(doubtText(snapshot, options, QLocale(QLocale::English, QLocale::UnitedStates)), expected);
    }

    void writesTheSelectedSize_data()
    {
        rows<std::optional<std::int64_t>, std::optional<std::int64_t>>(
            {{"none", {std::nullopt, std::nullopt}},
             {"the recommended one", {1024, std::nullopt}},
             {"one that ran", {512, 512}},
             {"one of a comparison", {768, 768}},
             {"one that ran out of memory", {2048, std::nullopt}},
             {"one that was never tried", {3, std::nullopt}}});
    }
    void writesTheSelectedSize()
    {
        const auto& [selected, taken] = row<std::optional<std::int64_t>, std::optional<std::int64_t>>();
        Snapshot snapshot = snapshotWith(12);
        snapshot.run.emplace();
        snapshot.trials = {{.number = 1, .microBatchSize = 512, .outcome = trial::Outcome::Ok},
                           {.number = 2, .microBatchSize = 2048, .outcome = trial::Outcome::OutOfMemory},
                           {.number = 3,
                            .compared = {{.microBatchSize = 768, .samplesPerSecond = 2.0}},
                            .outcome = trial::Outcome::Ok}};
        QCOMPARE(selectedToWrite(snapshot, selected), taken);
        // The confidence applies to the recommended size, not to a size that the user has selected.
        QCOMPARE(doubtText(snapshot, {}, QLocale::c(), taken).isEmpty(), taken.has_value());
    }

    void doubtsAnUnverifiedSizeAfterAFailure_data()
    {
        using trial::Outcome;
        rows<std::int64_t, Outcome, bool, bool>({
            {"a larger one failed", {2048, Outcome::OutOfMemory, false, true}},
            {"a smaller one failed", {512, Outcome::OutOfMemory, false, true}},
            {"itself ran after that", {2048, Outcome::OutOfMemory, true, false}},
            {"another one ran", {2048, Outcome::Ok, false, false}},
            {"another one was left", {2048, Outcome::Cancelled, false, false}},
        });
    }
    void doubtsAnUnverifiedSizeAfterAFailure()
    {
        const auto& [other, outcome, isVerified, isDoubted] = row<std::int64_t, trial::Outcome, bool, bool>();
        Snapshot snapshot = snapshotWith(96);
        snapshot.trials = {{.number = 1, .microBatchSize = 1024, .outcome = trial::Outcome::Ok},
                           {.number = 2, .microBatchSize = other, .outcome = outcome}};
        snapshot.trials.back().isVerification = true;
        if (isVerified) {
            snapshot.trials.push_back({.number = 3, .microBatchSize = 1024, .outcome = trial::Outcome::Ok});
            snapshot.trials.back().isVerification = true;
        }
        QCOMPARE(doubtText(snapshot, {}).isEmpty(), !isDoubted);
        QVERIFY(doubtText(snapshot, {.minConfidence = 0.0}).isEmpty());
    }

    void ignoresAFailureOfASizeThatRanLater()
    {
        using trial::Outcome;
        Snapshot snapshot = snapshotWith(96);
        for (const Outcome outcome : {Outcome::OutOfMemory, Outcome::Ok}) {
            snapshot.trials.push_back({.microBatchSize = 2048, .outcome = outcome});
            snapshot.trials.back().isVerification = true;
            QCOMPARE(doubtText(snapshot, {}).isEmpty(), outcome == Outcome::Ok);
        }
    }

    void doubtsASizeThatCouldNotBeVerified()
    {
        using Outcome = Verification::Outcome;
        Snapshot snapshot = snapshotWith(96);
        for (const auto& [outcome, isSure] :
             {std::pair(Outcome::NotRun, false), {Outcome::Confirmed, true}, {Outcome::Slower, true}}) {
            snapshot.verification = {.size = 1024, .outcome = outcome};
            QCOMPARE(doubtText(snapshot, {}).isEmpty(), isSure);
        }
    }

    void doubtsTheSizeOfASmallerNetwork()
    {
        const config::ConfigContents small = config::smallerRunOf(test::smallConfig());
        Snapshot snapshot = snapshotWith(99);
        snapshot.run.emplace().fidelity = config::fidelityOf(small);
        QCOMPARE(doubtText(snapshot, {}, QLocale(QLocale::English, QLocale::UnitedStates)),
                 QStringLiteral("1,024 was found for a smaller network than the config's."));
    }
};

BATCHPEAK_TEST(WritingRuleTest)
#include "tst_writing_rule.moc"
