// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "actions/window_settings.h"
#include "engine/exploration.h"
#include "engine/exploration_recorder.h"
#include "files/config_file.h"
#include "support/files.h"
#include "support/no_threads.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "training/training_run.h"
#include "training_window/confirmation_dialog.h"
#include "training_window/training_form.h"
#include "training_window/training_window.h"
#include "widgets/message_banner.h"
#include "widgets/option_field.h"
#include "window/export_dialog.h"
#include "window_fixture.h"

#include <QAction>
#include <QFile>
#include <QGuiApplication>
#include <QLabel>
#include <QMessageBox>
#include <QPushButton>
#include <QTest>
#include <QTimer>
#include <QUuid>

#include <algorithm>
#include <chrono>
#include <memory>

using namespace batchpeak;
using test::actionOf;
using test::buttonOf;

/// Tests code that a config names, and the window's question whether it may run.
class WindowTrustTest : public test::WindowFixture
{
    Q_OBJECT

private slots:
    void init()
    {
        m_questions = 0;
        m_asked.clear();
        // Answers about a module are remembered in this process, so each test needs its own module.
        m_module = QUuid::createUuid().toByteArray(QUuid::WithoutBraces) + ".pt";
        changeModule();
        m_path = configWith("net.yaml", m_module);
    }

    void asksBeforeTheCodeOfAConfigRuns_data() { rows<bool>({{"it may", true}, {"it may not", false}}); }
    void asksBeforeTheCodeOfAConfigRuns()
    {
        const bool mayRun = row<bool>();
        open(m_path);
        answer(mayRun ? "Run it" : "Leave it");
        window().startExploring();
        QCOMPARE(m_questions, 1);
        VERIFY_CONTAINS(m_asked, m_module + ", which would run with your permissions");
        if (mayRun)
            TRY_COMPARE(snapshot().state, engine::State::Finished);
        else
            QCOMPARE(snapshot().state, engine::State::Idle);
    }

    void repaintsWhileItReadsALargeModule()
    {
        QFile module(pathOf(m_module.constData()));
        QVERIFY(module.resize(qint64{512} << 20));
        // No question may be asked, since it would repaint as well.
        auto options = optionsWith({});
        options.trustsCode = true;
        window().setOptions(options);
        QVERIFY(window().openConfig(m_path));
        int drawn = 0;
        QTimer drawing;
        connect(&drawing, &QTimer::timeout, this, [&drawn] { ++drawn; });
        drawing.start(std::chrono::milliseconds(1));
        window().startExploring();
        drawing.stop();
        QVERIFY(drawn > 0);
        QVERIFY(!QGuiApplication::overrideCursor());
        TRY_COMPARE(snapshot().state, engine::State::Finished);
    }

    void readsCodeIfNoThreadCanBeCreated()
    {
        const test::NoThreads none;
        open(m_path);
        answer("Leave it");
        window().startExploring();
        QCOMPARE(m_questions, 1);
        VERIFY_CONTAINS(m_asked, m_module);
    }

    void asksOnceForEachContent()
    {
        open(m_path);
        answer("Run it");
        window().startExploring();
        TRY_COMPARE(snapshot().state, engine::State::Finished);
        window().startExploring();
        TRY_COMPARE(snapshot().state, engine::State::Finished);
        QCOMPARE(m_questions, 1);
        changeModule();
        bool hasStarted = false;
        engine::onEvent<engine::Started>(window().exploration(), this,
                                         [&](const engine::Started&) { hasStarted = true; });
        answer("Leave it");
        window().startExploring();
        QCOMPARE(m_questions, 2);
        QVERIFY(!hasStarted);
    }

    void appliesTheCommandLineOnce()
    {
        auto options = optionsWith({});
        options.trustsCode = true;
        window().setOptions(options);
        QVERIFY(window().openConfig(m_path));
        window().startExploring();
        TRY_COMPARE(snapshot().state, engine::State::Finished);
        QCOMPARE(m_questions, 0);
        QVERIFY(!ui::WindowSettings().optionsOf(m_path).contains(QStringLiteral("--trust")));
        // The command line trusts neither the changed file nor another config.
        changeModule();
        answer("Leave it");
        window().startExploring();
        QCOMPARE(m_questions, 1);
        fileWith("other.pt", QUuid::createUuid().toByteArray());
        QVERIFY(window().openConfig(configWith("other.yaml", "other.pt")));
        answer("Leave it");
        window().startExploring();
        QCOMPARE(m_questions, 2);
    }

    void appliesTheCommandLineToAWrittenConfigToo()
    {
        auto options = optionsWith({});
        options.trustsCode = true;
        options.setting = config::Explore{};
        window().setOptions(options);
        QVERIFY(window().openConfig(m_path));
        test::whenOpen<ui::ExportDialog>(&window(), [](ui::ExportDialog* dialog) {
            dialog->setMicroBatchSize(8);
            dialog->accept();
        });
        actionOf(window(), "Write a size")->trigger();
        VERIFY_CONTAINS(test::readFile(m_path), "micro_batch_size: 8");
        answer("Leave it");
        window().startExploring();
        QCOMPARE(m_questions, 0);
        TRY_COMPARE(snapshot().state, engine::State::Finished);
    }

