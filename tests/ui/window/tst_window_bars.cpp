// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "actions/tool_bar.h"
#include "exploration/recommendation_card.h"
#include "exploration/status_bar.h"
#include "exploration/unmeasurable_view.h"
#include "plan_page/plan_view.h"
#include "sample_snapshots.h"
#include "sample_windows.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "widgets/labels.h"
#include "widgets/message_banner.h"
#include "window_fixture.h"

#include <QAction>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTest>
#include <QToolButton>

#include <algorithm>
#include <cmath>

using namespace batchpeak;
using namespace batchpeak::ui;
using test::row;
using test::rows;

namespace {

enum class Page { Exploration, Plan, Unmeasurable };

MessageBanner* bannerOf(const test::SampleWindow& window, const char* button)
{
    return qobject_cast<MessageBanner*>(test::buttonOf(window, button)->parentWidget());
}

} // namespace

/// Tests the bars above and below a page, and how the user reaches everything in it.
class WindowBarsTest : public test::WindowFixture
{
    Q_OBJECT

    /// Shows a page with all bars around it.
    void show(test::SampleWindow& window, Page page)
    {
        window.show();
        window.view()->setLookingBack(QStringLiteral("Viewing the run of 28 Nov, 14:02 (training)."));
        window.view()->setRemembered(QStringLiteral("Options remembered for this config: --tolerance 4"));
        window.view()->banner()->showMessage(MessageBanner::Kind::Note, QStringLiteral("It is written."));
        if (page == Page::Exploration) {
            window.display(test::finishedSnapshot());
        } else if (page == Page::Plan) {
            window.display(test::readySnapshot());
            PlanView* plan = window.view()->plan();
            plan->setConfig(engine::ConfigFile::open(fileWith("params.yaml", smallGpt2("64", "explore"))),
                            {});
            plan->setDevices(test::sampleDevices());
            window.view()->showPlan(true);
            window.display(test::readySnapshot());
            plan->setEarlier({{.text = QStringLiteral("14:02 · 192 · 96 %"), .choose = [] {}}});
            window.display(test::readySnapshot());
        } else {
            const auto file =
                engine::ConfigFile::open(fileWith("sft.yaml", "model_name_or_path: example/unknown-network\n"
                                                              "output_dir: out\n"
                                                              "per_device_train_batch_size: 8\n"
                                                              "per_device_eval_batch_size: 4\n"
                                                              "gradient_accumulation_steps: 8\n"
                                                              "num_train_epochs: 1\n"));
            for (QAction* action :
                 {window.actions()->chooseNetwork, window.actions()->writeSize, window.actions()->readAgain})
                action->setEnabled(true);
            window.view()->showUnmeasurable({.path = file.path(),
                                             .why = QStringLiteral("The network is not known. ").repeated(20),
                                             .config = file});
            window.display(test::emptySnapshot());
        }
        // Scroll areas are laid out by posted events, after the rest.
        QCoreApplication::processEvents();
        window.grab();
        QCoreApplication::processEvents();
    }

private slots:
    // The text about a run that is followed grows with each trial.
    void keepsThePageInPlaceWhileARunIsFollowed()
    {
        test::SampleWindow window(Theme::light(), QSize(900, 600));
        window.show();
        window.display(test::runningSnapshot());
        const QString command = QStringLiteral("batchpeak explore gpt.yaml");
        const auto topWith = [&](const QString& sentence) {
            window.view()->setLookingBack(sentence, command);
            QCoreApplication::processEvents();
            return window.findChild<RecommendationCard*>()->mapTo(&window, QPoint(0, 0)).y();
        };
        const QString sentence = QStringLiteral("Viewing the run of 28 Nov, 14:02 (training). ");
        const int top = topWith(sentence);
        for (const int times : {2, 3, 8})
            QCOMPARE(topWith(sentence.repeated(times)), top);
        // The tool tip has the text that does not fit.
        const MessageBanner* bar = bannerOf(window, "Back to the present run");
        QVERIFY(bar->text().endsWith(QStringLiteral("…")));
        QVERIFY(bar->text().size() > sentence.size());
        QCOMPARE(bar->toolTip(), sentence.repeated(8));
        QCOMPARE(bar->accessibleDescription(), sentence.repeated(8));
        window.resize(3000, 600);
        QCoreApplication::processEvents();
        QCOMPARE(bar->text(), sentence.repeated(8));
        QVERIFY(bar->toolTip().isEmpty());
    }

    void alignsTheSignWithItsLine()
    {
        QWidget owner;
        owner.resize(900, 300);
        QAction action(QStringLiteral("Undo"));
        for (QAction* offered : {static_cast<QAction*>(nullptr), &action}) {
            MessageBanner banner(&owner);
            banner.showMessage(MessageBanner::Kind::Note, QStringLiteral("It is written."), {}, offered);
            banner.resize(860, banner.sizeHint().height());
            owner.show();
            QCoreApplication::processEvents();
            const auto labels = banner.findChildren<QLabel*>(QString(), Qt::FindDirectChildrenOnly);
            QVERIFY(labels.size() >= 2);
            QVERIFY(std::abs(labels.at(0)->geometry().center().y() - labels.at(1)->geometry().center().y()) <=
                    1);
        }
    }

    void explainsWhyTheProgressFellBack()
    {
        test::SampleWindow window(Theme::light(), QSize(1440, 900));
        engine::Snapshot snapshot = test::runningSnapshot();
        const auto says = [&window, &snapshot](const QString& words) {
            window.display(snapshot);
            const auto labels = window.findChild<StatusBar*>()->findChildren<ElidedLabel*>();
            return std::ranges::any_of(
                labels, [&words](const ElidedLabel* label) { return label->fullText().endsWith(words); });
        };
        const QString reason = QStringLiteral("a size has turned out slower");
        QVERIFY(!says(reason));
        snapshot.setback = reason;
        QVERIFY(says(reason));
    }

