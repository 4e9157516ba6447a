// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/exploration_plan.h"
#include "plan/phase_sequence.h"
#include "support/error_of.h"
#include "support/rows.h"
#include "support/small_config.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak;
using namespace batchpeak::engine;
using namespace std::chrono_literals;
using model::Phase;

namespace {

Snapshot ended(Phase phase, FinishStatus finish, std::optional<std::int64_t> size = 64, int confidence = 96)
{
    Snapshot snapshot;
    snapshot.run = RunDescription{.phase = phase};
    snapshot.finish = finish;
    snapshot.elapsedSeconds = 100.4;
    if (size)
        snapshot.searchState.recommendation = {
            .size = *size, .samplesPerSecond = 1234.0, .relativeError = 0.005, .confidence = confidence};
    return snapshot;
}

struct End
{
    FinishStatus finish = FinishStatus::Confident;
    bool continues = true;
};

struct PhaseEnd
{
    Snapshot snapshot;
    const char* text;
};

} // namespace

class PhaseSequenceTest : public QObject
{
    Q_OBJECT

private slots:
    void runsOneExplorationForOnePhase()
    {
        for (const Phase phase : {Phase::Train, Phase::Eval}) {
            PhaseSequence phases({.phase = phase, .timeBudget = 600s});
            QCOMPARE(phases.options().phase, phase);
            QCOMPARE(phases.options().timeBudget, 600s);
            QVERIFY(!phases.advance(ended(phase, FinishStatus::Confident)));
            QVERIFY(!phases.before());
            QCOMPARE(phases.progress(0.4), 0.4);
        }
    }

    void evaluatesAfterTraining()
    {
        PhaseSequence phases({.bothPhases = true, .maxTrials = 12});
        QCOMPARE(phases.options().phase, Phase::Train);
        QCOMPARE(phases.progress(0.5), 0.25);
        QVERIFY(phases.advance(ended(Phase::Train, FinishStatus::Budget)));
        QCOMPARE(phases.options().phase, Phase::Eval);
        QCOMPARE(phases.options().maxTrials, 12);
        QCOMPARE(phases.progress(0.5), 0.75);
        QCOMPARE(phases.before()->searchState.recommendation->size, 64);
        const Snapshot last = ended(Phase::Eval, FinishStatus::Confident, 256);
        QVERIFY(!phases.advance(last));
        QCOMPARE(phases.sizes(last),
                 (std::vector<config::ChosenSize>{{.phase = Phase::Train, .microBatchSize = 64},
                                                  {.phase = Phase::Eval, .microBatchSize = 256}}));
    }

    void continuesUnlessStoppedOrFailed_data()
    {
        rows<End>({{"confident", {.finish = FinishStatus::Confident}},
                   {"exhausted", {.finish = FinishStatus::Exhausted}},
                   // Evaluation may fit, because it needs no gradients and no optimizer.
                   {"nothing fits", {.finish = FinishStatus::NothingFits}},
                   {"stopped", {.finish = FinishStatus::Cancelled, .continues = false}},
                   {"failed", {.finish = FinishStatus::Failed, .continues = false}}});
    }
    void continuesUnlessStoppedOrFailed()
    {
        PhaseSequence phases({.bothPhases = true});
        QCOMPARE(phases.advance(ended(Phase::Train, row<End>().finish)), row<End>().continues);
    }

    void dividesTheTimeBudget()
    {
        PhaseSequence phases({.bothPhases = true, .timeBudget = 600s});
        QCOMPARE(phases.options().timeBudget, 300s);
        phases.advance(ended(Phase::Train, FinishStatus::Confident));
        QCOMPARE(phases.options().timeBudget, 500s);
        // At least 1 s is left, so that the exploration can report that its budget is too short.
        QCOMPARE(evaluationAfter({.bothPhases = true, .timeBudget = 60s}, 90.0).timeBudget, 1s);
    }

    void omitsAPhaseWithoutASize()
    {
        PhaseSequence phases({.bothPhases = true});
        phases.advance(ended(Phase::Train, FinishStatus::NothingFits, std::nullopt));
        const Snapshot last = ended(Phase::Eval, FinishStatus::Confident, 8);
        QCOMPARE(phases.sizes(last),
                 (std::vector<config::ChosenSize>{{.phase = Phase::Eval, .microBatchSize = 8}}));
        QVERIFY(PhaseSequence().sizes({}).empty());
    }

    void reportsTheFidelityOfEachSize()
    {
        PhaseSequence phases({.bothPhases = true});
        Snapshot training = ended(Phase::Train, FinishStatus::Confident, 64);
        const Snapshot evaluation = ended(Phase::Eval, FinishStatus::Confident, 256);
        phases.advance(training);
        QVERIFY(!phases.hasCaveat(evaluation));
        QCOMPARE(phases.foundText(evaluation), QStringLiteral("Measured as configured."));

        training.run->fidelity.addReason("an optimizer that is not run here");
        PhaseSequence different({.bothPhases = true});
        different.advance(training);
        QVERIFY(different.hasCaveat(evaluation));
        QCOMPARE(different.foundText(evaluation),
                 QStringLiteral("Training: approximate because of an optimizer that is not run here. "
                                "Evaluation: as configured."));

        // If training found no size, its label applies to nothing that is written.
        training.searchState.recommendation.reset();
        PhaseSequence alone({.bothPhases = true});
        alone.advance(training);
        QVERIFY(!alone.hasCaveat(evaluation));
        QVERIFY(alone.foundText(ended(Phase::Eval, FinishStatus::NothingFits, std::nullopt)).isEmpty());
    }

    void doubtsEachSize()
    {
        PhaseSequence phases({.bothPhases = true});
        phases.advance(ended(Phase::Train, FinishStatus::Budget, 64, 31));
        const QString training = QStringLiteral("Training: Confidence is 31 %, below the required 50 %.");
        QCOMPARE(phases.doubtText(ended(Phase::Eval, FinishStatus::Confident), QLocale::c()), training);
        QCOMPARE(phases.doubtText(ended(Phase::Eval, FinishStatus::Budget, 9, 12), QLocale::c()),
                 training + QStringLiteral(" Evaluation: Confidence is 12 %, below the required 50 %."));
    }

    void describesTheEndOfAPhase_data()
    {
        rows<PhaseEnd>(
            {{"size",
              {ended(Phase::Train, FinishStatus::Confident, 64),
               "Training: 64, 1234 ± 12 samples/s, confidence 96 %."}},
             {"nothing fits",
              {ended(Phase::Train, FinishStatus::NothingFits, std::nullopt), "Training: nothing fits."}},
             {"none",
              {ended(Phase::Eval, FinishStatus::Budget, std::nullopt), "Evaluation: no size was found."}}});
    }
    void describesTheEndOfAPhase()
    {
        const auto& [snapshot, text] = row<PhaseEnd>();
        QCOMPARE(endText(snapshot, QLocale::c()), QString::fromUtf8(text));
    }

    /// The error must come immediately, not after an hour of training.
    void refusesImpossibleEvaluationImmediately()
    {
        config::ConfigContents contents = test::smallConfig();
        const auto plan = [&] {
            (void)planExploration(QStringLiteral("a.yaml"), contents, {.bothPhases = true});
        };
        const QString error = test::errorOf<config::ConfigError>(plan);
        QVERIFY2(error.contains(QStringLiteral("no evaluation batch")), qPrintable(error));
        contents.eval = contents.train;
        plan();
    }
};

BATCHPEAK_TEST(PhaseSequenceTest)
#include "tst_phase_sequence.moc"
