// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exact_device.h"
#include "search/candidate_set.h"
#include "search/memory/memory_model.h"
#include "search/random_source.h"
#include "search/strategies/posterior_summary.h"
#include "search/strategies/trial_safety.h"
#include "search/trial_history.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <optional>
#include <vector>

using namespace batchpeak::search;
using exact::Sizes;
using Rivals = std::vector<PosteriorSummary::Rival>;
using Trials = std::vector<Measurement>;

namespace {

/// State in the middle of a search on a device without noise that holds 100 samples.
struct MiddleOfSearch
{
    explicit MiddleOfSearch(const std::vector<Measurement>& trials, const exact::Sizes& list = {})
        : space(spaceWith(list)), candidates(space), history(space.memoryLimitBytes)
    {
        for (const Measurement& trial : trials)
            history.record(trial);
        RandomSource random(3);
        memory.emplace(space, candidates, history, random);
    }

    TrialSafety::Situation situation() const { return {candidates, history, *memory, inFlight}; }
    TrialSafety safety() const { return TrialSafety(situation()); }
    std::optional<std::int64_t> probe(const std::vector<PosteriorSummary::Rival>& rivals) const
    {
        const PosteriorSummary summary{.rivals = rivals};
        return BoundaryProbe(situation(), summary).next();
    }

    SearchSpace space;
    CandidateSet candidates;
    TrialHistory history;
    std::optional<MemoryModel> memory;
    exact::Sizes inFlight;

private:
    static SearchSpace spaceWith(const exact::Sizes& list)
    {
        SearchSpace space = exact::spaceFor(100);
        space.candidates = list;
        return space;
    }
};

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

Measurement ran(std::int64_t size)
{
    return exact::trial(size, 4.0);
}

/// Returns a trial that needs slightly less memory than the line through the others predicts.
Measurement ranInLess(std::int64_t size)
{
    Measurement trial = ran(size);
    trial.peakReservedBytes -= 8 * mebibyte;
    return trial;
}

/// Returns a trial of one sample that takes this share of the memory.
Measurement oneSampleTaking(double share)
{
    Measurement trial = ran(1);
    trial.peakReservedBytes =
        static_cast<std::int64_t>(share * static_cast<double>(exact::spaceFor(100).memoryLimitBytes));
    return trial;
}

Measurement failed(std::int64_t size)
{
    return exact::outOfMemory(size);
}

Measurement withoutPeak(std::int64_t size)
{
    Measurement trial = ran(size);
    trial.peakReservedBytes = 0;
    return trial;
}

Measurement thrashed(std::int64_t size)
{
    Measurement trial = ran(size);
    trial.thrashes = true;
    return trial;
}

/// Probabilities of fit that separate sizes with an even chance, likely ones and safe ones.
constexpr double even = 0.5;
constexpr double likely = 0.9;
constexpr double safe = 0.995;

struct Safe
{
    Trials trials;
    Sizes list;
    std::int64_t size;
    bool isSafe;
};

/// Probe after these trials; 0 if there is none.
struct Probed
{
    Trials trials;
    Sizes list;
    Rivals rivals;
    std::int64_t next = 0;
};

struct InVain
{
    Rivals rivals;
    Sizes inFlight;
    bool isInVain;
};

} // namespace

