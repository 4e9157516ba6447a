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

/// Replacement that makes a valid sweep invalid, and the place that the error names.
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
        QCOMPARE(sweep.machine, std::string("2 processors, linux 6.1, load 0.01 before"));
        QCOMPARE(sweep.otherPrograms, std::string("nothing"));
        QCOMPARE(sweep.trials[4].visit, 2);
        QCOMPARE(sweep.trials[4].size, 4);
        QCOMPARE(sweep.trials[4].clockSeconds, 2.875);
        QCOMPARE(sweep.trials[4].stepSeconds.size(), std::size_t{8});
        QCOMPARE(sweep.trials[4].secondsPerStep(), 0.034);
        QCOMPARE(sweep.trials[4].relativeError(), 0.01);
        QCOMPARE(sweep.trials[4].peakReservedBytes, 5e5);
        QVERIFY(sweep.trials[4].disturbed && !sweep.trials[5].disturbed);
        QVERIFY(!sweep.trials[3].fits);
    }

    void reportsTheLineOfAnError_data()
    {
        rows<Mistake>({
            {"no limit", {"# limit_bytes: 1000000\n", "", "line 19"}},
            {"a limit in words", {"limit_bytes: 1000000", "limit_bytes: 1 MB", "line 7"}},
            {"a header without a value", {"# date: 2026-11-21", "# date", "line 4"}},
            {"another format", {"format: 2", "format: 1", "line 1"}},
            {"other columns", {"visit,micro", "run,micro", "line 9"}},
            {"a missing field", {"1,8,oom,2.775,0,0", "1,8,oom,2.775,0", "line 13"}},
            {"a time of zero", {";0.0097;", ";0;", "line 10"}},
            {"a time that is no number", {";0.0097;", ";nan;", "line 10"}},
            {"a missing step", {";0.0097;", ";;", "line 10"}},
            {"a negative size", {"1,2,ok", "1,-2,ok", "line 11"}},
            {"another outcome", {"oom", "failed", "line 13"}},
        });
    }
    void reportsTheLineOfAnError()
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

    void refusesAMissingFile() { QVERIFY_EXCEPTION_THROWN(readSweep("no-such-file.csv"), SweepError); }

    void usesTheMedianOfTheVisits_data()
    {
        rows<AtSize>({
            {"smallest", {1, 0.011, 2e5}},
            {"measured", {2, 0.018, 3e5}},
            {"between", {3, 3.0 * (0.009 - 0.001 * std::log(1.5) / std::log(2.0)), 4e5}},
            {"beyond the largest that ran", {6, 0.048, 7e5}},
        });
    }
    void usesTheMedianOfTheVisits()
    {
        const auto& [size, seconds, peakBytes] = row<AtSize>();
        const ReplayDevice::Truth truth = recordedDevice(readSweep(goodSweep().toStdString()));
        QCOMPARE(truth.seconds(size), seconds);
        QCOMPARE(truth.peakBytes(size), peakBytes);
    }

    void estimatesNoiseAndCost()
    {
        const ReplayDevice::Truth truth = recordedDevice(readSweep(goodSweep().toStdString()));
        QCOMPARE(truth.stepNoise, 0.02);
        QCOMPARE(truth.setupSeconds, 0.5);
        QCOMPARE(truth.optimizerSeconds, 0.001);
        // The visits of a size differ by about 9 %.
        QVERIFY2(truth.runNoise > 0.06 && truth.runNoise < 0.13, qPrintable(QString::number(truth.runNoise)));
    }

    void fitsNoSizeThatFailed()
    {
        // The slope of its peaks alone would allow size 9.
        const ReplayDevice device(recordedDevice(readSweep(goodSweep().toStdString())), 1);
        QCOMPARE(device.largestFit(), 7);
    }

    void endsAtTheLargestSizeIfNoneFailed()
    {
        RecordedSweep sweep = readSweep(goodSweep().toStdString());
        std::erase_if(sweep.trials, [](const RecordedSweep::Trial& trial) { return !trial.fits; });
        QCOMPARE(ReplayDevice(recordedDevice(sweep), 1).largestFit(), 4);
    }
};

BATCHPEAK_TEST(RecordedSweepTest)
#include "tst_recorded_sweep.moc"
