// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory_bars.h"

#include "text/fidelity_text.h"
#include "widgets/plain_text.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace batchpeak::ui {

namespace {

constexpr int barHeight = 22;
constexpr int barPitch = 34;
constexpr int barNameWidth = 86;
constexpr int limitTextWidth = 64;
constexpr int keyPitch = 20;
constexpr int keyGap = 6;
constexpr int keySquare = 10;
constexpr std::size_t maxBars = 8;

/// Paints the background and hatching of a part that is estimated rather than counted.
void paintHatched(QPainter& painter, const QRectF& area, const QColor& color)
{
    painter.fillRect(area, withAlpha(color, 40));
    painter.save();
    painter.setClipRect(area);
    painter.setPen(QPen(withAlpha(color, 110), 1.0));
    constexpr double pitch = 8.0;
    const int lines = static_cast<int>(std::ceil((area.width() + area.height()) / pitch));
    for (int line = 0; line < lines; ++line) {
        const double x = area.left() - area.height() + line * pitch;
        painter.drawLine(QPointF(x, area.bottom()), QPointF(x + area.height(), area.top()));
    }
    painter.restore();
}

} // namespace

MemoryBars::MemoryBars(QWidget* parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Memory before any trial"));
}

void MemoryBars::setTheme(const Theme& theme)
{
    m_theme = theme;
    update();
}

void MemoryBars::display(const engine::PlanPreview& preview)
{
    std::vector<Bar> bars;
    std::optional<double> activations;
    if (preview.plan && preview.memory && !preview.plan->isSearch())
        activations = static_cast<double>(preview.plan->space.minimum) * preview.memory->bytesPerSample;
    for (const engine::DevicePreview& device : preview.devices) {
        if (!preview.memory || !device.isChosen || device.limitBytes <= 0 || bars.size() == maxBars)
            continue;
        bars.push_back({.device = QString::fromStdString(device.device.id()),
                        .limitBytes = static_cast<double>(device.limitBytes),
                        .usableBytes = static_cast<double>(device.usableBytes),
                        .room = activations
                                    ? tr("size %1").arg(engine::numberText(preview.plan->space.minimum))
                                    : engine::samplesRoomText(device),
                        .activationBytes = activations});
    }
    const double largest = bars.empty() ? 0.0 : std::ranges::max(bars, {}, &Bar::limitBytes).limitBytes;
    m_bars = std::move(bars);
    m_memory = preview.memory.value_or(model::StepMemory());
    m_headroom = preview.plan ? preview.plan->run.headroom : 0.0;
    m_mark = preview.plan ? engine::memoryMark(preview.plan->run.fidelity) : QString();
    m_unit = engine::MemoryUnit::forBytes(largest);
    QStringList sentences;
    for (const engine::MemoryPart& part : parts())
        sentences << QStringLiteral("%1 %2").arg(part.name, markedMemory(part.bytes));
    sentences << tr("activations about %1 a sample").arg(markedMemory(m_memory.bytesPerSample));
    sentences << engine::roomTexts(preview.devices);
    setAccessibleDescription(sentences.join(QStringLiteral("; ")));
    updateGeometry();
    update();
}

QString MemoryBars::markedMemory(double bytes) const
{
    return m_mark + engine::memoryText(bytes);
}

std::vector<engine::MemoryPart> MemoryBars::parts() const
{
    return engine::memoryParts(m_memory);
}

QColor MemoryBars::colorOf(engine::MemoryPart::Kind kind) const
{
    using Kind = engine::MemoryPart::Kind;
    switch (kind) {
    case Kind::Gradients:
        return mixed(m_theme.memory, m_theme.card, 0.3);
    case Kind::Optimizer:
        return mixed(m_theme.memory, m_theme.text, 0.45);
    case Kind::Copies:
        return mixed(m_theme.memory, m_theme.card, 0.6);
    case Kind::Weights:
        break;
    }
    return m_theme.memory;
}

QSize MemoryBars::sizeHint() const
{
    return {480, static_cast<int>(m_bars.size()) * barPitch + keyHeight()};
}

QSize MemoryBars::minimumSizeHint() const
{
    return {280, sizeHint().height()};
}

void MemoryBars::paintBar(QPainter& painter, const Bar& bar, const QRectF& area, double scale) const
{
    double x = area.left();
    const double end = area.left() + bar.usableBytes * scale;
    const double limit = area.left() + bar.limitBytes * scale;
    for (const engine::MemoryPart& part : parts()) {
        const double width = part.bytes * scale;
        painter.fillRect(QRectF(x, area.top(), std::min(width, area.right() - x), area.height()),
                         colorOf(part.kind));
        x = std::min(x + width, area.right());
    }
    const QRectF room(x, area.top(), std::max(0.0, end - x), area.height());
    // The activations of a single size may be less than the available room, or more.
    const double filled = bar.activationBytes ? *bar.activationBytes * scale : room.width();
    paintHatched(painter, QRectF(x, area.top(), std::min(filled, area.right() - x), area.height()),
                 m_theme.memory);
    const double needed = painter.fontMetrics().horizontalAdvance(bar.room) + 12.0;
    if (needed < room.width()) {
        const QRectF label(room.center().x() - needed / 2.0, room.top() + 3.0, needed, room.height() - 6.0);
        painter.fillRect(label, m_theme.card);
        painter.setPen(m_theme.text);
        painter.drawText(label, Qt::AlignCenter, bar.room);
    }
    painter.fillRect(QRectF(end, area.top(), limit - end, area.height()), withAlpha(m_theme.warn, 45));
    painter.setPen(QPen(m_theme.bad, 2.0));
    painter.drawLine(QPointF(limit, area.top() - 5.0), QPointF(limit, area.bottom() + 5.0));
    painter.drawText(QRectF(limit + 6.0, area.top(), limitTextWidth, area.height()),
                     Qt::AlignLeft | Qt::AlignVCenter, engine::memoryText(bar.limitBytes, m_unit));
}