/// Tests which sizes may be tried, and which of them are tried at the boundary.
class TrialSafetyTest : public QObject
{
    Q_OBJECT

private slots:
    void identifiesSafeSizes_data()
    {
        const Trials small{ran(1), ran(8)};
        const Trials large{ran(1), ran(8), ran(64)};
        const Trials silent{withoutPeak(1), withoutPeak(2)};
        const Trials thrashing{ran(1), ran(8), thrashed(90)};
        const Trials aboveLimit{ran(1), ran(8), ran(120)};
        rows<Safe>({
            {"sixteen times what ran, memory unknown", {silent, {}, 32, true}},
            {"further than that", {silent, {}, 33, false}},
            {"further, but the next of the list", {silent, {1, 2, 40}, 40, true}},
            {"further, and not the next of the list", {silent, {1, 2, 32, 40}, 40, false}},
            {"fits even with a wrong slope", {small, {}, 32, true}},
            {"fits only with the right slope", {small, {}, 80, false}},
            {"near the limit", {large, {}, 90, true}},
            {"at the limit", {large, {}, 100, false}},
            {"next of the list, but at the limit", {large, {8, 64, 101}, 101, false}},
            {"below what ran", {{ran(64)}, {}, 63, true}},
            {"just below a size that thrashed", {thrashing, {}, 89, true}},
            {"the size that thrashed", {thrashing, {}, 90, false}},
            {"above the size that thrashed", {thrashing, {}, 91, false}},
            {"below a size that ran above the limit", {aboveLimit, {}, 119, true}},
            {"the size that ran above the limit", {aboveLimit, {}, 120, false}},
            {"above a size that did not fit", {{ran(8), failed(20)}, {}, 21, false}},
            {"failed below what ran", {{ran(8), failed(4)}, {}, 4, false}},
            {"beside one that failed below what ran", {{ran(8), failed(4)}, {}, 5, true}},
        });
    }
    void identifiesSafeSizes()
    {
        const auto& [trials, list, size, isSafe] = row<Safe>();
        const MiddleOfSearch search(trials, list);
        QCOMPARE(search.safety().isSafe(size), isSafe);
    }

    void predictsTheFitFromSizesThatRan_data()
    {
        rows<std::int64_t, double>({
            {"good", {8, 1.0}},
            {"below a size that thrashed", {89, 1.0}},
            {"the size that thrashed", {90, 0.0}},
            {"above it", {91, 0.0}},
        });
    }
    void predictsTheFitFromSizesThatRan()
    {
        const auto& [size, fit] = row<std::int64_t, double>();
        const MiddleOfSearch search({ran(1), ran(8), thrashed(90)});
        QCOMPARE(search.safety().predictedFit(size), fit);
    }

    void identifiesSizesFarBelowTheLimit_data()
    {
        const Trials few{ran(1), ran(8)};
        rows<Safe>({
            {"a few of many", {few, {}, 12, true}},
            {"half as much again would not be safe", {few, {}, 54, false}},
            {"what is not safe itself", {few, {}, 90, false}},
            {"the largest that is allowed", {few, {1, 8, 24}, 24, true}},
            {"above those allowed", {few, {1, 8, 24}, 30, false}},
            {"no peaks are told", {{withoutPeak(1), withoutPeak(8)}, {}, 12, false}},
            {"nothing ran", {{}, {}, 2, false}},
        });
    }
    void identifiesSizesFarBelowTheLimit()
    {
        const auto& [trials, list, size, isHeld] = row<Safe>();
        const MiddleOfSearch search(trials, list);
        QCOMPARE(search.safety().isHeldByFar(size), isHeld);
    }

    void givesUpOnVoidTrials()
    {
        const Measurement isVoid{.size = 4};
        QVERIFY(MiddleOfSearch({isVoid}).safety().isUsable(4));
        QVERIFY(!MiddleOfSearch({isVoid, isVoid}).safety().isUsable(4));
        QVERIFY(MiddleOfSearch({isVoid, isVoid}).safety().isUsable(5));
    }

    void refusesSizesInFlight()
    {
        MiddleOfSearch search({ran(1), ran(8)});
        QVERIFY(search.safety().mayBeTried(4));
        search.inFlight = {4};
        QVERIFY(!search.safety().mayBeTried(4));
    }

    void probesOnTheWayToARival_data()
    {
        rows<Trials, Sizes>({
            {"three sizes ran", {Trials{ran(1), ran(8), ran(32)}, Sizes{1, 8, 32, 100}}},
            {"just above the limit", {Trials{ran(1), ran(8), ran(64)}, Sizes{1, 8, 64, 101}}},
            {"after a failure", {Trials{ran(1), ran(8), ran(32), failed(200)}, Sizes{1, 8, 32, 100, 200}}},
        });
    }
    void probesOnTheWayToARival()
    {
        const auto& [trials, list] = row<Trials, Sizes>();
        const MiddleOfSearch search(trials, list);
        const std::int64_t ranLargest = search.history.largestGood();
        const std::int64_t wanted = *search.candidates.above(ranLargest);
        const auto probe = search.probe({{.size = wanted, .probability = 0.2}});
        QVERIFY(probe);
        QVERIFY(*probe > ranLargest && *probe < wanted);
        QVERIFY(search.memory->probabilityOfFit(*probe) >= likely);
    }

