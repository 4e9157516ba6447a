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
    setFixedHeight(heightForWidth(width()));
    updateGeometry();
    update();
}

/// A splitter ignores height for width.
void Legend::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    setFixedHeight(heightForWidth(width()));
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
    return {static_cast<int>(std::ceil(widthOf(m_entries, false))) + 2, lineHeight()};
}

QSize Legend::minimumSizeHint() const
{
    return {60, lineHeight()};
}

int Legend::heightForWidth(int width) const
{
    return lineHeight() * std::max<int>(1, static_cast<int>(linesFor(width).entries.size()));
}

Legend::Lines Legend::linesFor(int width) const
{
    Lines lines{.shortWords = widthOf(m_entries, false) > width};
    for (const Entry& entry : m_entries) {
        if (lines.entries.empty())
            lines.entries.emplace_back();
        std::vector<Entry> longer = lines.entries.back();
        longer.push_back(entry);
        if (longer.size() > 1 && widthOf(longer, lines.shortWords) > width)
            lines.entries.push_back({entry});
        else
            lines.entries.back() = std::move(longer);
    }
    return lines;
}

void Legend::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QFontMetricsF metrics(font());
    const Lines lines = linesFor(width());
    const double lineTop = (height() - lineHeight() * static_cast<double>(lines.entries.size())) / 2.0;
    for (std::size_t line = 0; line < lines.entries.size(); ++line) {
        const double y = lineTop + lineHeight() * static_cast<double>(line);
        double x = width() - widthOf(lines.entries[line], lines.shortWords);
        for (const Entry& entry : lines.entries[line]) {
            const QString& word = lines.shortWords ? entry.shortWord : entry.word;
            painter.setBrush(Qt::NoBrush);
            paintSign(painter, entry.sign, QRectF(x, y, signWidth, lineHeight()));
            x += signWidth + wordGap;
            painter.setPen(m_theme.mutedText);
            painter.drawText(QRectF(x, y, metrics.horizontalAdvance(word) + 2.0, lineHeight()),
                             Qt::AlignVCenter, word);
            x += metrics.horizontalAdvance(word) + entryGap;
        }
    }
}

ExplorationLegend::ExplorationLegend(QWidget* parent) : Legend(parent)
{
    setAccessibleName(tr("Legend of the charts"));
}

void ExplorationLegend::setScene(const ChartScene& scene)
{
    using Kind = MeasuredPoint::Kind;
    std::vector<Entry> entries;
    const auto add = [&](bool isDrawn, Sign sign, const QString& word, const QString& shortWord) {
        if (isDrawn)
            entries.push_back({sign, word, shortWord});
    };
    const auto isAny = [&](const auto& isSo) { return std::ranges::any_of(scene.points, isSo); };
    add(isAny([](const MeasuredPoint& point) { return !point.isPale() && point.kind == Kind::Plain; }),
        scene.modelFactor ? Measured : MeasuredAlone, tr("measured"), tr("measured"));
    add(scene.modelFactor && !scene.reckoned.empty(), Reckoned, tr("mean ± 95 %"), tr("± 95 %"));
    const bool ofRun = isAny([](const MeasuredPoint& point) { return !point.earlier.isEmpty(); });
    const bool ofTrial =
        isAny([](const MeasuredPoint& point) { return !point.newest && point.earlier.isEmpty(); });
    add(ofRun || ofTrial, Earlier,
        ofRun && ofTrial ? tr("earlier trial or run")
        : ofRun          ? tr("earlier run")
                         : tr("earlier trial"),
        tr("earlier"));
    add(isAny([](const MeasuredPoint& point) { return point.kind != Kind::Plain; }), Unusable,
        tr("not recommendable"), tr("not recomm."));
    add(isAny([](const MeasuredPoint& point) { return point.comparison > 0 && point.value; }), Compared,
        tr("compared"), tr("compared"));
    add(scene.lead && scene.lead->recommended, Recommended, tr("recommended"), tr("recomm."));
    add(scene.lead && !scene.lead->recommended, Leading, tr("leading"), tr("leading"));
    add(!scene.outOfMemory.empty(), OutOfMemory, tr("out of memory"), tr("OOM"));
    add(!scene.failed.empty(), Failed, tr("failed"), tr("failed"));
    add(!scene.running.empty(), Running, tr("running"), tr("running"));
    const bool hasCurve = !scene.curve.empty();
    add(hasCurve && !scene.modelFactor, Unmodeled, tr("no model in %1").arg(engine::unitText(scene.quantity)),
        tr("no model"));
    add(hasCurve && scene.modelFactor, Model, tr("model"), tr("model"));
    add(hasCurve && scene.modelFactor, Band, tr("5–95 % band"), tr("5–95 %"));
    add(scene.memoryZones.headroomFrom > 0.0 && scene.memoryZones.headroomFrom < sizeRangeOf(scene).maximum,
        Headroom, tr("headroom"), tr("headroom"));
    setEntries(std::move(entries));
}

