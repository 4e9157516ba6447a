// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/recommendation_text.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak::engine;
using batchpeak::search::SpeedLimit;
using Kind = SpeedLimit::Kind;
using Outcome = Verification::Outcome;

Q_DECLARE_METATYPE(batchpeak::search::SpeedLimit)
Q_DECLARE_METATYPE(batchpeak::engine::SmallerSize)
Q_DECLARE_METATYPE(batchpeak::engine::Verification)

class SpeedTextTest : public QObject
{
    Q_OBJECT

private slots:
    void saysWhatLimits_data()
    {
        QTest::addColumn<SpeedLimit>("limit");
        QTest::addColumn<QString>("word");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("unknown") << SpeedLimit{} << QString() << QString();
        QTest::newRow("launch") << SpeedLimit{.kind = Kind::LaunchBound,
                                              .overheadShare = 0.203,
                                              .doublingGain = 0.111}
                                << QStringLiteral("launch-bound")
                                << QStringLiteral("Launch-bound: 20 % of a step is the same at any size, and "
                                                  "twice the size would gain 11 % if it fitted.");
        QTest::newRow("saturated")
            << SpeedLimit{.kind = Kind::Saturated, .overheadShare = 0.006} << QStringLiteral("saturated")
            << QStringLiteral("Saturated: work per sample takes 99 % of a step, and a larger size gains "
                              "nothing that counts.");
        QTest::newRow("tiles") << SpeedLimit{.kind = Kind::TileQuantised, .period = 64, .jump = 0.051}
                               << QStringLiteral("tile-quantised, 64")
                               << QStringLiteral("Tile-quantised: one sample above a multiple of 64 makes a "
                                                 "step 5.1 % longer.");
        QTest::newRow("memory") << SpeedLimit{.kind = Kind::MemoryThrashing}
                                << QStringLiteral("memory-thrashing")
                                << QStringLiteral("Memory-thrashing: samples/s fall where memory runs out.");
    }
    void saysWhatLimits()
    {
        QFETCH(SpeedLimit, limit);
        QFETCH(QString, word);
        QFETCH(QString, sentence);
        QCOMPARE(speedLimitWord(limit, QLocale::c()), word);
        QCOMPARE(speedLimitText(limit, QLocale::c()), sentence);
    }

    void saysWhatASmallerSizeLeaves_data()
    {
        constexpr std::int64_t gibibyte = std::int64_t{1} << 30;
        QTest::addColumn<SmallerSize>("smaller");
        QTest::addColumn<QString>("text");
        QTest::newRow("less memory") << SmallerSize{.size = 16,
                                                    .peakBytes = 2 * gibibyte,
                                                    .recommendedPeakBytes = 5 * gibibyte}
                                     << QStringLiteral("16 is within 2 % and leaves 3.0 GiB more.");
        QTest::newRow("as much memory") << SmallerSize{.size = 16,
                                                       .tolerance = 0.005,
                                                       .peakBytes = gibibyte,
                                                       .recommendedPeakBytes = gibibyte}
                                        << QStringLiteral("16 is within 0.5 % too.");
        QTest::newRow("unknown memory") << SmallerSize{.size = 16} << QStringLiteral("16 is within 2 % too.");
    }
    void saysWhatASmallerSizeLeaves()
    {
        QFETCH(SmallerSize, smaller);
        QFETCH(QString, text);
        QCOMPARE(smallerSizeText(smaller, QLocale::c()), text);
    }

    void saysHowTheVerificationStands_data()
    {
        QTest::addColumn<Verification>("verification");
        QTest::addColumn<QString>("text");
        constexpr std::int64_t gibibyte = std::int64_t{1} << 30;
        const Verification measured{.size = 24,
                                    .expectedSamplesPerSecond = 512.0,
                                    .samplesPerSecond = 500.24,
                                    .peakReservedBytes = 3 * gibibyte,
                                    .spareBytes = gibibyte};
        const auto with = [&measured](Outcome outcome) {
            Verification verification = measured;
            verification.outcome = outcome;
            return verification;
        };
        QTest::newRow("to come") << with(Outcome::Pending)
                                 << QStringLiteral("Verifying 24 in a fresh process.");
        QTest::newRow("confirmed")
            << with(Outcome::Confirmed)
            << QStringLiteral("24 was confirmed in a fresh process: 500.2 samples/s, peak 3.0 GiB, 1.0 GiB "
                              "of the limit left.");
        QTest::newRow("slower") << with(Outcome::Slower)
                                << QStringLiteral(
                                       "24 was slower in a fresh process than the 512 samples/s expected: "
                                       "500.2 samples/s, peak 3.0 GiB, 1.0 GiB of the limit left.");
        QTest::newRow("failed") << with(Outcome::Failed)
                                << QStringLiteral(
                                       "24 failed in a fresh process, and is not recommended any more.");
        QTest::newRow("not run") << with(Outcome::NotRun)
                                 << QStringLiteral("24 was not verified in a fresh process; the "
                                                   "recommendation stands on its trials.");
        QTest::newRow("nothing told") << Verification{.size = 24, .outcome = Outcome::Confirmed}
                                      << QStringLiteral("24 was confirmed in a fresh process.");
    }
    void saysHowTheVerificationStands()
    {
        QFETCH(Verification, verification);
        QFETCH(QString, text);
        QCOMPARE(verificationText(verification, QLocale::c()), text);
    }
};

BATCHPEAK_TEST(SpeedTextTest)
#include "tst_speed_text.moc"
