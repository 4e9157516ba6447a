// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/words/confirmation_text.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <functional>
#include <vector>

using namespace batchpeak;
using training::ConfirmationSnapshot;
using training::ConfirmedSize;

using Change = std::function<void(ConfirmationSnapshot&)>;

namespace {

/// Returns a confirmation in which the recommended size, 16, is 4 % faster than 8.
ConfirmationSnapshot someConfirmation()
{
    return {.batchSize = 1024,
            .sizes = {{.predicted = {.microBatchSize = 16,
                                     .accumulationSteps = 64,
                                     .samplesPerSecond = 105.0,
                                     .relativeError = 0.02},
                       .achievedSamplesPerSecond = 104.0,
                       .relativeError = 0.005,
                       .meanSamplesPerSecond = 103.0,
                       .steps = 20,
                       .peakReservedBytes = std::int64_t{3} << 29},
                      {.predicted = {.microBatchSize = 8,
                                     .accumulationSteps = 128,
                                     .samplesPerSecond = 99.0,
                                     .relativeError = 0.01},
                       .achievedSamplesPerSecond = 100.0,
                       .relativeError = 0.004,
                       .meanSamplesPerSecond = 100.0,
                       .steps = 20,
                       .peakReservedBytes = std::int64_t{1} << 30}},
            .stepsDone = 40,
            .stepsInAll = 40};
}

} // namespace

class ConfirmationTextTest : public QObject
{
    Q_OBJECT

private slots:
    void printsAConfirmation()
    {
        const QStringList expected{
            QStringLiteral(
                "samples/s of whole optimizer steps of 1,024 samples on one device, measured as configured"),
            QStringLiteral("SIZE  ACCUMULATION  PREDICTED     ACHIEVED     ERROR   PEAK      STEPS"),
            QStringLiteral("16    64            105 ± 2.10    104 ± 0.520  -1.0 %  1.50 GiB  20"),
            QStringLiteral("8     128           99.0 ± 0.990  100 ± 0.400  +1.0 %  1.00 GiB  20"),
            QStringLiteral("Confirmed: at a batch of 1024 the recommended size, 16, is 4.0 % faster than its "
                           "runner-up, 8.")};
        QCOMPARE(cli::confirmationLines(someConfirmation()), expected);
    }

    void marksApproximateResults()
    {
        ConfirmationSnapshot confirmation = someConfirmation();
        confirmation.fidelity.addReason("packed samples");
        confirmation.sizes[1].ranOutOfMemory = true;
        const QStringList lines = cli::confirmationLines(confirmation);
        QVERIFY(lines[0].endsWith(QStringLiteral("approximate because of packed samples")));
        QVERIFY(lines[2].contains(QStringLiteral("~105 ± 2.10")) &&
                lines[2].contains(QStringLiteral("~104 ± 0.520")) &&
                lines[2].contains(QStringLiteral("~1.50 GiB")));
        QVERIFY(lines[3].contains(QStringLiteral("  out of memory")));
    }

    void statesAVerdict_data()
    {
        rows<Change, const char*>(
            {{"within the noise",
              {[](auto& now) { now.sizes[0].relativeError = 0.03; },
               "equally fast as far as these steps tell: 4.0 % apart, within a noise of 6.1 %"}},
             {"against the trials",
              {[](auto& now) { now.sizes[0].achievedSamplesPerSecond = 80.0; },
               "Not confirmed: at a batch of 1024 the runner-up, 8, is 25.0 % faster than the recommended "
               "size, 16. The trials predict the contrary"}},
             {"as the trials predict for the batch",
              {[](auto& now) {
                   now.sizes[0].achievedSamplesPerSecond = 80.0;
                   now.sizes[0].predicted.samplesPerSecond = 81.0;
               },
               "The trials predict that for whole steps of this batch"}},
             {"too few steps",
              {[](auto& now) { now.sizes[1].relativeError.reset(); }, "16 and 8 took too few steps"}},
             {"no memory for the recommended one",
              {[](auto& now) { now.sizes[0].ranOutOfMemory = true; },
               "Memory ran out in whole steps of the recommended size, 16;"}},
             {"no memory for the other one",
              {[](auto& now) { now.sizes[1].ranOutOfMemory = true; },
               "Memory ran out in whole steps of the runner-up, 8,"}},
             {"no other one", {[](auto& now) { now.sizes.pop_back(); }, "no other size to compare 16 with"}},
             {"stopped before the first step",
              {[](auto& now) { now.sizes[0].achievedSamplesPerSecond.reset(); }, "No step of 16 was timed"}},
             {"stopped before the other one's",
              {[](auto& now) { now.sizes[1].achievedSamplesPerSecond.reset(); }, "No step of 8 was timed"}}});
    }
    void statesAVerdict()
    {
        const auto& [change, said] = row<Change, const char*>();
        ConfirmationSnapshot confirmation = someConfirmation();
        change(confirmation);
        const auto verdictLine = static_cast<qsizetype>(2 + confirmation.sizes.size());
        const QString verdict = cli::confirmationLines(confirmation).value(verdictLine);
        QVERIFY2(verdict.contains(QLatin1String(said)), qPrintable(verdict));
    }