/// Returns the entries, wrapped into lines at the width of the widget.
std::vector<MemoryBars::KeyEntry> MemoryBars::keyEntries() const
{
    using Sign = KeyEntry::Sign;
    std::vector<KeyEntry> entries;
    for (const engine::MemoryPart& part : parts()) {
        entries.push_back({.text = QStringLiteral("%1 %2").arg(part.name, markedMemory(part.bytes)),
                           .sign = Sign::Filled,
                           .color = colorOf(part.kind)});
    }
    const auto perSample = [&](double deviations) {
        return markedMemory(m_memory.bytesPerSample * std::exp(deviations * m_memory.deviation));
    };
    // The same as in SizeBand.
    constexpr double deviations = 1.645;
    entries.push_back({.text = tr("activations, estimated: %1 to %2 a sample")
                                   .arg(perSample(-deviations), perSample(deviations)),
                       .sign = Sign::Hatched,
                       .color = m_theme.memory});
    if (m_headroom > 0.0)
        entries.push_back({.text = tr("headroom %1").arg(engine::percentText(m_headroom, locale(), 0)),
                           .sign = Sign::Filled,
                           .color = withAlpha(m_theme.warn, 70)});
    entries.push_back({.text = tr("limit"), .sign = Sign::Line, .color = m_theme.bad});

    const QFontMetrics metrics(scaled(font(), 0.9));
    QPoint place(barNameWidth, 0);
    for (KeyEntry& entry : entries) {
        const int needed = keySquare + keyGap + metrics.horizontalAdvance(entry.text);
        if (place.x() > barNameWidth && place.x() + needed > width())
            place = {barNameWidth, place.y() + keyPitch};
        entry.place = place;
        place.rx() += needed + 18;
    }
    return entries;
}

int MemoryBars::keyHeight() const
{
    return keyEntries().back().place.y() + keyPitch;
}

void MemoryBars::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    updateGeometry();
}

void MemoryBars::paintKey(QPainter& painter, int top) const
{
    for (const KeyEntry& entry : keyEntries()) {
        const QRectF box(entry.place.x(), top + entry.place.y() + (keyPitch - keySquare) / 2.0, keySquare,
                         keySquare);
        switch (entry.sign) {
        case KeyEntry::Sign::Filled:
            painter.fillRect(box, entry.color);
            break;
        case KeyEntry::Sign::Hatched:
            paintHatched(painter, box, entry.color);
            break;
        case KeyEntry::Sign::Line:
            painter.fillRect(QRectF(box.center().x() - 1.0, box.top(), 2.0, box.height()), entry.color);
            break;
        }
        painter.setPen(m_theme.mutedText);
        painter.drawText(QRectF(box.right() + keyGap, top + entry.place.y(), width(), keyPitch),
                         Qt::AlignLeft | Qt::AlignVCenter, entry.text);
    }
}

/// Returns the number of pixels per byte.
double MemoryBars::scale() const
{
    double largest = std::ranges::max(m_bars, {}, &Bar::limitBytes).limitBytes;
    // Leaves room to show that the requested size exceeds the limit.
    const double needed = m_memory.constantBytes + m_bars.front().activationBytes.value_or(0.0);
    largest = std::max(largest, std::min(needed, 1.3 * largest));
    return (width() - barNameWidth - limitTextWidth) / largest;
}

QString MemoryBars::partAt(const QPoint& place) const
{
    const int row = place.y() / barPitch;
    if (row >= static_cast<int>(m_bars.size()) || place.x() < barNameWidth)
        return {};
    const Bar& bar = m_bars[static_cast<std::size_t>(row)];
    double bytes = (place.x() - barNameWidth) / scale();
    for (const engine::MemoryPart& part : parts()) {
        if (bytes < part.bytes)
            return tr("%1: %2").arg(part.name, markedMemory(part.bytes));
        bytes -= part.bytes;
    }
    const double room = bar.usableBytes - m_memory.constantBytes;
    if (bytes < bar.activationBytes.value_or(room))
        return tr("activations, estimated: %1 for %2")
            .arg(markedMemory(bar.activationBytes.value_or(room)), bar.room);
    if (bytes < room)
        return tr("free: %1").arg(engine::memoryText(room - bar.activationBytes.value_or(room)));
    return bytes < bar.limitBytes - m_memory.constantBytes
               ? tr("headroom: %1").arg(engine::memoryText(bar.limitBytes - bar.usableBytes))
               : QString();
}

bool MemoryBars::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip || m_bars.empty())
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const QString part = partAt(help->pos());
    if (part.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(), plainToolTip(part), this);
    return true;
}

void MemoryBars::paintEvent(QPaintEvent*)
{
    if (m_bars.empty())
        return;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const double width = this->width() - barNameWidth - limitTextWidth;
    painter.setFont(scaled(font(), 0.9));
    double top = (barPitch - barHeight) / 2.0;
    for (const Bar& bar : m_bars) {
        painter.setPen(m_theme.text);
        painter.drawText(QRectF(0, top, barNameWidth - 8, barHeight), Qt::AlignLeft | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(bar.device, Qt::ElideRight, barNameWidth - 8));
        paintBar(painter, bar, QRectF(barNameWidth, top, width, barHeight), scale());
        top += barPitch;
    }
    paintKey(painter, static_cast<int>(m_bars.size()) * barPitch);
}

} // namespace batchpeak::ui
