// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "legend.h"

#include "chart_overlay.h"

#include <QPainter>

#include <algorithm>
#include <cmath>
#include <utility>

namespace batchpeak::ui {

namespace {

constexpr double signWidth = 18.0;
constexpr double wordGap = 5.0;
constexpr double entryGap = 14.0;

// Of an exploration.
enum Sign { Measured, Compared, Model, Band, Unmodelled, Running, Headroom, OutOfMemory };

} // namespace

Legend::Legend(QWidget* parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void Legend::setTheme(const Theme& theme)
{
    m_theme = theme;
    update();
}

void Legend::setEntries(std::vector<Entry> entries)
{
    if (entries == m_entries)
        return;
    m_entries = std::move(entries);
    QStringList words;
    for (const auto& entry : m_entries)
        words << entry.word;
    setAccessibleDescription(words.join(QStringLiteral(", ")));
    updateGeometry();
    update();
}

double Legend::widthOf(const std::vector<Entry>& entries, bool shortWords) const
{
    const QFontMetricsF metrics(font());
    double width = 0.0;
    for (const auto& entry : entries)
        width += signWidth + wordGap + entryGap +
                 metrics.horizontalAdvance(shortWords ? entry.shortWord : entry.word);
    return std::max(0.0, width - entryGap);
}

QSize Legend::sizeHint() const
{
    return {static_cast<int>(std::ceil(widthOf(m_entries, false))) + 2, fontMetrics().height() + 2};
}

QSize Legend::minimumSizeHint() const
{
    return {60, fontMetrics().height() + 2};
}

void Legend::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    std::vector<Entry> shown = m_entries;
    const bool shortWords = widthOf(shown, false) > width();
    while (!shown.empty() && widthOf(shown, shortWords) > width())
        shown.pop_back();
    const QFontMetricsF metrics(font());
    double x = width() - widthOf(shown, shortWords);
    for (const auto& entry : shown) {
        const QString& word = shortWords ? entry.shortWord : entry.word;
        painter.setBrush(Qt::NoBrush);
        paintSign(painter, entry.sign, QRectF(x, 0, signWidth, height()));
        x += signWidth + wordGap;
        painter.setPen(m_theme.mutedText);
        painter.drawText(QRectF(x, 0, metrics.horizontalAdvance(word) + 2.0, height()), Qt::AlignVCenter,
                         word);
        x += metrics.horizontalAdvance(word) + entryGap;
    }
}

ExplorationLegend::ExplorationLegend(QWidget* parent) : Legend(parent)
{
    setAccessibleName(tr("Key of the charts"));
}

void ExplorationLegend::setScene(const ChartScene& scene)
{
    std::vector<Entry> entries;
    if (!scene.points.empty())
        entries.push_back({Measured, tr("measured"), tr("measured")});
    if (std::ranges::any_of(scene.points,
                            [](const MeasuredPoint& point) { return point.comparison > 0 && point.value; }))
        entries.push_back({Compared, tr("compared"), tr("compared")});
    if (!scene.curve.empty() && !scene.modelFactor)
        entries.push_back(
            {Unmodelled, tr("no model in %1").arg(engine::unitText(scene.quantity)), tr("no model")});
    if (!scene.curve.empty() && scene.modelFactor) {
        entries.push_back({Model, tr("model"), tr("model")});
        entries.push_back({Band, tr("5–95 % band"), tr("5–95 %")});
    }
    if (!scene.running.empty())
        entries.push_back({Running, tr("running"), tr("running")});
    if (scene.memoryZones.headroomFrom > 0.0 && scene.memoryZones.headroomFrom < sizeRangeOf(scene).maximum)
        entries.push_back({Headroom, tr("headroom"), tr("headroom")});
    if (!scene.outOfMemory.empty())
        entries.push_back({OutOfMemory, tr("out of memory"), tr("OOM")});
    setEntries(std::move(entries));
}

void ExplorationLegend::paintSign(QPainter& painter, int sign, const QRectF& box) const
{
    const QPointF centre = box.center();
    switch (sign) {
    case Measured:
        painter.setPen(QPen(theme().throughput, 1.6));
        painter.drawLine(centre - QPointF(0, 7), centre + QPointF(0, 7));
        painter.setPen(QPen(theme().throughput, 2.0));
        painter.setBrush(theme().card);
        painter.drawEllipse(centre, 4.0, 4.0);
        break;
    case Compared:
        painter.setPen(QPen(theme().text, 1.4));
        painter.drawLine(centre + QPointF(-6, 2), centre + QPointF(6, -2));
        paintDiamond(painter, centre + QPointF(-6, 2), theme().throughput, theme().card, 3.5);
        paintDiamond(painter, centre + QPointF(6, -2), theme().throughput, theme().card, 3.5);
        break;
    case Model:
        painter.setPen(QPen(mixed(theme().throughput, theme().card, 0.4), 1.6));
        painter.drawLine(QPointF(box.left(), centre.y()), QPointF(box.right(), centre.y()));
        break;
    case Unmodelled:
        painter.setPen(QPen(theme().scrollBar, 1.6, Qt::DotLine));
        painter.drawLine(QPointF(box.left(), centre.y()), QPointF(box.right(), centre.y()));
        break;
    case Band:
        painter.setPen(Qt::NoPen);
        painter.setBrush(withAlpha(theme().throughput, theme().bandAlpha + 10));
        painter.drawRoundedRect(QRectF(centre - QPointF(8, 5), QSizeF(16, 10)), 2, 2);
        break;
    case Headroom:
        painter.setPen(Qt::NoPen);
        painter.setBrush(withAlpha(theme().warn, theme().zoneAlpha * 3));
        painter.drawRoundedRect(QRectF(centre - QPointF(8, 5), QSizeF(16, 10)), 2, 2);
        break;
    case Running:
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme().warn);
        painter.drawPolygon(
            QPolygonF{centre + QPointF(-6, -4), centre + QPointF(6, -4), centre + QPointF(0, 4)});
        break;
    case OutOfMemory:
        painter.setPen(QPen(theme().bad, 2.0, Qt::SolidLine, Qt::RoundCap));
        painter.drawLine(centre - QPointF(4, 4), centre + QPointF(4, 4));
        painter.drawLine(centre - QPointF(4, -4), centre + QPointF(4, -4));
        break;
    }
}

