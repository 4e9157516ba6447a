// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/exploration.h"
#include "engine/exploration_recorder.h"
#include "files/config_file.h"
#include "plan_page/plan_view.h"
#include "store/exploration_store.h"
#include "store/history_writer.h"
#include "support/files.h"
#include "support/held_history.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "training_window/training_form.h"
#include "training_window/training_window.h"
#include "widgets/message_banner.h"
#include "widgets/option_field.h"
#include "window/export_dialog.h"
#include "window_fixture.h"

#include <QAction>
#include <QMessageBox>
#include <QPushButton>
#include <QTest>
#include <QToolButton>

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>

using namespace batchpeak;
using test::buttonOf;

/// Tests a window with a config whose exploration was cut off by the end of its program.
class WindowResumeTest : public test::WindowFixture
{
    Q_OBJECT

private slots:
    void init()
    {
        m_path = fileWith("config.yaml", smallGpt2("64", "explore"));
        QFile::remove(history());
        QFile::remove(pathOf("once"));
        QFile::remove(pathOf("starts"));
    }

    void continuesAnInterruptedRun()
    {
        const std::size_t before = interruptRun();
        window().setHistory(history());
        const engine::ExplorationRecorder recorder(window().exploration(), history());
        QVERIFY(window().openConfig(m_path));
        TRY_VERIFY(banner().text().contains(QStringLiteral("was interrupted after")));
        QPushButton* const button = buttonOf(window(), "Continue");
        QVERIFY(button && button->isVisible());
        button->click();
        QVERIFY(!button->isVisible());
        TRY_VERIFY(snapshot().finish);
        QVERIFY2(snapshot().failure.isEmpty(), qPrintable(snapshot().failure));
        QVERIFY(snapshot().trials.size() > before);
        QCOMPARE(store::ExplorationStore(history()).list().size(), std::size_t{1});
        QVERIFY(store::ExplorationStore(history()).list().front().end);
        // Afterwards there is nothing to continue.
        QVERIFY(window().openConfig(m_path));
        QTest::qWait(50);
        QVERIFY(!button->isVisible());
    }

