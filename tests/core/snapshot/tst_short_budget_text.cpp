// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/failure_text.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak;
using namespace batchpeak::engine;

namespace {

struct Case
{
    QString program;
    std::vector<trial::TrialRecord> trials;
    double elapsedSeconds = 20.0;
    const char* text = "";
};

Snapshot snapshotOf(const Case& c)
{
    Snapshot snapshot;
    snapshot.devices = {{.id = QStringLiteral("cpu"), .program = c.program}};
    snapshot.trials = c.trials;
    snapshot.elapsedSeconds = c.elapsedSeconds;
    return snapshot;
}

trial::TrialRecord cancelled(int warmupSteps, int timedSteps, double wallSeconds)
{
    return {.number = 1,
            .microBatchSize = 4,
            .outcome = trial::Outcome::Cancelled,
            .warmupSteps = warmupSteps,
            .timedSteps = timedSteps,
            .wallSeconds = wallSeconds};
}

} // namespace

class ShortBudgetTextTest : public QObject
{
    Q_OBJECT

private slots:
    void reportsHowFarTheTrialCame_data()
    {
        const QString worker = QStringLiteral("batchpeak-worker 0.1.0");
        const auto add = rows<Case>();
        add("starting",
            {.text = "The time budget (20 s) was too short for one trial of size 2: the worker was "
                     "still starting. Give it 2 min or more (--time-budget 2m)."});
        add("loading",
            {.program = worker,
             .elapsedSeconds = 30.0,
             .text = "The time budget (20 s) was too short for one trial of size 2: the network was "
                     "still being loaded. Give it 5 min or more (--time-budget 5m)."});
        // The first step takes at least the 5 s that it has run.
        add("first step", {.program = worker,
                           .trials = {cancelled(0, 0, 5.0)},
                           .text = "The time budget (20 s) was too short for one trial of size 4: it had "
                                   "reached warm-up step 1. Give it 10 min or more (--time-budget 10m)."});
        // The estimate: 10 s to start, plus 5 trials of 15 steps of 2 s.
        add("warm-up", {.program = worker,
                        .trials = {cancelled(5, 0, 10.0)},
                        .text = "The time budget (20 s) was too short for one trial of size 4: it had "
                                "reached warm-up step 6. Give it 5 min or more (--time-budget 5m)."});
        add("timed", {.program = worker,
                      .trials = {cancelled(3, 2, 0.1)},
                      .text = "The time budget (20 s) was too short for one trial of size 4: it had reached "
                              "timed step 3. Give it 60 s or more (--time-budget 1m)."});
    }
    void reportsHowFarTheTrialCame()
    {
        const Case& c = row<Case>();
        const Snapshot snapshot = snapshotOf(c);
        QCOMPARE(shortBudgetText(snapshot, 20.0, 2), QString::fromUtf8(c.text));
        const RunEnd end = runEndOf(FinishStatus::Budget, snapshot, 2, 20.0);
        QCOMPARE(end.status, FinishStatus::Failed);
        QCOMPARE(end.failure, QString::fromUtf8(c.text));
    }

    void keepsOtherFailures()
    {
        Snapshot snapshot = snapshotOf({.trials = {cancelled(0, 0, 5.0)}});
        snapshot.trials.front().outcome = trial::Outcome::Failed;
        snapshot.trials.front().text = "The disk is full.";
        QVERIFY(!endedBeforeATrial(snapshot));
        QVERIFY(runEndOf(FinishStatus::Budget, snapshot, 1, 20.0)
                    .failure.contains(QStringLiteral("The disk is full.")));
    }
};

BATCHPEAK_TEST(ShortBudgetTextTest)
#include "tst_short_budget_text.moc"
