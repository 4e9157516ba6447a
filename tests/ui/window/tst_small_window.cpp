// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "actions/tool_bar.h"
#include "exploration/recommendation_card.h"
#include "exploration/status_bar.h"
#include "exploration/trials_model.h"
#include "sample_snapshots.h"
#include "sample_windows.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "window_fixture.h"

#include <QApplication>
#include <QDateTime>
#include <QFontMetrics>
#include <QHeaderView>
#include <QImage>
#include <QScreen>
#include <QScrollArea>
#include <QScrollBar>
#include <QTest>
#include <QToolButton>
#include <QTreeView>

#include <algorithm>
#include <utility>

using namespace batchpeak;
using namespace batchpeak::ui;
using test::row;
using test::rows;

/// Tests the window on a small screen: all of it is visible, or can be scrolled to.
class SmallWindowTest : public test::WindowFixture
{
    Q_OBJECT

    static bool isDrawn(const QImage& title, int x)
    {
        for (int y = 0; y < title.height(); ++y) {
            if (title.pixelColor(x, y) != title.pixelColor(0, 0))
                return true;
        }
        return false;
    }

    /// Returns the first and the last column of pixels in which something is drawn.
    static std::pair<int, int> edgesOf(const QImage& title)
    {
        int first = 0;
        while (first < title.width() && !isDrawn(title, first))
            ++first;
        int last = title.width() - 1;
        while (last > first && !isDrawn(title, last))
            --last;
        return {first, last};
    }

private slots:
    void leavesRoomForAFrameOnTheScreen()
    {
        // No test may have saved a geometry yet.
        const MainWindow window;
        // A title bar is at least as high as a button.
        const QSize room = window.screen()->availableSize() - QSize(2, 32);
        QVERIFY2(window.height() <= room.height() || window.height() == window.minimumHeight(),
                 qPrintable(QString::number(window.height())));
        QVERIFY2(window.width() <= room.width() || window.width() == window.minimumWidth(),
                 qPrintable(QString::number(window.width())));
    }

    void showsEachWidgetThatHasTheFocus()
    {
        window().resize(900, 600);
        QVERIFY(window().openConfig(fileWith("params.yaml", smallGpt2("64", "explore"))));
        window().activateWindow();
        TRY_VERIFY(window().isActiveWindow());
        QTest::keyClick(&window(), Qt::Key_Tab);
        const QWidget* first = window().focusWidget();
        int count = 0;
        do {
            const QWidget* now = window().focusWidget();
            QVERIFY2(!now->visibleRegion().isEmpty(),
                     qPrintable(now->accessibleName() + QLatin1Char(' ') +
                                QLatin1String(now->metaObject()->className())));
            QTest::keyClick(window().focusWidget(), Qt::Key_Tab);
            QApplication::processEvents();
        } while (window().focusWidget() != first && ++count < 100);
        QVERIFY(count > 20);
        QVERIFY(count < 100);
    }

    void drawsTheArrowNextToTheTitleOfItsColumn()
    {
        test::SampleWindow window(Theme::light(), QSize(1440, 900));
        window.display(test::runningSnapshot());
        window.grab();
        auto* table = window.findChild<QTreeView*>();
        const auto titleOf = [table](int column, int sortedBy) {
            table->sortByColumn(sortedBy, Qt::DescendingOrder);
            QHeaderView* header = table->header();
            // The line below the title is left out.
            return header->viewport()
                ->grab({header->sectionViewportPosition(column), 0, header->sectionSize(column),
                        header->height() - 2})
                .toImage();
        };
        for (int column = 0; column < TrialsModel::columns; ++column) {
            if (table->isColumnHidden(column))
                continue;
            const QImage plain = titleOf(column, column == 0 ? 1 : 0);
            const QImage sorted = titleOf(column, column);
            const auto [first, last] = edgesOf(plain);
            const auto [arrow, end] = edgesOf(sorted);
            const int width = last - first + 1;
            const int begin = end - width + 1;
            QVERIFY2(arrow < begin - 1 && !isDrawn(sorted, begin - 1), qPrintable(QString::number(column)));
            QCOMPARE(sorted.copy(begin, 0, width, sorted.height()),
                     plain.copy(first, 0, width, plain.height()));
        }
    }

