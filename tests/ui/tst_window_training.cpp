// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/run_chart.h"
#include "engine/exploration.h"
#include "support/test_main.h"
#include "training/training_run.h"
#include "ui/log_view.h"
#include "ui/main_window.h"
#include "ui/message_banner.h"
#include "ui/training_window/confirmation_dialog.h"
#include "ui/training_window/training_actions.h"
#include "ui/training_window/training_figures.h"
#include "ui/training_window/training_form.h"
#include "ui/training_window/training_window.h"

#include <QAction>
#include <QFile>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <memory>

using namespace batchpeak;
using namespace batchpeak::ui;

namespace {

const QByteArray gpt2 = "train_input:\n"
                        "  batch_size: 48\n"
                        "  micro_batch_size: explore\n"
                        "  max_sequence_length: 32\n"
                        "model:\n"
                        "  model_name: gpt2\n"
                        "  vocab_size: 128\n"
                        "  hidden_size: 32\n"
                        "  num_hidden_layers: 2\n"
                        "  num_heads: 2\n"
                        "  filter_size: 64\n"
                        "  max_position_embeddings: 32\n"
                        "runconfig:\n"
                        "  max_steps: 1\n";

// Slow enough to be seen under way; the worker of each word is one process.
const QString unhurried = QStringLiteral("pause=20");

engine::ExplorationOptions optionsWith(const QString& words)
{
    return {
        .maximum = 32, .maxTrials = 6, .workerCommand = QStringLiteral(BATCHPEAK_FAKE_WORKER " ") + words};
}

bool isAlive(qint64 pid)
{
    return pid > 0 && ::kill(static_cast<pid_t>(pid), 0) == 0;
}

} // namespace

/// Training runs and confirmations in the window, with a worker that trains by a formula.
class WindowTrainingTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    QString m_path;
    std::unique_ptr<MainWindow> m_window;

    const engine::Snapshot& exploration() const { return m_window->exploration().snapshot(); }
    TrainingWindow* training() const { return m_window->findChild<TrainingWindow*>(); }
    ConfirmationDialog* confirmation() const { return m_window->findChild<ConfirmationDialog*>(); }
    const training::TrainingSnapshot& run() const { return training()->run().snapshot(); }

    static QAction* action(const QWidget& window, const QString& word)
    {
        for (QAction* candidate : window.actions()) {
            if (candidate->text().remove(QLatin1Char('&')).startsWith(word))
                return candidate;
        }
        return nullptr;
    }

    void write(const char* field, const QString& text) const
    {
        for (auto* line : training()->findChildren<QLineEdit*>()) {
            if (line->accessibleName() == QLatin1String(field))
                line->setText(text);
        }
    }

    void open(const QString& words)
    {
        m_window->setOptions(optionsWith(words));
        QVERIFY(m_window->openConfig(m_path));
    }

    void explore(const QString& words)
    {
        open(words);
        m_window->startExploring();
        QTRY_COMPARE(exploration().state, engine::State::Finished);
        QVERIFY(exploration().searchState.recommendation);
        QTRY_VERIFY(action(*m_window, QStringLiteral("Confirm"))->isEnabled());
    }

    void beginTraining(const QString& words, const QString& epochs)
    {
        open(words);
        action(*m_window, QStringLiteral("Train"))->trigger();
        QVERIFY(training()->isVisible());
        write("The length", epochs);
        action(*training(), QStringLiteral("Start"))->trigger();
    }

