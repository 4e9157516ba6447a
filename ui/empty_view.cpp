// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "empty_view.h"

#include "theme/glyphs.h"

#include <QMouseEvent>
#include <QPainter>

namespace batchpeak::ui {

EmptyView::EmptyView(QWidget* parent) : QWidget(parent)
{
    setAccessibleName(tr("Drop a config here"));
    setCursor(Qt::PointingHandCursor);
    setMinimumSize(240, 160);
}

void EmptyView::setTheme(const Theme& theme)
{
    m_theme = theme;
    update();
}

void EmptyView::setInviting(bool inviting)
{
    if (inviting == m_inviting)
        return;
    m_inviting = inviting;
    update();
}

void EmptyView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor edge = m_inviting ? m_theme.throughput : m_theme.scrollBar;
    QPen pen(edge, 1.6, Qt::CustomDashLine);
    pen.setDashPattern({5, 4});
    painter.setPen(pen);
    painter.setBrush(m_theme.card);
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 10, 10);

    const QPointF centre = QRectF(rect()).center();
    paintGlyph(painter, Glyph::Open, QRectF(centre - QPointF(22, 74), QSizeF(44, 44)),
               m_inviting ? m_theme.throughput : m_theme.scrollBar);
    painter.setPen(m_theme.text);
    painter.setFont(scaled(font(), 1.5, QFont::DemiBold));
    painter.drawText(QRectF(0, centre.y() - 18, width(), 34), Qt::AlignCenter, tr("Drop a config here"));
    painter.setPen(m_theme.mutedText);
    painter.setFont(font());
    painter.drawText(QRectF(16, centre.y() + 20, width() - 32, 60),
                     Qt::AlignHCenter | Qt::AlignTop | Qt::TextWordWrap,
                     tr("or click to open one. Batchpeak tries its network on this computer\n"
                        "and finds the micro-batch size with the most samples per second."));
}

void EmptyView::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && rect().contains(event->position().toPoint()))
        emit openRequested();
}

} // namespace batchpeak::ui
