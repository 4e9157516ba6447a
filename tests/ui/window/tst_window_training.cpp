// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/run_charts.h"
#include "engine/exploration.h"
#include "engine/exploration_recorder.h"
#include "store/exploration_store.h"
#include "support/processes.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "training/checkpoints/checkpoint_folder.h"
#include "training/training_run.h"
#include "training_window/confirmation_dialog.h"
#include "training_window/runs_model.h"
#include "training_window/training_form.h"
#include "training_window/training_metrics.h"
#include "training_window/training_view.h"
#include "training_window/training_window.h"
#include "widgets/log_view.h"
#include "widgets/message_banner.h"
#include "widgets/option_field.h"
#include "window/export_dialog.h"
#include "window_fixture.h"

#include <QAction>
#include <QFile>
#include <QMessageBox>
#include <QPointer>
#include <QPushButton>
#include <QSplitter>
#include <QTest>

using namespace batchpeak;
using namespace batchpeak::ui;
using test::actionOf;

namespace {

// Each batch takes 20 ms, so that a training run can be observed while it is under way.
const QString slowly = QStringLiteral("pause=20");

} // namespace

/// Tests training runs and confirmation runs in the window, with a worker that trains by a formula.
class WindowTrainingTest : public test::WindowFixture
{
    Q_OBJECT

    QString m_path;

    TrainingWindow* training() { return window().findChild<TrainingWindow*>(); }
    ConfirmationDialog* confirmation() { return window().findChild<ConfirmationDialog*>(); }
    OptionField& field(const char* option) { return *training()->findChild<TrainingForm*>()->field(option); }
    const training::TrainingSnapshot& run() { return training()->run().snapshot(); }

    void open(const QString& words)
    {
        window().setOptions(optionsWith(words, 6));
        QVERIFY(window().openConfig(m_path));
    }

    void explore(const QString& words)
    {
        open(words);
        window().startExploring();
        TRY_COMPARE(snapshot().state, engine::State::Finished);
        QVERIFY(snapshot().searchState.recommendation);
        TRY_VERIFY(actionOf(window(), "Confirm")->isEnabled());
    }

    void beginTraining(const QString& words, const QString& epochs)
    {
        open(words);
        actionOf(window(), "Train")->trigger();
        QVERIFY(training()->isVisible());
        field("--epochs").type(epochs);
        actionOf(*training(), "Start")->trigger();
    }

private slots:
    void init() { m_path = fileWith("params.yaml", smallGpt2("48", "explore")); }

    void offersTrainingForAConfigWithABatch()
    {
        QVERIFY(!actionOf(window(), "Train")->isEnabled());
        open({});
        QVERIFY(actionOf(window(), "Train")->isEnabled());
        QVERIFY(!actionOf(window(), "Confirm")->isEnabled());
    }

    void offersNoTrainingToUsersOfPython()
    {
        auto options = optionsWith({});
        options.python = engine::anyPython;
        window().setOptions(options);
        // Options are remembered per config, so this test uses its own.
        QVERIFY(window().openConfig(fileWith("python.yaml", smallGpt2("48", "explore"))));
        QVERIFY(!actionOf(window(), "Train")->isEnabled());
        QVERIFY(actionOf(window(), "Train")->toolTip().contains(QLatin1String("your own trainer")));
    }

    void trainsFromTheFormToTheSummary()
    {
        beginTraining({}, QStringLiteral("2"));
        TRY_COMPARE(run().end, training::TrainingEnd::Completed);
        QCOMPARE(run().steps.size(), 32U);
        const auto* metrics = training()->findChild<TrainingMetrics*>();
        QVERIFY2(metrics->summary().contains(QStringLiteral("32 steps in")), qPrintable(metrics->summary()));
        const auto* loss = training()->findChildren<RunChart*>().front();
        QVERIFY2(loss->accessibleDescription().contains(QStringLiteral("at step 32")),
                 qPrintable(loss->accessibleDescription()));
        QVERIFY(!training()->findChild<LogView*>()->text().isEmpty());
        QVERIFY(actionOf(*training(), "Start")->isEnabled());
        actionOf(*training(), "Start")->trigger();
        TRY_COMPARE(run().end, training::TrainingEnd::Completed);
    }

