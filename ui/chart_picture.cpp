// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart_picture.h"

#include "charts/chart_scene.h"
#include "engine/readable_text.h"
#include "fonts.h"
#include "run_bar.h"

#include <QCoreApplication>
#include <QLocale>
#include <QPainter>
#include <QWidget>

namespace batchpeak::ui {

namespace {

// Print and dense screens show the difference, and no screen is denser than three times.
constexpr int pixelRatio = 2;
constexpr int margin = 12;

struct Words
{
    Q_DECLARE_TR_FUNCTIONS(ChartPicture)
};

QString titleOf(const engine::Snapshot& snapshot)
{
    const auto& recommendation = snapshot.searchState.recommendation;
    if (!recommendation)
        return Words::tr("No recommendation yet");
    const QString size = engine::numberText(recommendation->size);
    const QString rate = engine::rateText(recommendation->samplesPerSecond, recommendation->relativeError);
    return recommendation->confidence >= leadingBelowPercent
               ? Words::tr("Recommended micro-batch size %1: %2 samples/s, confidence %3 %")
                     .arg(size, rate)
                     .arg(recommendation->confidence)
               : Words::tr("Leading micro-batch size %1: %2 samples/s, confidence %3 %")
                     .arg(size, rate)
                     .arg(recommendation->confidence);
}

} // namespace

QImage chartPicture(QWidget& charts, const engine::Snapshot& snapshot, const Theme& theme,
                    const QDateTime& time)
{
    const QFont titleFont = scaled(charts.font(), 1.2, QFont::DemiBold);
    const int titleHeight = QFontMetrics(titleFont).height();
    const int runHeight = charts.fontMetrics().height();
    const int top = margin + titleHeight + runHeight + margin;
    const QSize size = charts.size() + QSize(2 * margin, top + margin);
    QImage picture(size * pixelRatio, QImage::Format_RGB32);
    picture.setDevicePixelRatio(pixelRatio);
    picture.fill(theme.window);

    QPainter painter(&picture);
    const auto write = [&](int y, int height, const QFont& font, const QColor& colour, const QString& text) {
        painter.setFont(font);
        painter.setPen(colour);
        painter.drawText(QRect(margin, y, charts.width(), height), Qt::AlignLeft | Qt::AlignVCenter,
                         QFontMetrics(font).elidedText(text, Qt::ElideMiddle, charts.width()));
    };
    write(margin, titleHeight, titleFont, theme.text, titleOf(snapshot));
    write(margin + titleHeight, runHeight, charts.font(), theme.mutedText,
          runText(snapshot) + QStringLiteral("  ·  ") +
              QLocale().toString(time.date(), QLocale::ShortFormat));
    charts.render(&painter, QPoint(margin, top), {}, QWidget::DrawChildren);
    return picture;
}

} // namespace batchpeak::ui