    void asksEachTimeForMissingCode()
    {
        QVERIFY(QFile::remove(pathOf(m_module.constData())));
        open(m_path);
        for (const int questions : {1, 2}) {
            answer("Run it");
            window().startExploring();
            QCOMPARE(m_questions, questions);
            VERIFY_CONTAINS(m_asked, m_module + ", which is not on this computer");
            TRY_COMPARE(snapshot().state, engine::State::Finished);
            QVERIFY2(snapshot().failure.isEmpty(), qPrintable(snapshot().failure));
        }
    }

    void refusesAnEndlessFile()
    {
        open(configWith("zero.yaml", "/dev/zero"));
        window().startExploring();
        QCOMPARE(snapshot().state, engine::State::Idle);
        QCOMPARE(m_questions, 0);
        VERIFY_CONTAINS(banner().text(), "/dev/zero, but it is no regular file");
    }

    void asksBeforeItContinues()
    {
        const QString history = pathOf("history.sqlite");
        {
            auto options = optionsWith(QStringLiteral("trial=hang#2 once=") + pathOf("once"));
            options.trustsCode = true;
            engine::Exploration exploration;
            const engine::ExplorationRecorder recorder(exploration, history);
            exploration.load(engine::ConfigFile::open(m_path), options);
            exploration.start();
            TRY_VERIFY(QFile::exists(pathOf("once")));
            QCoreApplication::processEvents();
            QVERIFY(!exploration.snapshot().run->command.contains(QStringLiteral("--trust")));
        }
        changeModule();
        window().setHistory(history);
        QVERIFY(window().openConfig(m_path));
        TRY_VERIFY(banner().text().contains(QStringLiteral("was interrupted after")));
        answer("Leave it");
        buttonOf(window(), "Continue")->click();
        QCOMPARE(m_questions, 1);
        QCOMPARE(snapshot().state, engine::State::Idle);
    }

    void asksBeforeATrainingRunsIt()
    {
        const QByteArray name = QUuid::createUuid().toByteArray(QUuid::WithoutBraces);
        fileWith("grow.py", "open('" + name +
                                "', 'w').close()\n"
                                "def batch_increase_function(epoch, current_batch_size):\n    return 0\n");
        open(fileWith("grow.yaml",
                      "batchpeak: 1\n"
                      "model: {family: gpt2, vocabulary_size: 128, hidden_size: 32, layers: 2,\n"
                      "        heads: 2, key_value_heads: 2, feed_forward_size: 64, max_positions: 32}\n"
                      "batch_size: 48\n"
                      "micro_batch_size: explore\n"
                      "batch_increase_function: 'grow.py '\n"));
        actionOf(window(), "Train")->trigger();
        auto* training = window().findChild<ui::TrainingWindow*>();
        QVERIFY(training);
        training->findChild<ui::TrainingForm*>()->field("--setting")->type(QStringLiteral("8"));
        training->findChild<ui::TrainingForm*>()->field("--epochs")->type(QStringLiteral("2"));
        answer("Leave it");
        actionOf(*training, "Start")->trigger();
        QCOMPARE(m_questions, 1);
        VERIFY_CONTAINS(
            m_asked,
            "grow.py, which would run with your permissions, as would the Python files in its folder");
        QVERIFY(!training->isUnderWay());
        answer("Run it");
        actionOf(*training, "Start")->trigger();
        QCOMPARE(m_questions, 2);
        TRY_COMPARE(training->run().snapshot().end, training::TrainingEnd::Completed);
        QVERIFY(QFile::exists(pathOf(name.constData())));
    }

    void asksBeforeAConfirmationRunsIt()
    {
        open(m_path);
        answer("Run it");
        window().startExploring();
        TRY_COMPARE(snapshot().state, engine::State::Finished);
        TRY_VERIFY(actionOf(window(), "Confirm")->isEnabled());
        changeModule();
        answer("Leave it");
        actionOf(window(), "Confirm")->trigger();
        QCOMPARE(m_questions, 2);
        const auto labels = window().findChild<ui::ConfirmationDialog*>()->findChildren<QLabel*>();
        QVERIFY(std::ranges::any_of(labels, [](const QLabel* label) {
            return label->text().contains(QStringLiteral("did not allow the code"));
        }));
    }

private:
    void open(const QString& path)
    {
        window().setOptions(optionsWith({}));
        QVERIFY(window().openConfig(path));
    }

    /// Replaces the content of the module with new content.
    void changeModule() { fileWith(m_module.constData(), QUuid::createUuid().toByteArray()); }

    QString configWith(const char* name, const QByteArray& module)
    {
        return fileWith(name, "batchpeak: 1\nmodel:\n  family: torchscript\n  file: " + module +
                                  "\n  inputs: [{shape: [12]}]\n  output: logits\n  classes: 5\n"
                                  "batch_size: 64\nmicro_batch_size: explore\n");
    }

    void answer(const char* button)
    {
        test::whenOpen<QMessageBox>(&window(), [this, button](QMessageBox* box) {
            ++m_questions;
            m_asked = box->informativeText();
            buttonOf(*box, button)->click();
        });
    }

    QByteArray m_module;
    QString m_path;
    int m_questions = 0;
    QString m_asked;
};

BATCHPEAK_TEST(WindowTrustTest)
#include "tst_window_trust.moc"
