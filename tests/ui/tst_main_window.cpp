// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/test_main.h"
#include "ui/empty_view.h"
#include "ui/main_window.h"
#include "ui/message_banner.h"
#include "ui/recent_files.h"
#include "ui/trial_row.h"
#include "ui/window_settings.h"

#include <QAction>
#include <QApplication>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFile>
#include <QHeaderView>
#include <QMimeData>
#include <QScreen>
#include <QSettings>
#include <QSplitter>
#include <QStandardPaths>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QUrl>

using namespace batchpeak;
using namespace batchpeak::ui;

namespace {

const QByteArray gpt2 = "train_input:\n"
                        "  batch_size: 12\n"
                        "  micro_batch_size: 4 # tried by hand\n"
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

void drop(MainWindow& window, const QList<QUrl>& urls)
{
    QMimeData data;
    data.setUrls(urls);
    QDragEnterEvent enter(QPoint(50, 200), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &enter);
    if (!enter.isAccepted())
        return;
    QDropEvent dropped(QPointF(50, 200), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &dropped);
}

} // namespace

class MainWindowTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    QString m_path;

    void overwrite(const QByteArray& text) const
    {
        QFile file(m_path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
    }

    static QAction* actionOf(const MainWindow& window, const QString& text)
    {
        for (QAction* action : window.actions()) {
            if (action->text() == text)
                return action;
        }
        return nullptr;
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
        overwrite(gpt2);
    }

    void opensADroppedConfig()
    {
        MainWindow window;
        window.show();
        const auto* empty = window.findChild<EmptyView*>();
        QVERIFY(empty->isVisible());
        drop(window, {QUrl::fromLocalFile(m_path)});
        const auto* banner = window.findChild<MessageBanner*>();
        QVERIFY2(banner->isHidden(), qPrintable(banner->text()));
        QVERIFY(!empty->isVisible());
        QVERIFY(window.windowTitle().startsWith(QStringLiteral("params.yaml")));
        QCOMPARE(window.findChild<RecentFiles*>()->files(), QStringList{m_path});
    }

    void isNeverLargerThanTheScreen()
    {
        // Before any test has left a geometry behind.
        MainWindow window;
        const QSize room = window.screen()->availableSize().expandedTo(window.minimumSize());
        QVERIFY(window.width() <= room.width() && window.height() <= room.height());
    }

    void isNeverTooSmallForItsContents()
    {
        MainWindow window;
        const QSize needed = window.centralWidget()->minimumSizeHint();
        QVERIFY2(window.minimumWidth() >= needed.width() && window.minimumHeight() >= needed.height(),
                 qPrintable(QStringLiteral("needs %1 x %2").arg(needed.width()).arg(needed.height())));
        QVERIFY(window.minimumWidth() <= 1100 && window.minimumHeight() <= 680);
    }

    void refusesWhatIsNoSingleFile_data()
    {
        QTest::addColumn<QList<QUrl>>("urls");
        QTest::newRow("a web page") << QList<QUrl>{QUrl(QStringLiteral("https://example.org/params.yaml"))};
        QTest::newRow("two files") << QList<QUrl>{QUrl::fromLocalFile(QStringLiteral("/a")),
                                                  QUrl::fromLocalFile(QStringLiteral("/b"))};
    }
    void refusesWhatIsNoSingleFile()
    {
        QFETCH(QList<QUrl>, urls);
        MainWindow window;
        window.show();
        drop(window, urls);
        QVERIFY(window.findChild<EmptyView*>()->isVisible());
        QVERIFY(window.findChild<MessageBanner*>()->isHidden());
    }

    void saysWhatIsWrongWithAConfig_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("no YAML") << QByteArray("a: [b\n");
        QTest::newRow("another kind of file") << QByteArray("a: b\n");
        QTest::newRow("illegal size")
            << QByteArray(gpt2).replace("micro_batch_size: 4", "micro_batch_size: 400");
    }
    void saysWhatIsWrongWithAConfig()
    {
        QFETCH(QByteArray, text);
        overwrite(text);
        MainWindow window;
        window.show();
        QVERIFY(!window.openConfig(m_path));
        const auto* banner = window.findChild<MessageBanner*>();
        QVERIFY(banner->isVisible());
        QVERIFY2(banner->text().contains(QStringLiteral("params.yaml")), qPrintable(banner->text()));
        QVERIFY2(banner->text().endsWith(QLatin1Char('.')), qPrintable(banner->text()));
    }

    void followsTheDesktopUnlessTold()
    {
        const QPalette before = QApplication::palette();
        MainWindow window;
        window.show();
        const auto lightness = [&] { return window.palette().color(QPalette::Window).lightness(); };
        QApplication::setPalette(Theme::night().palette());
        QTRY_VERIFY(lightness() < 128);
        QApplication::setPalette(Theme::day().palette());
        QTRY_VERIFY(lightness() > 128);
        WindowSettings().setTheme(ThemeSetting::Dark);
        MainWindow told;
        QVERIFY(told.palette().color(QPalette::Window).lightness() < 128);
        WindowSettings().setTheme(ThemeSetting::System);
        QApplication::setPalette(before);
    }

    void keepsTheSplittersThatWereMoved()
    {
        const auto columnsOf = [](const MainWindow& window) {
            return window.findChild<QSplitter*>(QStringLiteral("columns"));
        };
        {
            MainWindow window;
            window.resize(1440, 900);
            window.show();
            QSplitter* columns = columnsOf(window);
            columns->setSizes({800, 600});
            emit columns->splitterMoved(800, 1);
            window.close();
        }
        MainWindow window;
        window.resize(1440, 900);
        window.show();
        const QList<int> sizes = columnsOf(window)->sizes();
        QVERIFY2(sizes.at(1) > 550, qPrintable(QString::number(sizes.at(1))));
    }

    void keepsTheColumnsThatWereDragged()
    {
        const auto tableOf = [](const MainWindow& window) { return window.findChild<QTableView*>(); };
        {
            MainWindow window;
            window.show();
            tableOf(window)->horizontalHeader()->resizeSection(TrialRow::Rate, 150);
            window.close();
        }
        MainWindow window;
        window.show();
        QCOMPARE(tableOf(window)->columnWidth(TrialRow::Rate), 150);
        const auto column = QStringLiteral("rate");
        QCOMPARE(WindowSettings().columnWidths().keys(), QStringList{column});
        actionOf(window, QStringLiteral("&Reset layout"))->trigger();
        QVERIFY(tableOf(window)->columnWidth(TrialRow::Rate) < 150);
        QVERIFY(WindowSettings().columnWidths().isEmpty());
    }
};

BATCHPEAK_TEST(MainWindowTest)
#include "tst_main_window.moc"
