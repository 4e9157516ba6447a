// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training/training_event_file.h"

#include "support/error_of.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "training/training_event_log.h"
#include "training_harness.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <sys/stat.h>

using namespace batchpeak;
using test::TrainingHarness;
using training::TrainingEnd;
using training::TrainingSnapshot;

/// Tests reading the events that a run has written.
class TrainingEventFileTest : public QObject
{
    Q_OBJECT

private:
    QTemporaryDir m_folder;

    QString written(const QByteArray& text) const
    {
        QFile file(m_folder.filePath(QStringLiteral("events.jsonl")));
        if (file.open(QIODevice::WriteOnly))
            file.write(text);
        return file.fileName();
    }

    QString eventsOf(TrainingHarness& harness) const
    {
        const QString path = written({});
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly))
            return {};
        const training::TrainingEventLog log(harness.run(), file);
        harness.runToEnd();
        return path;
    }

private slots:
    void init() { QLocale::setDefault(QLocale::c()); }

    void readsTheCourseOfARun()
    {
        TrainingHarness harness("batch=oom#2 batch=thrash#5 batch=thrash#6");
        harness.options.halvesAutomatically = true;
        harness.options.data.heldOut.share = 0.1;
        harness.options.steps = 9;
        harness.options.evaluateEvery = 4;
        const TrainingSnapshot read = training::readTrainingEvents(eventsOf(harness));
        const TrainingSnapshot& run = harness.snapshot();
        QVERIFY(read.steps == run.steps);
        QVERIFY(read.evaluations == run.evaluations);
        QVERIFY(read.changes == run.changes && !read.changes.empty());
        QCOMPARE(read.samplesPerSecond, run.samplesPerSecond);
        QCOMPARE(read.end, run.end);
        QVERIFY(!read.isUnderWay());
        QCOMPARE(read.run->batchSize, run.run->batchSize);
        QCOMPARE(read.run->learningRate, run.run->learningRate);
        QCOMPARE(read.run->heldOutSamples, run.run->heldOutSamples);
        QCOMPARE(read.run->data, run.run->data);
        QCOMPARE(read.run->run.family, run.run->run.family);
    }

    void readsDivergedAndTruncatedRuns()
    {
        TrainingHarness harness("batch=nan#3");
        harness.options.steps = 4;
        QFile file(eventsOf(harness));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray all = file.readAll();
        const TrainingSnapshot read =
            training::readTrainingEvents(written(all.left(all.lastIndexOf('\n', all.size() - 2) - 9)));
        QCOMPARE(read.end, TrainingEnd::Interrupted);
        QVERIFY(!read.steps.empty());
        const TrainingSnapshot whole = training::readTrainingEvents(written(all));
        QCOMPARE(whole.steps.size(), 4U);
        QVERIFY(std::isnan(whole.steps[2].loss));
    }

    void refusesFilesWithoutARun_data()
    {
        rows<Text, Text>(
            {{"nothing", {"", "holds no events"}},
             {"an exploration", {"{\"event\":\"started\",\"schema\":1}\n", "does not begin as"}},
             {"no JSON", {"step 1\n", "does not begin as"}},
             {"of a later program", {"{\"event\":\"training_started\",\"schema\":9}\n", "(schema 9, and"}}});
    }
    void refusesFilesWithoutARun()
    {
        const auto& [text, said] = row<Text, Text>();
        VERIFY_CONTAINS(test::errorOf([&] { training::readTrainingEvents(written(text.toUtf8())); }), said);
    }

    // Opening a pipe would block until another process writes to it.
    void refusesAPipe()
    {
        const QString pipe = m_folder.filePath(QStringLiteral("pipe"));
        QCOMPARE(::mkfifo(QFile::encodeName(pipe).constData(), 0600), 0);
        VERIFY_CONTAINS(test::errorOf([&] { training::readTrainingEvents(pipe); }), "no regular file");
    }

    void refusesAMissingFile()
    {
        VERIFY_CONTAINS(
            test::errorOf([&] { training::readTrainingEvents(m_folder.filePath(QStringLiteral("none"))); }),
            "cannot be read");
    }
};

BATCHPEAK_TEST(TrainingEventFileTest)
#include "tst_training_event_file.moc"
