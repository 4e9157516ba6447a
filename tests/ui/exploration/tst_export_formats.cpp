// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration/export_formats.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QLocale>
#include <QTest>

#include <string>

using namespace batchpeak;
using trial::Outcome;
using trial::TrialRecord;

class ExportFormatsTest : public QObject
{
    Q_OBJECT

private slots:
    void copiesTheSizeInTheSyntaxOfItsConfig_data()
    {
        rows<std::string, std::string, std::string>(
            {{"YAML", {"per_device_train_batch_size", "a: {b: 1}\n", "per_device_train_batch_size: 96"}},
             {"JSON",
              {"train_micro_batch_size_per_gpu", "\n {\"a\": 1}", "\"train_micro_batch_size_per_gpu\": 96"}},
             {"JSON with a byte order mark",
              {"train_micro_batch_size_per_gpu", "\xEF\xBB\xBF{}", "\"train_micro_batch_size_per_gpu\": 96"}},
             {"arguments", {"--micro-batch-size", "#!/bin/bash\n", "--micro-batch-size 96"}}});
    }
    void copiesTheSizeInTheSyntaxOfItsConfig()
    {
        const auto& [key, text, line] = row<std::string, std::string, std::string>();
        const config::BatchPlan plan{.microBatchKey = key};
        QCOMPARE(ui::sizeLine(plan, 96, text).toStdString(), line);
    }

    void writesFinishedTrialsForOtherPrograms()
    {
        // German uses a decimal comma, and separates thousands by points.
        QLocale::setDefault(QLocale(QLocale::German));
        const trial::TrialRecord comparison{.number = 4,
                                            .device = "cuda:0",
                                            .microBatchSize = 32,
                                            .compared = {{.microBatchSize = 24,
                                                          .samplesPerSecond = 1000.5,
                                                          .relativeError = 0.002,
                                                          .secondsPerStep = 0.5,
                                                          .peakReservedBytes = 7000000000,
                                                          .visits = {{1.0, 999.0}, {4.0, 1002.0}}},
                                                         {.microBatchSize = 28},
                                                         {.microBatchSize = 32}},
                                            .visits = 8,
                                            .outcome = trial::Outcome::OutOfMemory,
                                            .wallSeconds = 9.5};
        const std::vector<trial::TrialRecord> trials{{.number = 1,
                                                      .device = "cuda:0",
                                                      .microBatchSize = 2048,
                                                      .outcome = trial::Outcome::Ok,
                                                      .samplesPerSecond = 1234.5,
                                                      .relativeError = 0.01,
                                                      .secondsPerStep = 1.5,
                                                      .peakAllocatedBytes = 7000000000,
                                                      .peakReservedBytes = 8000000000,
                                                      .timedSteps = 12,
                                                      .wallSeconds = 20.25,
                                                      .joulesPerSample = 0.5,
                                                      .attention = "flash",
                                                      .flags = {"abandoned"}},
                                                     {.number = 2,
                                                      .device = "cuda:0",
                                                      .microBatchSize = 4096,
                                                      .outcome = trial::Outcome::OutOfMemory,
                                                      .wallSeconds = 0.5,
                                                      .text = "said \"no\", twice"},
                                                     {.number = 3, .microBatchSize = 3072},
                                                     comparison};
        config::Fidelity fidelity;
        fidelity.addReason("packed samples");
        const QByteArray text = ui::trialsCsv(trials, fidelity);
        QLocale::setDefault(QLocale::c());
        QCOMPARE(text,
                 QByteArray(
                     "trial,device,micro_batch_size,outcome,seconds_per_step,samples_per_second,"
                     "relative_error,peak_allocated_bytes,peak_reserved_bytes,steps,wall_seconds,"
                     "flags,text,joules_per_sample,visits,attention,fidelity,memory_fidelity\r\n"
                     "1,cuda:0,2048,ok,1.5,1234.5,0.01,7000000000,8000000000,12,20.25,abandoned,,0.5,,"
                     "flash,approximate,approximate\r\n"
                     "2,cuda:0,4096,oom,,,,,,0,0.5,,\"said \"\"no\"\", twice\",,,,approximate,approximate\r\n"
                     "4,cuda:0,24,ok,0.5,1000.5,0.002,,7000000000,,9.5,,,,2,,approximate,approximate\r\n"
                     "4,cuda:0,28,,,,,,,,,,,,0,,approximate,approximate\r\n"
                     "4,cuda:0,32,oom,,,,,,,,,,,0,,approximate,approximate\r\n"));
    }

    void escapesFormulas_data()
    {
        // Text that a worker reports about a trial, and how the file contains it.
        rows<std::string, std::string>(
            {{"plain", {"it ran", "it ran"}},
             {"a number", {"-3", "-3"}},
             {"a number with an exponent", {"-1.5e-3", "-1.5e-3"}},
             {"a call", {"=HYPERLINK(\"http://a\")", "\"'=HYPERLINK(\"\"http://a\"\")\""}},
             {"plus", {"+1+cmd|' /C calc'!A0", "\"'+1+cmd|' /C calc'!A0\""}},
             {"minus", {"-2+3", "\"'-2+3\""}},
             {"at", {"@SUM(1)", "\"'@SUM(1)\""}},
             {"a tab", {"\t=1", "\"'\t=1\""}},
             {"a return", {"\r=1", "\"'\r=1\""}},
             {"a line", {"\n=1", "\"'\n=1\""}},
             {"wide", {"\uff1d1", "\"'\uff1d1\""}},
             {"after another separator", {"a;=1", "\"a;=1\""}},
             {"inside", {"a=1", "a=1"}}});
    }
    void escapesFormulas()
    {
        const auto& [said, written] = row<std::string, std::string>();
        const QByteArray text = ui::trialsCsv(
            {{.number = 1, .device = "cpu", .microBatchSize = 2, .outcome = Outcome::Failed, .text = said}},
            {});
        const std::string line = "1,cpu,2,failed,,,,,,0,0,," + written + ",,,,";
        QVERIFY2(text.contains(QByteArray::fromStdString(line)), text);
    }
};

BATCHPEAK_TEST(ExportFormatsTest)
#include "tst_export_formats.moc"
