// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exact_device.h"
#include "strategy_rows.h"
#include "support/test_main.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace batchpeak::search;
using exact::Sizes;
using exact::TrialOf;
using Outcome = Measurement::Outcome;
using Status = SearchState::Status;

namespace {

std::unique_ptr<Strategy> make(const QString& name, const SearchSpace& space)
{
    return makeStrategy(name.toStdString(), space);
}

} // namespace

/// What every strategy does alike, on devices whose answer is known.
class StrategiesTest : public QObject
{
    Q_OBJECT

private slots:
    void endsInEveryWay_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<SearchSpace>("space");
        QTest::addColumn<TrialOf>("run");
        QTest::addColumn<Status>("status");
        QTest::addColumn<bool>("hasRecommendation");
        const SearchSpace plain = exact::spaceFor(300);
        SearchSpace few = exact::spaceFor(1000);
        few.maxTrials = 3;
        SearchSpace two = exact::spaceFor(1000);
        two.maximum = 2;
        two.targetConfidence = 1.0;
        const TrialOf runs = exact::deviceWith(plain, 4.0);
        const TrialOf neverFits = [](const Proposal& p) { return exact::outOfMemory(p.size); };
        const TrialOf needsTooMuch = [](const Proposal& p) {
            Measurement trial = exact::trial(p.size, 4.0);
            trial.peakReservedBytes *= 100;
            return trial;
        };
        const TrialOf thrashes = [](const Proposal& p) {
            Measurement trial = exact::trial(p.size, 4.0);
            trial.thrashes = true;
            return trial;
        };
        const TrialOf tellsNothing = [](const Proposal& p) { return Measurement{.size = p.size}; };
        const auto timedAs = [](double seconds) {
            return TrialOf([seconds](const Proposal& p) {
                Measurement trial = exact::trial(p.size, 4.0);
                trial.secondsPerStep = seconds;
                return trial;
            });
        };
        for (const std::string_view view : strategyNames()) {
            const std::string name(view);
            const auto row = [&](const char* what, const SearchSpace& space, const TrialOf& run,
                                 Status status, bool hasRecommendation) {
                QTest::addRow("%s: %s", name.c_str(), what)
                    << QString::fromStdString(name) << space << run << status << hasRecommendation;
            };
            const bool isConfident = looksForTheFastest(QString::fromStdString(name));
            // Whether a ramp is sure before it runs out of steps hangs on the calibration.
            if (name != "ramp")
                row("a smooth curve", plain, runs, isConfident ? Status::Confident : Status::Exhausted, true);
            // Three sizes that do not fit leave nothing to recommend.
            row("few trials", few, runs, Status::Budget, name != "halving");
            row("two sizes", two, runs, Status::Exhausted, true);
            row("nothing fits", plain, neverFits, Status::NothingFits, false);
            row("one needs more than the limit", plain, needsTooMuch, Status::NothingFits, false);
            row("one thrashes", plain, thrashes, Status::NothingFits, false);
            row("nothing can be told", plain, tellsNothing, Status::Exhausted, false);
            row("a time that is no number", plain, timedAs(std::numeric_limits<double>::quiet_NaN()),
                Status::Exhausted, false);
            row("a negative time", plain, timedAs(-0.1), Status::Exhausted, false);
            row("an endless time", plain, timedAs(std::numeric_limits<double>::infinity()), Status::Exhausted,
                false);
        }
    }
    void endsInEveryWay()
    {
        QFETCH(QString, name);
        QFETCH(SearchSpace, space);
        QFETCH(TrialOf, run);
        QFETCH(Status, status);
        QFETCH(bool, hasRecommendation);
        const auto strategy = make(name, space);
        QCOMPARE(strategy->searchState().status, Status::Searching);
        const Sizes sizes = exact::searchWith(*strategy, run);
        QVERIFY(!sizes.empty());
        QVERIFY(sizes.size() <= static_cast<std::size_t>(space.maxTrials));
        QCOMPARE(strategy->searchState().status, status);
        QCOMPARE(strategy->searchState().recommendation.has_value(), hasRecommendation);
    }

    void whatFailedIsNeverPassed_data() { addStrategies(); }
    void whatFailedIsNeverPassed()
    {
        QFETCH(QString, name);
        const auto strategy = make(name, exact::spaceFor(100000));
        const Sizes sizes = exact::searchWith(*strategy, [](const Proposal& p) {
            return p.size >= 40 ? exact::outOfMemory(p.size) : exact::trial(p.size, 500.0);
        });
        const auto failure = std::ranges::find_if(sizes, [](std::int64_t size) { return size >= 40; });
        QVERIFY(failure != sizes.end());
        QVERIFY(
            std::all_of(std::next(failure), sizes.end(), [&](std::int64_t size) { return size < *failure; }));
        QVERIFY(strategy->searchState().recommendation->size < 40);
        QVERIFY(strategy->searchState().smallestFailure >= 40);
    }

    void thrashingIsNotTheEnd_data() { addStrategies(); }
    void thrashingIsNotTheEnd()
    {
        QFETCH(QString, name);
        const auto strategy = make(name, exact::spaceFor(1000));
        exact::searchWith(*strategy, [](const Proposal& p) {
            Measurement trial = exact::trial(p.size, 2000.0);
            trial.thrashes = p.size >= 90;
            return p.size > 1000 ? exact::outOfMemory(p.size) : trial;
        });
        const std::int64_t best = strategy->searchState().recommendation->size;
        QVERIFY2(best >= (looksForTheFastest(name) ? 85 : 64) && best < 90,
                 QByteArray::number(static_cast<qint64>(best)).constData());
    }

    void aNetworkThatFillsMostOfTheMemoryIsNotTheEnd_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<Sizes>("candidates");
        for (const std::string_view view : strategyNames()) {
            const std::string name(view);
            QTest::addRow("%s", name.c_str()) << QString::fromStdString(name) << Sizes();
            QTest::addRow("%s, divisors", name.c_str())
                << QString::fromStdString(name) << Sizes{1, 2, 4, 8, 16, 32};
        }
    }
    void aNetworkThatFillsMostOfTheMemoryIsNotTheEnd()
    {
        // A program need not tell what it held before the first pass.
        QFETCH(QString, name);
        QFETCH(Sizes, candidates);
        SearchSpace space = exact::spaceFor(4);
        space.baselineBytes = 0;
        space.candidates = candidates;
        const auto strategy = make(name, space);
        exact::searchWith(*strategy, exact::deviceWith(space, 500.0));
        QCOMPARE(strategy->searchState().recommendation->size, 4);
    }

    void voidTrialIsRepeatedOnce_data() { addStrategies(); }
    void voidTrialIsRepeatedOnce()
    {
        QFETCH(QString, name);
        const SearchSpace space = exact::spaceFor(300);
        const TrialOf runs = exact::deviceWith(space, 4.0);
        const auto strategy = make(name, space);
        int trials = 0;
        std::int64_t lost = 0;
        const Sizes sizes = exact::searchWith(*strategy, [&](const Proposal& p) {
            if (++trials == 2)
                lost = p.size;
            return p.size == lost ? Measurement{.size = p.size} : runs(p);
        });
        QCOMPARE(std::ranges::count(sizes, lost), 2);
        QVERIFY(strategy->searchState().status != Status::Searching);
        QVERIFY(strategy->searchState().recommendation);
    }

    void effectiveCountsTheOptimizer_data() { addStrategies(); }
    void effectiveCountsTheOptimizer()
    {
        // With the optimizer fewer, larger micro-batches win, but a size that leaves a small rest does not.
        QFETCH(QString, name);
        SearchSpace space = exact::spaceFor(1000);
        space.maximum = 16;
        space.objective = Objective::Effective;
        space.perDeviceBatch = 16;
        const auto strategy = make(name, space);
        exact::searchWith(*strategy, [](const Proposal& p) {
            Measurement trial = exact::trial(p.size, 3.0);
            trial.optimizerSeconds = 0.020;
            return trial;
        });
        const Recommendation& recommendation = *strategy->searchState().recommendation;
        QCOMPARE(recommendation.size, 16);
        QVERIFY(std::abs(recommendation.samplesPerSecond / (16.0 / 0.039) - 1.0) < 0.02);
    }

    void allEqualTimesAreNoTrouble_data() { addStrategies(); }
    void allEqualTimesAreNoTrouble()
    {
        QFETCH(QString, name);
        const auto strategy = make(name, exact::spaceFor(64));
        exact::searchWith(*strategy, [](const Proposal& p) {
            Measurement trial = exact::trial(p.size, 0.0);
            trial.secondsPerStep = 0.1;
            trial.stepSeconds.assign(5, 0.1);
            return p.size > 64 ? exact::outOfMemory(p.size) : trial;
        });
        QVERIFY(strategy->searchState().recommendation->size >= 60);
    }
};

BATCHPEAK_TEST(StrategiesTest)
#include "tst_strategies.moc"
