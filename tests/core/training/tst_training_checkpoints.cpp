// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/program_lock.h"
#include "support/error_of.h"
#include "support/files.h"
#include "support/recorded_disk.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "training/checkpoints/checkpoint_folder.h"
#include "training_harness.h"

#include <QDir>
#include <QFileInfo>
#include <QTest>

#include <utility>

using namespace batchpeak;
using namespace std::chrono_literals;
using test::TrainingHarness;
using training::TrainingEnd;
using training::TrainingRun;

namespace {

/// Prepares a training of \p steps steps over epochs of three batches, with checkpoints in \p folder.
void prepare(TrainingHarness& harness, std::int64_t steps, const QString& folder)
{
    harness.options.halvesAutomatically = true;
    harness.options.data.samples = 200;
    harness.options.steps = steps;
    harness.options.checkpointFolder = folder;
}

const QString tensorsFile = QStringLiteral("/tensors.safetensors");

/// Damage to checkpoints between two trainings.
struct Damage
{
    int every = 1;
    /// New contents of the tensors; if "older" is empty, those of the older checkpoint stay.
    const char* newest = "";
    const char* older = "";
    bool hasTensorHash = true;
    bool isDetected = true;
    /// Whether an intact checkpoint is left to resume from.
    bool hasOlder = true;
};

/// Removes the checksum from the state of a checkpoint, which older programs did not write, and replaces the
/// first occurrence of \p before at the start of an entry.
void changeState(const QString& checkpoint, const QByteArray& before, const QByteArray& after)
{
    const QString path = checkpoint + QStringLiteral("/state.json");
    QByteArray text = test::readFile(path);
    const qsizetype checksum = text.indexOf("    \"state_xxh3\"");
    QVERIFY(checksum >= 0);
    text.remove(checksum, text.indexOf('\n', checksum) + 1 - checksum);
    const qsizetype place = text.indexOf("    " + before);
    QVERIFY(place >= 0);
    test::writeFile(path, text.replace(place + 4, before.size(), after));
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

    // It holds the folder's lock from its setup to its destruction.
    void locksItsFolder()
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

    // No training starts if its checkpoint could not be saved.
    void refusesAFolderWithTheNameOfACheckpoint()
    {
        TrainingHarness harness;
        prepare(harness, 2, harness.path(QStringLiteral("c")));
        QVERIFY(QDir().mkpath(harness.path(QStringLiteral("c/step-000002"))));
        VERIFY_CONTAINS(test::errorOf([&] { (void)harness.run(); }), "Something that is no checkpoint");
    }

    // The target of the link does not belong to the checkpoint.
    void refusesALinkAsTensors()
    {
        TrainingHarness harness("save=link");
        prepare(harness, 2, harness.path(QStringLiteral("c")));
        QVERIFY2(harness.endsAs(TrainingEnd::Failed), qPrintable(harness.log()));
        VERIFY_CONTAINS(harness.snapshot().failure, "The worker left no tensors");
        QVERIFY(!QFileInfo::exists(harness.path(QStringLiteral("c/step-000002"))));
    }

    void reportsThatThereAreNoLocks()
    {
        TrainingHarness harness;
        prepare(harness, 2, harness.path(QStringLiteral("c")));
        const test::RefusingDisk without(harness.path(QString()), ENOLCK);
        QVERIFY2(harness.endsAs(TrainingEnd::Completed), qPrintable(harness.log()));
        QCOMPARE(harness.log().count(QStringLiteral("has no locks")), 1);
    }

    void savesTheStepsBeforeAFailure_data()
    {
        rows<Text, TrainingEnd>({{"nothing fits", {"batch=oom#3 batch=oom#4", TrainingEnd::NothingFits}},
                                 {"failed", {"batch=failed#3", TrainingEnd::Failed}}});
    }
    void savesTheStepsBeforeAFailure()
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

    void resumesAsIfNeverStopped_data()
    {
        rows<int, Text>({{"in the middle of an epoch", {4, ""}},
                         {"at the end of one", {6, ""}},
                         {"after a halving", {4, "batch=oom#2"}}});
    }
    void resumesAsIfNeverStopped()
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

    void resumesWithAnotherFixedSize()
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

    void refusesToResume_data()
    {
        rows<int, int, int, Text>({{"another seed", {2, 64, 9, "seed: 1 there, 2 here"}},
                                   {"another batch", {1, 32, 9, "batch_size: 64 there, 32 here"}},
                                   {"all is done", {1, 64, 4, "is of step 4 already, and 4 are asked for"}}});
    }
    void refusesToResume()
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

    void reportsAFailedSave_data()
    {
        rows<Text, int, Text>({{"full disk", {"save=fail", 5, "The fake disk is full"}},
                               {"killed", {"save=kill", 2, "ended by signal 9"}},
                               {"silent", {"save=silent", 2, "did not save the checkpoint within"}}});
    }
    void reportsAFailedSave()
    {
        const auto& [words, steps, said] = row<Text, int, Text>();
        TrainingHarness harness(words);
        prepare(harness, 5, harness.path(QStringLiteral("c")));
        harness.options.checkpointEvery = 2;
        harness.parts.timeouts.save = words.endsWith(QLatin1String("silent")) ? 300ms : 20s;
        QVERIFY2(harness.endsAs(TrainingEnd::Failed), qPrintable(harness.log()));
        // If a save before the end fails, the next one that is due is tried.
        QCOMPARE(static_cast<int>(harness.snapshot().steps.size()), steps);
        VERIFY_CONTAINS(harness.snapshot().failure, said);
        QVERIFY(harness.snapshot().checkpoint.isEmpty());
        QVERIFY(harness.isNoWorkerLeft());
    }

    void namesTheCheckpointToResume()
    {
        TrainingHarness harness("batch=kill#4");
        prepare(harness, 5, harness.path(QStringLiteral("c")));
        harness.options.checkpointEvery = 2;
        QVERIFY2(harness.endsAs(TrainingEnd::Failed), qPrintable(harness.log()));
        VERIFY_CONTAINS(harness.snapshot().failure,
                        QStringLiteral("with --resume %1.").arg(harness.snapshot().checkpoint));
        QVERIFY(harness.snapshot().checkpoint.endsWith(QLatin1String("2")));
    }

    // A user mistakes the folder for an old one and starts a new training in it.
    void refusesToWriteIntoTheFolderOfAnother_data()
    {
        rows<bool, Text>({{"that trains there", {true, "Another training (process "}},
                          {"that has trained there", {false, "This checkpoint is of another training"}}});
    }
    void refusesToWriteIntoTheFolderOfAnother()
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
        // Its own previous checkpoint was removed.
        VERIFY_CONTAINS(harness.snapshot().failure, "There is no checkpoint to resume from; start afresh.");
        QCOMPARE(QDir(folder).entryList(QDir::Dirs | QDir::NoDotAndDotDot),
                 QStringList{QStringLiteral("step-000002")});
        QCOMPARE(test::readFile(folder + QStringLiteral("/step-000002/tensors.safetensors")),
                 QByteArray("another's"));
        QCOMPARE(QFileInfo::exists(other.path()), isUnderWay);
    }

