// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "program_run.h"
#include "support/test_main.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

namespace {

constexpr int patience = 30000;

QStringList split(const char* line)
{
    return QString::fromUtf8(line).split(QLatin1Char(' '), Qt::SkipEmptyParts);
}

std::vector<QJsonObject> eventsOf(const ProgramRun& run)
{
    std::vector<QJsonObject> events;
    for (const QString& line : run.outLines())
        events.push_back(QJsonDocument::fromJson(line.toUtf8()).object());
    return events;
}

QStringList names(const std::vector<QJsonObject>& events)
{
    QStringList names;
    for (const QJsonObject& event : events)
        names << event.value(QStringLiteral("event")).toString();
    return names;
}

} // namespace

/// "batchpeak train" with workers of every kind: what it says, writes and returns.
class TrainCommandTest : public QObject
{
    Q_OBJECT

private slots:
    void endsWithTheRightCode_data()
    {
        QTest::addColumn<QString>("behaviour");
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<int>("exitCode");
        QTest::addColumn<QString>("said");
        const auto row = [](const char* name, const char* behaviour, const char* options, int code,
                            const char* said) {
            QTest::newRow(name) << QString::fromUtf8(behaviour) << split(options) << code
                                << QString::fromUtf8(said);
        };
        // The fake worker takes 100 MB and 10 MB a sample, of 2 GB: 190 fit, and the example's batch is 256.
        row("a size that fits", "", "--steps 3 --setting 32", 0, "steps 1 to 3 of 3, 768 samples");
        row("halved once", "", "--steps 3 --setting auto-halving", 0, "micro_batch_size: 128");
        row("a search is halving", "", "--steps 3 --setting explore", 0, "training makes no search");
        row("the config's own search", "", "--steps 3", 0, "micro_batch_size: 128");
        row("a size that does not fit", "slope=20000000", "--steps 3 --setting 128", 2,
            "--setting auto-halving");
        row("the batch whole does not fit", "", "--steps 3 --setting null", 2, "batchpeak: ");
        row("not even 1 fits", "slope=3000000000", "--setting auto-halving", 2,
            "The train loop failed with an internal microbatch of size 1.");
        row("not even the network fits", "base=3000000000", "--setting 1", 2, "The network alone");
        row("worker ends at once", "start=exit", "", 3, "batchpeak: ");
        row("worker lost in a step", "batch=exit#3", "--setting 32 --steps 6", 3, "then it could not go on");
        row("a step fails", "batch=failed#2", "--setting 32 --steps 6", 3, "batchpeak: ");
        row("worker knows no training", "training=unknown", "--setting 32", 3, "batchpeak: ");
        row("a text", "", "--setting 32 --steps 2 --data /proc/self/maps", 0,
            "as bytes, 640 samples an epoch");
        row("the largest that fits", "", "--steps 2 --maximum binary", 0, "190, by binary search");
        row("grown", "", "--epochs 2 --setting 16 --grow 8", 0, "micro_batch_size: 24");
        row("evaluation", "", "--setting 32 --steps 4 --evaluate-every 2", 0,
            "evaluation after step 4: loss");
    }
    void endsWithTheRightCode()
    {
        QFETCH(QString, behaviour);
        QFETCH(QStringList, options);
        QFETCH(int, exitCode);
        QFETCH(QString, said);
        const ProgramRun run = runProgram(trainArguments(behaviour, options));
        QVERIFY2(run.exitCode == exitCode, run.text());
        QVERIFY2((run.out + run.err).contains(said), run.text());
    }

    void introducesTheRunAndSaysEachOfItsFirstSteps()
    {
        const ProgramRun run = runProgram(trainArguments({}, split("--steps 30 --setting auto-halving")));
        QVERIFY2(run.exitCode == 0, run.text());
        QVERIFY2(run.out.startsWith(QStringLiteral("config ")), run.text());
        QVERIFY2(run.out.contains(QStringLiteral("automatic halving, from 256")), run.text());
        // The 25th and the 30th, of those behind the twentieth.
        QCOMPARE(
            run.outLines().filter(QStringLiteral("step ")).filter(QStringLiteral(" of 30, epoch")).size(),
            22);
        QVERIFY2(run.err.contains(QStringLiteral("from 256 to 128")), run.text());
        QVERIFY2(run.out.contains(QStringLiteral("out of memory  1 time")), run.text());
    }

    void saysTheSummaryOnlyWhenQuiet()
    {
        const ProgramRun run =
            runProgram(trainArguments({}, split("--steps 3 --setting auto-halving --quiet")));
        QVERIFY2(run.exitCode == 0, run.text());
        QVERIFY2(run.outLines().front().startsWith(QLatin1String("trained")), run.text());
        QVERIFY2(run.err.isEmpty(), run.text());
    }

