// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "program_run.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

namespace {

struct End
{
    const char* behavior;
    const char* options;
    int exitCode;
    const char* said;
};

} // namespace

/// Tests "batchpeak train" with workers of every kind: its output, its files and its exit codes.
class TrainCommandTest : public QObject
{
    Q_OBJECT

private slots:
    void endsWithTheRightCode_data()
    {
        // The fake worker uses 100 MB and 10 MB per sample of its 2 GB: 190 samples fit, and the example's
        // batch is 256.
        rows<End>({
            {"a size that fits", {"", "--steps 3 --setting 32", 0, "steps 1 to 3 of 3, 768 samples"}},
            {"halved once", {"", "--steps 3 --setting auto-halving", 0, "micro_batch_size: 128"}},
            {"a search is halving", {"", "--steps 3 --setting explore", 0, "training does not search"}},
            {"the config's own search", {"", "--steps 3", 0, "micro_batch_size: 128"}},
            {"a size that does not fit",
             {"slope=20000000", "--steps 3 --setting 128", 2, "--setting auto-halving"}},
            {"the batch whole does not fit", {"", "--steps 3 --setting null", 2, "batchpeak: "}},
            {"not even 1 fits",
             {"slope=3000000000", "--setting auto-halving", 2,
              "The train loop failed with an internal microbatch of size 1."}},
            {"not even the network fits", {"base=3000000000", "--setting 1", 2, "The network alone"}},
            {"worker ends at once", {"start=exit", "", 3, "batchpeak: "}},
            {"worker lost in a step",
             {"batch=exit#3", "--setting 32 --steps 6", 3, "then it could not continue"}},
            {"a step fails", {"batch=failed#2", "--setting 32 --steps 6", 3, "batchpeak: "}},
            {"worker knows no training", {"training=unknown", "--setting 32", 3, "batchpeak: "}},
            {"a text",
             {"", "--setting 32 --steps 2 --data /proc/self/maps", 0, "as bytes, 640 samples an epoch"}},
            {"the largest that fits", {"", "--steps 2 --maximum binary", 0, "190, by binary search"}},
            {"grown", {"", "--epochs 2 --setting 16 --grow 8", 0, "micro_batch_size: 24"}},
            {"evaluation",
             {"", "--setting 32 --steps 4 --evaluate-every 2", 0, "evaluation after step 4: loss"}},
            {"held-out samples",
             {"", "--setting 32 --eval-split 5%", 0, "evaluation of held-out samples after step 15: loss"}},
            {"what is held out",
             {"", "--setting 32 --eval-split 96", 0, "synthetic, 4000 samples an epoch, 96 held out"}},
            {"nothing left to train on",
             {"", "--setting 32 --samples 300 --eval-split 100", 1, "less than one batch of 256"}},
        });
    }
    void endsWithTheRightCode()
    {
        const auto& [behavior, options, exitCode, said] = row<End>();
        const ProgramRun run = runProgram(trainArguments(behavior, words(options)));
        QVERIFY2(run.exitCode == exitCode, run.text());
        QVERIFY2(run.answers(said) || run.remarks(said), run.text());
    }

    void introducesTheRunAndPrintsItsFirstSteps()
    {
        const ProgramRun run = runProgram(trainArguments("", words("--steps 30 --setting auto-halving")));
        QVERIFY2(run.succeeded(), run.text());
        QVERIFY2(run.out.startsWith(QStringLiteral("config ")), run.text());
        QVERIFY2(run.answers("automatic halving, from 256"), run.text());
        // After step 20, only steps 25 and 30 are printed.
        QCOMPARE(
            run.outLines().filter(QStringLiteral("step ")).filter(QStringLiteral(" of 30, epoch")).size(),
            22);
        QVERIFY2(run.remarks("from 256 to 128"), run.text());
        QVERIFY2(run.answers("out of memory  1 time"), run.text());
    }

    void printsOnlyTheSummaryWhenQuiet()
    {
        const ProgramRun run =
            runProgram(trainArguments("", words("--steps 3 --setting auto-halving --quiet")));
        QVERIFY2(run.succeeded(), run.text());
        QVERIFY2(run.outLines().front().startsWith(QLatin1String("trained")), run.text());
        QVERIFY2(run.err.isEmpty(), run.text());
    }

