// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/program_lock.h"
#include "support/error_of.h"
#include "support/files.h"
#include "support/recorded_disk.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "training/checkpoint_folder.h"
#include "training_harness.h"

#include <QDir>
#include <QFileInfo>
#include <QTest>

using namespace batchpeak;
using namespace std::chrono_literals;
using test::TrainingHarness;
using training::TrainingEnd;
using training::TrainingRun;

namespace {

/// A training of \p steps steps over epochs of three batches, with checkpoints in \p folder.
void prepare(TrainingHarness& harness, std::int64_t steps, const QString& folder)
{
    harness.options.halvesAutomatically = true;
    harness.options.data.samples = 200;
    harness.options.steps = steps;
    harness.options.checkpointFolder = folder;
}

} // namespace

class TrainingCheckpointsTest : public QObject
{
    Q_OBJECT

private slots:
    void savesAtTheEndAndBetween()
    {
        TrainingHarness harness;
        prepare(harness, 7, harness.path(QStringLiteral("c")));
        harness.options.checkpointEvery = 3;
        QVERIFY2(harness.endsAs(TrainingEnd::Completed), qPrintable(harness.log()));
        QCOMPARE(harness.signalsSeen(),
                 QStringLiteral("started device epoch step step step checkpoint epoch step step "
                                "step checkpoint epoch step checkpoint finished"));
        const auto found = training::CheckpointFolder(harness.path(QStringLiteral("c"))).newest();
        QCOMPARE(found.path, harness.snapshot().checkpoint);
        QCOMPARE(found.state.step, 7);
        QCOMPARE(found.state.epoch, 2);
        QCOMPARE(found.state.samplesDone, 64);
        QCOMPARE(found.state.microBatchSize, 64);
        VERIFY_CONTAINS(found.state.fingerprint, "seed: 1\n");
    }

    // From where it is set up until it is over.
    void keepsOthersFromItsFolder()
    {
        TrainingHarness harness;
        const QString folder = harness.path(QStringLiteral("c"));
        prepare(harness, 2, folder);
        QVERIFY(harness.run().snapshot().run);
        using store::ProgramLock;
        ProgramLock other(folder + QStringLiteral("/.training.lock"));
        QCOMPARE(other.take(), ProgramLock::Outcome::HeldByAnother);
        QVERIFY2(harness.endsAs(TrainingEnd::Completed), qPrintable(harness.log()));
        QCOMPARE(other.take(), ProgramLock::Outcome::HeldByAnother);
        harness.destroyRun();
        QCOMPARE(other.take(), ProgramLock::Outcome::Taken);

        TrainingHarness another;
        prepare(another, 2, folder);
        VERIFY_CONTAINS(test::errorOf([&] { (void)another.run(); }), "Another training (process ");
    }

    // Nothing is trained whose checkpoint could not be kept.
    void isNotSetUpWhereAFolderIsInTheWay()
    {
        TrainingHarness harness;
        prepare(harness, 2, harness.path(QStringLiteral("c")));
        QVERIFY(QDir().mkpath(harness.path(QStringLiteral("c/step-000002"))));
        VERIFY_CONTAINS(test::errorOf([&] { (void)harness.run(); }), "Something that is no checkpoint");
    }

    void saysThatThereAreNoLocks()
    {
        TrainingHarness harness;
        prepare(harness, 2, harness.path(QStringLiteral("c")));
        const test::RefusingDisk without(harness.path(QString()), ENOLCK);
        QVERIFY2(harness.endsAs(TrainingEnd::Completed), qPrintable(harness.log()));
        QCOMPARE(harness.log().count(QStringLiteral("has no locks")), 1);
    }

    void savesWhatWasLearnedBeforeAFailure_data()
    {
        rows<Text, TrainingEnd>({{"nothing fits", {"batch=oom#3 batch=oom#4", TrainingEnd::NothingFits}},
                                 {"failed", {"batch=failed#3", TrainingEnd::Failed}}});
    }
    void savesWhatWasLearnedBeforeAFailure()
    {
        const auto& [words, end] = row<Text, TrainingEnd>();
        TrainingHarness harness(words);
        prepare(harness, 7, harness.path(QStringLiteral("c")));
        harness.options.halvesAutomatically = false;
        harness.options.run.setting = config::Whole{};
        QVERIFY2(harness.endsAs(end), qPrintable(harness.log()));
        QVERIFY2(harness.snapshot().failure.endsWith(
                     QStringLiteral("with --resume %1.").arg(harness.snapshot().checkpoint)),
                 qPrintable(harness.snapshot().failure));
        QCOMPARE(training::CheckpointFolder(harness.snapshot().checkpoint).newest().state.step, 2);
    }

