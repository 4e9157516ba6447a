// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration_view.h"

#include "actions/tool_bar.h"
#include "actions/window_actions.h"
#include "charts/exploration_charts.h"
#include "empty_view.h"
#include "plan_page/plan_view.h"
#include "recommendation_card.h"
#include "run/batch_view.h"
#include "run/device_strips.h"
#include "run/steering_panel.h"
#include "run/thinking_view.h"
#include "status_bar.h"
#include "throughput_card.h"
#include "trials_view.h"
#include "unmeasurable_view.h"
#include "widgets/card.h"
#include "widgets/log_view.h"
#include "widgets/tab_card.h"

#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace batchpeak::ui {

namespace {

constexpr int margin = 12;
constexpr int gap = 10;
// This width has room for the texts of the table, even "leads 1.3 % ± 0.2".
constexpr int sideWidth = 440;
// At 900 x 600 everything has room; below it the cards scroll, and tool bar and status bar remain visible:
// also on a screen of 1440 x 900 pixels at scale 2.
constexpr QSize minSize{690, 300};
// Below this height the table of trials would have hardly a row.
constexpr int minHeightOfThree = 780;
// Number of lines of the log that the banner of a failure shows.
constexpr qsizetype bannerLogLines = 4;

QSplitter* splitter(Qt::Orientation orientation, const QString& name)
{
    auto* result = new QSplitter(orientation);
    result->setObjectName(name);
    result->setHandleWidth(gap);
    result->setChildrenCollapsible(false);
    return result;
}

QString lastLines(const std::vector<engine::LogLine>& log)
{
    QStringList lines;
    for (auto line = log.rbegin(); line != log.rend() && lines.size() < bannerLogLines; ++line)
        lines.prepend(logLineText(*line));
    return lines.join(QLatin1Char('\n'));
}

} // namespace

ExplorationView::ExplorationView(WindowActions* actions, QMenu* recent, QMenu* menu, QWidget* parent)
    : QWidget(parent),
      m_actions(actions),
      m_toolBar(new ToolBar(*actions, recent, menu, this)),
      m_banner(new MessageBanner(this)),
      m_lookingBack(new MessageBanner(this)),
      m_remembered(new MessageBanner(this)),
      m_columns(splitter(Qt::Horizontal, QStringLiteral("columns"))),
      m_charts(splitter(Qt::Vertical, QStringLiteral("charts"))),
      m_side(splitter(Qt::Vertical, QStringLiteral("side"))),
      m_pages(new QStackedWidget(this)),
      m_empty(new EmptyView(this)),
      m_status(new StatusBar(this))
{
    m_columns->addWidget(makeCharts());
    m_columns->addWidget(makeSide(actions));
    m_pages->addWidget(m_empty);
    m_columnsPage = scrolledOnCard(m_columns);
    m_columnsPage->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    m_pages->addWidget(m_columnsPage);
    m_charts->addAction(actions->saveCharts);
    m_charts->setContextMenuPolicy(Qt::ActionsContextMenu);
    for (QAction* action :
         {actions->exportSelected, actions->tryAgain, actions->exclude, actions->saveTrials})
        m_trials->offer(action);
    m_columns->setStretchFactor(0, 1);
    m_columns->setStretchFactor(1, 0);

    auto* inner = new QVBoxLayout;
    inner->setContentsMargins(margin, margin, margin, margin);
    inner->setSpacing(gap);
    m_lookingBack->setClosable(false);
    inner->addWidget(m_lookingBack);
    inner->addWidget(m_pages, 1);
    // At the bottom, since it disappears while the user changes the remembered options.
    inner->addWidget(m_remembered);
    // A message that appears must not move what the user is about to click.
    m_banner->floatOver(m_pages);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->setSpacing(0);
    outer->addWidget(m_toolBar);
    outer->addLayout(inner, 1);
    outer->addWidget(m_status);

    connect(m_remembered, &MessageBanner::closed, this, [this] { m_closedText = m_remembered->text(); });
    connect(m_pair, &ExplorationCharts::sizeSelected, m_trials, &TrialsView::setSelectedSize);
    connect(m_trials, &TrialsView::sizeSelected, m_pair, &ExplorationCharts::setSelectedSize);
    connect(m_pair, &ExplorationCharts::sizeSelected, this, &ExplorationView::sizeSelected);
    connect(m_trials, &TrialsView::sizeSelected, this, &ExplorationView::sizeSelected);
    connect(m_empty, &EmptyView::openRequested, this, &ExplorationView::openRequested);
    connect(m_empty, &EmptyView::chosen, this, &ExplorationView::fileChosen);
    resetLayout();
    display(engine::Snapshot{});
    // Wide fonts need more width; content that needs more height scrolls.
    setMinimumSize(minSize.expandedTo(layout()->totalMinimumSize()));
}