    void reportsReasonsForDoubt_data()
    {
        const char* stalled = "Some steps of 8 stalled: all of them together reach 5.0 % less";
        const char* uneven = "The steps of 16 were uneven: all of them together reach 5.0 % more";
        const char* optimizer = "The trials lack the time of the optimizer step";
        rows<Change, std::vector<const char*>>(
            {{"nothing", {[](auto&) {}, {}}},
             {"a stall", {[](auto& now) { now.sizes[1].meanSamplesPerSecond = 95.0; }, {stalled}}},
             {"lucky steps", {[](auto& now) { now.sizes[0].meanSamplesPerSecond = 104.0 * 1.05; }, {uneven}}},
             {"all of it",
              {[](auto& now) {
                   now.sizes[1].meanSamplesPerSecond = 95.0;
                   now.sizes[0].predicted.withoutOptimizer = true;
               },
               {optimizer, stalled}}},
             {"a device that is slower now",
              {[](auto& now) {
                   now.sizes[0].predicted.samplesPerSecond = 130.0;
                   now.sizes[1].predicted.samplesPerSecond = 126.0;
               },
               {"Both sizes reach some 20.3 % less than predicted, as on a device that was faster while"}}},
             {"a device that is faster now",
              {[](auto& now) {
                   now.sizes[0].predicted.samplesPerSecond = 90.0;
                   now.sizes[1].predicted.samplesPerSecond = 86.0;
               },
               {"Both sizes reach some 15.9 % more than predicted, as on a device that was slower while"}}},
             {"predictions without the optimizer",
              {[](auto& now) {
                   now.sizes[0].predicted = {.samplesPerSecond = 130.0, .withoutOptimizer = true};
                   now.sizes[1].predicted = {.samplesPerSecond = 126.0, .withoutOptimizer = true};
               },
               {optimizer}}},
             {"a size that is slower than predicted",
              {[](auto& now) { now.sizes[0].predicted.samplesPerSecond = 130.0; }, {}}},
             {"sizes that are not as much slower",
              {[](auto& now) {
                   now.sizes[0].predicted.samplesPerSecond = 130.0;
                   now.sizes[1].predicted.samplesPerSecond = 110.0;
               },
               {}}},
             {"predictions that are as vague",
              {[](auto& now) {
                   now.sizes[0].predicted.samplesPerSecond = 130.0;
                   now.sizes[0].predicted.relativeError = 0.3;
                   now.sizes[1].predicted.samplesPerSecond = 126.0;
               },
               {}}}});
    }
    void reportsReasonsForDoubt()
    {
        const auto& [change, said] = row<Change, std::vector<const char*>>();
        ConfirmationSnapshot confirmation = someConfirmation();
        const qsizetype linesBefore = 5;
        change(confirmation);
        const QStringList remarks = cli::confirmationLines(confirmation).mid(linesBefore);
        QCOMPARE(remarks.size(), static_cast<qsizetype>(said.size()));
        for (qsizetype i = 0; i < remarks.size(); ++i)
            QVERIFY2(remarks[i].startsWith(QLatin1String(said.at(i))), qPrintable(remarks[i]));
    }

    void showsMissingValues()
    {
        ConfirmationSnapshot confirmation = someConfirmation();
        confirmation.sizes[0] = {
            .predicted = {.microBatchSize = 16, .accumulationSteps = 64, .samplesPerSecond = 105.0}};
        confirmation.sizes[1].ranOutOfMemory = true;
        const QStringList lines = cli::confirmationLines(confirmation);
        QCOMPARE(lines[2].simplified(), QStringLiteral("16 64 105 ± 0 - - - 0"));
        QCOMPARE(lines[3].simplified(), QStringLiteral("8 128 99.0 ± 0.990 out of memory - 1.00 GiB 20"));
    }

    void showsZeroWithoutASign()
    {
        ConfirmationSnapshot confirmation = someConfirmation();
        confirmation.sizes[0].predicted.samplesPerSecond = 104.0 * (1.0 + 1e-9);
        QVERIFY(cli::confirmationLines(confirmation)[2].contains(QStringLiteral(" 0.0 %")));
    }

    void showsTheProgress()
    {
        ConfirmationSnapshot confirmation = someConfirmation();
        QVERIFY(cli::confirmationLiveLine(confirmation).isEmpty());
        confirmation.isRunning = true;
        confirmation.stepsDone = 7;
        QCOMPARE(cli::fitted(cli::confirmationLiveLine(confirmation), 60).plain(),
                 QStringLiteral("█░░░░░░░  17 %  confirming: 7 of 40 steps timed"));
    }
};

BATCHPEAK_TEST(ConfirmationTextTest)
#include "tst_confirmation_text.moc"
