// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ramp_strategy.h"
#include "simulated_device.h"

#include <QTest>

#include <algorithm>
#include <limits>
#include <set>

using namespace batchpeak::search;
using Outcome = Measurement::Outcome;
using Sizes = std::vector<std::int64_t>;
using Status = Outlook::Status;

/// What holds of a ramp on every simulated device, whatever the curve and the noise.
class RampWorldsTest : public QObject
{
    Q_OBJECT

private slots:
    void propertiesHoldInEveryWorld_data()
    {
        QTest::addColumn<QString>("family");
        QTest::addColumn<int>("seed");
        for (const std::string& family : simulatedFamilies()) {
            for (int seed = 1; seed <= 2; ++seed)
                QTest::addRow("%s %d", family.c_str(), seed) << QString::fromStdString(family) << seed;
        }
    }
    void propertiesHoldInEveryWorld()
    {
        QFETCH(QString, family);
        QFETCH(int, seed);
        const auto worldSeed = static_cast<std::uint64_t>(seed);
        SimulatedDevice device(simulatedWorld(family.toStdString(), worldSeed), worldSeed);
        SearchSpace space = device.space();
        space.maxTrials = 20;
        RampStrategy strategy(space);
        const CandidateSet candidates(space);
        std::set<std::int64_t> good;
        std::int64_t smallestFailure = std::numeric_limits<std::int64_t>::max();
        int trials = 0;
        while (const auto proposal = strategy.next({})) {
            QVERIFY(++trials <= space.maxTrials);
            QVERIFY(candidates.contains(proposal->size));
            QVERIFY(proposal->size < smallestFailure);
            QVERIFY(proposal->predictedFit >= 0.5 && proposal->predictedFit <= 1.0);
            QVERIFY(proposal->minSteps >= 3 && proposal->minSteps <= proposal->maxSteps);
            QCOMPARE(proposal->predictedWallSeconds.has_value(), trials > 1);
            const Measurement trial = device.run(*proposal);
            strategy.record(trial);
            if (trial.outcome == Outcome::Ok)
                good.insert(trial.size);
            else
                smallestFailure = std::min(smallestFailure, trial.size);
            const Outlook& outlook = strategy.outlook();
            QVERIFY(outlook.recommendation);
            QVERIFY(good.contains(outlook.recommendation->size));
            QVERIFY(outlook.recommendation->confidence >= 1 && outlook.recommendation->confidence <= 99);
            QVERIFY(outlook.recommendation->samplesPerSecond > 0.0);
            QVERIFY(outlook.largestPredictedFit < smallestFailure);
            QVERIFY(outlook.expectedTrials >= trials && outlook.expectedTrials <= space.maxTrials);
            for (const CurvePoint& point : outlook.curve)
                QVERIFY(point.low <= point.samplesPerSecond && point.samplesPerSecond <= point.high);
        }
        QVERIFY(strategy.outlook().status != Status::Searching);
    }

    void sameSeedSameTrace()
    {
        std::vector<Sizes> traces;
        std::vector<int> confidences;
        for (int repetition = 0; repetition < 2; ++repetition) {
            SimulatedDevice device(simulatedWorld("saw", 5), 5);
            RampStrategy strategy(device.space());
            Sizes& trace = traces.emplace_back();
            while (const auto proposal = strategy.next({})) {
                trace.push_back(proposal->size);
                strategy.record(device.run(*proposal));
            }
            confidences.push_back(strategy.outlook().recommendation->confidence);
        }
        QCOMPARE(traces.front(), traces.back());
        QCOMPARE(confidences.front(), confidences.back());
    }

    void severalDevicesEndToo()
    {
        SimulatedDevice device(simulatedWorld("affine", 3), 3);
        RampStrategy strategy(device.space());
        Sizes inFlight;
        std::vector<Proposal> running;
        int trials = 0;
        while (true) {
            for (int free = 4 - static_cast<int>(running.size()); free > 0; --free) {
                const auto proposal = strategy.next(inFlight);
                if (!proposal)
                    break;
                inFlight.push_back(proposal->size);
                running.push_back(*proposal);
            }
            if (running.empty())
                break;
            const Proposal ended = running.front();
            running.erase(running.begin());
            inFlight.erase(std::ranges::find(inFlight, ended.size));
            strategy.record(device.run(ended));
            ++trials;
        }
        QVERIFY(trials <= device.space().maxTrials);
        QVERIFY(strategy.outlook().status != Status::Searching);
        QVERIFY(device.performance(strategy.outlook().recommendation->size) > 0.95);
    }
};

QTEST_APPLESS_MAIN(RampWorldsTest)
#include "tst_ramp_worlds.moc"