    void writesEvents()
    {
        const ProgramRun run =
            runProgram(trainArguments("", words("--steps 3 --setting auto-halving --events -")));
        QVERIFY2(run.succeeded(), run.text());
        const auto events = eventsIn(run.out.toUtf8());
        QStringList names;
        for (const QJsonObject& event : events)
            names << nameOf(event);
        QVERIFY2(names ==
                     words("training_started device epoch size_changed step step step training_finished"),
                 run.text());
        QCOMPARE(events.front().value(QStringLiteral("schema")).toInt(), 1);
        QCOMPARE(events.back().value(QStringLiteral("micro_batch_size")).toInt(), 128);
        QVERIFY2(run.remarks("steps 1 to 3 of 3"), run.text());
    }

    void losesNoSampleToAHalving()
    {
        const auto losses = [](const QStringList& options) {
            QList<double> values;
            for (const QJsonObject& event : eventsIn(runProgram(trainArguments("", options)).out.toUtf8())) {
                if (nameOf(event) == QLatin1String("step"))
                    values << event.value(QStringLiteral("loss")).toDouble();
            }
            return values;
        };
        const QList<double> halved = losses(words("--steps 4 --setting auto-halving --events -"));
        QCOMPARE(halved.size(), 4);
        QCOMPARE(halved, losses(words("--steps 4 --setting 128 --events -")));
    }

    void endsAfterTheStepWithASummary_data()
    {
        rows<int>({{"Ctrl-C", SIGINT}, {"terminated", SIGTERM}, {"hung up", SIGHUP}});
    }
    void endsAfterTheStepWithASummary()
    {
        RunningProgram training(trainArguments("pause=50", words("--steps 100000 --setting 32")));
        QVERIFY(training.waitForAnswer("step 3 of"));
        training.send(row<int>());
        QVERIFY(training.waitForEnd());
        QCOMPARE(training.process().exitStatus(), QProcess::NormalExit);
        QCOMPARE(training.process().exitCode(), 130);
        QVERIFY2(training.out().contains("then it was interrupted"), training.out());
    }

    void endsAfterTheStepWhenTheReaderIsGone_data()
    {
        // The reader reads enough lines to see steps.
        rows<const char*, int>({{"answers", {"", 18}}, {"events", {"--events -", 6}}});
    }
    void endsAfterTheStepWhenTheReaderIsGone()
    {
        const auto& [options, lines] = row<const char*, int>();
        const QTemporaryDir folder;
        const QString checkpoints = folder.filePath(QStringLiteral("checkpoints"));
        const ProgramRun run =
            runIntoHead(trainArguments("pause=50", words("--steps 100000 --setting 32 --checkpoint") +
                                                       QStringList(checkpoints) + words(options)),
                        lines);
        QVERIFY2(run.exitCode == 130 && run.answers("step"), run.text());
        QVERIFY(!QDir(checkpoints).entryList({QStringLiteral("step-*")}).isEmpty());
    }

    void endsImmediatelyAtTheSecondSignal()
    {
        RunningProgram training(trainArguments("batch=endless#4", words("--steps 100 --setting 32")));
        QVERIFY(training.waitForAnswer("step 3 of"));
        training.send(SIGINT);
        QVERIFY(training.waitForRemark("Ctrl-C once more"));
        training.send(SIGINT);
        QVERIFY(training.waitForEnd());
        QCOMPARE(training.process().exitCode(), 130);
        QVERIFY2(training.out().contains("steps 1 to 3 of 100"), training.out());
    }

    void refusesInvalidOptions_data()
    {
        const auto add = rows<const char*, const char*>();
        const auto refuses = [&add](const char* options, const char* said) { add(options, {options, said}); };
        refuses("--stepz 3", "Did you mean --steps?");
        refuses("--exact", "add --maximum");
        refuses("--maximum binary --setting 4", "leave out either");
        refuses("--checkpoint /proc/none", "--checkpoint: the folder /proc/none");
        refuses("--resume /no/such", "/no/such");
        refuses("--events /no/such/e.jsonl", "/no/such/e.jsonl cannot be written");
        refuses("--strict --setting 24", "--strict");
    }
    void refusesInvalidOptions()
    {
        const auto& [options, said] = row<const char*, const char*>();
        const ProgramRun run = runProgram(trainArguments("", words(options)));
        QVERIFY2(run.refused({said}), run.text());
    }
};

BATCHPEAK_TEST(TrainCommandTest)
#include "tst_train_command.moc"
