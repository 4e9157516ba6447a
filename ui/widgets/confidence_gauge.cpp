// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "confidence_gauge.h"

#include "snapshot/snapshot.h"

#include <QLocale>
#include <QPainter>

namespace batchpeak::ui {

namespace {

constexpr QSize gaugeSize{134, 108};
constexpr double arcWidth = 9.0;
// Qt measures angles in sixteenths of a degree, counterclockwise from three o'clock.
constexpr int sixteenths = 16;
constexpr int firstDegree = 210;
constexpr int arcDegrees = 240;

} // namespace

ConfidenceGauge::ConfidenceGauge(QWidget* parent) : QWidget(parent)
{
    setFixedSize(gaugeSize);
    setAccessibleName(tr("Confidence"));
    setConfidence(std::nullopt);
}

QSize ConfidenceGauge::sizeHint() const
{
    return gaugeSize;
}

void ConfidenceGauge::setTheme(const Theme& theme)
{
    m_theme = theme;
    update();
}

void ConfidenceGauge::setConfidence(std::optional<int> percent)
{
    if (percent == m_percent && !accessibleDescription().isEmpty())
        return;
    m_percent = percent;
    setAccessibleDescription(percent ? tr("%1 percent").arg(*percent) : tr("not known yet"));
    update();
}

void ConfidenceGauge::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const double side = width() - arcWidth - 2.0;
    const QRectF circle((width() - side) / 2.0, arcWidth / 2.0 + 1.0, side, side);

    QPen pen(m_theme.gaugeTrack, arcWidth, Qt::SolidLine, Qt::RoundCap);
    painter.setPen(pen);
    painter.drawArc(circle, firstDegree * sixteenths, -arcDegrees * sixteenths);
    if (m_percent) {
        pen.setColor(*m_percent >= engine::leadingBelowPercent ? m_theme.good : m_theme.mutedText);
        painter.setPen(pen);
        painter.drawArc(circle, firstDegree * sixteenths, -arcDegrees * sixteenths * *m_percent / 100);
    }

    painter.setPen(m_theme.text);
    painter.setFont(scaled(font(), 1.8, QFont::DemiBold));
    const double middle = circle.center().y();
    const QString text = m_percent ? tr("%1 %").arg(QLocale().toString(*m_percent)) : QStringLiteral("–");
    const QFontMetricsF large(painter.font());
    const QRectF number(0, middle - large.height() / 2.0 - 2.0, width(), large.height());
    painter.drawText(number, Qt::AlignCenter, text);
    painter.setPen(m_theme.mutedText);
    painter.setFont(scaled(font(), 0.9));
    const QFontMetricsF small(painter.font());
    painter.drawText(QRectF(0, number.bottom() + 1.0, width(), small.height()), Qt::AlignCenter,
                     tr("confidence"));
}

} // namespace batchpeak::ui