    void keepsAClosedBarClosed()
    {
        test::SampleWindow window(Theme::light(), QSize(1100, 680));
        window.show();
        const QString sentence = QStringLiteral("Options remembered for this config: --tolerance 4");
        window.view()->setRemembered(sentence);
        const MessageBanner* bar = bannerOf(window, "Reset all");
        QVERIFY(bar->isVisible());
        // An earlier run, which has its own options, is viewed in between.
        window.view()->setRemembered({});
        QVERIFY(!bar->isVisible());
        window.view()->setRemembered(sentence);
        QVERIFY(bar->isVisible());
        bar->findChild<QToolButton*>()->click();
        window.view()->setRemembered({});
        window.view()->setRemembered(sentence);
        QVERIFY(!bar->isVisible());
        window.view()->setRemembered(sentence + QStringLiteral(" --max 8"));
        QVERIFY(bar->isVisible());
    }

    void showsTheCommandOfEachRun()
    {
        test::SampleWindow window(Theme::light(), QSize(1100, 680));
        window.display(test::finishedSnapshot());
        const auto says = [&](const QString& command) {
            const auto labels = bannerOf(window, "Back to the present run")->findChildren<QLabel*>();
            return std::ranges::any_of(labels, [&](const QLabel* label) { return label->text() == command; });
        };
        const QString sentence = QStringLiteral("Viewing the run of 28 Nov, 14:02 (training).");
        // Two runs of the same minute, with the same result.
        for (const QString& command : {QStringLiteral("batchpeak explore gpt.yaml --tolerance 1"),
                                       QStringLiteral("batchpeak explore gpt.yaml --tolerance 2")}) {
            window.view()->setLookingBack(sentence, command);
            QVERIFY2(says(command), qPrintable(command));
        }
    }

    void goesByTabFromTheTopToTheBottom_data()
    {
        rows<Page>({{"exploration", Page::Exploration},
                    {"plan", Page::Plan},
                    {"no trial is possible", Page::Unmeasurable}});
    }
    void goesByTabFromTheTopToTheBottom()
    {
        test::SampleWindow window(Theme::light(), QSize(1440, 900));
        show(window, row<Page>());
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        const auto* toolBar = window.findChild<ToolBar*>();
        const auto* pages = window.findChild<QStackedWidget*>();
        const auto placeOf = [&](const QWidget* part) {
            return toolBar->isAncestorOf(part)                                       ? QStringLiteral("tools")
                   : pages->isAncestorOf(part)                                       ? QStringLiteral("page")
                   : bannerOf(window, "Back to the present run")->isAncestorOf(part) ? QStringLiteral("above")
                   : window.view()->banner()->isAncestorOf(part) ? QStringLiteral("message")
                                                                 : QStringLiteral("below");
        };
        auto* first = toolBar->findChild<QToolButton*>();
        first->setFocus(Qt::TabFocusReason);
        QStringList places;
        for (int stops = 0; stops < 200; ++stops) {
            const QString place = placeOf(window.focusWidget());
            if (places.isEmpty() || places.back() != place)
                places << place;
            QTest::keyClick(window.focusWidget(), Qt::Key_Tab);
            if (window.focusWidget() == first)
                break;
        }
        QCOMPARE(places.join(QLatin1Char(' ')), QStringLiteral("tools above page message below"));
    }

    void reachesEveryButtonOfASmallWindow_data()
    {
        constexpr QSize small(900, 600);
        // Smaller than the minimum size, which the window then has.
        constexpr QSize min(10, 10);
        rows<Page, QSize>({{"exploration", {Page::Exploration, small}},
                           {"plan", {Page::Plan, small}},
                           {"no trial is possible", {Page::Unmeasurable, small}},
                           {"least exploration", {Page::Exploration, min}},
                           {"least plan", {Page::Plan, min}},
                           {"no trial is possible, at the least", {Page::Unmeasurable, min}}});
    }
    void reachesEveryButtonOfASmallWindow()
    {
        const auto& [page, size] = row<Page, QSize>();
        test::SampleWindow window(Theme::light(), size);
        show(window, page);
        QCOMPARE(window.size(), size.expandedTo(window.view()->minimumSize()));
        const auto* pages = window.findChild<QStackedWidget*>();
        const QRect place(pages->mapTo(&window, QPoint(0, 0)), pages->size());
        QVERIFY2(window.rect().contains(place), qPrintable(QString::number(place.bottom())));
        const QSize min = pages->currentWidget()->minimumSizeHint();
        QVERIFY2(min.width() <= pages->width() && min.height() <= pages->height(),
                 qPrintable(QStringLiteral("needs %1 x %2 of %3 x %4")
                                .arg(min.width())
                                .arg(min.height())
                                .arg(pages->width())
                                .arg(pages->height())));
        int buttons = 0;
        for (auto* button : pages->findChildren<QPushButton*>()) {
            if (!button->isVisible())
                continue;
            ++buttons;
            for (QWidget* part = button->parentWidget(); part != pages; part = part->parentWidget()) {
                if (auto* area = qobject_cast<QScrollArea*>(part))
                    area->ensureWidgetVisible(button, 0, 0);
            }
            QVERIFY2(button->visibleRegion().boundingRect() == button->rect(), qPrintable(button->text()));
        }
        QVERIFY(buttons > 0);
    }
};

BATCHPEAK_TEST(WindowBarsTest)
#include "tst_window_bars.moc"