    void goesOnAsIfItHadNeverEnded_data()
    {
        rows<int, Text>({{"in the middle of an epoch", {4, ""}},
                         {"at the end of one", {6, ""}},
                         {"after a halving", {4, "batch=oom#2"}}});
    }
    void goesOnAsIfItHadNeverEnded()
    {
        const auto& [firstSteps, words] = row<int, Text>();
        TrainingHarness whole(words);
        TrainingHarness first(words);
        TrainingHarness second;
        const QString folder = first.path(QStringLiteral("c"));
        prepare(whole, 10, {});
        prepare(first, firstSteps, folder);
        prepare(second, 10, folder);
        second.options.resumeFolder = folder;
        QVERIFY(whole.runToEnd() && first.runToEnd());
        QCOMPARE(second.run().snapshot().run->firstStep, firstSteps);
        QVERIFY2(second.endsAs(TrainingEnd::Completed), qPrintable(second.log()));
        QCOMPARE(first.losses() + second.losses(), whole.losses());
        QCOMPARE(first.steps() + QLatin1String(", ") + second.steps(), whole.steps());
        QCOMPARE(second.snapshot().run->steps, 10);
        QCOMPARE(training::CheckpointFolder(folder).newest().state.step, 10);
    }

    void goesOnAtAnotherFixedSize()
    {
        TrainingHarness first;
        const QString folder = first.path(QStringLiteral("c"));
        prepare(first, 2, folder);
        QVERIFY(first.runToEnd());
        TrainingHarness second;
        prepare(second, 3, {});
        second.options.halvesAutomatically = false;
        second.options.run.setting = config::Fixed{.microBatchSize = 16};
        second.options.resumeFolder = folder;
        QVERIFY(second.runToEnd());
        QCOMPARE(second.steps(), QStringLiteral("3: 64 in 4 x 16"));
    }

    void refusesToGoOn_data()
    {
        rows<int, int, int, Text>({{"another seed", {2, 64, 9, "seed: 1 there, 2 here"}},
                                   {"another batch", {1, 32, 9, "batch_size: 64 there, 32 here"}},
                                   {"all is done", {1, 64, 4, "is of step 4 already, and 4 are asked for"}}});
    }
    void refusesToGoOn()
    {
        const auto& [seed, batch, steps, said] = row<int, int, int, Text>();
        TrainingHarness first;
        const QString folder = first.path(QStringLiteral("c"));
        prepare(first, 4, folder);
        QVERIFY(first.runToEnd());
        TrainingHarness second;
        prepare(second, steps, {});
        second.contents.train->globalBatchSize = batch;
        second.options.run.seed = static_cast<std::uint64_t>(seed);
        second.options.resumeFolder = folder;
        const QString error = test::errorOf([&] { second.run(); });
        VERIFY_CONTAINS(error, said);
    }

    void tellsOfASaveThatFails_data()
    {
        rows<Text, int, Text>({{"full disk", {"save=fail", 5, "The fake disk is full"}},
                               {"killed", {"save=kill", 2, "ended by signal 9"}},
                               {"silent", {"save=silent", 2, "did not save the checkpoint within"}}});
    }
    void tellsOfASaveThatFails()
    {
        const auto& [words, steps, said] = row<Text, int, Text>();
        TrainingHarness harness(words);
        prepare(harness, 5, harness.path(QStringLiteral("c")));
        harness.options.checkpointEvery = 2;
        harness.parts.timeouts.save = words.endsWith(QLatin1String("silent")) ? 300ms : 20s;
        QVERIFY2(harness.endsAs(TrainingEnd::Failed), qPrintable(harness.log()));
        // What fails in the middle is tried again when the next one is due.
        QCOMPARE(static_cast<int>(harness.snapshot().steps.size()), steps);
        VERIFY_CONTAINS(harness.snapshot().failure, said);
        QVERIFY(harness.snapshot().checkpoint.isEmpty());
        QVERIFY(harness.isNoWorkerLeft());
    }

    void namesTheCheckpointToGoOnFrom()
    {
        TrainingHarness harness("batch=kill#4");
        prepare(harness, 5, harness.path(QStringLiteral("c")));
        harness.options.checkpointEvery = 2;
        QVERIFY2(harness.endsAs(TrainingEnd::Failed), qPrintable(harness.log()));
        VERIFY_CONTAINS(harness.snapshot().failure,
                        QStringLiteral("with --resume %1.").arg(harness.snapshot().checkpoint));
        QVERIFY(harness.snapshot().checkpoint.endsWith(QLatin1String("2")));
    }

