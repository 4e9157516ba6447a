// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "plot_canvas.h"

#include "place_ticks_overlay.h"

#include <QtCharts/QChart>
#include <QtCharts/QLineSeries>
#include <QtCharts/QLogValueAxis>
#include <QtCharts/QValueAxis>

#include <QFontMetricsF>
#include <QGraphicsLayout>
#include <QLocale>
#include <QMouseEvent>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace batchpeak::ui {

namespace {

// Room above the plot for the running marker.
constexpr int markerRoom = 14;
// Gap between tick labels and the plot area in Qt Charts.
constexpr int labelGap = 12;
// Free space above the largest and below the smallest value on a logarithmic axis, as a factor: half of a
// doubling.
constexpr double logarithmicRoom = 1.4;

} // namespace

PlotCanvas::PlotCanvas(QWidget* parent)
    : QChartView(parent),
      m_logAxis(new QLogValueAxis(this)),
      m_linearAxis(new QValueAxis(this)),
      m_valueAxis(new QValueAxis(this)),
      m_anchor(new QLineSeries)
{
    setRenderHint(QPainter::Antialiasing);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setMouseTracking(true);
    viewport()->setMouseTracking(true);
    // A scene would accept a config that is dropped here, and do nothing with it.
    setAcceptDrops(false);
    setFocusPolicy(Qt::NoFocus);

    chart()->legend()->hide();
    chart()->setBackgroundVisible(false);
    chart()->setMargins(QMargins());
    chart()->layout()->setContentsMargins(0, 0, 0, 0);

    m_logAxis->setBase(2.0);
    m_logAxis->setLabelFormat(QStringLiteral("%.0f"));
    m_linearAxis->setLabelFormat(QStringLiteral("%.0f"));
    m_linearAxis->setTickType(QValueAxis::TicksDynamic);
    m_linearAxis->setTickAnchor(0.0);
    m_valueAxis->setTickType(QValueAxis::TicksDynamic);
    m_valueAxis->setTickAnchor(0.0);
    m_logAxis->setRange(m_range.minimum, m_range.maximum);

    chart()->setLocalizeNumbers(true);
    chart()->addSeries(m_anchor);
    chart()->addAxis(m_logAxis, Qt::AlignBottom);
    chart()->addAxis(m_valueAxis, Qt::AlignLeft);
    m_anchor->attachAxis(m_logAxis);
    m_anchor->attachAxis(m_valueAxis);
    m_placeTicks = new PlaceTicksOverlay(this);
    styleAxes();
    setValueRange(0.0, 1.0);
}

QAbstractAxis* PlotCanvas::placeAxis() const
{
    if (m_logarithmic)
        return m_logAxis;
    return m_linearAxis;
}

QAbstractAxis* PlotCanvas::valueAxis() const
{
    if (m_logValueAxis)
        return m_logValueAxis;
    return m_valueAxis;
}

void PlotCanvas::setTheme(const Theme& theme)
{
    m_theme = theme;
    setBackgroundBrush(theme.card);
    styleAxes();
    emit geometryChanged();
}

void PlotCanvas::styleAxes()
{
    for (QAbstractAxis* axis :
         {static_cast<QAbstractAxis*>(m_logAxis), static_cast<QAbstractAxis*>(m_linearAxis), valueAxis()}) {
        axis->setLabelsFont(font());
        axis->setLabelsColor(m_theme.mutedText);
        axis->setGridLinePen(QPen(m_theme.grid, 1));
        axis->setLinePen(QPen(m_theme.border, 1));
        axis->setTitleBrush(m_theme.mutedText);
        axis->setTitleFont(font());
    }
    valueAxis()->setLineVisible(false);
}

void PlotCanvas::addSeries(QAbstractSeries* series)
{
    chart()->addSeries(series);
    series->attachAxis(placeAxis());
    series->attachAxis(valueAxis());
}