    void continuesAFailedRun()
    {
        window().setHistory(history());
        // The device is given up after the third trial, and is back then.
        const QString worker =
            fileWith("worker", "#!/bin/sh\ncd \"${0%/*}\" && echo >>starts\n"
                               "case $(wc -l <starts) in 1) set -- trial=kill#3;; 2|3) exit 1;; esac\n"
                               "exec " BATCHPEAK_FAKE_WORKER " \"$@\"\n");
        QVERIFY(QFile::setPermissions(worker, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        engine::ExplorationOptions options = optionsWith({});
        options.workerCommand = worker;
        window().setOptions(options);
        const engine::ExplorationRecorder recorder(window().exploration(), history());
        QVERIFY(window().openConfig(m_path));
        window().startExploring();
        TRY_VERIFY(snapshot().finish);
        QCOMPARE(snapshot().state, engine::State::Failed);
        const std::size_t before = snapshot().trials.size();
        QPushButton* const button = buttonOf(window(), "Continue");
        TRY_VERIFY(button && button->isVisible());
        button->click();
        TRY_VERIFY(snapshot().finish);
        QVERIFY2(snapshot().failure.isEmpty(), qPrintable(snapshot().failure));
        QVERIFY(snapshot().trials.size() > before);
        QCOMPARE(store::ExplorationStore(history()).list().size(), std::size_t{1});
    }

    void keepsTheOfferIfTheUserDeclines()
    {
        const std::size_t before = interruptRun();
        window().setHistory(history());
        window().setOptions(optionsWith({}));
        QVERIFY(window().openConfig(m_path));
        TRY_VERIFY(banner().text().contains(QStringLiteral("was interrupted after")));
        store::HistoryWriter elsewhere(history());
        elsewhere.begin({.started = QDateTime::currentDateTimeUtc(),
                         .filePath = QStringLiteral("/other.yaml"),
                         .phase = QStringLiteral("train")});
        // The user continues from the page of an earlier run, which is then left.
        const auto* plan = window().findChild<ui::PlanView*>();
        interruptedRun(*plan)->click();
        QVERIFY(!plan->isVisible());
        const auto answer = [this](const char* word) {
            test::whenOpen<QMessageBox>(&window(),
                                        [word](QMessageBox* box) { buttonOf(*box, word)->click(); });
        };
        QPushButton* const button = buttonOf(window(), "Continue");
        answer("Wait");
        button->click();
        QVERIFY(plan->isVisible() && button->isVisible());
        QVERIFY(!test::actionOf(window(), "Back to the present run")->isEnabled());
        QVERIFY(!snapshot().run);
        answer("Start anyway");
        button->click();
        QVERIFY(!button->isVisible());
        TRY_VERIFY(snapshot().finish);
        QVERIFY(snapshot().trials.size() > before);
    }

    void repeatsTheOfferAfterAnotherMessage()
    {
        interruptRun();
        window().setHistory(history());
        QVERIFY(window().openConfig(m_path));
        TRY_VERIFY(isOffered());
        writeACopy();
        QVERIFY2(banner().isVisible() && !isOffered(), qPrintable(banner().text()));
        closeMessage();
        QVERIFY2(banner().isVisible() && isOffered(), qPrintable(banner().text()));
        // An offer that the user has closed is not repeated.
        closeMessage();
        writeACopy();
        closeMessage();
        QVERIFY2(!banner().isVisible(), qPrintable(banner().text()));
        QVERIFY(window().openConfig(m_path));
        TRY_VERIFY(banner().isVisible() && isOffered());
    }

    void repeatsTheOfferDuringATraining()
    {
        const std::size_t before = interruptRun();
        window().setHistory(history());
        window().setOptions(optionsWith(QStringLiteral("pause=20")));
        QVERIFY(window().openConfig(m_path));
        TRY_VERIFY(isOffered());
        test::actionOf(window(), "Train")->trigger();
        auto* training = window().findChild<ui::TrainingWindow*>();
        training->findChild<ui::TrainingForm*>()->field("--epochs")->type(QStringLiteral("500"));
        test::actionOf(*training, "Start")->trigger();
        TRY_VERIFY(training->isUnderWay());
        QPushButton* const button = buttonOf(window(), "Continue");
        button->click();
        QVERIFY2(banner().isVisible() && !isOffered(), qPrintable(banner().text()));
        closeMessage();
        QVERIFY(isOffered() && button->isVisible());
        test::actionOf(*training, "Stop")->trigger();
        TRY_VERIFY(!training->isUnderWay());
        button->click();
        TRY_VERIFY(snapshot().finish);
        QVERIFY(snapshot().trials.size() > before);
    }

    void repeatsTheOfferAfterAnEarlierRun_data()
    {
        test::rows<bool>({{"by the way back", false}, {"by a start that waits", true}});
    }
    void repeatsTheOfferAfterAnEarlierRun()
    {
        const bool starts = test::row<bool>();
        {
            store::ExplorationStore store(history());
            const qint64 failed = store.begin(
                {.started = QDateTime::currentDateTimeUtc().addSecs(-600),
                 .filePath = m_path,
                 .phase = QStringLiteral("train"),
                 .fidelity = {.kind = QStringLiteral("as_configured"), .reasons = {}, .replaced = {}}});
            store.addTrial(
                failed,
                {.number = 1, .device = "cpu", .microBatchSize = 8, .outcome = trial::Outcome::Failed});
            store.finish(failed, {.finished = QDateTime::currentDateTimeUtc(),
                                  .status = QStringLiteral("failed"),
                                  .failure = QStringLiteral("Its GPU was lost."),
                                  .ending = {}});
        }
        interruptRun();
        window().setHistory(history());
        QVERIFY(window().openConfig(m_path));
        TRY_VERIFY(banner().text().contains(QStringLiteral("was interrupted after")));
        const auto* plan = window().findChild<ui::PlanView*>();
        const auto buttons = plan->findChildren<QPushButton*>();
        const auto failed = std::ranges::find_if(buttons, [](const QPushButton* button) {
            return button->text().endsWith(QStringLiteral("no size · 1 trial"));
        });
        QVERIFY(failed != buttons.end());
        (*failed)->click();
        QCOMPARE(banner().text(), QStringLiteral("Its GPU was lost."));
        store::HistoryWriter elsewhere(history());
        if (starts) {
            elsewhere.begin({.started = QDateTime::currentDateTimeUtc(),
                             .filePath = QStringLiteral("/other.yaml"),
                             .phase = QStringLiteral("train")});
            test::whenOpen<QMessageBox>(&window(), [](QMessageBox* box) { buttonOf(*box, "Wait")->click(); });
            window().startExploring();
        } else {
            QAction* back = test::actionOf(window(), "Back to the plan");
            QVERIFY(back);
            back->trigger();
        }
        QVERIFY(plan->isVisible() && banner().isVisible());
        QVERIFY2(banner().text().contains(QStringLiteral("was interrupted after")),
                 qPrintable(banner().text()));
        QVERIFY(buttonOf(window(), "Continue")->isVisible());
    }

    void offersToContinueOnceTheHistoryIsUnlocked()
    {
        interruptRun();
        window().setHistory(history());
        {
            test::OtherProgram other(history());
            QVERIFY(other.hold());
            QVERIFY(window().openConfig(m_path));
            QTest::qWait(50);
            QVERIFY(!banner().text().contains(QStringLiteral("was interrupted after")));
        }
        TRY_VERIFY(banner().text().contains(QStringLiteral("was interrupted after")));
    }

    void recallsTrialsOnceTheHistoryIsUnlocked()
    {
        window().setOptions(optionsWith({}));
        window().setHistory(history());
        const engine::ExplorationRecorder recorder(window().exploration(), history());
        QVERIFY(window().openConfig(m_path));
        window().startExploring();
        TRY_VERIFY(snapshot().finish);
        QVERIFY(snapshot().searchState.recommendation);
        {
            test::OtherProgram other(history());
            QVERIFY(other.hold());
            window().startExploring();
            TRY_COMPARE(snapshot().state, engine::State::Exploring);
            QTest::qWait(50);
            QVERIFY(snapshot().trials.empty());
        }
        TRY_VERIFY(snapshot().finish);
        QCOMPARE(snapshot().searchState.recalledTrials > 0, true);
    }

    // A window cannot repaint while it reads; other threads wait longer for a busy disk.
    void waitsOnlyBrieflyForAHistory()
    {
        QCOMPARE(store::defaultPatience(), std::chrono::milliseconds(50));
        std::chrono::milliseconds elsewhere{0};
        std::thread([&] { elsewhere = store::defaultPatience(); }).join();
        QCOMPARE(elsewhere, std::chrono::seconds(5));
    }

    void offersNothingForAChangedConfig()
    {
        interruptRun();
        m_path = fileWith("config.yaml", smallGpt2("32", "explore"));
        window().setHistory(history());
        QVERIFY(window().openConfig(m_path));
        QTest::qWait(50);
        QVERIFY(!banner().text().contains(QStringLiteral("was interrupted after")));
    }

private:
    QString history() const { return pathOf("history.sqlite"); }
    bool isOffered() { return banner().text().contains(QStringLiteral("was interrupted after")); }
    void closeMessage() { banner().findChild<QToolButton*>()->click(); }

    /// Writes a copy of the config; the message about it replaces the offer.
    void writeACopy()
    {
        const QString copy = pathOf("copy.yaml");
        QFile::remove(copy);
        test::whenOpen<ui::ExportDialog>(&window(), [copy](ui::ExportDialog* dialog) {
            dialog->setMicroBatchSize(8);
            dialog->setPath(copy);
            dialog->accept();
        });
        test::actionOf(window(), "Write a size")->trigger();
        QVERIFY(QFile::exists(copy));
    }

    /// Returns the button of the interrupted run among the earlier runs.
    static QPushButton* interruptedRun(const QWidget& plan)
    {
        for (auto* button : plan.findChildren<QPushButton*>()) {
            if (button->text().contains(QStringLiteral(" · ")))
                return button;
        }
        return nullptr;
    }

    /// \return number of trials before the interruption
    std::size_t interruptRun()
    {
        engine::Exploration exploration;
        auto recorder = std::make_unique<engine::ExplorationRecorder>(exploration, history());
        exploration.load(engine::ConfigFile::open(m_path),
                         optionsWith(QStringLiteral("trial=hang#2 once=") + pathOf("once")));
        exploration.start();
        [&] { TRY_VERIFY(QFile::exists(pathOf("once"))); }();
        // Events of this turn of the event loop are written at its end.
        QCoreApplication::processEvents();
        recorder.reset();
        return exploration.snapshot().trials.size();
    }

    QString m_path;
};

BATCHPEAK_TEST(WindowResumeTest)
#include "tst_window_resume.moc"
