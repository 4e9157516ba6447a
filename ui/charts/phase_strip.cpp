// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "phase_strip.h"

#include "accumulation/micro_batches.h"
#include "text/readable_text.h"

#include <QPainter>
#include <QPainterPath>
#include <QStringList>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

namespace batchpeak::ui {

namespace {

constexpr double barHeight = 8.0;
constexpr double lineGap = 5.0;
constexpr double swatch = 8.0;
constexpr double phaseWordGap = 5.0;
constexpr double phaseGap = 14.0;

enum Phase { Forward, Backward, Reduction, Optimizer, Other };

/// Returns "0.4 ms", "31 ms", "1.2 s": three digits at most.
QString shortTimeText(double seconds)
{
    if (seconds >= 0.9995)
        return engine::durationText(seconds);
    const double milliseconds = 1e3 * seconds;
    return PhaseStrip::tr("%1 ms").arg(QLocale().toString(milliseconds, 'f', milliseconds < 9.95 ? 1 : 0));
}

} // namespace

PhaseStrip::PhaseStrip(QWidget* parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setAccessibleName(tr("Parts of a step"));
}

void PhaseStrip::setTheme(const Theme& theme)
{
    m_theme = theme;
    update();
}

void PhaseStrip::setPhases(const ChartScene& scene, std::optional<std::int64_t> size, const QString& title)
{
    const bool isTold =
        std::ranges::any_of(scene.points, [](const auto& point) { return point.phases.has_value(); });
    if (!isTold || !size)
        return show({}, {}, {});
    const MeasuredPoint* point = scene.phasesOf(*size);
    if (!point)
        return show(tr("%1: the parts of a step were not measured").arg(title), tr("Parts not measured"), {});
    const StepPhases& phases = *point->phases;
    // The fractions are those of the trial; the total is from the estimate of all trials of the size, which
    // also gives its samples/s.
    const ReckonedSize* reckoned = scene.reckonedOf(*size);
    const double slower = reckoned ? point->samplesPerSecond / reckoned->samplesPerSecond : 1.0;
    // Micro-batches that are one sample smaller take slightly less time, which is neglected here.
    double times = slower;
    if (scene.batch > 0)
        times *= static_cast<double>(scene.batch) / static_cast<double>(std::min(*size, scene.batch));
    const std::array<Part, 5> all{
        {{tr("forward"), times * phases.forwardSeconds},
         {tr("backward"), times * phases.backwardSeconds},
         {tr("reduction"), slower * phases.reductionSeconds},
         {tr("optimizer"), scene.batch > 0 ? slower * phases.optimizerSeconds : 0.0},
         {tr("other"), times * phases.otherSeconds}}};
    std::vector<Part> parts(all.begin(), all.end());
    const double seconds = std::accumulate(parts.begin(), parts.end(), 0.0,
                                           [](double sum, const Part& part) { return sum + part.seconds; });
    const QString time = shortTimeText(seconds);
    if (scene.batch <= 0)
        return show(tr("%1: a micro-batch takes %2").arg(title, time), tr("%1 a micro-batch").arg(time),
                    std::move(parts));
    const auto steps = accumulation::evenSpread(scene.batch, *size).microBatches();
    const QString microBatches =
        steps == 1 ? tr("1 micro-batch") : tr("%1 micro-batches").arg(engine::numberText(steps));
    show(tr("%1: an optimizer step takes %2 in %3").arg(title, time, microBatches),
         tr("%1 in %2").arg(time, microBatches), std::move(parts));
}

void PhaseStrip::show(QString caption, QString shortCaption, std::vector<Part> parts)
{
    if (caption == m_caption && parts == m_parts)
        return;
    const bool wasEmpty = isEmpty();
    m_caption = std::move(caption);
    m_shortCaption = std::move(shortCaption);
    m_parts = std::move(parts);
    QStringList shares;
    for (const Part& part : m_parts) {
        if (part.seconds > 0.0)
            shares << tr("%1, %2").arg(shareText(part), shortTimeText(part.seconds));
    }
    const QString words = m_caption + (shares.isEmpty() ? QString() : QStringLiteral(": "));
    setAccessibleDescription(words + shares.join(QStringLiteral("; ")));
    setToolTip(shares.join(QLatin1Char('\n')));
    update();
    if (wasEmpty != isEmpty())
        emit emptyChanged();
}

QString PhaseStrip::shareText(const Part& part) const
{
    double sum = 0.0;
    for (const Part& other : m_parts)
        sum += other.seconds;
    const double share = part.seconds / sum;
    return QStringLiteral("%1 %2").arg(part.name,
                                       engine::percentText(share, QLocale(), share < 0.0095 ? 1 : 0));
}

QColor PhaseStrip::colorOf(std::size_t part) const
{
    switch (part) {
    case Forward:
        return m_theme.throughput;
    case Backward:
        return mixed(m_theme.throughput, m_theme.card, 0.5);
    case Reduction:
        return mixed(m_theme.throughput, m_theme.mutedText, 0.5);
    case Optimizer:
        return m_theme.mutedText;
    default:
        return m_theme.scrollBar;
    }
}

QSize PhaseStrip::sizeHint() const
{
    return {300, static_cast<int>(std::ceil(fontMetrics().height() + lineGap + barHeight))};
}

QSize PhaseStrip::minimumSizeHint() const
{
    return {60, sizeHint().height()};
}

void PhaseStrip::paintEvent(QPaintEvent*)
{
    if (isEmpty())
        return;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QFontMetricsF metrics(font());
    const double lineHeight = metrics.height();
    double sum = 0.0;
    for (const Part& part : m_parts)
        sum += part.seconds;

    double right = width();
    for (std::size_t i = m_parts.size(); i-- > 0;) {
        if (m_parts[i].seconds <= 0.0)
            continue;
        const QString text = shareText(m_parts[i]);
        const double textWidth = metrics.horizontalAdvance(text);
        right -= textWidth;
        painter.setPen(m_theme.mutedText);
        painter.drawText(QRectF(right, 0.0, textWidth + 1.0, lineHeight), Qt::AlignVCenter, text);
        right -= phaseWordGap + swatch;
        painter.setPen(Qt::NoPen);
        painter.setBrush(colorOf(i));
        painter.drawRoundedRect(QRectF(right, (lineHeight - swatch) / 2.0, swatch, swatch), 2.0, 2.0);
        right -= phaseGap;
    }
    painter.setPen(m_theme.mutedText);
    const double room = std::max(0.0, right);
    const QString& caption = metrics.horizontalAdvance(m_caption) <= room ? m_caption : m_shortCaption;
    painter.drawText(QRectF(0.0, 0.0, room, lineHeight), Qt::AlignVCenter,
                     metrics.elidedText(caption, Qt::ElideRight, room));

    QPainterPath frame;
    frame.addRoundedRect(QRectF(0.0, lineHeight + lineGap, width(), barHeight), 3.0, 3.0);
    painter.setClipPath(frame);
    double x = 0.0;
    for (std::size_t i = 0; i < m_parts.size(); ++i) {
        const double part = m_parts[i].seconds / sum * width();
        painter.fillRect(QRectF(x, lineHeight + lineGap, part, barHeight), colorOf(i));
        x += part;
    }
}

} // namespace batchpeak::ui
