// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/recommendation_text.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak::engine;
using batchpeak::search::SpeedLimit;
using Kind = SpeedLimit::Kind;
using Outcome = Verification::Outcome;

class SpeedTextTest : public QObject
{
    Q_OBJECT

private slots:
    void describesTheSpeedLimit_data()
    {
        const auto add = rows<SpeedLimit, Text, Text>();
        add("unknown", {{}, "", ""});
        add("launch",
            {{.kind = Kind::LaunchBound, .overheadShare = 0.203, .doublingGain = 0.111},
             "launch-bound",
             "Launch-bound: 20 % of a step is the same at any size; twice the size would gain 11 % if "
             "it fit."});
        add("saturated",
            {{.kind = Kind::Saturated, .overheadShare = 0.006},
             "saturated",
             "Saturated: 99 % of a step is work per sample, so a larger size gains almost nothing."});
        add("saturated wholly",
            {{.kind = Kind::Saturated, .overheadShare = 0.001},
             "saturated",
             "Saturated: 100 % of a step is work per sample, so a larger size gains almost nothing."});
        add("tiles", {{.kind = Kind::TileQuantized, .period = 64, .jump = 0.051},
                      "tile-quantized, 64",
                      "Tile-quantized: one sample above a multiple of 64 makes a step 5.1 % longer."});
        add("memory", {{.kind = Kind::MemoryThrashing},
                       "memory-thrashing",
                       "Memory-thrashing: samples/s fall as memory runs out."});
    }
    void describesTheSpeedLimit()
    {
        const auto& [limit, word, sentence] = row<SpeedLimit, Text, Text>();
        QCOMPARE(speedLimitWord(limit, false, QLocale::c()), word);
        QCOMPARE(speedLimitText(limit, false, QLocale::c()), sentence);
    }

    void mentionsNoLaunchesOnACpu()
    {
        const SpeedLimit limit{.kind = Kind::LaunchBound, .overheadShare = 0.203, .doublingGain = 0.111};
        QCOMPARE(speedLimitWord(limit, true, QLocale::c()), QStringLiteral("fixed cost per step"));
        const QString sentence = speedLimitText(limit, true, QLocale::c());
        QVERIFY(!sentence.contains(QLatin1String("aunch")));
        QVERIFY(sentence.contains(QLatin1String("20 %")) && sentence.contains(QLatin1String("11 %")));
    }

    void describesASmallerSize_data()
    {
        constexpr std::int64_t gibibyte = std::int64_t{1} << 30;
        rows<SmallerSize, Text>(
            {{"less memory",
              {{.size = 16, .peakBytes = 2 * gibibyte, .recommendedPeakBytes = 5 * gibibyte},
               "16 is within 2 % and takes 3.0 GiB less."}},
             {"as much memory",
              {{.size = 16, .tolerance = 0.005, .peakBytes = gibibyte, .recommendedPeakBytes = gibibyte},
               "16 is within 0.5 % too."}},
             {"unknown memory", {{.size = 16}, "16 is within 2 % too."}}});
    }
    void describesASmallerSize()
    {
        const auto& [smaller, text] = row<SmallerSize, Text>();
        QCOMPARE(smallerSizeText(smaller, QLocale::c()), text);
    }

    void describesTheVerification_data()
    {
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
        const auto add = rows<Verification, Text>();
        add("to come", {with(Outcome::Pending), "Verifying 24 in a fresh process."});
        add("confirmed", {with(Outcome::Confirmed), "24 was confirmed in a fresh process: 500.2 samples/s, "
                                                    "peak 3.0 GiB, 1.0 GiB of the limit left."});
        add("slower", {with(Outcome::Slower),
                       "24 was slower in a fresh process than the 512.0 samples/s expected: 500.2 "
                       "samples/s, peak 3.0 GiB, 1.0 GiB of the limit left."});
        add("failed", {with(Outcome::Failed), "24 failed in a fresh process and is no longer recommended."});
        add("not run", {with(Outcome::NotRun),
                        "24 was not verified in a fresh process; the recommendation relies on its trials."});
        add("no measurements",
            {{.size = 24, .outcome = Outcome::Confirmed}, "24 was confirmed in a fresh process."});
    }
    void describesTheVerification()
    {
        const auto& [verification, text] = row<Verification, Text>();
        QCOMPARE(verificationText(verification, QLocale::c()), text);
    }
};

BATCHPEAK_TEST(SpeedTextTest)
#include "tst_speed_text.moc"
