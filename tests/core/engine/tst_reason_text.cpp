// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/recommendation_text.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak::search;
using batchpeak::engine::reasonText;
using Status = SearchState::Status;

Q_DECLARE_METATYPE(batchpeak::search::Instability)
Q_DECLARE_METATYPE(batchpeak::search::Reason)
Q_DECLARE_METATYPE(batchpeak::search::SearchState::Status)

class ReasonTextTest : public QObject
{
    Q_OBJECT

private slots:
    void saysWhy_data()
    {
        QTest::addColumn<Reason>("reason");
        QTest::addColumn<Status>("status");
        QTest::addColumn<QString>("text");
        using Kind = Reason::Kind;
        const auto row = [](const char* name, const Reason& reason, Status status, const char* text) {
            QTest::newRow(name) << reason << status << QString::fromUtf8(text);
        };
        row("compared",
            {.kind = Kind::Compared,
             .runnerUp = 48,
             .leadOverRunnerUp = 0.031,
             .next = 96,
             .largestPredictedFit = 1266},
            Status::Searching,
            "64 is 3.1 % faster than 48, the next best; memory predicts room up to about 1266. Next: 96.");
        row("nothing comes after the end",
            {.kind = Kind::Compared,
             .runnerUp = 48,
             .leadOverRunnerUp = 0.031,
             .rival = 72,
             .rivalProbability = 0.2,
             .next = 96},
            Status::Confident, "64 is 3.1 % faster than 48, the next best.");
        row("cannot be told apart",
            {.kind = Kind::Compared, .runnerUp = 72, .leadOverRunnerUp = -0.001, .next = 64},
            Status::Searching,
            "64 and 72 cannot be told apart, and 64 carries less risk. Next: 64 once more.");
        row("a rival", {.kind = Kind::Compared, .rival = 72, .rivalProbability = 0.214}, Status::Searching,
            "64 is the best so far. 72 may still be better (21 %).");
        row("memory ends", {.kind = Kind::MemoryEnds, .largestPredictedFit = 64}, Status::Confident,
            "Memory ends before throughput does: 64 is the largest size that fits.");
        row("verified", {.kind = Kind::Verified}, Status::Exhausted,
            "64 is the only size asked for, and it runs.");
    }
    void saysWhy()
    {
        QFETCH(Reason, reason);
        QFETCH(Status, status);
        QFETCH(QString, text);
        const SearchState searchState{.status = status,
                                      .recommendation = Recommendation{.size = 64, .reason = reason}};
        QCOMPARE(reasonText(searchState, QLocale::c()), text);
    }

    void saysWhatIsInTheWay_data()
    {
        QTest::addColumn<Instability>("instability");
        QTest::addColumn<int>("confidence");
        QTest::addColumn<QString>("text");
        using Cause = Instability::Cause;
        const QString lead = QStringLiteral("64 is 3.1 % faster than 48, the next best.");
        const QString hard = lead + QStringLiteral(" Sizes are hard to tell apart: ");
        QTest::newRow("calm") << Instability{} << 60 << lead;
        QTest::newRow("drift") << Instability{.cause = Cause::Drift, .size = 0.12} << 60
                               << hard + QStringLiteral("the device's speed drifts by about 12 %.");
        QTest::newRow("noise") << Instability{.cause = Cause::Noise, .size = 0.0312} << 60
                               << hard + QStringLiteral("one trial and the next differ by about 3.1 %.");
        QTest::newRow("tenants") << Instability{.cause = Cause::OtherTenants, .size = 0.444} << 60
                                 << hard +
                                        QStringLiteral("other programs disturbed 44 % of the last trials.");
        QTest::newRow("overcome") << Instability{.cause = Cause::Noise, .size = 0.03} << 95 << lead;
    }
    void saysWhatIsInTheWay()
    {
        QFETCH(Instability, instability);
        QFETCH(int, confidence);
        QFETCH(QString, text);
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