    void writesEventsThatOthersRead()
    {
        const ProgramRun run =
            runProgram(trainArguments({}, split("--steps 3 --setting auto-halving --events -")));
        QVERIFY2(run.exitCode == 0, run.text());
        const auto events = eventsOf(run);
        const QStringList expected = split("training_started device epoch size_changed step step step "
                                           "training_finished");
        QStringList found = names(events);
        QVERIFY2(found == expected, run.text());
        QCOMPARE(events.front().value(QStringLiteral("schema")).toInt(), 1);
        QCOMPARE(events.back().value(QStringLiteral("micro_batch_size")).toInt(), 128);
        QVERIFY2(run.err.contains(QStringLiteral("steps 1 to 3 of 3")), run.text());
    }

    void losesNoSampleToAHalving()
    {
        const auto losses = [](const QStringList& options) {
            QList<double> values;
            for (const QJsonObject& event : eventsOf(runProgram(trainArguments({}, options)))) {
                if (event.value(QStringLiteral("event")) == QStringLiteral("step"))
                    values << event.value(QStringLiteral("loss")).toDouble();
            }
            return values;
        };
        const QList<double> halved = losses(split("--steps 4 --setting auto-halving --events -"));
        QCOMPARE(halved.size(), 4);
        QCOMPARE(halved, losses(split("--steps 4 --setting 128 --events -")));
    }

    void endsAfterTheStepWithASummary_data()
    {
        QTest::addColumn<int>("signal");
        QTest::newRow("Ctrl-C") << SIGINT;
        QTest::newRow("terminated") << SIGTERM;
    }
    void endsAfterTheStepWithASummary()
    {
        QFETCH(int, signal);
        QProcess process;
        process.setProcessEnvironment(environmentWithoutDisplay());
        process.start(QStringLiteral(BATCHPEAK_PROGRAM),
                      trainArguments(QStringLiteral("pause=50"), split("--steps 100000 --setting 32")));
        QByteArray out;
        while (!out.contains("step 3 of")) {
            QVERIFY(process.waitForReadyRead(patience));
            out += process.readAllStandardOutput();
        }
        kill(static_cast<pid_t>(process.processId()), signal);
        QVERIFY(process.waitForFinished(patience));
        out += process.readAllStandardOutput();
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 130);
        QVERIFY2(out.contains("then it was interrupted"), out.constData());
    }

    void endsAtOnceAtTheSecondSignal()
    {
        QProcess process;
        process.setProcessEnvironment(environmentWithoutDisplay());
        process.start(QStringLiteral(BATCHPEAK_PROGRAM),
                      trainArguments(QStringLiteral("batch=endless#4"), split("--steps 100 --setting 32")));
        QByteArray out;
        while (!out.contains("step 3 of")) {
            QVERIFY(process.waitForReadyRead(patience));
            out += process.readAllStandardOutput();
        }
        QByteArray err;
        kill(static_cast<pid_t>(process.processId()), SIGINT);
        process.setReadChannel(QProcess::StandardError);
        while (!err.contains("Ctrl-C once more")) {
            QVERIFY(process.waitForReadyRead(patience));
            err += process.readAllStandardError();
        }
        kill(static_cast<pid_t>(process.processId()), SIGINT);
        QVERIFY(process.waitForFinished(patience));
        out += process.readAllStandardOutput();
        QCOMPARE(process.exitCode(), 130);
        QVERIFY2(out.contains("steps 1 to 3 of 100"), out.constData());
    }

    void refusesWhatCannotBeFollowed_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<QString>("said");
        const auto row = [](const char* options, const char* said) {
            QTest::newRow(options) << split(options) << QString::fromUtf8(said);
        };
        row("--stepz 3", "Did you mean --steps?");
        row("--exact", "add --maximum");
        row("--maximum binary --setting 4", "leave out either");
        row("--checkpoint /proc/none", "--checkpoint: the folder /proc/none");
        row("--resume /no/such", "/no/such");
        row("--events /no/such/e.jsonl", "/no/such/e.jsonl cannot be written");
        row("--strict --setting 24", "--strict");
    }
    void refusesWhatCannotBeFollowed()
    {
        QFETCH(QStringList, options);
        QFETCH(QString, said);
        const ProgramRun run = runProgram(trainArguments({}, options));
        QVERIFY2(run.exitCode == 1, run.text());
        QVERIFY2(run.out.isEmpty(), run.text());
        QVERIFY2(run.err.contains(QStringLiteral("batchpeak: ")), run.text());
        QVERIFY2(run.err.contains(said), run.text());
    }
};

BATCHPEAK_TEST(TrainCommandTest)
#include "tst_train_command.moc"