void PlotCanvas::replaceAxis(QAbstractAxis* before, QAbstractAxis* axis, Qt::Alignment alignment)
{
    chart()->addAxis(axis, alignment);
    for (QAbstractSeries* series : chart()->series()) {
        series->detachAxis(before);
        series->attachAxis(axis);
    }
    chart()->removeAxis(before);
    before->setParent(this);
    // Qt Charts removes the items of an axis only when the event loop runs again (6.4.2).
    before->hide();
    axis->show();
    axis->setTitleText(before->titleText());
    axis->setTitleVisible(before->isTitleVisible());
    styleAxes();
}

void PlotCanvas::setAxisRange(const AxisRange& range, bool logarithmic)
{
    if (m_range == range && m_logarithmic == logarithmic)
        return;
    m_range = range;
    if (logarithmic != m_logarithmic) {
        QAbstractAxis* before = placeAxis();
        m_logarithmic = logarithmic;
        replaceAxis(before, placeAxis(), Qt::AlignBottom);
    }
    placeAxis()->setRange(range.minimum, range.maximum);
    layOut();
}

void PlotCanvas::setValueRange(double smallest, double largest)
{
    if (m_smallestValue == smallest && m_largestValue == largest)
        return;
    m_smallestValue = smallest;
    m_largestValue = largest;
    layOut();
}

void PlotCanvas::setValueWindow(std::optional<AxisRange> window)
{
    if (m_valueWindow == window)
        return;
    m_valueWindow = window;
    layOut();
}

void PlotCanvas::setLogarithmicValues()
{
    m_logValueAxis = new QLogValueAxis(this);
    m_logValueAxis->setLabelFormat(QStringLiteral("%.0f"));
    replaceAxis(m_valueAxis, m_logValueAxis, Qt::AlignLeft);
    layOut();
}

void PlotCanvas::setValuesVisible(bool visible)
{
    valueAxis()->setLabelsVisible(visible);
}

void PlotCanvas::setSideMargins(int left, int right)
{
    if (m_leftMargin == left && m_rightMargin == right)
        return;
    m_leftMargin = left;
    m_rightMargin = right;
    layOut();
}

void PlotCanvas::setAxisTitle(const QString& title)
{
    placeAxis()->setTitleText(title);
    placeAxis()->setTitleVisible(!title.isEmpty());
    layOut();
}

int PlotCanvas::neededLeftMargin() const
{
    const QFontMetricsF metrics(font());
    const double last =
        m_logValueAxis ? std::floor(m_scale.top) : std::floor(m_scale.top / m_scale.step) * m_scale.step;
    return static_cast<int>(
               std::ceil(metrics.horizontalAdvance(QLocale().toString(last, 'f', m_scale.decimals)))) +
           labelGap;
}

void PlotCanvas::layOut()
{
    const QFontMetricsF metrics(font());
    const bool titled = !placeAxis()->titleText().isEmpty();
    const double below = metrics.height() * (titled ? 2.2 : 1.0) + labelGap;
    const QRectF area(m_leftMargin, markerRoom, std::max(10, width() - m_leftMargin - m_rightMargin),
                      std::max(10.0, std::floor(height() - markerRoom - below)));
    scaleValues(area);
    scalePlaces(area);

    // Qt Charts moves the series immediately, but the axes only when its layout runs again.
    chart()->setPlotArea(area);
    chart()->layout()->invalidate();
    chart()->layout()->activate();
    emit geometryChanged();
}