    // The other columns need no more width than their titles.
    void cutsNoWordOfTheTrials()
    {
        test::SampleWindow window(Theme::light(), QSize(1440, 900));
        // The date of a recalled trial needs much width, but is not shown any more in the end.
        engine::Snapshot recalling = test::runningSnapshot();
        recalling.recalled.push_back({.trial = test::trialThat(trial::Outcome::Ok, 0, 100000, 4.0),
                                      .ended = QDateTime(QDate(1999, 11, 28), QTime(14, 9))});
        recalling.trials.clear();
        window.display(recalling);
        window.grab();
        window.display(test::finishedSnapshot());
        window.grab();
        const auto* table = window.findChild<QTreeView*>();
        for (int row = 0; row < table->model()->rowCount(); ++row) {
            const QModelIndex result = table->model()->index(row, TrialsModel::Result);
            const int needed = table->sizeHintForIndex(result).width();
            QVERIFY2(needed <= table->columnWidth(TrialsModel::Result),
                     qPrintable(QStringLiteral("%1: %2 of %3")
                                    .arg(result.data().toString())
                                    .arg(table->columnWidth(TrialsModel::Result))
                                    .arg(needed)));
        }
    }

    void fitsASmallWindow()
    {
        for (const auto& [name, snapshot] : test::allSamples()) {
            // The size is for lines as high as those of DejaVu, and grows with the line height.
            constexpr double defaultSpacing = 14.0;
            const double scale =
                std::max(1.0, QFontMetrics(QApplication::font()).lineSpacing() / defaultSpacing);
            const QSize size = QSize(900, 600) * scale;
            test::SampleWindow window(Theme::light(), size);
            window.display(snapshot);
            window.grab();
            // The height of the legend depends on its width, so it follows later.
            QCoreApplication::sendPostedEvents();
            window.grab();
            QCOMPARE(window.size(), size);
            // The text of a failure takes as much height as it needs.
            if (snapshot.state == engine::State::Failed)
                continue;
            for (const QScrollArea* area : window.findChildren<QScrollArea*>()) {
                if (!area->isVisibleTo(&window) || !area->widget()->findChild<RecommendationCard*>())
                    continue;
                const QSize min = area->widget()->minimumSizeHint();
                QVERIFY2(area->verticalScrollBar()->maximum() == 0 &&
                             area->horizontalScrollBar()->maximum() == 0,
                         qPrintable(QStringLiteral("%1 needs %2 x %3 of %4 x %5")
                                        .arg(name)
                                        .arg(min.width())
                                        .arg(min.height())
                                        .arg(area->width())
                                        .arg(area->height())));
            }
        }
    }

    void keepsItsBarsInASmallerWindow_data()
    {
        rows<QSize>({{"1600 x 1000 pixels at scale 2", {QSize(800, 500)}},
                     {"1440 x 900 pixels at scale 2", {QSize(718, 418)}}});
    }
    // The bars stay in sight, and the rest scrolls.
    void keepsItsBarsInASmallerWindow()
    {
        const QSize size = row<QSize>();
        // The size grows with the font.
        const QSize room = size * std::max(1.0, QFontMetrics(QApplication::font()).lineSpacing() / 14.0);
        test::SampleWindow window(Theme::light(), room);
        window.display(test::runningSnapshot());
        window.grab();
        QCOMPARE(window.size(), room);
        const auto* status = window.findChild<StatusBar*>();
        QCOMPARE(status->mapTo(&window, QPoint(0, status->height())).y(), room.height());
        QVERIFY(status->width() <= room.width());
        const auto* tools = window.findChild<ToolBar*>();
        for (const auto* part : tools->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
            if (!part->isVisibleTo(tools))
                continue;
            QVERIFY2(tools->rect().contains(part->geometry()), part->metaObject()->className());
            // A narrower button would cut its text.
            if (qobject_cast<const QToolButton*>(part))
                QVERIFY(part->width() >= part->sizeHint().width());
        }
    }
};

BATCHPEAK_TEST(SmallWindowTest)
#include "tst_small_window.moc"