QWidget* ExplorationView::makeCharts()
{
    m_throughputCard = new ThroughputCard;
    m_memoryCard = new Card(tr("Peak memory"));
    m_memory = new MemoryChart(m_memoryCard);
    m_memoryCard->body()->addWidget(m_memory, 1);
    m_pair = new ExplorationCharts({.throughput = m_throughputCard->chart(),
                                    .memory = m_memory,
                                    .legend = m_throughputCard->legend(),
                                    .phases = m_throughputCard->phases()},
                                   this);
    m_throughputCard->follow(m_pair);

    m_charts->addWidget(m_throughputCard);
    m_charts->addWidget(m_memoryCard);
    return m_charts;
}

QWidget* ExplorationView::makeSide(WindowActions* actions)
{
    m_recommendation = new RecommendationCard(actions->exportSize, actions->copySize, actions->confirm,
                                              actions->continueSearch);
    m_trials = new TrialsView;
    m_thinking = new ThinkingView;
    m_steering = new SteeringPanel;
    m_deviceStrips = new DeviceStrips;
    m_batch = new BatchView;
    m_log = new LogView;
    m_insight = new TabCard;
    m_insight->addPage(tr("Thinking"), m_thinking);
    m_steeringPage = scrolledOnCard(m_steering);
    m_insight->addPage(tr("Steer"), m_steeringPage);
    m_insight->addPage(tr("Devices"), scrolledOnCard(m_deviceStrips));
    m_insight->addPage(tr("Batch"), scrolledOnCard(m_batch));
    m_insight->addPage(tr("Log"), m_log);
    connect(m_thinking, &ThinkingView::sizeChosen, this, [this](std::int64_t size) {
        m_steering->setSize(size);
        m_insight->showPage(m_steeringPage);
    });
    m_side->addWidget(m_recommendation);
    m_side->addWidget(m_trials);
    m_side->addWidget(m_insight);
    m_side->setStretchFactor(0, 0);
    m_side->setStretchFactor(1, 3);
    m_side->setStretchFactor(2, 2);
    m_side->setMinimumWidth(sideWidth);
    return m_side;
}

void ExplorationView::resetLayout()
{
    m_columns->setSizes({10000, sideWidth});
    m_charts->setSizes({5000, 2000});
    m_side->setSizes({m_recommendation->sizeHint().height(), 3000, 2000});
    m_trials->resetLayout();
}

QWidget& ExplorationView::charts() const
{
    return *m_charts;
}

TrialsView& ExplorationView::trials() const
{
    return *m_trials;
}

QList<QSplitter*> ExplorationView::splitters() const
{
    return {m_columns, m_charts, m_side};
}

