// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "recorded_sweep.h"
#include "replay_device.h"
#include "support/files.h"
#include "support/rows.h"
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

/// What is replaced in a good sweep, and the place that is named for it.
struct Mistake
{
    QByteArray before;
    QByteArray after;
    QByteArray place;
};

struct AtSize
{
    std::int64_t size;
    double seconds;
    double peakBytes;
};

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
        rows<Mistake>({
            {"no limit", {"# limit_bytes: 1000000\n", "", "line 16"}},
            {"a limit in words", {"limit_bytes: 1000000", "limit_bytes: 1 MB", "line 4"}},
            {"a header without a value", {"# date: 2026-11-21", "# date", "line 3"}},
            {"other columns", {"repetition,micro", "run,micro", "line 6"}},
            {"a field too few", {"1,8,oom,0,0,0,0,0,1100000,0.1", "1,8,oom,0,0,0,0,0,1100000", "line 10"}},
            {"a time of nothing", {"0.010,0.01", "0,0.01", "line 7"}},
            {"a time that is no number", {"0.010,0.01", "nan,0.01", "line 7"}},
            {"a negative size", {"1,2,ok", "1,-2,ok", "line 8"}},
            {"another outcome", {"oom", "failed", "line 10"}},
        });
    }
    void namesTheLineThatIsWrong()
    {
        const auto& [before, after, place] = row<Mistake>();
        QByteArray text = batchpeak::test::readFile(goodSweep());
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
            QVERIFY2(QByteArray(error.what()).contains("bad.csv, " + place + ":"), error.what());
        }
    }

    void refusesAFileThatIsNotThere() { QVERIFY_EXCEPTION_THROWN(readSweep("no-such-file.csv"), SweepError); }

    void takesTheMiddleOfTheRepetitions_data()
    {
        rows<AtSize>({
            {"smallest", {1, 0.011, 2e5}},
            {"measured", {2, 0.018, 3e5}},
            {"between", {3, 3.0 * (0.009 - 0.001 * std::log(1.5) / std::log(2.0)), 4e5}},
            {"beyond the largest that ran", {6, 0.048, 7e5}},
        });
    }
    void takesTheMiddleOfTheRepetitions()
    {
        const auto& [size, seconds, peakBytes] = row<AtSize>();
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
