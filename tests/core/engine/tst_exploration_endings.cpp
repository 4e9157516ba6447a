// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/event.h"
#include "exploration_harness.h"
#include "fake_root.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <QRegularExpression>
#include <QTest>

using namespace batchpeak;
using namespace std::chrono_literals;
using engine::FinishStatus;
using test::ExplorationHarness;

namespace {

struct Killed
{
    /// Fault of the fake worker.
    Text fault;
    /// File of the counter that the kernel increments; empty for none.
    Text counter;
    Text said;
};

} // namespace

/// Tests all behaviors of a worker, from the start of an exploration to its end.
class ExplorationEndingsTest : public QObject
{
    Q_OBJECT

private slots:
    void distinguishesTheNeedFromTheLimit()
    {
        // The trial needs one allocator block more than may be used.
        ExplorationHarness harness("slope=1740000512");
        QVERIFY(harness.endsAs(FinishStatus::NothingFits));
        QCOMPARE(harness.snapshot().minUsableBytes(), 1'840'000'000);
        static const QRegularExpression numbers(QStringLiteral("needs at least (.+), and (.+) may be used"));
        const auto told = numbers.match(harness.snapshot().failure);
        QVERIFY2(told.hasMatch(), qPrintable(harness.snapshot().failure));
        QVERIFY2(told.captured(1) != told.captured(2), qPrintable(told.captured()));
    }

    void handlesEveryBehavior_data()
    {
        const auto exhausted = FinishStatus::Exhausted;
        const auto add = rows<Text, FinishStatus, Text, int, Text>();
        add("all is well", {"", exhausted, "1 ok, 2 ok, 4 ok", 4, "Trial 3: 4 ran"});
        add("optional fields absent", {"trial=bare", exhausted, "1 ok, 2 ok, 4 ok", 4, ""});
        add("no device described",
            {"start=no-device", exhausted, "1 ok, 2 ok, 4 ok", 4, "of unknown memory"});
        add("no steps reported", {"trial=silent-steps", exhausted, "1 ok, 2 ok, 4 ok", 4, ""});
        add("late answer of an old trial",
            {"trial=late@4", exhausted, "1 ok, 2 ok, 4 ok", 4, "a late answer to trial 2"});
        add("out of memory", {"slope=600000000", exhausted, "1 ok, 2 ok, 4 oom", 2, "4 ran out of memory"});
        add("out of main memory",
            {"trial=host-memory@4", exhausted, "1 ok, 2 ok, 4 oom", 2, "could not give 3.0 GiB more"});
        add("memory comes back late",
            {"short-loads=2", exhausted, "1 ok, 2 ok, 4 ok", 4, "is loaded again when more is free"});
        add("memory does not come back",
            {"short-loads=9", exhausted, "1 ok, 2 ok, 4 ok", 4, "Sizes are chosen by that"});
        add("bound by a setting", {"start=bound", exhausted, "1 ok, 2 ok, 4 ok", 4,
                                   "Your allocator settings apply: fraction:0.5."});
        add("memory stays lost",
            {"trial=lost-memory@2", exhausted, "1 ok, 2 oom, 4 ok", 4, "Trial 3: 4 ran"});
        add("nothing fits", {"slope=1900000000", FinishStatus::NothingFits, "1 oom", 0, "not even 1"});
        add("not even the network fits",
            {"base=1900000000", FinishStatus::NothingFits, "1 oom", 0, "The network alone"});
        add("spilled memory",
            {"trial=spill@4", exhausted, "1 ok, 2 ok, 4 oom", 2, "moved memory to the host"});
        add("above the headroom",
            {"trial=over-headroom@4", exhausted, "1 ok, 2 ok, 4 ok", 4, "within the headroom"});
        add("thrashes", {"trial=thrash@4", exhausted, "1 ok, 2 ok, 4 ok", 2, "thrashes"});
        add("unsupported",
            {"trial=unsupported@4", exhausted, "1 ok, 2 ok, 4 unsupported", 2, "not supported"});
        add("unsupported from the start",
            {"trial=unsupported", FinishStatus::Failed, "1 unsupported", 0, "No trial gave a result"});
        add("took too long", {"trial=timeout@4", exhausted, "1 ok, 2 ok, 4 timeout", 2, "timed out"});
        add("took too long from the start",
            {"trial=timeout", FinishStatus::Failed, "1 timeout", 0, "No trial gave a result"});
        add("crashes once",
            {"trial=kill@2 once", exhausted, "1 ok, 2 crashed, 2 ok, 4 ok", 4, "ended by signal 9"});
        add("crashes at one size",
            {"trial=abort@2", exhausted, "1 ok, 2 crashed, 2 crashed, 4 ok", 4, "2 broke down twice"});
        add("exits in a trial",
            {"trial=exit@2 once", exhausted, "1 ok, 2 crashed, 2 ok, 4 ok", 4, "exit code 1"});
        add("a process of a launcher is killed",
            {"trial=exit137@2 once", exhausted, "1 ok, 2 crashed, 2 ok, 4 ok", 4, "signal 9 (Killed) ended"});
        add("sticky device error", {"trial=exit42@2 once", exhausted, "1 ok, 2 crashed, 2 ok, 4 ok", 4,
                                    "only a fresh process clears"});
        add("crashes always", {"trial=kill", FinishStatus::Failed,
                               "1 crashed, 1 crashed, 2 crashed, 2 crashed, 4 crashed, 4 crashed", 0,
                               "No trial gave a result"});
        add("fails once",
            {"trial=failed@2 once", exhausted, "1 ok, 2 failed, 2 ok, 4 ok", 4, "told to answer so"});
        add("garbage", {"trial=garbage@2 once", exhausted, "1 ok, 2 crashed, 2 ok, 4 ok", 4,
                        "does not keep to the trial protocol"});
        add("endless line", {"trial=long-line@2 once", exhausted, "1 ok, 2 crashed, 2 ok, 4 ok", 4, "1 MiB"});
        add("ok without a step", {"trial=zero-steps@2 once", exhausted, "1 ok, 2 crashed, 2 ok, 4 ok", 4,
                                  "does not keep to the trial protocol"});
        add("wrong id",
            {"trial=wrong-id@2 once", exhausted, "1 ok, 2 crashed, 2 ok, 4 ok", 4, "answered trial 1002"});
        add("wrong size", {"trial=wrong-size@2 once", exhausted, "1 ok, 2 crashed, 2 ok, 4 ok", 4,
                           "for a size of 3 where 2 was asked"});
        add("refuses to start", {"start=refuse", FinishStatus::Failed, "", 0, "refuses to start"});
        add("another protocol",
            {"start=new-version", FinishStatus::Failed, "", 0, "version 4 of the trial protocol"});
        add("speaks otherwise", {"start=garbage", FinishStatus::Failed, "", 0, "trial protocol"});
        add("greets like a library", {"start=greets", exhausted, "1 ok, 2 ok, 4 ok", 4, ""});
        add("does not stop greeting", {"start=chatters", FinishStatus::Failed, "", 0,
                                       "The line is not JSON from byte 1 on: \"Welcome to the library!\""});
        add("dies at once",
            {"start=exit complain=no_driver_here", FinishStatus::Failed, "", 0, "no_driver_here"});
        add("cannot load", {"load=error", FinishStatus::Failed, "", 0, "cannot load this network"});
        add("dies while loading", {"load=exit", FinishStatus::Failed, "", 0, "exit code 8"});
        add("does not heed the end", {"ignore-end ignore-terminate", exhausted, "1 ok, 2 ok, 4 ok", 4, ""});
    }
    void handlesEveryBehavior()
    {
        const auto& [words, status, trials, recommended, said] = row<Text, FinishStatus, Text, int, Text>();

        ExplorationHarness harness(words);
        // Only the rows that ignore the end wait for these timeouts.
        harness.parts.timeouts.quit = words.contains(QLatin1String("ignore")) ? 50ms : 10s;
        harness.parts.timeouts.terminate = 50ms;
        harness.parts.timeouts.untilMemoryIsBack = 1ms;
        harness.parts.timeouts.loadsForMemory = 3;
        QVERIFY(harness.runToEnd());

        const engine::Snapshot& snapshot = harness.snapshot();
        QVERIFY2(snapshot.finish == status, qPrintable(harness.log()));
        QCOMPARE(harness.trials(), trials);
        QCOMPARE(snapshot.state,
                 status == FinishStatus::Failed ? engine::State::Failed : engine::State::Finished);
        QCOMPARE(snapshot.searchState.recommendation ? snapshot.searchState.recommendation->size : 0,
                 recommended);
        VERIFY_CONTAINS(harness.log(), said);
        QCOMPARE(snapshot.failure.isEmpty(), recommended > 0);
        QCOMPARE(harness.finishedSignals(), 1);
        QVERIFY(harness.isNoWorkerLeft());
    }

    void reportsKillsByTheKernel_data()
    {
        const auto add = rows<Killed>();
        const char* const own = "sys/fs/cgroup/own/memory.events";
        const char* const launched = "sys/fs/cgroup/jobs/step/memory.events";
        add("of the own group", {"kill", own, "may hold no more than 8.0 GiB of main memory"});
        add("of a launcher's group", {"kill", launched, "may hold no more than 4.0 GiB of main memory"});
        add("of a launcher's process", {"exit137", launched, "may hold no more than 4.0 GiB of main memory"});
        add("of the computer", {"kill", "proc/vmstat", "had no main memory left"});
        add("by another process", {"kill", "", "ended by signal 9"});
        add("of another group", {"kill", "sys/fs/cgroup/other/memory.events", "ended by signal 9"});
    }
    void reportsKillsByTheKernel()
    {
        const auto& [fault, counter, said] = row<Killed>();
        const test::FakeRoot root;
        const bool hasGroups = counter != QLatin1String("proc/vmstat");
        if (hasGroups) {
            QVERIFY(root.write(QStringLiteral("proc/self/cgroup"), "0::/own\n"));
            QVERIFY(root.write(QStringLiteral("sys/fs/cgroup/own/memory.max"), "8589934592\n"));
            QVERIFY(root.write(QStringLiteral("sys/fs/cgroup/own/memory.events"), "oom_kill 3\n"));
            QVERIFY(root.write(QStringLiteral("sys/fs/cgroup/jobs/step/memory.max"), "4294967296\n"));
            QVERIFY(root.write(QStringLiteral("sys/fs/cgroup/jobs/step/memory.events"), "oom_kill 3\n"));
        }
        QVERIFY(root.write(QStringLiteral("proc/vmstat"), "oom_kill 3\n"));
        ExplorationHarness harness(QStringLiteral("trial=%1@2 once").arg(fault));
        harness.parts.memoryKills = [&root] { return device::MemoryKills(root.path()); };
        // The worker is put into its group once it has said hello, and killed in its second trial.
        engine::onEvent<engine::DeviceReady>(
            harness.exploration(), &harness, [&, isLaunched = hasGroups](const engine::DeviceReady& ready) {
                if (isLaunched)
                    root.write(QStringLiteral("proc/%1/cgroup").arg(ready.device.workerPid),
                               "0::/jobs/step\n");
            });
        engine::onEvent<engine::TrialStarted>(harness.exploration(), &harness,
                                              [&, file = counter](const engine::TrialStarted& started) {
                                                  if (started.trial.microBatchSize == 2 && !file.isEmpty())
                                                      root.write(file, "oom_kill 4\n");
                                              });
        QVERIFY(harness.runToEnd());
        QCOMPARE(harness.trials(), QStringLiteral("1 ok, 2 crashed, 2 ok, 4 ok"));
        VERIFY_CONTAINS(harness.log(), said);
    }

    // The worker reports the number of steps, but not each step.
    void limitsStepsToThoseRequested()
    {
        ExplorationHarness harness("trial=bare line=largest:result:/steps", {1});
        QVERIFY2(harness.endsAs(FinishStatus::Exhausted), qPrintable(harness.log()));
        QCOMPARE(harness.told.front().steps, 3);
        QCOMPARE(harness.snapshot().trials.front().timedSteps, 3);
    }

    void limitsSamplesToRequestedSteps()
    {
        ExplorationHarness harness("trial=energy line=miscounted:result", {1});
        QVERIFY2(harness.endsAs(FinishStatus::Exhausted), qPrintable(harness.log()));
        QCOMPARE(harness.snapshot().trials.front().timedSteps, 3);
        // The fake worker uses 2 J per requested sample.
        QCOMPARE(harness.snapshot().trials.front().joulesPerSample, std::optional(2.0));
    }

    void timesOutOnSilence_data()
    {
        const auto add = rows<Text, FinishStatus, Text, Text>();
        add("no hello", {"start=silent", FinishStatus::Failed, "", "did not say hello"});
        add("never loaded", {"load=silent", FinishStatus::Failed, "", "did not load"});
        add("hangs once",
            {"trial=hang@2 once", FinishStatus::Exhausted, "1 ok, 2 timeout, 2 ok, 4 ok", "gave no answer"});
        add("hangs and heeds nothing", {"trial=hang@2 ignore-terminate ignore-end", FinishStatus::Exhausted,
                                        "1 ok, 2 timeout, 2 timeout, 4 ok", "gave no answer"});
    }
    void timesOutOnSilence()
    {
        const auto& [words, status, trials, said] = row<Text, FinishStatus, Text, Text>();

        ExplorationHarness harness(words);
        // Long enough for a busy computer to start a process, short enough to wait for.
        harness.parts.timeouts.startUp = words.contains(QLatin1String("start")) ? 300ms : 20s;
        harness.parts.timeouts.load = words.contains(QLatin1String("load")) ? 300ms : 20s;
        // Reduces the time limit of a trial without a prediction to 0.5 s.
        harness.parts.timeouts.trialGrace = -299500ms;
        harness.parts.timeouts.quit = harness.parts.timeouts.terminate = 50ms;
        QVERIFY2(harness.endsAs(status), qPrintable(harness.log()));
        QCOMPARE(harness.trials(), trials);
        VERIFY_CONTAINS(harness.log(), said);
        QVERIFY(harness.isNoWorkerLeft());
    }
};

BATCHPEAK_TEST(ExplorationEndingsTest)
#include "tst_exploration_endings.moc"
