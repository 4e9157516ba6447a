// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exact_device.h"
#include "strategy_rows.h"
#include "support/test_main.h"

#include <QTest>

#include <algorithm>
#include <string>

using namespace batchpeak::search;
using batchpeak::trial::Outcome;
using exact::Sizes;
using exact::TrialOf;

namespace {

/// Returns thousands of tokens/s of one GPU, as a user reported them for 8 x B200. At 64 the allocator
/// retried 16 times.
double speedOfB200(std::int64_t size)
{
    if (size >= 64)
        return 10.0;
    if (size >= 62)
        return 29.3;
    const double few = static_cast<double>(std::min<std::int64_t>(size, 30));
    return 30.4 * few / (few + 0.3) * 30.3 / 30.0;
}

constexpr std::int64_t outOfMemoryAtB200 = 66;

Measurement ofB200(const Proposal& proposal)
{
    if (proposal.size >= outOfMemoryAtB200)
        return exact::outOfMemory(proposal.size);
    Measurement trial = exact::trial(proposal.size, 0.0);
    trial.secondsPerStep = static_cast<double>(proposal.size) / speedOfB200(proposal.size);
    trial.stepSeconds.assign(5, trial.secondsPerStep);
    trial.thrashes = proposal.size >= 64;
    return trial;
}

/// Returns a device on which sizes from \p first to \p last end with \p outcome.
TrialOf failingBetween(std::int64_t first, std::int64_t last, Outcome outcome, const TrialOf& otherwise)
{
    return [=](const Proposal& proposal) {
        const bool fails = proposal.size >= first && proposal.size <= last;
        return fails ? Measurement{.size = proposal.size, .outcome = outcome, .wallSeconds = 1.0}
                     : otherwise(proposal);
    };
}

/// Searches like the engine: immediately repeats a trial that broke down, and records both.
Sizes searchAsTheEngine(Strategy& strategy, const TrialOf& run)
{
    Sizes sizes;
    while (const auto proposal = strategy.next({})) {
        Measurement trial = run(*proposal);
        sizes.push_back(proposal->size);
        if (trial.saysNothing()) {
            sizes.push_back(proposal->size);
            strategy.record(trial);
            trial = run(*proposal);
        }
        strategy.record(trial);
    }
    return sizes;
}

bool searchesUpToTheLimit(std::string_view strategy)
{
    return looksForTheFastest(strategy) || strategy == "binary";
}

} // namespace

/// Tests devices that users have reported.
class ReportedDevicesTest : public QObject
{
    Q_OBJECT

private slots:
    void avoidsThrashingSizes_data()
    {
        const auto add = rows<std::string, std::int64_t>();
        for (const std::string_view name : strategyNames()) {
            for (const std::int64_t batch : {1, 64})
                add(std::string(name) + ", batch " + std::to_string(batch), {std::string(name), batch});
        }
    }
    void avoidsThrashingSizes()
    {
        const auto& [name, batch] = row<std::string, std::int64_t>();
        SearchSpace space = exact::spaceFor(outOfMemoryAtB200 - 1);
        space.perDeviceBatch = batch;
        const auto strategy = makeStrategy(name, space);
        exact::searchWith(*strategy, ofB200);
        const SearchState& state = strategy->searchState();
        QVERIFY(state.recommendation);
        QVERIFY2(state.recommendation->size < 62, QByteArray::number(qint64{state.recommendation->size}));
        for (const SizeEstimate& estimate : state.estimates)
            QVERIFY(estimate.size < 64);
        QVERIFY(state.largestPredictedFit < outOfMemoryAtB200);
        if (looksForTheFastest(name))
            QVERIFY2(state.recommendation->size <= 30 || state.recommendation->smallestWithinTolerance <= 30,
                     QByteArray::number(qint64{state.recommendation->size}));
    }

    // For example, a convolution needs a large workspace at a small size.
    void continuesAboveOneFailingSize_data()
    {
        const auto add = rows<std::string, std::int64_t, bool>();
        for (const std::string_view name : strategyNames()) {
            for (const std::int64_t odd : {4, 8}) {
                for (const bool always : {false, true})
                    add(std::string(name) + ", " + std::to_string(odd) + (always ? " always" : " once"),
                        {std::string(name), odd, always});
            }
        }
    }
    void continuesAboveOneFailingSize()
    {
        const auto& [name, odd, always] = row<std::string, std::int64_t, bool>();
        SearchSpace space = exact::spaceFor(60);
        space.perDeviceBatch = 16;
        const TrialOf runs = exact::deviceWith(space, 8.0);
        const auto strategy = makeStrategy(name, space);
        int failures = 0;
        const Sizes sizes = exact::searchWith(*strategy, [&, size = odd, fails = always](const Proposal& p) {
            if (p.size != size || (failures > 0 && !fails))
                return runs(p);
            ++failures;
            return exact::outOfMemory(p.size);
        });
        QVERIFY(strategy->searchState().recommendation->size >= 16);
        QVERIFY(std::ranges::count(sizes, 16) > 0 || strategy->searchState().recommendation->size > 16);
        QVERIFY(failures <= 2);
    }

