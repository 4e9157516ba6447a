// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "actions/recent_files.h"
#include "actions/settings_file.h"
#include "actions/window_settings.h"
#include "exploration/empty_view.h"
#include "exploration/trials_model.h"
#include "exploration/unmeasurable_view.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "widgets/help_dialog.h"
#include "widgets/message_banner.h"
#include "window_fixture.h"

#include <QAction>
#include <QApplication>
#include <QDir>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFile>
#include <QFileInfo>
#include <QGraphicsView>
#include <QHeaderView>
#include <QMimeData>
#include <QScreen>
#include <QSplitter>
#include <QStackedWidget>
#include <QTest>
#include <QTreeView>
#include <QUrl>

#include <algorithm>
#include <sys/stat.h>
#include <unistd.h>

using namespace batchpeak;
using namespace batchpeak::ui;

namespace {

void drop(QWidget& target, const QList<QUrl>& urls)
{
    QMimeData data;
    data.setUrls(urls);
    QDragEnterEvent enter(QPoint(50, 200), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&target, &enter);
    if (!enter.isAccepted())
        return;
    QDropEvent dropped(QPointF(50, 200), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&target, &dropped);
}

// No device of this computer is used, since a program that mistakes it for its file would replace it with a
// file.
enum class SettingsPlace { Pipe, LinkedPipe, Folder, Large };

/// \return whether it was created
bool place(SettingsPlace what, const QString& path)
{
    const QByteArray name = QFile::encodeName(path);
    switch (what) {
    case SettingsPlace::Pipe:
        return ::mkfifo(name.constData(), 0600) == 0;
    case SettingsPlace::LinkedPipe:
        return ::mkfifo((name + ".pipe").constData(), 0600) == 0 &&
               ::symlink((name + ".pipe").constData(), name.constData()) == 0;
    case SettingsPlace::Folder:
        return QDir().mkpath(path);
    case SettingsPlace::Large:
        return QFile(path).open(QIODevice::WriteOnly) && QFile::resize(path, qint64{1} << 40);
    }
    return false;
}

} // namespace

class MainWindowTest : public test::WindowFixture
{
    Q_OBJECT

    QString m_path;

private slots:
    void init() { m_path = fileWith("params.yaml", smallGpt2("12", "4 # tried by hand")); }

    void opensADroppedConfig()
    {
        const auto* empty = window().findChild<EmptyView*>();
        QVERIFY(empty->isVisible());
        drop(window(), {QUrl::fromLocalFile(m_path)});
        QVERIFY2(banner().isHidden(), qPrintable(banner().text()));
        QVERIFY(!empty->isVisible());
        QVERIFY(window().windowTitle().startsWith(QStringLiteral("params.yaml")));
        QCOMPARE(window().findChild<RecentFiles*>()->files(), QStringList{m_path});
    }

    // A drop on a chart is handled like one on the window, so that the user always learns why a config is not
    // opened during a run.
    void opensAConfigDroppedOnAChart()
    {
        const auto canvases = window().findChildren<QGraphicsView*>();
        QVERIFY(canvases.size() >= 2);
        for (QGraphicsView* canvas : canvases) {
            QVERIFY(!window().openConfig(pathOf("no such file.yaml")));
            drop(*canvas->viewport(), {QUrl::fromLocalFile(m_path)});
            QVERIFY(window().windowTitle().startsWith(QStringLiteral("params.yaml")));
        }
    }

    void hasHelpAndAbout()
    {
        QString help;
        test::whenOpen<HelpDialog>(&window(), [&](HelpDialog* dialog) {
            help = dialog->text();
            dialog->reject();
        });
        test::actionOf(window(), "Help")->trigger();
        for (const QAction* action : window().actions()) {
            const QString shortcut = action->shortcut().toString(QKeySequence::NativeText);
            QVERIFY2(help.contains(shortcut), qPrintable(shortcut));
        }
        QString about;
        test::whenOpen<AboutDialog>(&window(), [&](AboutDialog* dialog) {
            about = dialog->text();
            dialog->reject();
        });
        test::actionOf(window(), "About")->trigger();
        QVERIFY(about.contains(QStringLiteral(BATCHPEAK_VERSION)));
        QVERIFY(about.contains(QStringLiteral("GPL-3.0-or-later")));
    }

    void isNeverLargerThanTheScreen()
    {
        // No test may have saved a geometry yet.
        MainWindow window;
        const QSize room = window.screen()->availableSize().expandedTo(window.minimumSize());
        QVERIFY(window.width() <= room.width() && window.height() <= room.height());
    }

    void isNeverTooSmallForItsContents()
    {
        MainWindow window;
        QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
        const QSize needed = window.centralWidget()->minimumSizeHint();
        QVERIFY2(window.minimumWidth() >= needed.width() && window.minimumHeight() >= needed.height(),
                 qPrintable(QStringLiteral("needs %1 x %2").arg(needed.width()).arg(needed.height())));
        // The limit is for lines as high as those of DejaVu, and grows with the line height.
        const int max = std::max(680, 680 * window.fontMetrics().lineSpacing() / 14);
        QVERIFY(window.minimumWidth() <= 1100 && window.minimumHeight() <= max);
    }

