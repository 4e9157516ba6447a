// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sample_trainings.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "training_window/confirmation_dialog.h"
#include "training_window/confirmation_model.h"
#include "widgets/message_banner.h"
#include "window_fixture.h"

#include <QAbstractItemModelTester>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

using namespace batchpeak;
using namespace batchpeak::ui;
using test::buttonOf;

namespace {

/// Whether a confirmation runs, what prevents another one, and which actions are offered.
struct Offer
{
    bool runs = false;
    QString obstacle;
    bool stops = false;
    bool repeats = false;
};

} // namespace

/// Tests how a confirmation run is shown: table, verdict, and available actions.
class ConfirmationDialogTest : public QObject
{
    Q_OBJECT

private slots:
    void init() { QLocale::setDefault(QLocale::c()); }

    void showsMeasurementsNextToPredictions()
    {
        ConfirmationModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.display(test::runningConfirmation());
        QCOMPARE(model.asText(), QStringLiteral("\tSize\tAccum.\tPredicted\tAchieved\tError\tPeak\n"
                                                "recommended\t192\t8 ×\t2236\t2219 ± 17\t−0.8 %\t60.1 GiB\n"
                                                "runner-up\t224\t7 ×\t2229\t–\t–\t–\n"));
        QVERIFY(model.index(0, ConfirmationModel::Miscorrelation).data(Qt::DecorationRole).isNull());
        auto exact = test::runningConfirmation();
        exact.sizes[0].achievedSamplesPerSecond = 0.9999 * exact.sizes[0].predicted.samplesPerSecond;
        model.display(exact);
        QCOMPARE(model.index(0, ConfirmationModel::Miscorrelation).data().toString(),
                 QStringLiteral("0.0 %"));
        model.display({});
        QCOMPARE(model.rowCount(), 0);
    }

    void changesOnlyTheRowThatIsMeasured()
    {
        ConfirmationModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        auto snapshot = test::runningConfirmation();
        model.display(snapshot);
        QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
        model.display(snapshot);
        QCOMPARE(changed.count(), 0);
        snapshot.sizes[1].achievedSamplesPerSecond = 2200.0;
        model.display(snapshot);
        QCOMPARE(changed.count(), 1);
        QCOMPARE(changed.front().at(0).toModelIndex().row(), 1);
    }

    // A single step may be the first after a warm-up: a size is judged only once it has an interval, and by
    // that interval.
    void judgesNothingBeforeItHasAnInterval_data()
    {
        rows<std::optional<double>, Text, bool>({{"one step", {std::nullopt, "–", false}},
                                                 {"few steps", {0.4, "−37.5 %", false}},
                                                 {"many steps", {0.01, "−37.5 %", true}}});
    }
    void judgesNothingBeforeItHasAnInterval()
    {
        const auto& [error, text, isJudged] = row<std::optional<double>, Text, bool>();
        auto snapshot = test::runningConfirmation();
        auto& size = snapshot.sizes[0];
        size.achievedSamplesPerSecond = 0.625 * size.predicted.samplesPerSecond;
        size.relativeError = error;
        ConfirmationModel model;
        model.display(snapshot);
        QCOMPARE(model.index(0, ConfirmationModel::Miscorrelation).data().toString(), text);
        const auto role = model.index(0, ConfirmationModel::Role);
        QCOMPARE(role.data().toString().contains(QLatin1String("37.5 %")), isJudged);
        QCOMPARE(!role.data(Qt::DecorationRole).isNull(), isJudged);
    }

    void marksLargeErrorsAndSizesOutOfMemory()
    {
        ConfirmationModel model;
        model.display(test::doneConfirmation());
        const auto far = model.index(1, ConfirmationModel::Role);
        QCOMPARE(far.data().toString(), QStringLiteral("runner-up, 2.6 % slower than predicted"));
        QVERIFY(!far.data(Qt::DecorationRole).isNull());
        QVERIFY(far.data(Qt::ToolTipRole).toString().contains(QStringLiteral("2 %")));
        QVERIFY(model.index(0, ConfirmationModel::Role).data(Qt::DecorationRole).isNull());
        model.display(test::failedConfirmation());
        const auto lost = model.index(0, ConfirmationModel::Role);
        QCOMPARE(lost.data().toString(), QStringLiteral("recommended, out of memory"));
        QVERIFY(!lost.data(Qt::DecorationRole).isNull());
    }

    void offersPossibleActions_data()
    {
        rows<Offer>({{"running", {.runs = true, .stops = true}},
                     {"done", {.repeats = true}},
                     {"done, device taken", {.obstacle = QStringLiteral("Taken.")}}});
    }
    void offersPossibleActions()
    {
        const auto& [runs, obstacle, stops, repeats] = row<Offer>();
        ConfirmationDialog dialog(Theme::light());
        dialog.setObstacle(obstacle);
        dialog.display(runs ? test::runningConfirmation() : test::doneConfirmation());
        QCOMPARE(buttonOf(dialog, "Stop")->isEnabled(), stops);
        QCOMPARE(buttonOf(dialog, "Confirm again")->isEnabled(), repeats);
        QCOMPARE(buttonOf(dialog, "Confirm again")->toolTip(), obstacle);
    }

    void showsTheVerdictAtTheEnd()
    {
        ConfirmationDialog dialog(Theme::light());
        dialog.display(test::runningConfirmation());
        QVERIFY(!dialog.summary().contains(QStringLiteral("Confirmed:")));
        dialog.display(test::doneConfirmation());
        QVERIFY2(dialog.summary().contains(QStringLiteral("Confirmed:")), qPrintable(dialog.summary()));
        QVERIFY(dialog.findChild<MessageBanner*>()->isHidden());
    }

    void explainsAFailure()
    {
        ConfirmationDialog dialog(Theme::light());
        const auto failed = test::failedConfirmation();
        dialog.display(failed);
        QCOMPARE(dialog.findChild<MessageBanner*>()->text(), failed.failure);
        QVERIFY(!dialog.findChild<MessageBanner*>()->isHidden());
        dialog.display(test::runningConfirmation());
        QVERIFY(dialog.findChild<MessageBanner*>()->isHidden());
    }

    void reportsThatItWasClosed()
    {
        ConfirmationDialog dialog(Theme::light());
        QSignalSpy closed(&dialog, &ConfirmationDialog::closed);
        dialog.show();
        dialog.reject();
        QCOMPARE(closed.count(), 1);
    }
};

BATCHPEAK_TEST(ConfirmationDialogTest)
#include "tst_confirmation_dialog.moc"
