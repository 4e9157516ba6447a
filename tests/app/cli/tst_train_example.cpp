// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "program_run.h"
#include "support/test_main.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>

namespace {

struct Training
{
    ProgramRun run;
    QList<double> losses;
    QList<int> sizes;
};

/// Trains the example on the CPU, and reads losses and sizes from its events.
Training train(const QStringList& options)
{
    Training training;
    training.run = runProgram(QStringList{QStringLiteral("train"), examplePath("gpt2-tiny.yaml")} +
                              words("--device cpu --events -") + options);
    for (const QJsonObject& event : eventsIn(training.run.out.toUtf8())) {
        if (nameOf(event) != QLatin1String("step"))
            continue;
        training.losses << event.value(QStringLiteral("loss")).toDouble();
        training.sizes << event.value(QStringLiteral("micro_batch_size")).toInt();
    }
    return training;
}

} // namespace

/// Tests the whole sequence once with the real worker: real optimizer steps of an example on the CPU.
class TrainExampleTest : public QObject
{
    Q_OBJECT

private slots:
    void halvesUnderALimitWithoutChangingLosses()
    {
        const QStringList limited = words("--steps 3 --sequence-length 8 --memory-limit 48MiB");
        const Training halved = train(limited + words("--setting auto-halving"));
        QVERIFY2(halved.run.succeeded(), halved.run.text());
        QCOMPARE(halved.losses.size(), 3);
        const int size = halved.sizes.front();
        QVERIFY2(size < 256, halved.run.text());
        QVERIFY2(halved.run.answers("size_changed"), halved.run.text());

        const Training undisturbed = train(limited + words("--setting") + QStringList{QString::number(size)});
        QVERIFY2(undisturbed.run.succeeded(), undisturbed.run.text());
        QCOMPARE(halved.losses, undisturbed.losses);
    }

    void learnsAText()
    {
        const QTemporaryDir folder;
        const QString text = folder.filePath(QStringLiteral("text.txt"));
        QVERIFY(writeBytes(text, QByteArray("The quick brown fox jumps over the lazy dog. ").repeated(4000)));
        const Training training =
            train(words("--steps 8 --sequence-length 16 --setting 64 --learning-rate 3e-3 --data") +
                  QStringList{text});
        QVERIFY2(training.run.succeeded(), training.run.text());
        QCOMPARE(training.losses.size(), 8);
        QVERIFY2(training.losses.back() < 0.9 * training.losses.front(), training.run.text());
    }

    void resumesWithTheSameLosses()
    {
        const QTemporaryDir folder;
        const QStringList common = words("--sequence-length 8 --setting 64");
        const QStringList kept{QStringLiteral("--checkpoint"), folder.path()};
        const Training whole = train(common + words("--steps 6"));
        const Training first = train(common + words("--steps 3") + kept);
        QVERIFY2(first.run.succeeded(), first.run.text());
        const Training second = train(common + words("--steps 6 --resume") + QStringList{folder.path()});
        QVERIFY2(second.run.succeeded(), second.run.text());
        QCOMPARE(whole.losses.size(), 6);
        QCOMPARE(first.losses + second.losses, whole.losses);
    }

    // A limit on file sizes prevents the checkpoint, but ends neither the worker nor the steps before it. The
    // run fails at its end, because what it has learned is lost.
    void survivesACheckpointThatDoesNotFit()
    {
        const QTemporaryDir folder;
        const ProgramRun run = runWithSmallFiles(
            QStringList{QStringLiteral("train"), examplePath("gpt2-tiny.yaml")} +
                words("--device cpu --steps 2 --sequence-length 8 --setting 64 --checkpoint") +
                QStringList{folder.path()},
            environmentWithoutDisplay());
        QVERIFY2(run.exitCode == 3, run.text());
        QVERIFY2(run.answers("steps 1 to 2 of 2,"), run.text());
        QVERIFY2(run.remarks("The checkpoint of step 2 could not be written."), run.text());
        QVERIFY2(run.remarks("File too large"), run.text());
        QVERIFY2(!run.remarks("signal"), run.text());
    }

    void reportsThatNothingFits()
    {
        const Training training = train(words("--memory-limit 4MiB --steps 2"));
        QVERIFY2(training.run.exitCode == 2, training.run.text());
        QVERIFY2(training.run.remarks("batchpeak: "), training.run.text());
    }
};

BATCHPEAK_TEST(TrainExampleTest)
#include "tst_train_example.moc"
