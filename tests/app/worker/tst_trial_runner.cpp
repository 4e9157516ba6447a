// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "scripted_clock.h"
#include "scripted_steps.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "worker/trial_runner.h"

#include <QTest>

#include <vector>

using namespace batchpeak;
using namespace batchpeak::trial;
using namespace batchpeak::worker;

namespace {

using Change = std::function<void(ScriptedSteps&, TrialRequest&)>;

} // namespace

class TrialRunnerTest : public QObject, ScriptedSurroundings
{
    Q_OBJECT

    Answer<TrialResult> answerOf(ScriptedSteps& steps, const TrialRequest& request,
                                 int cancelAfter = 1'000'000)
    {
        return runTrial(request, steps, m_clock, m_gates, context(cancelAfter));
    }

private slots:
    void init()
    {
        m_clock.wall = 100.0;
        m_gates.clear();
    }

    void measures()
    {
        ScriptedSteps steps(m_clock);
        const auto [result, interruption] = answerOf(steps, {.id = 7, .microBatchSize = 96});
        QVERIFY(!interruption);
        QCOMPARE(toText(result.outcome), toText(Outcome::Ok));
        QCOMPARE(result.id, 7);
        QCOMPARE(result.microBatchSize, 96);
        // Warm-up ends when the second and third step both take 0.2 s. The minimum number of steps follows,
        // since it takes more than 0.4 s.
        QCOMPARE(steps.stepsBeforeReset, 3);
        QCOMPARE(result.steps, 5);
        QCOMPARE(result.samples, 480);
        QCOMPARE(result.stepSeconds.size(), std::size_t{5});
        QCOMPARE(result.secondsPerStep, 0.18);
        QCOMPARE(*result.forwardSeconds, 0.06);
        QCOMPARE(*result.backwardSeconds, 0.12);
        QCOMPARE(*result.optimizerSeconds, 0.02);
        QVERIFY(*result.relativeError < 1e-9);
        QCOMPARE(result.peakAllocatedBytes, 900);
        QCOMPARE(result.peakReservedBytes, 1000);
        QCOMPARE(result.allocationRetries, 0);
        QCOMPARE(result.wallSeconds, 2.4);
        QVERIFY(result.flags.empty());
        // The hello was sent ten seconds before the trial, and warm-up took 1.4 s.
        QCOMPARE(*result.clockSeconds, 11.4);
        QCOMPARE(m_reported.size(), std::size_t{8});
        QCOMPARE(m_reported[2].phase, StepPhase::Warmup);
        QCOMPARE(m_reported[3].phase, StepPhase::Timed);
        QCOMPARE(m_reported[3].index, 0);
    }

    void timesAsManyStepsAsItNeeds_data()
    {
        rows<double, int>({{"slow: minimum of steps", {1.0, 5}},
                           {"until 0.4 s are measured", {0.03, 15}},
                           {"fast: maximum of steps", {0.001, 24}}});
    }
    void timesAsManyStepsAsItNeeds()
    {
        const auto& [stepSeconds, expected] = row<double, int>();
        ScriptedSteps steps(m_clock);
        steps.first.clear();
        steps.usual = stepSeconds;
        QCOMPARE(answerOf(steps, {}).result.steps, expected);
    }

    void waitsForTheDeviceOncePerChain()
    {
        ScriptedSteps steps(m_clock);
        steps.usual = 0.001;
        steps.first = {0.01};
        answerOf(steps, {});
        QCOMPARE(steps.chains, (std::vector{1, 1, 1, 24}));
    }

