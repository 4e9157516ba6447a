// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sample_trainings.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "training_window/runs_card.h"
#include "training_window/runs_model.h"
#include "window_fixture.h"

#include <QAbstractItemModelTester>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

using namespace batchpeak;
using namespace batchpeak::ui;

namespace {

QString rowOf(const RunsModel& model, int row)
{
    QStringList texts;
    for (int column = 0; column < RunsModel::Settings; ++column)
        texts << model.data(model.index(row, column), Qt::DisplayRole).toString();
    return texts.join(QStringLiteral(" | "));
}

QStringList shownNames(const RunsModel& model)
{
    QStringList names;
    for (const ComparedRun& run : model.shown())
        names << QStringLiteral("%1 in %2").arg(run.name).arg(run.pattern);
    return names;
}

} // namespace

/// Tests which runs can be compared, and which of them are shown.
class RunsModelTest : public QObject
{
    Q_OBJECT

private slots:
    void init() { QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates)); }

    void listsThePresentRunBeforeThoseKept()
    {
        RunsModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.display(test::readyTraining());
        QCOMPARE(model.rowCount(), 0);
        const auto earlier = test::earlierTrainings();
        model.display(earlier[1]);
        QVERIFY(rowOf(model, 0).startsWith(QStringLiteral("run 1 | 64 × 24 | ")));
        QVERIFY(rowOf(model, 0).endsWith(QStringLiteral("| stopped at 300")));
        model.keep(earlier[1]);
        model.display(test::predictedTraining());
        QCOMPARE(model.rowCount(), 2);
        QVERIFY2(rowOf(model, 0).startsWith(QStringLiteral("run 2 | 192 × 8 | ")),
                 qPrintable(rowOf(model, 0)));
        QVERIFY(rowOf(model, 0).endsWith(QStringLiteral(") | running")));
        QVERIFY(rowOf(model, 1).startsWith(QStringLiteral("run 1 | ")));
        QVERIFY(!model.isKept(0) && model.isKept(1));
        model.display(test::readyTraining());
        QCOMPARE(model.rowCount(), 1);
    }

    void keepsNoRunWithoutAStep()
    {
        RunsModel model;
        model.keep(test::readyTraining());
        model.add(test::nothingFitsTraining(), QStringLiteral("other"));
        QCOMPARE(model.rowCount(), 0);
    }

    void hidesAndRemovesRuns()
    {
        RunsModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QSignalSpy changes(&model, &RunsModel::shownChanged);
        for (const auto& run : test::earlierTrainings())
            model.keep(run);
        QCOMPARE(shownNames(model), (QStringList{QStringLiteral("run 1 in 0"), QStringLiteral("run 2 in 1"),
                                                 QStringLiteral("run 3 in 2")}));
        QCOMPARE(changes.count(), 3);
        const QModelIndex second = model.index(1, RunsModel::Name);
        QVERIFY(model.setData(second, Qt::Unchecked, Qt::CheckStateRole));
        QCOMPARE(shownNames(model).size(), 2);
        QCOMPARE(model.data(second, Qt::CheckStateRole).toInt(), static_cast<int>(Qt::Unchecked));
        model.remove(1);
        QCOMPARE(model.rowCount(), 2);
        // Remaining runs keep their patterns, and a new run gets a free one.
        model.keep(test::completedTraining());
        QCOMPARE(shownNames(model), (QStringList{QStringLiteral("run 1 in 0"), QStringLiteral("run 3 in 2"),
                                                 QStringLiteral("run 4 in 1")}));
        QCOMPARE(changes.count(), 6);
    }

    void dropsTheOldestRunIfThereAreTooMany()
    {
        RunsModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.display(test::midwayTraining());
        for (int i = 0; i < maxComparedRuns + 2; ++i)
            model.add(test::completedTraining(), QString::number(i));
        QCOMPARE(model.rowCount(), 1 + maxComparedRuns);
        QCOMPARE(model.shown().front().name, QStringLiteral("2"));
    }

    void neverChecksOrRemovesThePresentRun()
    {
        RunsModel model;
        model.display(test::midwayTraining());
        const QModelIndex present = model.index(0, RunsModel::Name);
        QVERIFY(!(model.flags(present) & Qt::ItemIsUserCheckable));
        QVERIFY(!model.setData(present, Qt::Unchecked, Qt::CheckStateRole));
        model.remove(0);
        QCOMPARE(model.rowCount(), 1);
    }

    void reportsHowARunEnded_data()
    {
        rows<training::TrainingSnapshot, Text>({{"running", {test::midwayTraining(), "running"}},
                                                {"done", {test::completedTraining(), "340 steps"}},
                                                {"failed", {test::failedTraining(), "failed at 57"}},
                                                {"diverged", {test::divergedTraining(), "diverged"}},
                                                {"memory", {test::nothingFitsTraining(), "out of memory"}}});
    }
    void reportsHowARunEnded()
    {
        const auto& [snapshot, said] = row<training::TrainingSnapshot, Text>();
        QCOMPARE(resultText(snapshot), said);
    }

    void removesTheChosenRunByKeyAndButton()
    {
        RunsModel model;
        RunsCard card(&model);
        card.show();
        card.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&card));
        auto* table = card.findChild<QTableView*>();
        for (int run = 0; run < 3; ++run)
            model.keep(test::completedTraining());
        auto* remove = test::buttonOf(card, "Remove");
        QVERIFY(!remove->isEnabled());
        table->selectRow(0);
        table->setFocus();
        QTest::keyClick(table, Qt::Key_Delete);
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.shown().back().name, QStringLiteral("run 2"));
        table->selectRow(1);
        remove->click();
        QCOMPARE(model.rowCount(), 1);
        QCOMPARE(model.shown().back().name, QStringLiteral("run 2"));
    }

    void hasRoomForTheNameNextToItsSign()
    {
        RunsModel model;
        RunsCard card(&model);
        card.resize(460, 300);
        model.keep(test::completedTraining());
        card.show();
        const auto* table = card.findChild<QTableView*>();
        QVERIFY(table->columnWidth(RunsModel::Name) >=
                table->sizeHintForIndex(model.index(0, RunsModel::Name)).width());
    }
};

BATCHPEAK_TEST(RunsModelTest)
#include "tst_runs_model.moc"