void ExplorationLegend::paintSign(QPainter& painter, int sign, const QRectF& box) const
{
    const QPointF center = box.center();
    switch (sign) {
    case MeasuredAlone:
        painter.setPen(QPen(theme().throughput, 1.6));
        painter.drawLine(center - QPointF(0, 7), center + QPointF(0, 7));
        paintRing(painter, center, theme().throughput);
        break;
    case Measured:
        paintRing(painter, center, theme().throughput);
        break;
    case Reckoned:
        painter.setPen(QPen(theme().throughput, 1.6));
        painter.drawLine(center - QPointF(0, 7), center + QPointF(0, 7));
        for (const double end : {-7.0, 7.0})
            painter.drawLine(center + QPointF(-4, end), center + QPointF(4, end));
        painter.setPen(QPen(theme().throughput, 3.0, Qt::SolidLine, Qt::FlatCap));
        painter.drawLine(center - QPointF(4, 0), center + QPointF(4, 0));
        break;
    case Earlier:
        paintRing(painter, center, mixed(theme().throughput, theme().card, 0.4));
        break;
    case Unusable:
        paintRing(painter, center, theme().warn);
        break;
    case Recommended:
    case Leading:
        painter.setPen(Qt::NoPen);
        painter.setBrush(sign == Recommended ? theme().good : theme().warn);
        painter.drawEllipse(center, 5.5, 5.5);
        break;
    case Compared:
        painter.setPen(QPen(theme().text, 1.4));
        painter.drawLine(center + QPointF(-6, 2), center + QPointF(6, -2));
        paintDiamond(painter, center + QPointF(-6, 2), theme().throughput, theme().card, 3.5);
        paintDiamond(painter, center + QPointF(6, -2), theme().throughput, theme().card, 3.5);
        break;
    case Model:
        painter.setPen(QPen(mixed(theme().throughput, theme().card, 0.4), 1.6));
        painter.drawLine(QPointF(box.left(), center.y()), QPointF(box.right(), center.y()));
        break;
    case Unmodeled:
        painter.setPen(QPen(theme().scrollBar, 1.6, Qt::DotLine));
        painter.drawLine(QPointF(box.left(), center.y()), QPointF(box.right(), center.y()));
        break;
    case Band:
        painter.setPen(Qt::NoPen);
        painter.setBrush(withAlpha(theme().throughput, theme().bandAlpha + 10));
        painter.drawRoundedRect(QRectF(center - QPointF(8, 5), QSizeF(16, 10)), 2, 2);
        break;
    case Headroom:
        painter.setPen(Qt::NoPen);
        painter.setBrush(withAlpha(theme().warn, theme().zoneAlpha * 3));
        painter.drawRoundedRect(QRectF(center - QPointF(8, 5), QSizeF(16, 10)), 2, 2);
        break;
    case Running:
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme().warn);
        painter.drawPolygon(
            QPolygonF{center + QPointF(-6, -4), center + QPointF(6, -4), center + QPointF(0, 4)});
        break;
    case OutOfMemory:
    case Failed:
        painter.setPen(
            QPen(sign == Failed ? theme().mutedText : theme().bad, 2.0, Qt::SolidLine, Qt::RoundCap));
        painter.drawLine(center - QPointF(4, 4), center + QPointF(4, 4));
        painter.drawLine(center - QPointF(4, -4), center + QPointF(4, -4));
        break;
    }
}

void ExplorationLegend::paintRing(QPainter& painter, const QPointF& center, const QColor& color) const
{
    painter.setPen(QPen(color, 2.0));
    painter.setBrush(theme().card);
    painter.drawEllipse(center, 4.0, 4.0);
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
        // The names of earlier runs are at the ends of their lines.
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
    const QPointF center = box.center();
    if (index >= m_series.size()) {
        const auto& marker = m_markers[index - m_series.size()];
        paintGlyph(painter, marker.glyph, QRectF(center - QPointF(6, 6), QSizeF(12, 12)),
                   colorOf(marker.tone, theme()));
        return;
    }
    const auto& series = m_series[index];
    if (series.look == RunPlot::Look::Dots) {
        paintDiamond(painter, center, theme().*series.hue, theme().card);
        return;
    }
    QPen pen(theme().*series.hue, penWidthOf(series), Qt::SolidLine, Qt::FlatCap);
    if (const auto dashes = dashesOf(series); !dashes.isEmpty())
        pen.setDashPattern(dashes);
    painter.setPen(pen);
    painter.drawLine(QPointF(box.left(), center.y()), QPointF(box.right(), center.y()));
}

} // namespace batchpeak::ui