void ExplorationView::setTheme(const Theme& theme)
{
    m_toolBar->setTheme(theme);
    m_banner->setTheme(theme);
    m_lookingBack->setTheme(theme);
    m_remembered->setTheme(theme);
    m_empty->setTheme(theme);
    m_throughputCard->setTheme(theme);
    m_theme = theme;
    if (m_plan)
        m_plan->setTheme(theme);
    m_pair->setTheme(theme);
    m_recommendation->setTheme(theme);
    m_trials->setTheme(theme);
    m_thinking->setTheme(theme);
    m_deviceStrips->setTheme(theme);
    m_batch->setTheme(theme);
}

void ExplorationView::setConfig(const engine::ConfigFile& file)
{
    m_batch->setConfig(file);
}

PlanView* ExplorationView::plan()
{
    if (!m_plan) {
        m_plan = new PlanView(m_actions, m_pages);
        m_plan->setTheme(m_theme);
        m_planPage = scrolledOnCard(m_plan);
        m_planPage->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
        m_pages->addWidget(m_planPage);
    }
    return m_plan;
}

void ExplorationView::showPlan(bool isShown)
{
    m_showsPlan = isShown;
    choosePage();
}

/// Moves the trials to a tab if the window is too low for both the trials and what is below them.
void ExplorationView::placeTrials()
{
    const bool areBelow = m_insight->hasPage(m_trials);
    const bool isLow = height() < minHeightOfThree;
    if (isLow == areBelow)
        return;
    m_trials->setEmbedded(isLow);
    if (isLow) {
        m_insight->insertPage(0, tr("Trials"), m_trials);
        m_insight->showPage(m_trials);
    } else {
        m_insight->takePage(m_trials);
        m_side->insertWidget(1, m_trials);
        m_trials->show();
    }
}

void ExplorationView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    placeTrials();
    if (!m_lookingBackText.isEmpty())
        fitLookingBack();
}

void ExplorationView::choosePage()
{
    QWidget* page = m_empty;
    if (m_showsUnmeasurable)
        page = m_unmeasurablePage;
    else if (m_showsPlan && plan())
        page = m_planPage;
    else if (m_hasRun)
        page = m_columnsPage;
    m_pages->setCurrentWidget(page);
}

void ExplorationView::setLookingBack(const QString& sentence, const QString& details,
                                     MessageBanner::Kind kind)
{
    if (sentence == m_lookingBackText && details == m_lookingBackDetails)
        return;
    m_lookingBackKind = kind;
    m_lookingBackText = sentence;
    m_lookingBackDetails = details;
    if (sentence.isEmpty())
        m_lookingBack->hide();
    else
        fitLookingBack();
}

/// Elides the sentence to two lines, and reserves two lines for a short one: the sentence of a followed run
/// grows, and must not move the page under the pointer.
void ExplorationView::fitLookingBack()
{
    const auto heightWith = [this](const QString& text) {
        m_lookingBack->showMessage(m_lookingBackKind, text, m_lookingBackDetails, m_actions->present);
        // Otherwise the children keep the size of the previous text.
        m_lookingBack->layout()->activate();
        return m_lookingBack->layout()->totalHeightForWidth(width() - 2 * margin);
    };
    const auto shortened = [this](qsizetype length) {
        return m_lookingBackText.first(length).trimmed() + QStringLiteral("…");
    };
    const int height = heightWith(QStringLiteral("1\n2"));
    const bool isWhole = heightWith(m_lookingBackText) <= height;
    if (!isWhole) {
        qsizetype fits = 0;
        qsizetype exceeds = m_lookingBackText.size();
        while (exceeds - fits > 1) {
            const qsizetype length = (fits + exceeds) / 2;
            (heightWith(shortened(length)) <= height ? fits : exceeds) = length;
        }
        heightWith(shortened(fits));
    }
    m_lookingBack->setFixedHeight(height);
    m_lookingBack->setToolTip(isWhole ? QString() : m_lookingBackText);
    m_lookingBack->setAccessibleDescription(m_lookingBackText);
}

