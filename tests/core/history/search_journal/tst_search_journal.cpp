// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "device_families.h"
#include "history/search_journal.h"
#include "replay_device.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <limits>
#include <string>
#include <vector>

using namespace batchpeak;
using namespace batchpeak::engine;
using Kind = PlannerCall::Kind;

namespace {

constexpr int cutsPerSearch = 20;

/// Returns every number of a search that a user or an exploration can see.
std::vector<double> numbersOf(const search::SearchState& state)
{
    std::vector<double> numbers{static_cast<double>(state.status),
                                static_cast<double>(state.largestPredictedFit),
                                static_cast<double>(state.smallestFailure),
                                static_cast<double>(state.expectedTrials),
                                state.otherContenders,
                                state.speedLimit.probability,
                                state.speedLimit.overheadShare,
                                state.speedLimit.doublingGain};
    const auto add = [&](auto... values) { (numbers.push_back(static_cast<double>(values)), ...); };
    if (const auto& best = state.recommendation) {
        add(best->size, best->samplesPerSecond, best->relativeError, best->relativePerformance,
            best->confidence, best->expectedLoss, best->reason.runnerUp, best->reason.leadOverRunnerUp,
            best->reason.rival, best->reason.rivalProbability, best->smallestWithinTolerance);
    }
    for (const search::CurvePoint& point : state.curve)
        add(point.size, point.samplesPerSecond, point.low, point.high);
    for (const auto& line : {state.memory, state.allocatedMemory}) {
        if (line)
            add(line->constantBytes, line->bytesPerSample);
    }
    for (const search::Contender& contender : state.contenders)
        add(contender.size, contender.probability);
    if (state.forecast)
        add(state.forecast->trials.likely, state.forecast->trials.low, state.forecast->trials.high);
    if (state.next) {
        for (const std::int64_t size : state.next->sizes)
            add(size);
    }
    for (const std::int64_t size : state.excluded)
        add(size);
    return numbers;
}

/// An exploration on a simulated device with commands of the user, and the numbers after each call.
struct RecordedSearch
{
    search::SearchSpace space;
    std::string strategy;
    std::vector<PlannerCall> calls;
    std::vector<std::vector<double>> numbers;

    TrialPlanner planner() const
    {
        return {search::makeStrategy(strategy, space), space.maxTrials, /*repeatsDisturbed=*/true};
    }
};

/// \param recalls  whether the search recalls the first trials of another one
RecordedSearch recordSearch(const std::string& family, const std::string& strategy, std::uint64_t seed,
                            bool recalls = false)
{
    ReplayDevice device(simulatedDevice(family, seed), seed);
    RecordedSearch recorded{.space = device.space(), .strategy = strategy};
    recorded.space.seed = seed;
    recorded.space.maxTrials = 24;
    TrialPlanner planner = recorded.planner();
    const auto record = [&](const PlannerCall& call) {
        recorded.calls.push_back(call);
        PlannerReply reply = apply(call, planner);
        recorded.numbers.push_back(numbersOf(planner.searchState()));
        return reply;
    };
    const QString name = QStringLiteral("cuda:0");
    if (recalls) {
        PlannerCall recall{.kind = Kind::Recall};
        for (const PlannerCall& call : recordSearch(family, strategy, seed).calls) {
            if (!call.measurement || recall.recalled.size() > 8)
                continue;
            recall.recalled.push_back(*call.measurement);
            recall.recalled.back().clockSeconds -= 3600.0;
            recall.recalled.back().exploration = 7;
        }
        record(recall);
    }
    for (int trial = 1;; ++trial) {
        const auto proposal = record({.kind = Kind::Next, .device = name}).proposal;
        if (!proposal)
            return recorded;
        if (trial == 4) {
            record({.kind = Kind::TrialSkipped, .device = name, .trial = trial});
            continue;
        }
        search::Measurement measurement = device.run(*proposal);
        measurement.disturbed = trial == 6;
        record({.kind = Kind::TrialEnded, .device = name, .trial = trial, .measurement = measurement});
        if (trial == 7)
            record({.kind = Kind::SetTolerance, .share = 0.03});
        if (trial == 8)
            record({.kind = Kind::Exclude, .size = proposal->size});
        if (trial == 9)
            record({.kind = Kind::TryNow, .size = 3});
    }
}

} // namespace

class SearchJournalTest : public QObject
{
    Q_OBJECT

private slots:
    void restoresEveryCall_data()
    {
        search::Measurement measurement{.size = 24,
                                        .outcome = trial::Outcome::OutOfMemory,
                                        .secondsPerStep = 0.1,
                                        .stepSeconds = {0.1, 1.0 / 3.0},
                                        .steps = 2,
                                        .relativeError = 1e-300,
                                        .optimizerSeconds = 0.02,
                                        .peakAllocatedBytes = (std::int64_t{1} << 53) + 1,
                                        .peakReservedBytes = std::int64_t{1} << 60,
                                        .thrashes = true,
                                        .abandoned = true,
                                        .disturbed = true,
                                        .contention = 0.3,
                                        .isVerification = true,
                                        .compared = {{.microBatchSize = 24,
                                                      .peakReservedBytes = 5,
                                                      .allocationRetries = 6,
                                                      .visits = {{1.5, 0.75, {0.25, 0.5}, 0.1}}}},
                                        .visits = {{2.5, 0.5, {0.5}}},
                                        .wallSeconds = 3.25,
                                        .clockSeconds = 12.125};
        rows<PlannerCall>({
            {"next", {.kind = Kind::Next, .device = QStringLiteral("cuda:0")}},
            {"a trial", {.kind = Kind::TrialEnded, .trial = 7, .measurement = measurement}},
            {"a command",
             {.kind = Kind::SetTolerance,
              .share = 0.1,
              .clockSeconds = 1.0 / 7.0,
              .elapsedSeconds = 2.0,
              .time = 1'700'000'000'000}},
            {"more", {.kind = Kind::Continue, .size = 20, .seconds = 60.0}},
            {"recalled", {.kind = Kind::Recall, .recalled = {measurement, measurement}}},
        });
    }
    void restoresEveryCall()
    {
        const auto& call = row<PlannerCall>();
        const QByteArray text = toText(call);
        QVERIFY(!text.contains('\n'));
        const auto read = plannerCallFrom(text);
        QVERIFY(read);
        QCOMPARE(toText(*read), text);
        QCOMPARE(read->clockSeconds, call.clockSeconds);
        QCOMPARE(read->measurement.has_value(), call.measurement.has_value());
        if (call.measurement) {
            QVERIFY(read->measurement->stepSeconds == call.measurement->stepSeconds);
            QVERIFY(read->measurement->compared == call.measurement->compared);
            QVERIFY(read->measurement->visits == call.measurement->visits);
            QCOMPARE(read->measurement->peakReservedBytes, call.measurement->peakReservedBytes);
        }
        QCOMPARE(read->recalled.size(), call.recalled.size());
    }