RunLegend::RunLegend(const QString& name, QWidget* parent) : Legend(parent)
{
    setAccessibleName(name);
}

void RunLegend::setPlot(const RunPlot& plot)
{
    m_series.clear();
    m_markers.clear();
    std::vector<Entry> entries;
    const auto add = [&](const QString& shortWord, const QString& word) {
        entries.push_back({static_cast<int>(entries.size()), word, shortWord});
    };
    for (const auto& series : plot.series) {
        // Earlier runs have their names at the ends of their lines.
        if (series.values.empty() || series.pattern)
            continue;
        m_series.push_back({.name = series.name, .look = series.look, .hue = series.hue});
        add(series.name,
            series.remark.isEmpty() ? series.name : tr("%1, %2").arg(series.name, series.remark));
    }
    for (const auto& marker : plot.markers) {
        if (std::ranges::find(m_markers, marker.word, &RunPlot::Marker::word) != m_markers.end())
            continue;
        m_markers.push_back(marker);
        add(marker.word, marker.word);
    }
    setEntries(std::move(entries));
    update();
}

void RunLegend::paintSign(QPainter& painter, int sign, const QRectF& box) const
{
    const auto index = static_cast<std::size_t>(sign);
    const QPointF centre = box.center();
    if (index >= m_series.size()) {
        const auto& marker = m_markers[index - m_series.size()];
        paintGlyph(painter, marker.glyph, QRectF(centre - QPointF(6, 6), QSizeF(12, 12)),
                   colourOf(marker.tone, theme()));
        return;
    }
    const auto& series = m_series[index];
    if (series.look == RunPlot::Look::Dots) {
        paintDiamond(painter, centre, theme().*series.hue, theme().card);
        return;
    }
    QPen pen(theme().*series.hue, penWidthOf(series), Qt::SolidLine, Qt::FlatCap);
    if (const auto dashes = dashesOf(series); !dashes.isEmpty())
        pen.setDashPattern(dashes);
    painter.setPen(pen);
    painter.drawLine(QPointF(box.left(), centre.y()), QPointF(box.right(), centre.y()));
}

} // namespace batchpeak::ui