    void trainsNoConfigThatHasChanged()
    {
        open({});
        actionOf(window(), "Train")->trigger();
        field("--epochs").type(QStringLiteral("1"));
        fileWith("params.yaml", smallGpt2("32", "explore"));
        actionOf(*training(), "Start")->trigger();
        QVERIFY(!run().isUnderWay());
        QEvent activation(QEvent::WindowActivate);
        QApplication::sendEvent(&window(), &activation);
        actionOf(*training(), "Start")->trigger();
        TRY_COMPARE(run().end, training::TrainingEnd::Completed);
        QCOMPARE(run().run->batchSize, 32);
    }

    void keepsThePreviousRunForComparison()
    {
        beginTraining({}, QStringLiteral("1"));
        TRY_COMPARE(run().end, training::TrainingEnd::Completed);
        auto* runs = training()->findChild<RunsModel*>();
        QCOMPARE(runs->rowCount(), 1);
        const QAction* start = actionOf(*training(), "Start");
        const auto* chart = training()->findChildren<RunChart*>().front();
        QVERIFY(!chart->accessibleDescription().contains(QStringLiteral("run 1")));
        actionOf(*training(), "Start")->trigger();
        TRY_COMPARE(run().end, training::TrainingEnd::Completed);
        TRY_COMPARE(runs->rowCount(), 2);
        QVERIFY(start->isEnabled());
        TRY_VERIFY(chart->accessibleDescription().contains(QStringLiteral("run 1: ")));
        runs->remove(1);
        TRY_VERIFY(!chart->accessibleDescription().contains(QStringLiteral("run 1: ")));
    }

    void showsThePredictionOfTheExploration()
    {
        QFile::remove(store::ExplorationStore::defaultPath());
        const engine::ExplorationRecorder recorder(window().exploration(),
                                                   store::ExplorationStore::defaultPath());
        explore({});
        actionOf(window(), "Train")->trigger();
        field("--epochs").type(QStringLiteral("1"));
        actionOf(*training(), "Start")->trigger();
        TRY_COMPARE(run().end, training::TrainingEnd::Completed);
        QVERIFY(run().overPrediction);
        const auto* rate = test::partOf<RunChart>(*training(), "Throughput chart");
        TRY_VERIFY2(rate->accessibleDescription().contains(QStringLiteral("predicted, ")),
                    qPrintable(rate->accessibleDescription()));
    }

    void holdsSamplesOut()
    {
        open({});
        actionOf(window(), "Train")->trigger();
        field("--eval-split").type(QStringLiteral("10%"));
        actionOf(*training(), "Start")->trigger();
        TRY_COMPARE(run().end, training::TrainingEnd::Completed);
        QCOMPARE(run().run->heldOutSamples, 77);
        QCOMPARE(run().evaluations.size(), 1U);
        const auto* loss = test::partOf<RunChart>(*training(), "Loss chart");
        TRY_VERIFY2(loss->accessibleDescription().contains(QStringLiteral("held out: ")),
                    qPrintable(loss->accessibleDescription()));
    }

    void remembersItsGeometryAndOptions()
    {
        open({});
        actionOf(window(), "Train")->trigger();
        QPointer<TrainingWindow> first = training();
        first->resize(1301, 777);
        field("--learning-rate").type(QStringLiteral("0.002"));
        auto* columns = first->findChild<QSplitter*>(QStringLiteral("columns"));
        columns->setSizes({700, 560});
        emit columns->splitterMoved(700, 1);
        const int side = columns->sizes().back();
        first->close();
        TRY_VERIFY(!first);
        actionOf(window(), "Train")->trigger();
        QCOMPARE(training()->size(), QSize(1301, 777));
        QCOMPARE(field("--learning-rate").text(), QStringLiteral("0.002"));
        QCOMPARE(training()->findChild<QSplitter*>(QStringLiteral("columns"))->sizes().back(), side);
        // Options are remembered per config.
        window().openConfig(fileWith("other.yaml", smallGpt2("32", "explore")));
        QVERIFY(field("--learning-rate").text() != QLatin1String("0.002"));
        window().openConfig(m_path);
        QCOMPARE(field("--learning-rate").text(), QStringLiteral("0.002"));
        field("--learning-rate").type({});
    }

    void explainsWhatCannotBeTrained()
    {
        open({});
        actionOf(window(), "Train")->trigger();
        field("--sequence-length").type(QStringLiteral("4096"));
        const QAction* start = actionOf(*training(), "Start");
        QVERIFY(!start->isEnabled());
        QVERIFY2(start->toolTip().contains(QStringLiteral("4096")) ||
                     start->toolTip().contains(QStringLiteral("4,096")),
                 qPrintable(start->toolTip()));
        field("--sequence-length").type({});
        QVERIFY(start->isEnabled());
    }

