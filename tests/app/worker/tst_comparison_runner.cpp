// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "scripted_clock.h"
#include "scripted_steps.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "trial/protocol.h"
#include "worker/comparison_runner.h"

#include <QTest>

#include <memory>
#include <vector>

using namespace batchpeak;
using namespace batchpeak::trial;
using namespace batchpeak::worker;

namespace {

CompareRequest comparison()
{
    return {.id = 8, .microBatchSizes = {24, 28, 32}, .visits = 2, .steps = 3, .untimedSteps = 1};
}

using Change = std::function<void(ScriptedSteps&, CompareRequest&)>;

} // namespace

class ComparisonRunnerTest : public QObject, ScriptedSurroundings
{
    Q_OBJECT

    Answer<TrialResult> answerOf(ScriptedSteps& steps, const CompareRequest& request,
                                 int cancelAfter = 1'000'000)
    {
        return runComparison(request, steps, m_clock, m_gates, context(cancelAfter));
    }

private slots:
    void init()
    {
        m_clock.wall = 100.0;
        m_gates.clear();
    }

    void compares()
    {
        ScriptedSteps steps(m_clock);
        steps.first.clear();
        const auto [result, interruption] = answerOf(steps, comparison());
        QVERIFY(!interruption);
        QCOMPARE(toText(result.outcome), toText(Outcome::Ok));
        QCOMPARE(result.id, 8);
        QCOMPARE(result.microBatchSize, 0);
        // Each size starts with an empty cache; then the visits go forward and back without a flush.
        QCOMPARE(steps.sizes, (std::vector<std::int64_t>{24, 28, 32, 24, 28, 32, 32, 28, 24}));
        QCOMPARE(steps.flushes, (std::vector{0, 3, 6}));
        QCOMPARE(steps.chains, (std::vector{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3}));

        QCOMPARE(result.compared.size(), std::size_t{3});
        QCOMPARE(result.compared[0].peakReservedBytes, 1000);
        QCOMPARE(result.compared[1].peakReservedBytes, 1028);
        QCOMPARE(result.compared[2].peakReservedBytes, 1032);
        for (std::size_t place = 0; place < 3; ++place) {
            const ComparedSize& size = result.compared[place];
            QCOMPARE(size.microBatchSize, comparison().microBatchSizes[place]);
            QCOMPARE(size.allocationRetries, 0);
            QCOMPARE(size.visits.size(), std::size_t{2});
            // The comparison begins ten seconds after hello. Before the timed steps of a visit come nine
            // untimed steps at the start, four steps of each earlier visit, and one untimed step of its own.
            const auto visitsBefore = static_cast<double>(place);
            QCOMPARE(size.visits[0].clockSeconds, 10.0 + 0.2 * (9 + 4 * visitsBefore + 1));
            QCOMPARE(size.visits[1].clockSeconds, 10.0 + 0.2 * (9 + 4 * (5 - visitsBefore) + 1));
            for (const Visit& visit : size.visits) {
                QCOMPARE(visit.seconds, 0.6);
                QCOMPARE(visit.stepSeconds.size(), std::size_t{3});
                QCOMPARE(visit.stepSeconds.front(), 0.18);
            }
        }
        QCOMPARE(*result.optimizerSeconds, 0.02);
        QCOMPARE(result.wallSeconds, 0.2 * (9 + 24));
        QVERIFY(result.flags.empty());
        QCOMPARE(m_reported.size(), std::size_t{9 + 24});
        QCOMPARE(m_reported[9].phase, StepPhase::Warmup);
        QCOMPARE(m_reported[10].phase, StepPhase::Timed);
        QCOMPARE(m_reported[10].index, 10);
    }

    void reversesTheOrderAfterEachRound()
    {
        ScriptedSteps steps(m_clock);
        answerOf(steps, {.microBatchSizes = {1, 2}, .visits = 3, .steps = 1, .untimedSteps = 0});
        QCOMPARE(steps.sizes, (std::vector<std::int64_t>{1, 2, 1, 2, 2, 1, 1, 2}));
        QCOMPARE(steps.chains.size(), std::size_t{6 + 6});
    }

