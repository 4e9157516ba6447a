// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "recorded_device.h"
#include "recorded_sweep.h"
#include "replay_device.h"
#include "support/test_main.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

namespace {

QString goodSweep()
{
    return QStringLiteral(BATCHPEAK_TEST_DATA "/sweep-reader/three-sizes.csv");
}

QByteArray contentsOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class RecordedSweepTest : public QObject
{
    Q_OBJECT

private slots:
    void readsEveryTrial()
    {
        const RecordedSweep sweep = readSweep(goodSweep().toStdString());
        QCOMPARE(sweep.device, std::string("Example"));
        QCOMPARE(sweep.date, std::string("2026-11-21"));
        QCOMPARE(sweep.limitBytes, 1e6);
        QCOMPARE(sweep.baselineBytes, 1e5);
        QCOMPARE(sweep.trials.size(), std::size_t{10});
        QCOMPARE(sweep.trials[4].repetition, 2);
        QCOMPARE(sweep.trials[4].size, 4);
        QCOMPARE(sweep.trials[4].secondsPerStep, 0.034);
        QCOMPARE(sweep.trials[4].peakReservedBytes, 5e5);
        QVERIFY(!sweep.trials[3].fits);
    }

    void namesTheLineThatIsWrong_data()
    {
        QTest::addColumn<QByteArray>("before");
        QTest::addColumn<QByteArray>("after");
        QTest::addColumn<QString>("line");
        QTest::newRow("no limit") << QByteArray("# limit_bytes: 1000000\n") << QByteArray()
                                  << QStringLiteral("line 16");
        QTest::newRow("a limit in words") << QByteArray("limit_bytes: 1000000")
                                          << QByteArray("limit_bytes: 1 MB") << QStringLiteral("line 4");
        QTest::newRow("a header without a value")
            << QByteArray("# date: 2026-11-21") << QByteArray("# date") << QStringLiteral("line 3");
        QTest::newRow("other columns")
            << QByteArray("repetition,micro") << QByteArray("run,micro") << QStringLiteral("line 6");
        QTest::newRow("a field too few")
            << QByteArray("1,8,oom,0,0,0,0,0,1100000,0.1") << QByteArray("1,8,oom,0,0,0,0,0,1100000")
            << QStringLiteral("line 10");
        QTest::newRow("a time of nothing")
            << QByteArray("0.010,0.01") << QByteArray("0,0.01") << QStringLiteral("line 7");
        QTest::newRow("a time that is no number")
            << QByteArray("0.010,0.01") << QByteArray("nan,0.01") << QStringLiteral("line 7");
        QTest::newRow("a negative size")
            << QByteArray("1,2,ok") << QByteArray("1,-2,ok") << QStringLiteral("line 8");
        QTest::newRow("another outcome")
            << QByteArray("oom") << QByteArray("failed") << QStringLiteral("line 10");
    }
    void namesTheLineThatIsWrong()
    {
        QFETCH(QByteArray, before);
        QFETCH(QByteArray, after);
        QFETCH(QString, line);
        QByteArray text = contentsOf(goodSweep());
        QVERIFY(text.contains(before));
        text.replace(text.indexOf(before), before.size(), after);
        const QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("bad.csv")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
        file.close();
        try {
            readSweep(file.fileName().toStdString());
            QFAIL("the file was taken");
        } catch (const SweepError& error) {
            const QString sentence = QString::fromStdString(error.what());
            QVERIFY2(sentence.contains(QStringLiteral("bad.csv, ") + line + QStringLiteral(":")),
                     error.what());
        }
    }

    void refusesAFileThatIsNotThere() { QVERIFY_EXCEPTION_THROWN(readSweep("no-such-file.csv"), SweepError); }

    void takesTheMiddleOfTheRepetitions_data()
    {
        QTest::addColumn<qint64>("size");
        QTest::addColumn<double>("seconds");
        QTest::addColumn<double>("peakBytes");
        QTest::newRow("smallest") << qint64{1} << 0.011 << 2e5;
        QTest::newRow("measured") << qint64{2} << 0.018 << 3e5;
        QTest::newRow("between") << qint64{3} << 3.0 * (0.009 - 0.001 * std::log(1.5) / std::log(2.0)) << 4e5;
        QTest::newRow("beyond the largest that ran") << qint64{6} << 0.048 << 7e5;
    }
    void takesTheMiddleOfTheRepetitions()
    {
        QFETCH(qint64, size);
        QFETCH(double, seconds);
        QFETCH(double, peakBytes);
        const ReplayDevice::Truth truth = recordedDevice(readSweep(goodSweep().toStdString()));
        QCOMPARE(truth.seconds(size), seconds);
        QCOMPARE(truth.peakBytes(size), peakBytes);
    }

    void learnsNoiseAndCost()
    {
        const ReplayDevice::Truth truth = recordedDevice(readSweep(goodSweep().toStdString()));
        QCOMPARE(truth.stepNoise, 0.02);
        QCOMPARE(truth.setupSeconds, 0.5);
        QCOMPARE(truth.optimizerSeconds, 0.001);
        // The repetitions lie about 9 % apart.
        QVERIFY2(truth.runNoise > 0.06 && truth.runNoise < 0.13, qPrintable(QString::number(truth.runNoise)));
    }

    void holdsNoSizeThatFailed()
    {
        // By the line of its peaks it would hold 9.
        const ReplayDevice device(recordedDevice(readSweep(goodSweep().toStdString())), 1);
        QCOMPARE(device.largestFit(), 7);
    }

    void endsWhereTheSweepEndsWithoutAFailure()
    {
        RecordedSweep sweep = readSweep(goodSweep().toStdString());
        std::erase_if(sweep.trials, [](const RecordedSweep::Trial& trial) { return !trial.fits; });
        QCOMPARE(ReplayDevice(recordedDevice(sweep), 1).largestFit(), 4);
    }
};

BATCHPEAK_TEST(RecordedSweepTest)
#include "tst_recorded_sweep.moc"