    void recreatesARemovedFolder()
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
        rows<Damage>({{"a byte of it", {.newest = "3"}},
                      {"all of it", {.newest = ""}},
                      {"a byte of one that is alone", {.every = 0, .newest = "3", .hasOlder = false}},
                      {"the one before it too", {.newest = "3", .older = "4", .hasOlder = false}},
                      {"one that does not say what was written",
                       {.newest = "3", .hasTensorHash = false, .isDetected = false}}});
    }
    void namesTheCheckpointBeforeADamagedOne()
    {
        const Damage& damage = row<Damage>();
        TrainingHarness first;
        const QString folder = first.path(QStringLiteral("c"));
        prepare(first, 2, folder);
        first.options.checkpointEvery = damage.every;
        QVERIFY(first.runToEnd());
        const QString newest = first.snapshot().checkpoint;
        const QString older = folder + QStringLiteral("/step-000001");
        test::writeFile(newest + tensorsFile, damage.newest);
        if (*damage.older != '\0')
            test::writeFile(older + tensorsFile, damage.older);
        if (!damage.hasTensorHash)
            changeState(newest, "\"tensors_xxh3\"", "\"other\"");
        TrainingHarness second;
        prepare(second, 4, folder);
        second.options.resumeFolder = folder;
        QVERIFY2(second.endsAs(damage.isDetected ? TrainingEnd::Failed : TrainingEnd::Completed),
                 qPrintable(second.log()));
        if (!damage.isDetected)
            return;
        const QString& failure = second.snapshot().failure;
        VERIFY_CONTAINS(failure, newest + tensorsFile);
        QCOMPARE(failure.contains(QLatin1String("--resume ") + older), damage.hasOlder);
        QVERIFY2(!failure.contains(QLatin1String("--resume ") + newest), qPrintable(failure));
        QCOMPARE(failure.contains(QLatin1String("start afresh")), !damage.hasOlder);
        QVERIFY(second.snapshot().steps.empty());
    }

    void savesTheHashOfItsTensors()
    {
        TrainingHarness harness;
        prepare(harness, 2, harness.path(QStringLiteral("c")));
        QVERIFY2(harness.endsAs(TrainingEnd::Completed), qPrintable(harness.log()));
        QCOMPARE(test::readFile(harness.snapshot().checkpoint + tensorsFile), QByteArray("2"));
        const QByteArray state =
            test::readFile(harness.snapshot().checkpoint + QStringLiteral("/state.json"));
        // Hash of "2" that xxh128sum prints.
        VERIFY_CONTAINS(QString::fromUtf8(state), "\"tensors_xxh3\": \"cb358fcee0dfde56fb95a7322f5da314\"");
    }

    // Hashing tensors that are no longer in the page cache takes minutes, for which a user who stops the
    // training need not wait.
    void skipsTheHashWhenItIsStopped()
    {
        TrainingHarness harness;
        prepare(harness, 100, harness.path(QStringLiteral("c")));
        harness.options.checkpointEvery = 2;
        TrainingRun& run = harness.run();
        const auto whenWritten = [&run, isDone = false](const training::TrainingSnapshot& snapshot) mutable {
            if (snapshot.checkpoint.isEmpty() || std::exchange(isDone, true))
                return;
            run.stop();
            run.stop();
        };
        connect(&run, &TrainingRun::snapshotChanged, &run, whenWritten);
        QVERIFY2(harness.endsAs(TrainingEnd::Interrupted), qPrintable(harness.log()));
        const auto found = training::CheckpointFolder(harness.snapshot().checkpoint).newest();
        QCOMPARE(found.state.step, 2);
        QCOMPARE(found.state.tensorHash, QString());
    }

    void reportsChangesSinceTheCheckpoint_data()
    {
        rows<Text, int, Text>({{"less data", {"samples=130", 64, "130 samples an epoch, and had 640"}},
                               {"more data", {"samples=6400", 64, "6,400 samples an epoch, and had 640"}},
                               {"a smaller micro-batch", {"samples=640", 16, "micro-batches of 16"}},
                               {"nothing", {"samples=640", 64, ""}}});
    }
    void reportsChangesSinceTheCheckpoint()
    {
        const auto& [words, size, said] = row<Text, int, Text>();
        TrainingHarness first("samples=640");
        TrainingHarness second(words);
        const QString folder = first.path(QStringLiteral("c"));
        const QString data = first.path(QStringLiteral("data.txt"));
        test::writeFile(data, "text");
        for (TrainingHarness* harness : {&first, &second}) {
            prepare(*harness, harness == &first ? 2 : 4, folder);
            harness->options.halvesAutomatically = false;
            harness->options.run.setting = config::Fixed{.microBatchSize = harness == &first ? 64 : size};
            harness->options.data = {.kind = trial::DataKind::Text, .path = data.toStdString()};
        }
        QVERIFY2(first.endsAs(TrainingEnd::Completed), qPrintable(first.log()));
        second.options.resumeFolder = folder;
        QVERIFY2(second.endsAs(TrainingEnd::Completed), qPrintable(second.log()));
        if (said.isEmpty())
            QVERIFY2(!second.log().contains(QLatin1String("checkpoint was written")),
                     qPrintable(second.log()));
        else
            VERIFY_CONTAINS(second.log(), said);
    }

    void namesTheCheckpointBeforeAChangedState()
    {
        TrainingHarness first;
        const QString folder = first.path(QStringLiteral("c"));
        prepare(first, 2, folder);
        first.options.checkpointEvery = 1;
        QVERIFY(first.runToEnd());
        const QString state = first.snapshot().checkpoint + QStringLiteral("/state.json");
        test::writeFile(state, test::readFile(state).replace("seed: 1", "seed: 7"));
        TrainingHarness second;
        prepare(second, 4, folder);
        second.options.resumeFolder = folder;
        const QString error = test::errorOf([&] { second.run(); });
        VERIFY_STARTS_WITH(error, state);
        VERIFY_CONTAINS(error, QStringLiteral("--resume %1/step-000001.").arg(folder));
        TrainingHarness third;
        prepare(third, 4, folder);
        third.options.resumeFolder = folder + QStringLiteral("/step-000001");
        QVERIFY2(third.endsAs(TrainingEnd::Completed), qPrintable(third.log()));
        QCOMPARE(training::CheckpointFolder(folder).newest().state.step, 4);
    }

    void refusesAnImpossibleState_data()
    {
        rows<const char*, const char*, Text>({{"another batch",
                                               {"\"batch_size\": 64", "\"batch_size\": 1",
                                                "batch_size of 1, where the training has batches of 64"}},
                                              {"more than the batch",
                                               {"\"micro_batch_size\": 64", "\"micro_batch_size\": 65",
                                                "micro_batch_size of 65, which is more"}}});
    }
    void refusesAnImpossibleState()
    {
        const auto& [before, after, said] = row<const char*, const char*, Text>();
        TrainingHarness first;
        const QString folder = first.path(QStringLiteral("c"));
        prepare(first, 2, folder);
        QVERIFY(first.runToEnd());
        changeState(first.snapshot().checkpoint, before, after);
        TrainingHarness second;
        prepare(second, 4, {});
        second.options.resumeFolder = folder;
        const QString error = test::errorOf([&] { second.run(); });
        VERIFY_STARTS_WITH(error, first.snapshot().checkpoint);
        VERIFY_CONTAINS(error, said);
    }

    void explainsHowToSaveIfNothingIsSaved_data()
    {
        rows<bool, int, Text>(
            {{"without a folder", {false, 0, "To be able to resume, train with --checkpoint DIR"}},
             {"at the end alone", {true, 0, "start afresh, with --checkpoint-every N to save before"}},
             {"sooner", {true, 5, "There is no checkpoint to resume from; start afresh."}}});
    }
    void explainsHowToSaveIfNothingIsSaved()
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