    void endsWithTheRightOutcome_data()
    {
        const int never = 1'000'000;
        const auto add = rows<Change, int, Outcome, std::int64_t, std::size_t, bool>();
        const auto failsAt = [](int step) {
            return [step](ScriptedSteps& s, auto&) { s.failingStep = step; };
        };
        add("out of memory by the inputs", {[](ScriptedSteps& s, auto&) { s.failsToPrepare = true; }, never,
                                            Outcome::OutOfMemory, 24, 0, true});
        add("out of memory at first", {failsAt(0), never, Outcome::OutOfMemory, 24, 0, true});
        add("out of memory at the second size", {failsAt(4), never, Outcome::OutOfMemory, 28, 0, true});
        add("out of memory in a visit", {failsAt(14), never, Outcome::OutOfMemory, 28, 1, true});
        add("out of memory on the way back", {failsAt(22), never, Outcome::OutOfMemory, 32, 3, true});
        add("spilled alone", {[](ScriptedSteps& s, auto&) { s.spillingStep = -1; }, never,
                              Outcome::OutOfMemory, 24, 0, false});
        add("another failure", {[](ScriptedSteps& s, auto&) {
                                    s.failingStep = 14;
                                    s.failure.outcome = Outcome::Failed;
                                },
                                never, Outcome::Failed, 28, 1, true});
        add("time is up at first", {[](auto&, CompareRequest& r) { r.timeLimitSeconds = 0.5; }, never,
                                    Outcome::Timeout, 24, 0, true});
        add("time is up within a visit", {[](auto&, CompareRequest& r) { r.timeLimitSeconds = 2.9; }, never,
                                          Outcome::Timeout, 28, 1, true});
        add("cancelled before the first step", {[](auto&, auto&) {}, 0, Outcome::Cancelled, 24, 0, false});
        add("cancelled at first", {[](auto&, auto&) {}, 4, Outcome::Cancelled, 28, 0, false});
        add("cancelled between two visits", {[](auto&, auto&) {}, 13, Outcome::Cancelled, 28, 1, false});
        add("cancelled within a visit", {[](auto&, auto&) {}, 18, Outcome::Cancelled, 32, 2, false});
        add("steps that take no time", {[](ScriptedSteps& s, auto&) {
                                            s.first.clear();
                                            s.usual = 0;
                                        },
                                        never, Outcome::Failed, 24, 0, false});
    }
    void endsWithTheRightOutcome()
    {
        const auto& [change, cancelAfter, outcome, size, visits, interrupted] =
            row<Change, int, Outcome, std::int64_t, std::size_t, bool>();
        ScriptedSteps scripted(m_clock);
        scripted.first.clear();
        CompareRequest request = comparison();
        change(scripted, request);
        const Answer<TrialResult> end = answerOf(scripted, request, cancelAfter);
        QCOMPARE(toText(end.result.outcome), toText(outcome));
        QCOMPARE(end.result.microBatchSize, size);
        QCOMPARE(end.interruption.has_value(), interrupted);
        std::size_t visited = 0;
        for (const ComparedSize& compared : end.result.compared)
            visited += compared.visits.size();
        QCOMPARE(visited, visits);
        QVERIFY2(std::holds_alternative<WorkerMessage>(parseWorkerMessage(toLine(end.result))),
                 toLine(end.result).c_str());
    }

    void reportsTheMemoryThatAFailedSizeNeeds()
    {
        ScriptedSteps steps(m_clock);
        steps.failingStep = 4;
        const Answer<TrialResult> end = answerOf(steps, comparison());
        QCOMPARE(end.result.peakReservedBytes, 5000);
        QCOMPARE(end.result.text, "refused");
    }

    // No size fails: each fits alone, but all of them together do not.
    void flagsThrashing_data()
    {
        rows<int, std::vector<std::int64_t>>(
            {{"at first, alone", {7, {0, 0, 0}}}, {"in a visit of the second", {14, {0, 1, 0}}}});
    }
    void flagsThrashing()
    {
        const auto& [retryingStep, retries] = row<int, std::vector<std::int64_t>>();
        ScriptedSteps steps(m_clock);
        steps.retryingStep = retryingStep;
        const TrialResult result = answerOf(steps, comparison()).result;
        QCOMPARE(toText(result.outcome), toText(Outcome::Ok));
        for (std::size_t place = 0; place < retries.size(); ++place) {
            QCOMPARE(result.compared[place].allocationRetries, retries[place]);
            QCOMPARE(result.compared[place].visits.size(), std::size_t{2});
        }
        const bool thrashes = retryingStep > 9;
        QCOMPARE(result.allocationRetries, thrashes ? 1 : 0);
        QCOMPARE(result.flags, thrashes ? std::vector<std::string>{"thrashes"} : std::vector<std::string>{});
    }

    void flagsSizesThatSpillTogether()
    {
        ScriptedSteps steps(m_clock);
        steps.spillingStep = 14;
        const TrialResult result = answerOf(steps, comparison()).result;
        QCOMPARE(toText(result.outcome), toText(Outcome::Ok));
        QCOMPARE(result.flags, std::vector<std::string>{"thrashes"});
    }

    void asksItsGates()
    {
        ScriptedSteps steps(m_clock);
        QByteArray heard;
        m_gates.push_back(std::make_unique<ScriptedGate>(heard));
        const TrialResult result =
            answerOf(steps, {.microBatchSizes = {1, 2}, .visits = 2, .steps = 3}).result;
        QCOMPARE(heard, "begin pause" + QByteArray(" resume look pause").repeated(4) + " end:12");
        QCOMPARE(result.flags, (std::vector<std::string>{"disturbed: heat", "disturbed: noise"}));
        QCOMPARE(result.readings.temperatureCelsius, 71.0);
        // The energy of all sizes together belongs to no single size.
        QVERIFY(!result.readings.energyJoules);
    }

    void asksNoGateAboutAComparisonThatEndsEarly()
    {
        ScriptedSteps steps(m_clock);
        steps.failingStep = 14;
        QByteArray heard;
        m_gates.push_back(std::make_unique<ScriptedGate>(heard));
        const TrialResult result = answerOf(steps, comparison()).result;
        QCOMPARE(heard, "begin pause resume look pause resume");
        QVERIFY(result.flags.empty());
    }
};

BATCHPEAK_TEST(ComparisonRunnerTest)
#include "tst_comparison_runner.moc"