void ExplorationView::setRemembered(const QString& sentence)
{
    if (sentence.isEmpty() || sentence == m_closedText)
        m_remembered->hide();
    else if (m_remembered->isHidden() || m_remembered->text() != sentence)
        m_remembered->showMessage(MessageBanner::Kind::Note, sentence, {}, m_actions->resetAll);
}

void ExplorationView::showUnmeasurable(const UnmeasurableFile& file)
{
    if (!m_unmeasurable) {
        m_unmeasurable = new UnmeasurableView({m_actions->downloadNetwork, m_actions->chooseNetwork,
                                               m_actions->writeSize, m_actions->readAgain, m_actions->open});
        m_unmeasurablePage = scrolledOnCard(m_unmeasurable);
        m_pages->addWidget(m_unmeasurablePage);
    }
    m_unmeasurable->display(file);
    m_showsUnmeasurable = true;
    choosePage();
}

void ExplorationView::hideUnmeasurable()
{
    m_showsUnmeasurable = false;
    choosePage();
}

void ExplorationView::setLogarithmic(bool logarithmic)
{
    m_pair->setLogarithmic(logarithmic);
}

void ExplorationView::setAwaitsSearch(bool awaitsSearch)
{
    m_thinking->setAwaitsSearch(awaitsSearch);
}

void ExplorationView::setBefore(const QString& sentence)
{
    m_recommendation->setBefore(sentence);
}

void ExplorationView::setInviting(bool inviting)
{
    m_empty->setInviting(inviting);
}

void ExplorationView::setRecentFiles(const QStringList& files)
{
    m_empty->setRecentFiles(files);
}

void ExplorationView::display(const engine::Snapshot& snapshot)
{
    m_hasRun = snapshot.run.has_value();
    choosePage();
    m_pair->display(snapshot);
    const engine::MemoryUnit& unit = m_pair->memoryUnit();
    m_memoryCard->setUnit(unit.name);
    const bool hasObstacle = m_showsUnmeasurable || (m_showsPlan && !plan()->problem().isEmpty());
    m_toolBar->display(snapshot, !hasObstacle);
    m_recommendation->display(snapshot, unit);
    m_trials->display(snapshot, unit);
    m_thinking->display(snapshot);
    m_steering->display(snapshot);
    m_deviceStrips->display(snapshot.devices, snapshot.places);
    m_batch->display(snapshot);
    m_log->display(snapshot.log);
    if (hasObstacle)
        m_status->display(StatusLine{.activity = m_showsUnmeasurable
                                                     ? tr("No trial is possible with this file")
                                                     : tr("Not ready to start")});
    else
        m_status->display(snapshot);
    const bool hasFailed = snapshot.state == engine::State::Failed;
    // An exploration that could not be continued keeps its result, and can be continued later.
    const bool couldNotContinue = snapshot.canContinue && !snapshot.failure.isEmpty();
    m_banner->showFailure(hasFailed || couldNotContinue ? snapshot.failure : QString(),
                          lastLines(snapshot.log),
                          snapshot.offersCpu()                   ? m_actions->useCpu
                          : hasFailed && snapshot.canBeTakenUp() ? m_actions->resume
                          : hasFailed                            ? m_actions->restart
                                                                 : m_actions->continueSearch);
    orderTabs();
}

/// Sets the tab order to the visual order: from the tool bar through the page to the messages below it.
/// Needed since pages and their dynamic widgets are created later.
void ExplorationView::orderTabs()
{
    const auto isReached = [](const QWidget* part) { return (part->focusPolicy() & Qt::TabFocus) != 0; };
    QWidget* last = window()->previousInFocusChain();
    while (last != window() && !isReached(last))
        last = last->previousInFocusChain();
    if (m_remembered->isAncestorOf(last))
        return;
    for (const MessageBanner* bar : {m_banner, m_remembered}) {
        for (auto* part : bar->findChildren<QWidget*>()) {
            if (!isReached(part) || part == last)
                continue;
            setTabOrder(last, part);
            last = part;
        }
    }
}

} // namespace batchpeak::ui
