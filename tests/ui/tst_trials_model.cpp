// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sample_snapshots.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "ui/trials_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

using namespace batchpeak;
using namespace batchpeak::ui;

namespace {

const engine::MemoryUnit gibibytes{.name = QStringLiteral("GiB"), .bytes = 1024.0 * 1024.0 * 1024.0};

QStringList resultsOf(const TrialsModel& model)
{
    QStringList words;
    for (int row = 0; row < model.rowCount(); ++row)
        words << model.index(row, TrialsModel::Result).data().toString();
    return words;
}

} // namespace

class TrialsModelTest : public QObject
{
    Q_OBJECT

private slots:
    void init() { QLocale::setDefault(QLocale::c()); }

    void showsTheNewestFirst()
    {
        TrialsModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        engine::Snapshot snapshot = test::earlySnapshot();
        snapshot.devices.clear();
        model.display(snapshot, gibibytes);
        QCOMPARE(model.asText(), QStringLiteral("#\tSize\tResult\tSamples/s\tGiB\tTook\tDevice\n"
                                                "5\t72\twarm-up\t–\t–\t1.2 s\tcuda:0\n"
                                                "4\t64\tleading\t1876 ± 31\t26.2\t6.3 s\tcuda:0\n"
                                                "3\t16\tok\t1090 ± 23\t13.6\t5.3 s\tcuda:0\n"
                                                "2\t4\tok\t407 ± 13\t10.4\t5.1 s\tcuda:0\n"
                                                "1\t1\tok\t116 ± 6\t9.66\t5.0 s\tcuda:0\n"));
        QCOMPARE(model.asText({1}).count(QLatin1Char('\n')), 2);
    }

    void hasAWordForEveryOutcomeAndFlag()
    {
        TrialsModel model;
        model.display(test::everyOutcomeSnapshot(), gibibytes);
        QCOMPARE(
            resultsOf(model),
            (QStringList{QStringLiteral("warm-up"), QStringLiteral("crashed"), QStringLiteral("cancelled"),
                         QStringLiteral("timed out"), QStringLiteral("failed"), QStringLiteral("unsupported"),
                         QStringLiteral("OOM"), QStringLiteral("over headroom"), QStringLiteral("thrashes"),
                         QStringLiteral("ok, repeated"), QStringLiteral("ok, disturbed"),
                         QStringLiteral("ok, cut short"), QStringLiteral("leading"), QStringLiteral("ok"),
                         QStringLiteral("ok")}));
        for (int row = 0; row < model.rowCount(); ++row)
            QVERIFY(!model.index(row, TrialsModel::Result).data(Qt::DecorationRole).isNull());
    }

    void saysWhatDisturbedATrialAndWhatRepeatsIt()
    {
        TrialsModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.display(test::everyOutcomeSnapshot(), gibibytes);
        const auto toolTipOf = [&](const QString& number) {
            const QModelIndexList found = model.match(model.index(0, TrialsModel::Number), Qt::DisplayRole,
                                                      number, 1, Qt::MatchExactly);
            return found.isEmpty() ? QString() : found.front().data(Qt::ToolTipRole).toString();
        };
        QCOMPARE(toolTipOf(QStringLiteral("5")),
                 QStringLiteral("disturbed: another program began to use the GPU"));
        QCOMPARE(toolTipOf(QStringLiteral("6")),
                 QStringLiteral("Repetition 1 of a trial that something disturbed\n420 mJ/sample"));
    }

    void callsTheBestSoOnlyWhenItIsRecommended()
    {
        TrialsModel model;
        model.display(test::runningSnapshot(), gibibytes);
        QCOMPARE(resultsOf(model).count(QStringLiteral("best")), 1);
        engine::Snapshot unsure = test::runningSnapshot();
        unsure.searchState.recommendation->confidence = 89;
        model.display(unsure, gibibytes);
        QCOMPARE(resultsOf(model).count(QStringLiteral("best")), 0);
        QCOMPARE(resultsOf(model).count(QStringLiteral("leading")), 1);
    }

    void changesOnlyTheRowThatGoesOn()
    {
        TrialsModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        engine::Snapshot snapshot = test::runningSnapshot();
        model.display(snapshot, gibibytes);
        QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
        QSignalSpy inserted(&model, &QAbstractItemModel::rowsInserted);
        QSignalSpy reset(&model, &QAbstractItemModel::modelReset);

        model.display(snapshot, gibibytes);
        QCOMPARE(changed.count(), 0);

        snapshot.trials.back().wallSeconds = 4.4;
        model.display(snapshot, gibibytes);
        QCOMPARE(changed.count(), 1);
        QCOMPARE(changed.front().at(0).toModelIndex().row(), 0);
        QCOMPARE(changed.front().at(1).toModelIndex().row(), 0);

        snapshot.trials.push_back(test::trialThat(std::nullopt, 18, 210, 0.1));
        model.display(snapshot, gibibytes);
        QCOMPARE(inserted.count(), 1);
        QCOMPARE(reset.count(), 0);
    }