    void stopsAfterAStep()
    {
        beginTraining(slowly, QStringLiteral("1000"));
        TRY_VERIFY(run().steps.size() >= 2);
        QVERIFY(!training()->findChild<TrainingForm*>()->isEnabled());
        actionOf(*training(), "Stop")->trigger();
        TRY_COMPARE(run().end, training::TrainingEnd::Interrupted);
        TRY_VERIFY(training()->findChild<TrainingForm*>()->isEnabled());
    }

    void reportsAnInvalidForm()
    {
        beginTraining({}, QStringLiteral("many"));
        QVERIFY(!training()->isUnderWay());
        const QAction* start = actionOf(*training(), "Start");
        QVERIFY(!start->isEnabled());
        QVERIFY2(start->toolTip().contains(QStringLiteral("Epochs")), qPrintable(start->toolTip()));
        const QString summary = training()->findChild<TrainingMetrics*>()->summary();
        QVERIFY2(summary.contains(QStringLiteral("Epochs")) &&
                     !summary.contains(QStringLiteral("press Start")),
                 qPrintable(summary));
        QVERIFY(training()->findChild<TrainingForm*>()->isVisible());
    }

    void explainsWhyATrainingFailed()
    {
        beginTraining(QStringLiteral("start=exit complain=no-such-library"), QStringLiteral("1"));
        TRY_COMPARE(run().state, training::TrainingState::Failed);
        const auto* banner = training()->findChild<MessageBanner*>();
        TRY_VERIFY(banner->isVisible());
        QCOMPARE(banner->text(), run().failure);
    }

    void endsItsProcessWhenClosed_data()
    {
        rows<bool>({{"the training window", false}, {"the main window", true}});
    }
    void endsItsProcessWhenClosed()
    {
        beginTraining(slowly, QStringLiteral("1000"));
        TRY_VERIFY(!run().steps.empty());
        const qint64 pid = run().device.workerPid;
        QVERIFY(test::isAlive(pid));
        const QPointer<TrainingWindow> closed = training();
        QString asked;
        const QPointer<QWidget> top = row<bool>() ? static_cast<QWidget*>(&window()) : closed;
        test::whenOpen<QMessageBox>(top, [&asked](QMessageBox* box) {
            asked = box->informativeText();
            test::buttonOf(*box, "Stop training")->click();
        });
        top->close();
        QVERIFY2(asked.contains(QStringLiteral("the weights will be lost")), qPrintable(asked));
        TRY_VERIFY(!closed);
        TRY_VERIFY(test::isGone(pid));
        TRY_VERIFY(!top || !top->isVisible());
    }

    // A system that shuts down sends two signals and a request of its session: a later one must not shorten
    // the time that an earlier one gave. The user may have stopped the run already, too.
    void keepsItsWeightsWhenTheSystemShutsDown_data()
    {
        rows<int>({{"at once", 0}, {"after Stop", 1}, {"after the training window was closed", 2}});
    }
    void keepsItsWeightsWhenTheSystemShutsDown()
    {
        // A folder is remembered per config, so this test uses its own.
        m_path = fileWith("checkpoints.yaml", smallGpt2("48", "explore"));
        open(QStringLiteral("pause=300"));
        actionOf(window(), "Train")->trigger();
        const QString folder = pathOf(QTest::currentDataTag());
        field("--epochs").type(QStringLiteral("1000"));
        field("--checkpoint").type(folder);
        actionOf(*training(), "Start")->trigger();
        TRY_COMPARE(run().state, training::TrainingState::Training);
        TRY_VERIFY(!run().steps.empty());
        const auto steps = run().steps.size();
        if (row<int>() == 1)
            actionOf(*training(), "Stop")->trigger();
        if (row<int>() == 2)
            training()->stopAndClose();
        for (int again = 0; again < 3; ++again)
            window().stopAndClose();
        QVERIFY(window().isVisible());
        TRY_VERIFY(!window().isVisible());
        // The window has waited for the end of the current step.
        const auto kept = training::CheckpointFolder(folder).newest();
        QCOMPARE(static_cast<std::size_t>(kept.state.step), steps + 1);
    }