    void restoresTheSearchSpace()
    {
        const search::SearchSpace space{.minimum = 2,
                                        .maximum = 96,
                                        .candidates = {2, 4, 96},
                                        .memoryLimitBytes = std::int64_t{1} << 40,
                                        .baselineBytes = 3,
                                        .memoryPrior = search::MemoryPrior{1.0, 0.1, 0.2},
                                        .objective = search::Objective::Effective,
                                        .perDeviceBatch = 192,
                                        .startingHint = 12,
                                        .tolerance = 0.0,
                                        .targetConfidence = 1.5,
                                        .maxTrials = 7,
                                        .devices = 8,
                                        .predictsPowersOfTwo = false,
                                        .comparesSizes = false,
                                        .seed = std::numeric_limits<std::uint64_t>::max()};
        const QByteArray text = toText(space);
        const auto read = searchSpaceFrom(text);
        QVERIFY(read);
        QCOMPARE(toText(*read), text);
        QCOMPARE(read->seed, space.seed);
        QCOMPARE(read->tolerance, 0.0);
        QVERIFY(!read->comparesSizes && read->candidates == space.candidates);
    }

    void refusesInvalidCalls_data()
    {
        rows<QByteArray>({{"nothing", ""},
                          {"no object", "[1]"},
                          {"no call", R"({"call": "burn"})"},
                          {"no outcome", R"({"call": "trial_ended", "measurement": {"outcome": "burnt"}})"}});
    }
    void refusesInvalidCalls() { QVERIFY(!plannerCallFrom(row<QByteArray>())); }

    void restoresTheSearchAfterAnyCall_data()
    {
        const auto add = rows<std::string, std::string, std::uint64_t, bool>();
        for (const std::string family : {"smooth", "middle saw"}) {
            for (std::uint64_t seed = 1; seed <= 2; ++seed)
                add(family + ", " + std::to_string(seed), {family, "posterior", seed, false});
            add(family + ", recalled", {family, "posterior", 1, true});
        }
        for (const std::string strategy : {"ramp", "binary", "halving", "predict"})
            add(strategy, {"smooth", strategy, 5, false});
    }
    // A search that is interrupted anywhere and restored from its journal has exactly the same numbers, then
    // and after the next call.
    void restoresTheSearchAfterAnyCall()
    {
        const auto& [family, strategy, seed, recalls] = row<std::string, std::string, std::uint64_t, bool>();
        const RecordedSearch recorded = recordSearch(family, strategy, seed, recalls);
        QVERIFY(recorded.calls.size() > 1);
        search::RandomSource random(seed);
        for (int number = 0; number < cutsPerSearch; ++number) {
            const auto cut =
                static_cast<std::size_t>(random.uniform() * static_cast<double>(recorded.calls.size()));
            std::vector<PlannerCall> kept;
            for (std::size_t i = 0; i < cut; ++i)
                kept.push_back(*plannerCallFrom(toText(recorded.calls[i])));
            TrialPlanner planner = recorded.planner();
            applyAll(kept, planner);
            if (cut > 0)
                QVERIFY(numbersOf(planner.searchState()) == recorded.numbers[cut - 1]);
            PlannerCall next = recorded.calls[cut];
            // The trial that was running is given back and proposed again.
            if (const auto underWay = devicesUnderWay(kept); !underWay.empty()) {
                planner.giveBack(underWay.front());
                QVERIFY(planner.next(underWay.front()));
            }
            apply(next, planner);
            QVERIFY(numbersOf(planner.searchState()) == recorded.numbers[cut]);
        }
    }

    void acceptsAnotherSizeThanItWouldPropose()
    {
        RecordedSearch recorded{.space = simulatedSpace(), .strategy = "posterior"};
        TrialPlanner planner = recorded.planner();
        const QString name = QStringLiteral("cpu");
        // A later version would begin with another size.
        const search::Measurement measurement{
            .size = 5, .outcome = trial::Outcome::Ok, .secondsPerStep = 1.0, .stepSeconds = {1.0, 1.0}};
        applyAll({{.kind = Kind::Next, .device = name},
                  {.kind = Kind::TrialEnded, .device = name, .trial = 1, .measurement = measurement}},
                 planner);
        QVERIFY(!planner.expectsMore());
        QCOMPARE(planner.searchState().recommendation->size, 5);
    }

private:
    static search::SearchSpace simulatedSpace()
    {
        return ReplayDevice(simulatedDevice("smooth", 1), 1).space();
    }
};

BATCHPEAK_TEST(SearchJournalTest)
#include "tst_search_journal.moc"
