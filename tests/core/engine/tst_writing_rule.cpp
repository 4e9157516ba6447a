// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/smaller_run.h"
#include "engine/writing_rule.h"
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
    int least = 50;
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
    void asksForAConfidence_data()
    {
        rows<Case>({{"sure", {.confidence = 96}},
                    {"just sure enough", {.confidence = 50}},
                    {"unsure",
                     {.confidence = 49,
                      .doubt = "The confidence in 1,024 is 49 (out of 100), and writing it takes 50."}},
                    {"without a recommendation", {}},
                    {"as asked", {.minConfidence = 0.29, .confidence = 29, .least = 29}},
                    {"less than asked",
                     {.minConfidence = 0.8,
                      .confidence = 79,
                      .least = 80,
                      .doubt = "The confidence in 1,024 is 79 (out of 100), and writing it takes 80."}},
                    {"anything", {.minConfidence = 0.0, .confidence = 1, .least = 0}},
                    // Whoever ends at 30 is content with 30.
                    {"as sure as the end", {.targetConfidence = 0.3, .confidence = 30, .least = 30}},
                    {"surer than the end",
                     {.minConfidence = 0.5,
                      .targetConfidence = 0.3,
                      .confidence = 30,
                      .doubt = "The confidence in 1,024 is 30 (out of 100), and writing it takes 50."}}});
    }
    void asksForAConfidence()
    {
        const auto& [minConfidence, targetConfidence, confidence, least, doubt] = row<Case>();
        const ExplorationOptions options{.targetConfidence = targetConfidence,
                                         .minConfidence = minConfidence};
        const Snapshot snapshot = snapshotWith(confidence);
        const QString expected = QString::fromUtf8(doubt);
        QCOMPARE(leastConfidenceToWrite(options), least);
        QCOMPARE(isSureEnoughToWrite(snapshot, options), confidence && expected.isEmpty());
        QCOMPARE(doubtText(snapshot, options, QLocale(QLocale::English, QLocale::UnitedStates)), expected);
    }

    void doubtsTheSizeOfASmallerNetwork()
    {
        const config::ConfigContents small = config::smallerRunOf(test::smallConfig());
        Snapshot snapshot = snapshotWith(99);
        snapshot.run.emplace().fidelity = config::fidelityOf(small);
        QVERIFY(!isSureEnoughToWrite(snapshot, {}));
        QCOMPARE(doubtText(snapshot, {}, QLocale(QLocale::English, QLocale::UnitedStates)),
                 QStringLiteral("1,024 was found of a smaller network than the config's."));
    }
};

BATCHPEAK_TEST(WritingRuleTest)
#include "tst_writing_rule.moc"
