// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/exploration_charts.h"
#include "sample_snapshots.h"
#include "sample_windows.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "ui/confidence_gauge.h"
#include "ui/empty_view.h"
#include "ui/fidelity_chip.h"
#include "ui/log_view.h"
#include "ui/message_banner.h"
#include "ui/recommendation_card.h"
#include "ui/status_bar.h"
#include "ui/tool_bar.h"
#include "ui/trials_model.h"
#include "ui/trials_view.h"
#include "window_fixture.h"
#include <QAbstractScrollArea>
#include <QAction>
#include <QFontMetrics>
#include <QHash>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTest>
#include <QTextBlock>
#include <QToolButton>
#include <QTreeView>
#include <algorithm>

using namespace batchpeak;
using namespace batchpeak::ui;

/// The window on a small screen: all of it is in sight, or scrolls.
class SmallWindowTest : public QObject
{
    Q_OBJECT

private slots:
    void fitsASmallWindow()
    {
        for (const auto& [name, snapshot] : test::allSamples()) {
            // Of lines that are as high as DejaVu's; of higher ones as much more.
            constexpr double usualSpacing = 14.0;
            const double scale =
                std::max(1.0, QFontMetrics(QApplication::font()).lineSpacing() / usualSpacing);
            const QSize size = QSize(900, 600) * scale;
            test::SampleWindow window(Theme::light(), size);
            window.display(snapshot);
            window.grab();
            // The legend has its height once it has its width.
            QCoreApplication::sendPostedEvents();
            window.grab();
            QCOMPARE(window.size(), size);
            // What a failure says takes the height that it needs.
            if (snapshot.state == engine::State::Failed)
                continue;
            for (const QScrollArea* area : window.findChildren<QScrollArea*>()) {
                if (!area->isVisibleTo(&window) || !area->widget()->findChild<RecommendationCard*>())
                    continue;
                const QSize least = area->widget()->minimumSizeHint();
                QVERIFY2(area->verticalScrollBar()->maximum() == 0 &&
                             area->horizontalScrollBar()->maximum() == 0,
                         qPrintable(QStringLiteral("%1 needs %2 x %3 of %4 x %5")
                                        .arg(name)
                                        .arg(least.width())
                                        .arg(least.height())
                                        .arg(area->width())
                                        .arg(area->height())));
            }
        }
    }

    // As on a screen of 1600 x 1000 pixels at scale 2: the bars stay in sight, and the rest scrolls.
    void keepsItsBarsInASmallerWindow()
    {
        test::SampleWindow window(Theme::light(), QSize(800, 500));
        window.display(test::runningSnapshot());
        window.grab();
        QCOMPARE(window.size(), QSize(800, 500));
        const auto* status = window.findChild<StatusBar*>();
        QCOMPARE(status->mapTo(&window, QPoint(0, status->height())).y(), 500);
        QVERIFY(status->width() <= 800);
    }
};

BATCHPEAK_TEST(SmallWindowTest)
#include "tst_small_window.moc"