void PlotCanvas::scaleValues(const QRectF& area)
{
    const double labelPixels = QFontMetricsF(font()).height() * 1.25;
    if (m_logValueAxis) {
        m_scale = {.bottom = std::max(1.0, m_smallestValue) / logarithmicRoom,
                   .top = std::max(2.0, m_largestValue) * logarithmicRoom,
                   .decimals = 0};
        m_logValueAxis->setBase(logBaseFor({m_scale.bottom, m_scale.top}, area.height(), labelPixels));
        m_logValueAxis->setRange(m_scale.bottom, m_scale.top);
        return;
    }
    const int maxTicks = maxValueTicks(area);
    m_scale = m_valueWindow ? valueScaleBetween(m_valueWindow->minimum, m_valueWindow->maximum, maxTicks)
                            : valueScaleFor(m_smallestValue, m_largestValue, maxTicks);
    m_valueAxis->setTickInterval(m_scale.step);
    m_valueAxis->setRange(m_scale.bottom, m_scale.top);
    m_valueAxis->setLabelFormat(QStringLiteral("%.%1f").arg(m_scale.decimals));
}

int PlotCanvas::maxValueTicks(const QRectF& area) const
{
    const double labelPixels = QFontMetricsF(font()).height() * 1.25;
    return std::clamp(static_cast<int>(area.height() / labelPixels), 2, 6);
}

void PlotCanvas::scalePlaces(const QRectF& area)
{
    const QFontMetricsF metrics(font());
    const double labelPixels = metrics.horizontalAdvance(QLocale().toString(m_range.maximum, 'f', 0)) * 1.6;
    std::vector<std::int64_t> ticks;
    if (m_logarithmic) {
        const int base = logBaseFor(m_range, area.width(), labelPixels);
        ticks = ticksBetweenPowers(m_range, base, area.width(), labelPixels * 1.6);
        m_logAxis->setBase(base);
    }
    // Hidden labels would move the title of the axis.
    m_logAxis->setLabelsColor(ticks.empty() ? m_theme.mutedText : QColor(Qt::transparent));
    m_logAxis->setGridLineVisible(ticks.empty());
    m_logAxis->setLineVisible(ticks.empty());
    m_placeTicks->setTicks(std::move(ticks));
    if (m_logarithmic)
        return;
    const int maxTicks = std::clamp(static_cast<int>(area.width() / (labelPixels * 1.6)), 2, 12);
    // There is nothing to label between two sizes or two steps.
    m_linearAxis->setTickInterval(
        std::max(1.0, valueScaleFor((m_range.maximum - m_range.minimum) / 1.12, maxTicks).step));
}

AxisRange PlotCanvas::wholeValues() const
{
    const ValueScale scale = valueScaleFor(m_smallestValue, m_largestValue, maxValueTicks(plotArea()));
    return {.minimum = scale.bottom, .maximum = scale.top};
}

bool PlotCanvas::shows(double place, double value) const
{
    return isInRange(place) && value >= m_scale.bottom && value <= m_scale.top;
}

double PlotCanvas::labelDistance() const
{
    return labelGap / 2.0 + 1.0;
}

QRectF PlotCanvas::plotArea() const
{
    return chart()->plotArea();
}

QRectF PlotCanvas::chartRect() const
{
    return {QPointF(), chart()->size()};
}

QPointF PlotCanvas::positionOf(double place, double value) const
{
    return chart()->mapToPosition({std::max(place, 1e-6), value}, m_anchor);
}

double PlotCanvas::placeAt(double x) const
{
    return chart()->mapToValue({x, plotArea().center().y()}, m_anchor).x();
}

double PlotCanvas::valueAt(double y) const
{
    return chart()->mapToValue({plotArea().center().x(), y}, m_anchor).y();
}

void PlotCanvas::resizeEvent(QResizeEvent* event)
{
    QChartView::resizeEvent(event);
    layOut();
}

void PlotCanvas::mouseMoveEvent(QMouseEvent* event)
{
    QChartView::mouseMoveEvent(event);
    emit pointerMoved(event->position());
}

void PlotCanvas::leaveEvent(QEvent* event)
{
    QChartView::leaveEvent(event);
    emit pointerLeft();
}

void PlotCanvas::changeEvent(QEvent* event)
{
    QChartView::changeEvent(event);
    if (event->type() == QEvent::FontChange && m_valueAxis) {
        styleAxes();
        layOut();
    }
}

} // namespace batchpeak::ui
