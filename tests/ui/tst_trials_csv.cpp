// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/test_main.h"
#include "ui/trials_csv.h"

#include <QLocale>
#include <QTest>

using namespace batchpeak;
using engine::TrialSnapshot;
using engine::TrialState;

class TrialsCsvTest : public QObject
{
    Q_OBJECT

private slots:
    void writesFinishedTrialsForOtherPrograms()
    {
        // A comma for the decimal point, a point for thousands.
        QLocale::setDefault(QLocale(QLocale::German));
        const std::vector<TrialSnapshot> trials{{.number = 1,
                                                 .device = QStringLiteral("cuda:0"),
                                                 .microBatchSize = 2048,
                                                 .state = TrialState::Ok,
                                                 .samplesPerSecond = 1234.5,
                                                 .relativeError = 0.01,
                                                 .secondsPerStep = 1.5,
                                                 .peakAllocatedBytes = 7000000000,
                                                 .peakReservedBytes = 8000000000,
                                                 .timedSteps = 12,
                                                 .wallSeconds = 20.25,
                                                 .joulesPerSample = 0.5,
                                                 .flags = {QStringLiteral("abandoned")}},
                                                {.number = 2,
                                                 .device = QStringLiteral("cuda:0"),
                                                 .microBatchSize = 4096,
                                                 .state = TrialState::OutOfMemory,
                                                 .wallSeconds = 0.5,
                                                 .text = QStringLiteral("said \"no\", twice")},
                                                {.number = 3, .microBatchSize = 3072}};
        const QByteArray text = ui::trialsCsv(trials);
        QLocale::setDefault(QLocale::c());
        QCOMPARE(
            text,
            QByteArray("trial,device,micro_batch_size,outcome,seconds_per_step,samples_per_second,"
                       "relative_error,peak_allocated_bytes,peak_reserved_bytes,steps,wall_seconds,"
                       "flags,text,joules_per_sample\r\n"
                       "1,cuda:0,2048,ok,1.5,1234.5,0.01,7000000000,8000000000,12,20.25,abandoned,,0.5\r\n"
                       "2,cuda:0,4096,oom,,,,,,0,0.5,,\"said \"\"no\"\", twice\",\r\n"));
    }
};

BATCHPEAK_TEST(TrialsCsvTest)
#include "tst_trials_csv.moc"
