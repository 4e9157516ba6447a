// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_view.h"

#include "actions/tool_bar.h"
#include "charts/legend.h"
#include "charts/run_charts.h"
#include "charts/run_plot.h"
#include "exploration/status_bar.h"
#include "runs_card.h"
#include "runs_model.h"
#include "text/fidelity_text.h"
#include "text/readable_text.h"
#include "text/tuning_text.h"
#include "theme/glyphs.h"
#include "training_form.h"
#include "training_metrics.h"
#include "training_text.h"
#include "widgets/buttons.h"
#include "widgets/card.h"
#include "widgets/fidelity_chip.h"
#include "widgets/labels.h"
#include "widgets/log_view.h"
#include "widgets/message_banner.h"

#include <QAction>
#include <QDir>
#include <QGridLayout>
#include <QLabel>
#include <QLocale>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <vector>

namespace batchpeak::ui {

namespace {

using engine::numberText;
using training::TrainingSnapshot;
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

/// One setting or result of a run, as text.
struct TrainingFact
{
    QString name;
    QString value;
};

QString sizeFact(const TrainingSnapshot& snapshot)
{
    QString way = !snapshot.run->growth.isEmpty()     ? TrainingView::tr("growing")
                  : snapshot.run->halvesAutomatically ? TrainingView::tr("halved when memory runs out")
                                                      : TrainingView::tr("fixed");
    if (snapshot.microBatchSize <= 0)
        return way;
    return TrainingView::tr("%1, %2").arg(numberText(snapshot.microBatchSize), way);
}

QString predictionFact(const TrainingSnapshot& snapshot)
{
    const double predicted = snapshot.steps.back().predictedSamplesPerSecond;
    const QString difference = differenceText(*snapshot.overPrediction);
    return predicted > 0.0
               ? TrainingView::tr("%1 samples/s; training is %2")
                     .arg(engine::speedMark(snapshot.run->run.fidelity) + engine::rateText(predicted),
                          difference)
               : TrainingView::tr("training is %1").arg(difference);
}

/// Returns those of the following that a run has: size and how it is chosen, batch, fidelity, trained
/// parameters, maximum, growth, evaluation, prediction, data, learning rate, loss weighting, first step,
/// checkpoint, out-of-memory events. Empty without a run.
std::vector<TrainingFact> trainingFacts(const TrainingSnapshot& snapshot)
{
    if (!snapshot.run)
        return {};
    const auto& run = *snapshot.run;
    std::vector<TrainingFact> facts{{TrainingView::tr("Micro-batch"), sizeFact(snapshot)},
                                    {TrainingView::tr("Batch"), numberText(run.batchSize)}};
    facts.push_back({TrainingView::tr("Measured"), engine::fidelityText(run.run.fidelity)});
    if (!model::isUntuned(run.run.tuning))
        facts.push_back({TrainingView::tr("Trained"),
                         QStringLiteral("%1: %2").arg(
                             engine::tuningWord(run.run.tuning),
                             engine::parametersText(run.run.parameters, run.run.frozenParameters))});
    if (snapshot.maximum)
        facts.push_back({TrainingView::tr("Maximum"), maximumText(*snapshot.maximum)});
    else if (run.maximum)
        facts.push_back({TrainingView::tr("Maximum"), maximumWayText(*run.maximum)});
    if (!run.growth.isEmpty())
        facts.push_back({TrainingView::tr("Growth"), run.growth});
    if (snapshot.evaluationMicroBatchSize > 0 && !snapshot.evaluations.empty())
        facts.push_back(
            {TrainingView::tr("Evaluation"),
             TrainingView::tr("micro-batch %1").arg(numberText(snapshot.evaluationMicroBatchSize))});
    if (snapshot.overPrediction)
        facts.push_back({TrainingView::tr("Predicted"), predictionFact(snapshot)});
    facts.push_back({TrainingView::tr("Data"), run.data});
    facts.push_back({TrainingView::tr("Learning rate"), QLocale().toString(run.learningRate, 'g', 4)});
    if (run.weighting == trial::LossWeighting::Tokens)
        facts.push_back({TrainingView::tr("Loss"), TrainingView::tr("weighted by tokens")});
    if (run.firstStep > 0)
        facts.push_back(
            {TrainingView::tr("Resumed"), TrainingView::tr("after step %1").arg(numberText(run.firstStep))});
    if (!snapshot.checkpoint.isEmpty())
        facts.push_back({TrainingView::tr("Checkpoint"), QDir::toNativeSeparators(snapshot.checkpoint)});
    if (snapshot.outOfMemoryEvents > 0)
        facts.push_back({TrainingView::tr("Out of memory"), numberText(snapshot.outOfMemoryEvents)});
    return facts;
}

} // namespace

/// The settings of the training run that is shown, a line for each.
class TrainingFacts : public Card
{
public:
    explicit TrainingFacts(QWidget* parent = nullptr);

    void display(const training::TrainingSnapshot& snapshot);

private:
    struct Row
    {
        QLabel* name = nullptr;
        QLabel* value = nullptr;
    };

    QGridLayout* m_grid;
    std::vector<Row> m_rows;
};

TrainingFacts::TrainingFacts(QWidget* parent) : Card(tr("This run"), parent), m_grid(new QGridLayout)
{
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setHorizontalSpacing(16);
    m_grid->setVerticalSpacing(4);
    m_grid->setColumnStretch(1, 1);
    body()->addLayout(m_grid);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
}

void TrainingFacts::display(const TrainingSnapshot& snapshot)
{
    const auto facts = trainingFacts(snapshot);
    while (m_rows.size() < facts.size()) {
        const auto row = static_cast<int>(m_rows.size());
        m_rows.push_back({.name = mutedLabel(QString(), this), .value = wrapped(new QLabel(this))});
        m_grid->addWidget(m_rows.back().name, row, 0, Qt::AlignTop);
        m_grid->addWidget(m_rows.back().value, row, 1);
    }
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const bool isUsed = i < facts.size();
        m_rows[i].name->setVisible(isUsed);
        m_rows[i].value->setVisible(isUsed);
        if (!isUsed)
            continue;
        setTextIfNew(m_rows[i].name, facts[i].name);
        setTextIfNew(m_rows[i].value, facts[i].value);
    }
}

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
