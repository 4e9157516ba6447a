// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_view.h"

#include "actions/tool_bar.h"
#include "charts/legend.h"
#include "charts/run_charts.h"
#include "exploration/status_bar.h"
#include "runs_card.h"
#include "runs_model.h"
#include "theme/glyphs.h"
#include "training_facts.h"
#include "training_form.h"
#include "training_metrics.h"
#include "training_text.h"
#include "widgets/buttons.h"
#include "widgets/fidelity_chip.h"
#include "widgets/labels.h"
#include "widgets/log_view.h"
#include "widgets/message_banner.h"

#include <QAction>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <QWidget>

namespace batchpeak::ui {

namespace {

using training::TrainingState;

constexpr int margin = 12;
constexpr int gap = 10;
constexpr int sideWidth = 484;
constexpr int minChartsWidth = 420;

struct ChartCard
{
    Card* card = nullptr;
    RunCharts::Part part;
};

ChartCard chartCard(RunPlot::Quantity quantity, const QString& title, const QString& unit,
                    const QString& name)
{
    ChartCard made{.card = new Card(title)};
    made.card->setUnit(unit);
    made.part.legend = new RunLegend(TrainingView::tr("Legend of the %1").arg(name), made.card);
    made.card->setHeaderWidget(made.part.legend);
    made.part.chart = new RunChart(quantity, name, made.card);
    // Three cards share the height that two have in the main window.
    made.card->body()->setContentsMargins(16, 9, 16, 2);
    made.card->body()->setSpacing(0);
    made.card->body()->addWidget(made.part.chart, 1);
    return made;
}

} // namespace

TrainingActions::TrainingActions(QWidget* window)
    : QObject(window),
      start(new QAction(tr("&Start"), this)),
      stop(new QAction(tr("S&top"), this)),
      settings(new QAction(tr("S&ettings"), this)),
      close(new QAction(tr("&Close"), this))
{
    start->setShortcut(Qt::Key_F5);
    // Not Escape, which users press to close a menu.
    stop->setShortcut(Qt::SHIFT | Qt::Key_F5);
    settings->setCheckable(true);
    settings->setChecked(true);
    settings->setShortcut(Qt::Key_F4);
    settings->setToolTip(tr("Show how to train, in place of the log"));
    close->setShortcuts(QKeySequence::Close);
    for (QAction* action : {start, stop, settings, close})
        window->addAction(action);
}

void TrainingActions::update(const training::TrainingSnapshot& snapshot, const QString& obstacle)
{
    const bool underWay = snapshot.isUnderWay();
    start->setEnabled(!underWay && obstacle.isEmpty());
    start->setToolTip(obstacle.isEmpty() ? tr("Begin a run; the one before stays in the list of runs")
                                         : obstacle);
    stop->setEnabled(underWay);
    stop->setToolTip(snapshot.state == TrainingState::Finishing
                         ? tr("End at once, without waiting for the step under way")
                         : tr("End after the step under way"));
}

void TrainingActions::setTheme(const Theme& theme)
{
    start->setIcon(actionIcon(Glyph::Play, theme.text, theme));
    stop->setIcon(actionIcon(Glyph::Stop, theme.bad, theme));
    settings->setIcon(actionIcon(Glyph::Menu, theme.text, theme));
}

TrainingView::TrainingView(TrainingActions* actions, QWidget* parent)
    : QWidget(parent),
      m_actions(actions),
      m_columns(new QSplitter(Qt::Horizontal, this)),
      m_chartRows(new QSplitter(Qt::Vertical)),
      m_runRows(new QSplitter(Qt::Vertical)),
      m_runs(new RunsModel(this)),
      m_runsCard(new RunsCard(m_runs)),
      m_run(new ElidedLabel(Qt::ElideMiddle, this)),
      m_fidelity(new FidelityChip(this)),
      m_banner(new MessageBanner(this)),
      m_metrics(new TrainingMetrics(this)),
      m_side(new QStackedWidget(this)),
      m_form(new TrainingForm),
      m_facts(new TrainingFacts),
      m_log(new LogView),
      m_status(new StatusBar(this))
{
    makeCharts();
    makeSide();
    m_columns->setObjectName(QStringLiteral("columns"));
    m_columns->addWidget(m_chartRows);
    m_columns->addWidget(m_side);
    m_columns->setStretchFactor(0, 1);
    m_columns->setStretchFactor(1, 0);
    for (QSplitter* splitter : splitters()) {
        splitter->setHandleWidth(gap);
        splitter->setChildrenCollapsible(false);
    }
    m_columns->setSizes({10000, sideWidth});
    auto* inner = new QVBoxLayout;
    inner->setContentsMargins(margin, margin, margin, margin);
    inner->setSpacing(gap);
    inner->addWidget(m_banner);
    inner->addWidget(m_metrics);
    inner->addWidget(m_columns, 1);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->setSpacing(0);
    outer->addWidget(makeBar());
    outer->addLayout(inner, 1);
    outer->addWidget(m_status);
    connect(actions->settings, &QAction::toggled, this, &TrainingView::showForm);
    connect(m_runs, &RunsModel::shownChanged, this, &TrainingView::redrawWanted);
    display({});
}

QWidget* TrainingView::makeBar()
{
    auto* bar = new QFrame(this);
    bar->setProperty("bar", QStringLiteral("top"));
    bar->setFixedHeight(51);
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(12, 0, 12, 0);
    layout->setSpacing(6);
    for (QAction* action : {m_actions->start, m_actions->stop})
        layout->addWidget(toolBarButton(action, bar));
    layout->addWidget(toolBarSeparator(bar));
    layout->addWidget(toolBarButton(m_actions->settings, bar));
    layout->addSpacing(12);
    m_run->setProperty("muted", true);
    m_run->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    layout->addWidget(m_run, 1);
    layout->addSpacing(4);
    layout->addWidget(m_fidelity);
    return bar;
}

void TrainingView::makeCharts()
{
    using Quantity = RunPlot::Quantity;
    const ChartCard loss = chartCard(Quantity::Loss, tr("Loss"), tr("nats"), tr("Loss chart"));
    const ChartCard rate =
        chartCard(Quantity::Rate, tr("Throughput"), tr("samples/s"), tr("Throughput chart"));
    const ChartCard schedule =
        chartCard(Quantity::Size, tr("Batch size"), tr("samples"), tr("Chart of the batch sizes"));
    m_charts = new RunCharts(loss.part, rate.part, schedule.part, this);
    m_chartRows->setObjectName(QStringLiteral("charts"));
    m_chartRows->setMinimumWidth(minChartsWidth);
    for (const ChartCard& made : {loss, rate, schedule})
        m_chartRows->addWidget(made.card);
    m_chartRows->setSizes({4000, 2700, 3300});
}

void TrainingView::makeSide()
{
    m_runRows->setObjectName(QStringLiteral("run"));
    m_runRows->addWidget(m_runsCard);
    auto* log = new Card(tr("Log"));
    log->body()->addWidget(m_log, 1);
    m_runRows->addWidget(log);
    m_runRows->setSizes({2000, 3000});
    auto* run = new QWidget;
    auto* layout = new QVBoxLayout(run);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(gap);
    layout->addWidget(m_facts);
    layout->addWidget(m_runRows, 1);
    m_side->addWidget(m_form);
    m_side->addWidget(run);
}

void TrainingView::setTheme(const Theme& theme)
{
    m_banner->setTheme(theme);
    m_charts->setTheme(theme);
    m_runs->setTheme(theme);
}

void TrainingView::setSubject(const QString& text)
{
    m_subject = text;
}

void TrainingView::showForm(bool visible)
{
    m_side->setCurrentIndex(visible ? 0 : 1);
}

void TrainingView::display(const training::TrainingSnapshot& snapshot, const QString& obstacle)
{
    std::vector<engine::DeviceSnapshot> devices;
    if (!snapshot.device.id.isEmpty())
        devices.push_back(snapshot.device);
    m_run->setFullText(snapshot.run ? runText(snapshot.run->run, devices) : m_subject);
    m_fidelity->display(snapshot.run ? std::optional(snapshot.run->run.fidelity) : std::nullopt);
    m_metrics->display(snapshot, obstacle);
    m_charts->display(snapshot, m_runs->shown());
    m_runs->display(snapshot);
    m_facts->display(snapshot);
    m_log->display(snapshot.log);
    m_form->setEnabled(!snapshot.isUnderWay());
    m_status->display(StatusLine{.progress = snapshot.progress(),
                                 .activity = trainingActivityText(snapshot, obstacle),
                                 .devices = deviceText(devices)});
    m_banner->showFailure(snapshot.failure);
}

} // namespace batchpeak::ui