    // Somebody takes the folder for an old one, and trains into it anew.
    void writesIntoNoFolderOfAnother_data()
    {
        rows<bool, Text>({{"that trains there", {true, "Another training (process "}},
                          {"that has trained there", {false, "This checkpoint is of another training"}}});
    }
    void writesIntoNoFolderOfAnother()
    {
        const auto& [isUnderWay, said] = row<bool, Text>();
        TrainingHarness harness;
        const QString folder = harness.path(QStringLiteral("c"));
        prepare(harness, 4, folder);
        harness.options.checkpointEvery = 2;
        store::ProgramLock other(folder + QStringLiteral("/.training.lock"));
        TrainingRun& run = harness.run();
        engine::onEvent<training::CheckpointSaved>(run, &run, [&](const auto&) {
            QVERIFY(QDir(folder).removeRecursively() && QDir().mkpath(folder));
            if (isUnderWay)
                QCOMPARE(other.take(), store::ProgramLock::Outcome::Taken);
            training::CheckpointFolder anothers(folder);
            test::writeFile(anothers.begin(2), "another's");
            anothers.commit({.step = 2, .training = QStringLiteral("another")});
        });
        QVERIFY2(harness.endsAs(TrainingEnd::Failed), qPrintable(harness.log()));
        VERIFY_CONTAINS(harness.snapshot().failure, said);
        // What it saved before is not there any more.
        VERIFY_CONTAINS(harness.snapshot().failure, "There is no checkpoint to resume from; start afresh.");
        QCOMPARE(QDir(folder).entryList(QDir::Dirs | QDir::NoDotAndDotDot),
                 QStringList{QStringLiteral("step-000002")});
        QCOMPARE(test::readFile(folder + QStringLiteral("/step-000002/tensors.safetensors")),
                 QByteArray("another's"));
        QCOMPARE(QFileInfo::exists(other.path()), isUnderWay);
    }

    void makesAFolderAnewThatIsRemoved()
    {
        TrainingHarness harness;
        const QString folder = harness.path(QStringLiteral("c"));
        prepare(harness, 4, folder);
        harness.options.checkpointEvery = 2;
        TrainingRun& run = harness.run();
        engine::onEvent<training::CheckpointSaved>(run, &run, [&](const training::CheckpointSaved& saved) {
            QCOMPARE(saved.step < 4, QDir(folder).exists(QStringLiteral("step-000002")));
            if (saved.step < 4)
                QVERIFY(QDir(folder).removeRecursively());
        });
        QVERIFY2(harness.endsAs(TrainingEnd::Completed), qPrintable(harness.log()));
        QCOMPARE(training::CheckpointFolder(folder).newest().state.step, 4);
        QVERIFY(store::ProgramLock::isHeld(folder + QStringLiteral("/.training.lock")));
    }

    void namesTheCheckpointBeforeADamagedOne_data()
    {
        rows<bool>({{"there is one", true}, {"there is none", false}});
    }
    void namesTheCheckpointBeforeADamagedOne()
    {
        TrainingHarness first;
        const QString folder = first.path(QStringLiteral("c"));
        prepare(first, 2, folder);
        first.options.checkpointEvery = row<bool>() ? 1 : 0;
        QVERIFY(first.runToEnd());
        const QString newest = first.snapshot().checkpoint;
        test::writeFile(newest + QStringLiteral("/tensors.safetensors"), "");
        TrainingHarness second;
        prepare(second, 4, folder);
        second.options.resumeFolder = folder;
        QVERIFY2(second.endsAs(TrainingEnd::Failed), qPrintable(second.log()));
        const QString& failure = second.snapshot().failure;
        VERIFY_CONTAINS(failure, newest);
        if (row<bool>())
            QVERIFY2(failure.endsWith(QStringLiteral("before it with --resume %1/step-000001.").arg(folder)),
                     qPrintable(failure));
        else
            QVERIFY2(failure.endsWith(
                         QLatin1String("no older checkpoint beside it; start afresh without --resume.")),
                     qPrintable(failure));
    }

    void saysHowToSaveWhereNothingIsSaved_data()
    {
        rows<bool, int, Text>(
            {{"without a folder", {false, 0, "To be able to resume, train with --checkpoint DIR"}},
             {"at the end alone", {true, 0, "start afresh, with --checkpoint-every N to save before"}},
             {"sooner", {true, 5, "There is no checkpoint to resume from; start afresh."}}});
    }
    void saysHowToSaveWhereNothingIsSaved()
    {
        const auto& [hasFolder, every, said] = row<bool, int, Text>();
        TrainingHarness harness("batch=kill#2");
        prepare(harness, 5, hasFolder ? harness.path(QStringLiteral("c")) : QString());
        harness.options.checkpointEvery = every;
        QVERIFY2(harness.endsAs(TrainingEnd::Failed), qPrintable(harness.log()));
        VERIFY_CONTAINS(harness.snapshot().failure, said);
        QCOMPARE(harness.snapshot().failure.contains(QStringLiteral("--checkpoint DIR")), !hasFolder);
    }

    void savesWhenItIsStopped()
    {
        TrainingHarness harness;
        prepare(harness, 100, harness.path(QStringLiteral("c")));
        TrainingRun& run = harness.run();
        engine::onEvent<training::StepDone>(run, &run, [&run](const auto& done) {
            if (done.step.step == 5)
                run.stop();
        });
        QVERIFY2(harness.endsAs(TrainingEnd::Interrupted), qPrintable(harness.log()));
        QCOMPARE(training::CheckpointFolder(harness.snapshot().checkpoint).newest().state.step, 5);
    }
};

BATCHPEAK_TEST(TrainingCheckpointsTest)
#include "tst_training_checkpoints.moc"
