// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "throughput_card.h"

#include "charts/exploration_charts.h"
#include "charts/legend.h"
#include "charts/phase_strip.h"
#include "text/fidelity_text.h"
#include "theme/glyphs.h"

#include <QActionGroup>
#include <QHBoxLayout>
#include <QMenu>
#include <QToolButton>

namespace batchpeak::ui {

namespace {

// On a lower card all height goes to the chart.
constexpr int minHeightWithPhases = 300;
constexpr int arrowPixels = 10;

/// Creates a button as high as the line of text that it is in.
QToolButton* slimButton(const char* kind, QWidget* parent)
{
    auto* button = new QToolButton(parent);
    button->setProperty("slim", QString::fromLatin1(kind));
    button->setFocusPolicy(Qt::TabFocus);
    button->hide();
    return button;
}

QString titleOf(engine::SpeedQuantity quantity)
{
    if (quantity == engine::SpeedQuantity::JoulesPerSample)
        return ThroughputCard::tr("Energy");
    if (quantity == engine::SpeedQuantity::ModelFlopUtilization)
        return ThroughputCard::tr("Utilization");
    return ThroughputCard::tr("Throughput");
}

/// Converts "effective samples/s" to "Effective samples/s", for the beginning of a menu entry.
QString capitalized(QString text)
{
    if (!text.isEmpty())
        text[0] = text[0].toUpper();
    return text;
}

} // namespace

ThroughputCard::ThroughputCard(QWidget* parent)
    : Card(tr("Throughput"), parent),
      m_quantity(slimButton("plain", this)),
      m_quantities(new QMenu(m_quantity)),
      m_whole(slimButton("outlined", this)),
      m_legend(new ExplorationLegend(this)),
      m_chart(new ThroughputChart(this)),
      m_phases(new PhaseStrip(this))
{
    m_quantity->setFont(scaled(font(), 0.95));
    m_quantity->setMenu(m_quantities);
    m_quantity->setPopupMode(QToolButton::InstantPopup);
    m_quantity->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_quantity->setLayoutDirection(Qt::RightToLeft);
    m_quantity->setIconSize(QSize(arrowPixels, arrowPixels));
    m_quantity->setAccessibleName(tr("Quantity of the throughput chart"));
    m_quantities->setToolTipsVisible(true);

    m_whole->setText(tr("Show all"));
    m_whole->setToolTip(tr("The charts show only a part of the data. To show everything, click here, press "
                           "Home or double-click a chart."));

    auto* header = new QWidget(this);
    auto* line = new QHBoxLayout(header);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(8);
    line->addWidget(m_quantity);
    line->addWidget(m_whole);
    line->addStretch(1);
    setHeaderWidget(header);

    // On a narrow card the legend takes two lines, which do not fit beside the title.
    body()->addWidget(m_legend);
    body()->addWidget(m_chart, 1);
    body()->addWidget(m_phases);
    m_phases->hide();
    connect(m_phases, &PhaseStrip::emptyChanged, this, &ThroughputCard::showPhasesWhereTheyFit);
}

void ThroughputCard::follow(ExplorationCharts* charts)
{
    m_charts = charts;
    connect(charts, &ExplorationCharts::quantitiesChanged, this, &ThroughputCard::offerQuantities);
    connect(charts, &ExplorationCharts::zoomChanged, m_whole, &QWidget::setVisible);
    connect(m_whole, &QToolButton::clicked, charts, &ExplorationCharts::showWhole);
    offerQuantities();
}

void ThroughputCard::setTheme(const Theme& theme)
{
    m_quantity->setIcon(glyphIcon(Glyph::Down, theme.mutedText, theme.mutedText));
}

void ThroughputCard::offerQuantities()
{
    const ChartScene& scene = m_charts->scene();
    const QString shown = engine::unitText(scene.quantity);
    const bool hasChoice = scene.quantities.size() > 1;
    setTitle(titleOf(scene.quantity));
    // The meaning of the mark before each number.
    const QString legend = engine::markLegend(scene.fidelity);
    QStringList unit;
    if (!hasChoice)
        unit << shown;
    if (!legend.isEmpty())
        unit << legend;
    setUnit(unit.join(QStringLiteral("  ·  ")));
    m_quantity->setVisible(hasChoice);
    m_quantity->setText(shown);
    m_quantity->setToolTip(scene.shownQuantity().explanation);
    m_quantities->clear();
    auto* group = new QActionGroup(m_quantities);
    for (const SceneQuantity& offered : scene.quantities) {
        QAction* action = m_quantities->addAction(capitalized(engine::unitText(offered.quantity)));
        action->setToolTip(offered.explanation);
        action->setCheckable(true);
        action->setChecked(offered.quantity == scene.quantity);
        group->addAction(action);
        connect(action, &QAction::triggered, m_charts,
                [this, quantity = offered.quantity] { m_charts->setQuantity(quantity); });
    }
}

void ThroughputCard::showPhasesWhereTheyFit()
{
    m_phases->setVisible(!m_phases->isEmpty() && height() >= minHeightWithPhases);
}

void ThroughputCard::resizeEvent(QResizeEvent* event)
{
    Card::resizeEvent(event);
    showPhasesWhereTheyFit();
}

} // namespace batchpeak::ui