    void closesOnRequestWhileTheTrainingWindowAsks_data()
    {
        rows<bool>({{"under way", false}, {"ended", true}});
    }
    void closesOnRequestWhileTheTrainingWindowAsks()
    {
        beginTraining(slowly, QStringLiteral("1000"));
        TRY_VERIFY(!run().steps.empty());
        const QPointer<TrainingWindow> asking = training();
        test::whenOpen<QMessageBox>(asking, [&](QMessageBox*) {
            if (row<bool>()) {
                actionOf(*asking, "Stop")->trigger();
                TRY_VERIFY(!asking->isUnderWay());
            }
            window().stopAndClose();
        });
        asking->close();
        QVERIFY(!QApplication::activeModalWidget());
        TRY_VERIFY(!window().isVisible());
        QVERIFY(!asking || !asking->isVisible());
    }

    void continuesIfTheUserDecidesNotToClose()
    {
        beginTraining(slowly, QStringLiteral("1000"));
        TRY_VERIFY(!run().steps.empty());
        test::whenOpen<QMessageBox>(training(),
                                    [](QMessageBox* box) { test::buttonOf(*box, "Keep training")->click(); });
        QVERIFY(!training()->close());
        QVERIFY(training()->isUnderWay());
        training()->stopAndClose();
        const QPointer<TrainingWindow> closed = training();
        TRY_VERIFY(!closed);
    }

    void letsOnlyOneThingUseTheDevice()
    {
        beginTraining(slowly, QStringLiteral("1000"));
        TRY_VERIFY(!run().steps.empty());
        const QAction* start = actionOf(window(), "Start");
        TRY_VERIFY(!start->isEnabled());
        QVERIFY2(start->toolTip().contains(QStringLiteral("training run")), qPrintable(start->toolTip()));
        window().startExploring();
        QCOMPARE(snapshot().state, engine::State::Idle);
        QVERIFY(!window().openConfig(m_path));
        training()->stopAndClose();
        TRY_VERIFY(start->isEnabled());
    }

    void waitsForTheEndOfAnExploration()
    {
        open(QStringLiteral("trial=hang"));
        actionOf(window(), "Train")->trigger();
        window().startExploring();
        const QAction* start = actionOf(*training(), "Start");
        TRY_VERIFY(!start->isEnabled());
        QVERIFY2(start->toolTip().contains(QStringLiteral("exploration")), qPrintable(start->toolTip()));
        const auto* metrics = training()->findChild<TrainingMetrics*>();
        QVERIFY2(metrics->summary().contains(QStringLiteral("An exploration uses the device")),
                 qPrintable(metrics->summary()));
        QVERIFY(!metrics->summary().contains(QStringLiteral("press Start")));
        window().exploration().stop();
        TRY_VERIFY(start->isEnabled());
    }

    void confirmsTheRecommendedSize()
    {
        explore({});
        actionOf(window(), "Confirm")->trigger();
        QVERIFY(confirmation()->isVisible());
        QVERIFY(!actionOf(window(), "Start")->isEnabled());
        QTRY_VERIFY2_WITH_TIMEOUT(confirmation()->summary().contains(QStringLiteral("40 of 40")),
                                  qPrintable(confirmation()->summary()), 20000);
        TRY_VERIFY(actionOf(window(), "Start")->isEnabled());
        const QString size = QString::number(snapshot().searchState.recommendation->size);
        QVERIFY2(confirmation()->summary().contains(QStringLiteral("recommended\t%1\t").arg(size)),
                 qPrintable(confirmation()->summary()));
    }

    void offersTheRecommendedSizeForTraining()
    {
        explore({});
        actionOf(window(), "Train")->trigger();
        const auto options = training()->findChild<TrainingForm*>()->options();
        QCOMPARE(options.run.setting,
                 config::Setting(config::Fixed{snapshot().searchState.recommendation->size}));
    }

    void trainsWithTheWrittenSize()
    {
        open(QStringLiteral("trial=hang"));
        window().startExploring();
        TRY_VERIFY(snapshot().runsTrials());
        window().exploration().stop();
        TRY_VERIFY(snapshot().finish.has_value());
        test::whenOpen<ExportDialog>(&window(), [](ExportDialog* dialog) {
            dialog->setMicroBatchSize(6);
            dialog->accept();
        });
        actionOf(window(), "Write a size")->trigger();
        actionOf(window(), "Train")->trigger();
        QCOMPARE(field("--setting").text(), QStringLiteral("6"));
    }
};

BATCHPEAK_TEST(WindowTrainingTest)
#include "tst_window_training.moc"