    void hasARowForEachSizeOfAComparison()
    {
        TrialsModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        engine::Snapshot snapshot = test::comparingSnapshot();
        snapshot.devices.clear();
        model.display(snapshot, gibibytes);
        QCOMPARE(model.asText({0, 1, 2, 3, 4}),
                 QStringLiteral("#\tSize\tResult\tSamples/s\tGiB\tTook\tDevice\n"
                                "18\t192\tcomparing\t–\t–\t3.2 s\tcuda:0\n"
                                "18\t208\tcomparing\t–\t–\t\tcuda:0\n"
                                "17\t160\tcompared\t2174 ± 13\t51.3\t11 s\tcuda:0\n"
                                "17\t192\tleads 1.3 % ± 0.2\t2247 ± 14\t59.7\t\tcuda:0\n"
                                "17\t224\tcompared\t2219 ± 13\t68.1\t\tcuda:0\n"));
        const QString toolTip = model.index(3, TrialsModel::Size).data(Qt::ToolTipRole).toString();
        QVERIFY2(toolTip.startsWith(QStringLiteral("compared 160, 192 and 224 in 8 visits each: 192 is")),
                 qPrintable(toolTip));
    }

    void callsSizesLevelThatCannotBeToldApart()
    {
        TrialsModel model;
        model.display(test::prospectSnapshot(), gibibytes);
        QCOMPARE(resultsOf(model).mid(0, 2),
                 (QStringList{QStringLiteral("level, 0.1 % ± 0.2"), QStringLiteral("compared")}));
    }

    void changesARunningComparisonInItsRows()
    {
        TrialsModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        engine::Snapshot snapshot = test::comparingSnapshot();
        model.display(snapshot, gibibytes);
        QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
        QSignalSpy inserted(&model, &QAbstractItemModel::rowsInserted);
        snapshot.trials.back() = test::comparisonOf(trial::Outcome::Ok, 18, {192, 208}, {0.001, 0.0});
        model.display(snapshot, gibibytes);
        QCOMPARE(inserted.count(), 0);
        snapshot.trials.push_back(test::comparisonOf(std::nullopt, 19, {192, 208, 224}, {}));
        model.display(snapshot, gibibytes);
        QCOMPARE(inserted.count(), 1);
        QCOMPARE(inserted.front().at(2).toInt(), 2);
        QCOMPARE(reset.count(), 0);
    }

    void tellsWhatSpoiltAComparison_data()
    {
        trial::TrialRecord ended = test::comparisonOf(trial::Outcome::Ok, 17, {160, 192}, {0.0, 0.0});
        ended.outcome = trial::Outcome::OutOfMemory;
        ended.microBatchSize = 192;
        trial::TrialRecord thrashing = test::comparisonOf(trial::Outcome::Ok, 17, {160, 192}, {0.0, 0.0});
        thrashing.thrashes = true;
        const auto lost = [](trial::Outcome outcome) {
            return test::comparisonOf(outcome, 17, {160, 192}, {});
        };
        rows<trial::TrialRecord, QStringList>(
            {{"a size", {ended, {QStringLiteral("cut short"), QStringLiteral("OOM")}}},
             {"its allocator", {thrashing, {QStringLiteral("thrashes"), QStringLiteral("thrashes")}}},
             {"its time",
              {lost(trial::Outcome::Timeout), {QStringLiteral("timed out"), QStringLiteral("timed out")}}},
             {"its worker",
              {lost(trial::Outcome::Crashed), {QStringLiteral("crashed"), QStringLiteral("crashed")}}}});
    }
    void tellsWhatSpoiltAComparison()
    {
        const auto& [comparison, words] = row<trial::TrialRecord, QStringList>();
        TrialsModel model;
        engine::Snapshot snapshot = test::withDevice();
        snapshot.trials = {comparison};
        model.display(snapshot, gibibytes);
        QCOMPARE(resultsOf(model), words);
    }

    void beginsAnewWithAnotherExploration()
    {
        TrialsModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.display(test::runningSnapshot(), gibibytes);
        QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
        model.display(test::nothingFitsSnapshot(), gibibytes);
        QCOMPARE(reset.count(), 1);
        QCOMPARE(resultsOf(model), QStringList{QStringLiteral("OOM")});
        model.display(test::emptySnapshot(), gibibytes);
        QCOMPARE(model.rowCount(), 0);
    }
};

BATCHPEAK_TEST(TrialsModelTest)
#include "tst_trials_model.moc"