private slots:
    void initTestCase()
    {
        QStandardPaths::setTestModeEnabled(true);
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope,
                           m_folder.filePath(QStringLiteral("settings")));
    }

    void init()
    {
        m_path = m_folder.filePath(QStringLiteral("params.yaml"));
        QFile file(m_path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(gpt2);
        file.close();
        m_window = std::make_unique<MainWindow>();
        m_window->show();
    }
    void cleanup() { m_window.reset(); }

    void offersTrainingForAConfigWithABatch()
    {
        QVERIFY(!action(*m_window, QStringLiteral("Train"))->isEnabled());
        open({});
        QVERIFY(action(*m_window, QStringLiteral("Train"))->isEnabled());
        QVERIFY(!action(*m_window, QStringLiteral("Confirm"))->isEnabled());
    }

    void trainsFromTheFormToTheSummary()
    {
        beginTraining({}, QStringLiteral("2"));
        QTRY_COMPARE(run().end, training::TrainingEnd::Completed);
        QCOMPARE(run().steps.size(), 32U);
        const auto* figures = training()->findChild<TrainingFigures*>();
        QVERIFY2(figures->summary().contains(QStringLiteral("32 steps in")), qPrintable(figures->summary()));
        const auto* loss = training()->findChildren<RunChart*>().front();
        QVERIFY2(loss->accessibleDescription().contains(QStringLiteral("at step 32")),
                 qPrintable(loss->accessibleDescription()));
        QVERIFY(!training()->findChild<LogView*>()->text().isEmpty());
        QVERIFY(action(*training(), QStringLiteral("Start again"))->isEnabled());
        action(*training(), QStringLiteral("Start again"))->trigger();
        QTRY_COMPARE(run().end, training::TrainingEnd::Completed);
    }

    void stopsAfterAStep()
    {
        beginTraining(unhurried, QStringLiteral("1000"));
        QTRY_VERIFY(run().steps.size() >= 2);
        QVERIFY(!training()->findChild<TrainingForm*>()->isEnabled());
        action(*training(), QStringLiteral("Stop"))->trigger();
        QTRY_COMPARE(run().end, training::TrainingEnd::Interrupted);
        QTRY_VERIFY(training()->findChild<TrainingForm*>()->isEnabled());
    }

    void saysWhatIsWrongWithTheForm()
    {
        beginTraining({}, QStringLiteral("many"));
        QVERIFY(!training()->isUnderWay());
        const auto* banner = training()->findChild<MessageBanner*>();
        QVERIFY(banner->isVisible());
        QVERIFY2(banner->text().contains(QStringLiteral("many")), qPrintable(banner->text()));
        QVERIFY(training()->findChild<TrainingForm*>()->isVisible());
    }

    void saysWhyATrainingFailed()
    {
        beginTraining(QStringLiteral("start=exit complain=no-such-library"), QStringLiteral("1"));
        QTRY_COMPARE(run().state, training::TrainingState::Failed);
        const auto* banner = training()->findChild<MessageBanner*>();
        QTRY_VERIFY(banner->isVisible());
        QCOMPARE(banner->text(), run().failure);
    }

    void endsItsProcessWhenClosed_data()
    {
        QTest::addColumn<bool>("closesMain");
        QTest::newRow("the training window") << false;
        QTest::newRow("the main window") << true;
    }
    void endsItsProcessWhenClosed()
    {
        QFETCH(bool, closesMain);
        beginTraining(unhurried, QStringLiteral("1000"));
        QTRY_VERIFY(!run().steps.empty());
        const qint64 pid = run().device.workerPid;
        QVERIFY(isAlive(pid));
        const QPointer<TrainingWindow> window = training();
        if (closesMain)
            m_window->close();
        else
            window->close();
        QTRY_VERIFY(!window);
        QTRY_VERIFY(!isAlive(pid));
    }

    void letsOnlyOneThingUseTheDevice()
    {
        beginTraining(unhurried, QStringLiteral("1000"));
        QTRY_VERIFY(!run().steps.empty());
        const QAction* start = action(*m_window, QStringLiteral("Start"));
        QTRY_VERIFY(!start->isEnabled());
        QVERIFY2(start->toolTip().contains(QStringLiteral("training run")), qPrintable(start->toolTip()));
        m_window->startExploring();
        QCOMPARE(exploration().state, engine::State::Idle);
        QVERIFY(!m_window->openConfig(m_path));
        training()->close();
        QTRY_VERIFY(start->isEnabled());
    }

    void waitsForTheEndOfAnExploration()
    {
        open(QStringLiteral("trial=hang"));
        action(*m_window, QStringLiteral("Train"))->trigger();
        m_window->exploration().start();
        const QAction* start = action(*training(), QStringLiteral("Start"));
        QTRY_VERIFY(!start->isEnabled());
        QVERIFY2(start->toolTip().contains(QStringLiteral("exploration")), qPrintable(start->toolTip()));
        m_window->exploration().stop();
        QTRY_VERIFY(start->isEnabled());
    }

    void confirmsWhatAnExplorationRecommends()
    {
        explore({});
        action(*m_window, QStringLiteral("Confirm"))->trigger();
        QVERIFY(confirmation()->isVisible());
        QVERIFY(!action(*m_window, QStringLiteral("Start"))->isEnabled());
        QTRY_VERIFY2_WITH_TIMEOUT(confirmation()->summary().contains(QStringLiteral("40 of 40")),
                                  qPrintable(confirmation()->summary()), 20000);
        QTRY_VERIFY(action(*m_window, QStringLiteral("Start"))->isEnabled());
        const QString size = QString::number(exploration().searchState.recommendation->size);
        QVERIFY2(confirmation()->summary().contains(QStringLiteral("recommended\t%1\t").arg(size)),
                 qPrintable(confirmation()->summary()));
    }

    void offersTheRecommendedSizeForTraining()
    {
        explore({});
        action(*m_window, QStringLiteral("Train"))->trigger();
        const auto options = training()->findChild<TrainingForm*>()->options({});
        QCOMPARE(options.run.setting,
                 config::Setting(config::Fixed{exploration().searchState.recommendation->size}));
    }
};

BATCHPEAK_TEST(WindowTrainingTest)
#include "tst_window_training.moc"