    void endsWithTheRightOutcome_data()
    {
        const int never = 1'000'000;
        const auto add = rows<Change, int, Outcome, int, bool>();
        add("abandoned after three steps",
            {[](auto&, TrialRequest& r) { r.abandonAboveSeconds = 0.17; }, never, Outcome::Ok, 3, false});
        add("not abandoned: one step was fast enough", {[](ScriptedSteps& s, TrialRequest& r) {
                                                            s.first = {1.0, 0.2, 0.2, 0.1};
                                                            r.abandonAboveSeconds = 0.17;
                                                        },
                                                        never, Outcome::Ok, 5, false});
        add("out of memory in warm-up",
            {[](ScriptedSteps& s, auto&) { s.failingStep = 0; }, never, Outcome::OutOfMemory, 0, true});
        add("out of memory when timed",
            {[](ScriptedSteps& s, auto&) { s.failingStep = 5; }, never, Outcome::OutOfMemory, 2, true});
        add("out of memory by the inputs",
            {[](ScriptedSteps& s, auto&) { s.failsToPrepare = true; }, never, Outcome::OutOfMemory, 0, true});
        add("spilled",
            {[](ScriptedSteps& s, auto&) { s.spillingStep = -1; }, never, Outcome::OutOfMemory, 5, false});
        add("time is up within the first step",
            {[](auto&, TrialRequest& r) { r.timeLimitSeconds = 0.5; }, never, Outcome::Timeout, 0, true});
        add("time is up within a timed step",
            {[](auto&, TrialRequest& r) { r.timeLimitSeconds = 1.75; }, never, Outcome::Timeout, 2, true});
        add("cancelled before the first step", {[](auto&, auto&) {}, 0, Outcome::Cancelled, 0, true});
        add("cancelled in warm-up", {[](auto&, auto&) {}, 2, Outcome::Cancelled, 0, false});
        add("cancelled when timed", {[](auto&, auto&) {}, 5, Outcome::Cancelled, 2, false});
        add("steps that take no time", {[](ScriptedSteps& s, auto&) {
                                            s.first.clear();
                                            s.usual = 0;
                                        },
                                        never, Outcome::Failed, 24, false});
    }
    void endsWithTheRightOutcome()
    {
        const auto& [change, cancelAfter, outcome, steps, interrupted] =
            row<Change, int, Outcome, int, bool>();
        ScriptedSteps scripted(m_clock);
        TrialRequest request{.id = 1, .microBatchSize = 2};
        change(scripted, request);
        const Answer<TrialResult> end = answerOf(scripted, request, cancelAfter);
        QCOMPARE(toText(end.result.outcome), toText(outcome));
        QCOMPARE(end.result.steps, steps);
        QCOMPARE(end.interruption.has_value(), interrupted);
        QVERIFY2(std::holds_alternative<WorkerMessage>(parseWorkerMessage(toLine(end.result))),
                 toLine(end.result).c_str());
    }

    void reportsTheMemoryThatAFailedSizeNeeds()
    {
        ScriptedSteps steps(m_clock);
        steps.failingStep = 4;
        const Answer<TrialResult> end = answerOf(steps, {});
        QCOMPARE(end.result.peakReservedBytes, 5000);
        QCOMPARE(end.result.text, "refused");
    }

    void flagsThrashing_data()
    {
        rows<int, bool>({{"in warm-up: all first steps may", {1, false}}, {"when timed", {5, true}}});
    }
    void flagsThrashing()
    {
        const auto& [retryingStep, flagged] = row<int, bool>();
        ScriptedSteps steps(m_clock);
        steps.retryingStep = retryingStep;
        const TrialResult result = answerOf(steps, {}).result;
        QCOMPARE(result.allocationRetries, flagged ? 1 : 0);
        QCOMPARE(result.flags, flagged ? std::vector<std::string>{"thrashes"} : std::vector<std::string>{});
    }

    void flagsAbandoning()
    {
        ScriptedSteps steps(m_clock);
        QCOMPARE(answerOf(steps, {.abandonAboveSeconds = 0.1}).result.flags,
                 std::vector<std::string>{"abandoned"});
    }

    // GradScaler halves the scale of the loss and skips the optimizer step if a scaled gradient is infinite.
    void repeatsStepsThatTheOptimizerSkipped_data()
    {
        rows<std::vector<int>>({{"in warm-up", {{0, 1, 2}}}, {"when timed", {{4, 6}}}});
    }
    void repeatsStepsThatTheOptimizerSkipped()
    {
        ScriptedSteps steps(m_clock);
        steps.leftOut = row<std::vector<int>>();
        const TrialResult result = answerOf(steps, {}).result;
        QCOMPARE(result.steps, 5);
        QCOMPARE(*result.optimizerSeconds, 0.02);
        QVERIFY(result.flags.empty());
        QCOMPARE(m_reported.size(), std::size_t{8});
    }

    void flagsATrialWithoutOptimizerSteps()
    {
        ScriptedSteps steps(m_clock);
        steps.leftOutFrom = 0;
        const TrialResult result = answerOf(steps, {}).result;
        QCOMPARE(toText(result.outcome), toText(Outcome::Ok));
        QCOMPARE(result.steps, 5);
        QVERIFY(!result.optimizerSeconds);
        QCOMPARE(result.flags, std::vector<std::string>{"without all optimizer steps"});
    }

    void asksItsGates()
    {
        ScriptedSteps steps(m_clock);
        QByteArray heard;
        m_gates.push_back(std::make_unique<ScriptedGate>(heard));
        const TrialResult result = answerOf(steps, {}).result;
        QCOMPARE(heard, "begin look look look look look end:5");
        QCOMPARE(result.readings.energyJoules, 12.0);
        QCOMPARE(result.flags, (std::vector<std::string>{"disturbed: heat", "disturbed: noise"}));
    }

    void asksNoGateAboutATrialThatEndsEarly()
    {
        ScriptedSteps steps(m_clock);
        steps.failingStep = 5;
        QByteArray heard;
        m_gates.push_back(std::make_unique<ScriptedGate>(heard));
        const TrialResult result = answerOf(steps, {}).result;
        QCOMPARE(heard, "begin look look");
        QVERIFY(result.flags.empty());
        QVERIFY(result.readings == TrialReadings{});
    }
};

BATCHPEAK_TEST(TrialRunnerTest)
#include "tst_trial_runner.moc"
