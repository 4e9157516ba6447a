// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/exploration.h"
#include "next_dialog.h"
#include "support/test_main.h"
#include "ui/export_dialog.h"
#include "ui/main_window.h"
#include "ui/message_banner.h"
#include "ui/trials_model.h"
#include "ui/trials_view.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QFileDialog>
#include <QImage>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QStandardPaths>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include <memory>

using namespace batchpeak;
using namespace batchpeak::ui;
using batchpeak::ui::test::whenOpen;

namespace {

const QByteArray gpt2 = "train_input:\n"
                        "  batch_size: 64\n"
                        "  micro_batch_size: explore # to be found\n"
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

engine::ExplorationOptions optionsWith(const QString& words)
{
    // No more than the config's batch, which an exploration ignores and an export does not.
    return {
        .maximum = 32, .maxTrials = 5, .workerCommand = QStringLiteral(BATCHPEAK_FAKE_WORKER " ") + words};
}

QByteArray contentsOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

/// The window from a config to what is written, with a worker that answers at once.
class WindowExplorationTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    QString m_path;
    std::unique_ptr<MainWindow> m_window;

    QString pathOf(const char* name) const { return m_folder.filePath(QString::fromUtf8(name)); }
    const engine::Snapshot& snapshot() const { return m_window->exploration().snapshot(); }
    const MessageBanner* banner() const { return m_window->findChild<MessageBanner*>(); }

    void click(const QString& text)
    {
        for (auto* button : m_window->findChildren<QAbstractButton*>()) {
            if (button->isVisible() && button->isEnabled() &&
                button->text().remove(QLatin1Char('&')) == text) {
                QTest::mouseClick(button, Qt::LeftButton);
                return;
            }
        }
        QFAIL(qPrintable(QStringLiteral("no button %1").arg(text)));
    }

    QAction* action(const QString& text) const
    {
        for (QAction* candidate : m_window->actions()) {
            if (candidate->text() == text)
                return candidate;
        }
        return nullptr;
    }

    void chooseInTheNextDialog(const QString& path)
    {
        whenOpen<QFileDialog>(m_window.get(), [path](QFileDialog* dialog) {
            dialog->findChild<QLineEdit*>()->setText(path);
            static_cast<QDialog*>(dialog)->accept();
        });
    }

    void explore(const QString& words)
    {
        m_window->setOptions(optionsWith(words));
        QVERIFY(m_window->openConfig(m_path));
        click(QStringLiteral("Start"));
        QTRY_VERIFY(snapshot().finish.has_value());
        // The title follows with the next drawing.
        QTRY_VERIFY(m_window->windowTitle().startsWith(QStringLiteral("●")));
    }

private slots:
    void initTestCase()
    {
        QStandardPaths::setTestModeEnabled(true);
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, pathOf("settings"));
        QApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    }

    void init()
    {
        m_path = pathOf("params.yaml");
        QFile file(m_path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(gpt2);
        file.close();
        m_window = std::make_unique<MainWindow>();
        m_window->show();
    }
    void cleanup() { m_window.reset(); }

    void exportsWhatItRecommends()
    {
        explore(QString());
        const QByteArray size = QByteArray::number(qlonglong(snapshot().searchState.recommendation->size));
        const QString target = pathOf("found.yaml");
        whenOpen<ExportDialog>(m_window.get(), [&](ExportDialog* dialog) {
            dialog->setPath(target);
            dialog->accept();
        });
        click(QStringLiteral("Export…"));
        QCOMPARE(contentsOf(target), QByteArray(gpt2).replace("explore #", size + " #"));
        QCOMPARE(contentsOf(m_path), gpt2);
        QVERIFY2(banner()->text().contains(target), qPrintable(banner()->text()));
    }

    void copiesTheRowsThatAreSelected()
    {
        explore(QString());
        auto* table = m_window->findChild<QTableView*>();
        m_window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        table->setFocus();
        table->selectRow(1);
        QTest::keyClick(table, Qt::Key_C, Qt::ControlModifier);
        const QStringList lines =
            QGuiApplication::clipboard()->text().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 2);
        QVERIFY2(lines.back().startsWith(QStringLiteral("%1\t").arg(snapshot().trials.size() - 1)),
                 qPrintable(lines.back()));
    }

    void writesTheTrials()
    {
        explore(QString());
        const QString target = pathOf("trials.csv");
        chooseInTheNextDialog(target);
        action(QStringLiteral("Save t&rials as CSV…"))->trigger();
        QCOMPARE(contentsOf(target).count('\n'), static_cast<int>(snapshot().trials.size()) + 1);
    }

    void writesTheChartsWithTwiceThePixels()
    {
        explore(QString());
        const QString target = pathOf("charts.png");
        chooseInTheNextDialog(target);
        action(QStringLiteral("Save c&harts as PNG…"))->trigger();
        const QImage picture(target);
        const auto* charts = m_window->findChild<QWidget*>(QStringLiteral("charts"));
        QVERIFY(!picture.isNull());
        QVERIFY(picture.width() > 2 * charts->width());
        QVERIFY(picture.height() > 2 * charts->height());
    }

    void saysWhereNothingCanBeWritten()
    {
        explore(QString());
        chooseInTheNextDialog(pathOf("no/such/folder/trials.csv"));
        action(QStringLiteral("Save t&rials as CSV…"))->trigger();
        QVERIFY2(banner()->text().contains(QStringLiteral("could not be written")),
                 qPrintable(banner()->text()));
    }

    void restartsWithAWorkerThatLives()
    {
        m_window->setOptions(optionsWith(QStringLiteral("start=exit complain=no-such-library")));
        QVERIFY(m_window->openConfig(m_path));
        click(QStringLiteral("Start"));
        QTRY_COMPARE(snapshot().state, engine::State::Failed);
        QTRY_VERIFY(banner()->isVisible());
        QVERIFY2(banner()->text().contains(QStringLiteral("no-such-library")), qPrintable(banner()->text()));

        m_window->setOptions(optionsWith(QString()));
        click(QStringLiteral("Restart"));
        QVERIFY(!banner()->isVisible());
        QTRY_COMPARE(snapshot().state, engine::State::Finished);
        QVERIFY(snapshot().searchState.recommendation);
    }

    void startsAgainWithTheConfigAsItThenStands()
    {
        explore(QString());
        const std::size_t trials = snapshot().trials.size();
        QFile file(m_path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray(gpt2).replace("batch_size: 64", "batch_size: 48"));
        file.close();
        click(QStringLiteral("Start again"));
        QCOMPARE(snapshot().run->plan.globalBatchSize, 48);
        QTRY_VERIFY(snapshot().finish.has_value());
        QVERIFY(snapshot().trials.size() <= trials + 1);
        QTRY_COMPARE(m_window->findChild<TrialsView*>()->model().rowCount(),
                     static_cast<int>(snapshot().trials.size()));
    }
};

BATCHPEAK_TEST(WindowExplorationTest)
#include "tst_window_exploration.moc"