    void ignoresAnythingButASingleFile_data()
    {
        rows<QStringList>({{"a web page", {QStringLiteral("https://example.org/params.yaml")}},
                           {"two files", {QStringLiteral("file:///a"), QStringLiteral("file:///b")}}});
    }
    void ignoresAnythingButASingleFile()
    {
        drop(window(), QUrl::fromStringList(row<QStringList>()));
        QVERIFY(window().findChild<EmptyView*>()->isVisible());
        QVERIFY(banner().isHidden());
    }

    void explainsAnInvalidConfig_data()
    {
        rows<QByteArray>({{"empty", ""},
                          {"no YAML", "a: [b\n"},
                          {"another kind of file", "a: b\n"},
                          {"illegal size", smallGpt2("12", "400")}});
    }
    void explainsAnInvalidConfig()
    {
        const QString path = fileWith("params.yaml", row<QByteArray>());
        QVERIFY(!window().openConfig(path));
        const auto* page = window().findChild<UnmeasurableView*>();
        QVERIFY(page && page->isVisible());
        const QStringList lines = page->summary().split(QLatin1Char('\n'));
        QVERIFY2(lines.contains(QStringLiteral("file: ") + path), qPrintable(page->summary()));
        QVERIFY2(lines.front().endsWith(QLatin1Char('.')) && !lines.front().contains(path),
                 qPrintable(lines.front()));
        QVERIFY(banner().isHidden());
        QVERIFY(test::actionOf(window(), "Read it again")->isEnabled());
    }

    void followsTheDesktopUnlessAThemeIsSet()
    {
        const QPalette before = QApplication::palette();
        const MainWindow& following = window();
        const auto lightness = [&] { return following.palette().color(QPalette::Window).lightness(); };
        QApplication::setPalette(Theme::dark().palette());
        TRY_VERIFY(lightness() < 128);
        QApplication::setPalette(Theme::light().palette());
        TRY_VERIFY(lightness() > 128);
        WindowSettings().setTheme(ThemeSetting::Dark);
        MainWindow told;
        QVERIFY(told.palette().color(QPalette::Window).lightness() < 128);
        WindowSettings().setTheme(ThemeSetting::System);
        QApplication::setPalette(before);
    }

    void leavesAnUnusableSettingsFileAlone_data()
    {
        rows<SettingsPlace>({{"a pipe", {SettingsPlace::Pipe}},
                             {"a link to one", {SettingsPlace::LinkedPipe}},
                             {"a folder", {SettingsPlace::Folder}},
                             {"a very large file", {SettingsPlace::Large}}});
    }
    void leavesAnUnusableSettingsFileAlone()
    {
        const QString path = SettingsFile::path();
        QVERIFY(QDir().mkpath(QFileInfo(path).path()));
        QFile::remove(path);
        QVERIFY(place(row<SettingsPlace>(), path));
        struct stat before
        {};
        QCOMPARE(::lstat(QFile::encodeName(path).constData(), &before), 0);
        QVERIFY(window().openConfig(fileWith("warned.yaml", smallGpt2("12", "4") + "unknown_part: 1\n")));
        const QString remarks = banner().isHidden() ? QString() : banner().text();
        TRY_VERIFY(!banner().isHidden() && banner().text().contains(path));
        QVERIFY(banner().text().startsWith(remarks));
        WindowSettings().setTheme(ThemeSetting::Dark);
        QCOMPARE(WindowSettings().theme(), ThemeSetting::Dark);
        window().close();
        struct stat after
        {};
        QCOMPARE(::lstat(QFile::encodeName(path).constData(), &after), 0);
        QCOMPARE(after.st_ino, before.st_ino);
        QCOMPARE(after.st_mode, before.st_mode);
        QCOMPARE(after.st_size, before.st_size);
        QVERIFY(QFile::remove(path) || QDir().rmdir(path));
        QCOMPARE(WindowSettings().theme(), ThemeSetting::System);
    }

    void restoresMovedSplitters()
    {
        // The splitters are on the page of the exploration.
        const auto columnsOf = [](const MainWindow& window) {
            auto* columns = window.findChild<QSplitter*>(QStringLiteral("columns"));
            QWidget* page = columns;
            while (!qobject_cast<QStackedWidget*>(page->parentWidget()))
                page = page->parentWidget();
            qobject_cast<QStackedWidget*>(page->parentWidget())->setCurrentWidget(page);
            return columns;
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

    void restoresResizedColumns()
    {
        const auto tableOf = [](const MainWindow& window) { return window.findChild<QTreeView*>(); };
        {
            MainWindow window;
            window.show();
            tableOf(window)->header()->resizeSection(TrialsModel::Rate, 150);
            window.close();
        }
        MainWindow window;
        window.show();
        QCOMPARE(tableOf(window)->columnWidth(TrialsModel::Rate), 150);
        const auto column = QStringLiteral("rate");
        QCOMPARE(WindowSettings().columnWidths().keys().join(QLatin1Char(' ')), column);
        test::actionOf(window, "Reset layout")->trigger();
        QVERIFY(tableOf(window)->columnWidth(TrialsModel::Rate) < 150);
        QVERIFY(WindowSettings().columnWidths().isEmpty());
    }
};

BATCHPEAK_TEST(MainWindowTest)
#include "tst_main_window.moc"