    void takesOnlyWorthwhileRisks_data()
    {
        const Trials told{ranInLess(8), ranInLess(98)};
        const Trials small{ran(1), ran(8), ran(32)};
        const Rivals hundred{{.size = 100, .probability = 0.3}};
        rows<Probed>({
            {"an even chance, all else told", {told, {8, 98, 100}, hundred, 100}},
            {"less than an even chance",
             {{ran(8), ran(99)}, {8, 99, 102}, {{.size = 102, .probability = 0.3}}}},
            {"after a failure", {{told[0], told[1], failed(300)}, {8, 98, 100, 300}, hundred}},
            {"little to gain", {told, {8, 98, 100}, {{.size = 100, .probability = 0.01}}}},
            {"nothing to gain on the way", {small, {1, 8, 32, 100}, {{.size = 8, .probability = 0.3}}}},
            {"the next size is safe", {small, {1, 8, 32, 40}, {{.size = 40, .probability = 0.3}}}},
            {"the next size is excluded", {{ran(8), ran(98), failed(100)}, {8, 98, 100}}},
            {"nothing ran", {{}, {1, 100}}},
            {"one sample takes most, and its neighbor may fit", {{oneSampleTaking(0.7)}, {}, {}, 2}},
            {"one sample takes most, and its neighbor is not allowed",
             {{oneSampleTaking(0.7)}, {1, 5, 25}, {}, 2}},
            {"one sample takes nearly all", {{oneSampleTaking(0.995)}}},
        });
    }
    void takesOnlyWorthwhileRisks()
    {
        const auto& [trials, list, rivals, next] = row<Probed>();
        QCOMPARE(MiddleOfSearch(trials, list).probe(rivals).value_or(0), next);
    }

    void hasAnEvenChanceInTheTestData()
    {
        const MiddleOfSearch search({ranInLess(8), ranInLess(98)}, {8, 98, 100});
        const double fit = search.memory->probabilityOfFit(100);
        QVERIFY(fit >= even && fit < safe);
    }

    void waitsForLargerSizesInFlight_data()
    {
        rows<std::int64_t, bool>({{"one that ran", {32, false}}, {"one that may fail", {48, true}}});
    }
    void waitsForLargerSizesInFlight()
    {
        const auto& [underWay, waits] = row<std::int64_t, bool>();
        MiddleOfSearch search({ran(1), ran(8), ran(32)}, {1, 8, 32, 100});
        search.inFlight = {underWay};
        QCOMPARE(search.probe({{.size = 100, .probability = 0.3}}).has_value(), !waits);
    }

    void reportsWhenMoreTrialsAreInVain_data()
    {
        const PosteriorSummary::Rival beyond{.size = 100, .probability = 0.3};
        rows<InVain>({
            {"no rival", {{}, {}, true}},
            {"one that cannot be tried", {{beyond}, {}, true}},
            {"one that is under way", {{beyond}, {100}, false}},
            {"one that can be measured again", {{beyond, {.size = 8, .probability = 0.05}}, {}, false}},
            {"one that can be tried", {{beyond, {.size = 48, .probability = 0.05}}, {}, false}},
            {"an unlikely one", {{beyond, {.size = 48, .probability = 0.006}}, {}, true}},
        });
    }
    void reportsWhenMoreTrialsAreInVain()
    {
        const auto& [rivals, inFlight, isInVain] = row<InVain>();
        MiddleOfSearch search({ran(1), ran(8), ran(32)}, {1, 8, 32, 48, 100});
        search.inFlight = inFlight;
        const PosteriorSummary summary{.rivals = rivals};
        QCOMPARE(BoundaryProbe(search.situation(), summary).isInVain(), isInVain);
    }
};

BATCHPEAK_TEST(TrialSafetyTest)
#include "tst_trial_safety.moc"