    void continuesAboveSeveralFailingSizes_data() { addStrategies(); }
    void continuesAboveSeveralFailingSizes()
    {
        const std::string& name = row<std::string>();
        SearchSpace space = exact::spaceFor(60);
        space.perDeviceBatch = 16;
        const auto strategy = makeStrategy(name, space);
        const Sizes sizes = exact::searchWith(
            *strategy, failingBetween(4, 12, Outcome::OutOfMemory, exact::deviceWith(space, 8.0)));
        QVERIFY(strategy->searchState().recommendation->size >= 16);
        QVERIFY(std::ranges::count_if(sizes, [](std::int64_t size) { return size >= 4 && size <= 12; }) <= 3);
    }

    // For example, a kernel that counts in 32 bits makes an illegal memory access; each one ends its process.
    void treatsCrashesAsALimit_data()
    {
        const auto add = rows<std::string, std::int64_t>();
        for (const std::string_view name : strategyNames()) {
            for (const std::int64_t first : {7, 60, 100, 200})
                add(std::string(name) + ", from " + std::to_string(first), {std::string(name), first});
        }
    }
    void treatsCrashesAsALimit()
    {
        const auto& [name, first] = row<std::string, std::int64_t>();
        SearchSpace space = exact::spaceFor(300);
        space.perDeviceBatch = 256;
        const auto strategy = makeStrategy(name, space);
        const Sizes sizes = searchAsTheEngine(
            *strategy, failingBetween(first, space.maximum, Outcome::Crashed, exact::deviceWith(space, 8.0)));
        const SearchState& state = strategy->searchState();
        QVERIFY(state.recommendation);
        QVERIFY(state.recommendation->size < first);
        QVERIFY(state.recommendation->size >= (searchesUpToTheLimit(name) ? 3 * first / 4 : 1));
        // The search ended because of the crashes, not because of memory.
        QVERIFY(state.recommendation->reason.kind != Reason::Kind::MemoryEnds);
        QVERIFY(state.recommendation->reason.kind != Reason::Kind::AllTried);
        const auto broken = std::ranges::count_if(sizes, [&](std::int64_t size) { return size >= first; });
        QVERIFY2(broken <= 14, QByteArray::number(qint64{broken}));
        for (const std::int64_t size : sizes)
            QVERIFY(size < first || std::ranges::count(sizes, size) == 2);
        if (searchesUpToTheLimit(name))
            QVERIFY(state.smallestFailure >= first);
    }

    void leavesOutOneSizeThatBreaksDown_data()
    {
        const auto add = rows<std::string, Outcome>();
        for (const std::string_view name : strategyNames()) {
            for (const Outcome outcome : {Outcome::Crashed, Outcome::Failed})
                add(std::string(name) + ", " + std::string(toText(outcome)), {std::string(name), outcome});
        }
    }
    void leavesOutOneSizeThatBreaksDown()
    {
        const auto& [name, outcome] = row<std::string, Outcome>();
        SearchSpace space = exact::spaceFor(300);
        space.perDeviceBatch = 256;
        const auto strategy = makeStrategy(name, space);
        const Sizes sizes =
            searchAsTheEngine(*strategy, failingBetween(8, 8, outcome, exact::deviceWith(space, 8.0)));
        QVERIFY(strategy->searchState().recommendation->size > 200);
        QVERIFY(std::ranges::count(sizes, 8) <= 2);
    }

    // Without any information about memory, each out-of-memory failure is believed.
    void believesEachFailureWithoutPeaks_data() { addStrategies(); }
    void believesEachFailureWithoutPeaks()
    {
        SearchSpace space = exact::spaceFor(300);
        space.perDeviceBatch = 16;
        const auto strategy = makeStrategy(row<std::string>(), space);
        const Sizes sizes = exact::searchWith(*strategy, [](const Proposal& p) {
            Measurement trial = p.size >= 8 ? exact::outOfMemory(p.size) : exact::trial(p.size, 8.0);
            trial.peakReservedBytes = 0;
            return trial;
        });
        for (const std::int64_t size : sizes)
            QVERIFY(size < 8 || std::ranges::count(sizes, size) == 1);
    }
};

BATCHPEAK_TEST(ReportedDevicesTest)
#include "tst_reported_devices.moc"
