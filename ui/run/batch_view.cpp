// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "batch_view.h"

#include "text/batch_text.h"
#include "text/readable_text.h"
#include "widgets/labels.h"

#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>

namespace batchpeak::ui {

namespace {

constexpr int barHeight = 14;
constexpr int barPitch = 18;
constexpr std::size_t maxBars = 4;
// Narrower boxes would merge.
constexpr double minBoxWidth = 3.0;

/// "24 steps of 64 samples", "10 steps: 6 of 26 and 4 of 25 samples"
QString stepsText(const config::DeviceShare& share)
{
    const QString steps = engine::stepsText(static_cast<int>(share.steps()));
    const QString size = engine::numberText(share.size);
    if (share.ofOneMore == 0)
        return share.size == 1 ? BatchView::tr("%1 of 1 sample").arg(steps)
                               : BatchView::tr("%1 of %2 samples").arg(steps, size);
    return BatchView::tr("%1: %2 of %3 and %4 of %5 samples")
        .arg(steps, engine::numberText(share.ofOneMore), engine::numberText(share.size + 1),
             engine::numberText(share.ofSize), size);
}

/// Returns the changed lines of a diff, without their context.
QString changedLines(const QString& diff)
{
    QStringList lines;
    for (const QString& line : diff.split(QLatin1Char('\n'))) {
        const bool isHeader =
            line.startsWith(QStringLiteral("---")) || line.startsWith(QStringLiteral("+++"));
        if (!isHeader && (line.startsWith(QLatin1Char('-')) || line.startsWith(QLatin1Char('+'))))
            lines << line;
    }
    return lines.join(QLatin1Char('\n'));
}

} // namespace

QString sharesText(const std::vector<config::DeviceShare>& shares)
{
    QStringList texts;
    for (const config::DeviceShare& share : shares) {
        const QString steps = stepsText(share);
        if (shares.size() == 1 && share.devices == 1)
            texts << steps;
        else if (shares.size() == 1)
            texts << BatchView::tr("%1 on each of %2 devices").arg(steps, engine::numberText(share.devices));
        else
            texts << (share.devices == 1
                          ? BatchView::tr("%1 on 1 device").arg(steps)
                          : BatchView::tr("%1 on %2 devices").arg(steps, engine::numberText(share.devices)));
    }
    return texts.join(QStringLiteral("; "));
}

/// One bar for each device, one box for each micro-batch.
class BatchView::Picture : public QWidget
{
public:
    explicit Picture(QWidget* parent) : QWidget(parent)
    {
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    }

    void setTheme(const Theme& theme)
    {
        m_theme = theme;
        update();
    }

    /// \param samples  number of samples that the whole width represents
    void show(const std::vector<config::DeviceShare>& shares, std::int64_t samples, QColor Theme::*hue)
    {
        m_hue = hue;
        m_samples = samples;
        m_bars.clear();
        for (const config::DeviceShare& share : shares) {
            for (std::int64_t device = 0; device < share.devices && m_bars.size() < maxBars; ++device)
                m_bars.push_back(share);
        }
        setAccessibleName(sharesText(shares));
        updateGeometry();
        update();
    }

    QSize sizeHint() const override { return {240, static_cast<int>(m_bars.size()) * barPitch}; }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.setFont(scaled(font(), 0.8));
        double top = 0.0;
        for (const config::DeviceShare& bar : m_bars) {
            paintBar(painter, bar, top);
            top += barPitch;
        }
    }

private:
    void paintBar(QPainter& painter, const config::DeviceShare& share, double top) const
    {
        const double scale = width() / static_cast<double>(std::max<std::int64_t>(1, m_samples));
        const QColor color = m_theme.*m_hue;
        if (static_cast<double>(share.size) * scale < minBoxWidth) {
            const QRectF all(0, top, static_cast<double>(share.samples) * scale, barHeight);
            painter.fillRect(all, QBrush(withAlpha(color, 120), Qt::Dense4Pattern));
            return;
        }
        double x = 0.0;
        for (std::int64_t step = 0; step < share.steps(); ++step) {
            const std::int64_t size = share.size + (step < share.ofOneMore ? 1 : 0);
            const double boxWidth = static_cast<double>(size) * scale;
            const QRectF box(x, top, boxWidth - 1.5, barHeight);
            painter.fillRect(box, withAlpha(color, 60));
            painter.setPen(color);
            painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
            const QString text = engine::numberText(size);
            if (painter.fontMetrics().horizontalAdvance(text) + 4 < box.width()) {
                painter.setPen(m_theme.text);
                painter.drawText(box, Qt::AlignCenter, text);
            }
            x += boxWidth;
        }
    }

    Theme m_theme = Theme::light();
    std::vector<config::DeviceShare> m_bars;
    std::int64_t m_samples = 1;
    QColor Theme::*m_hue = &Theme::mutedText;
};

BatchView::BatchView(QWidget* parent)
    : QWidget(parent),
      m_batch(mutedLabel(QString(), this)),
      m_beforeText(wrapped(new QLabel(this))),
      m_before(new Picture(this)),
      m_afterText(wrapped(new QLabel(this))),
      m_after(new Picture(this)),
      m_change(wrapped(new QLabel(this)))
{
    m_change->setFont(fixedFont(font(), 0.85));
    m_change->setProperty("code", true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    for (QWidget* part : {static_cast<QWidget*>(m_batch), static_cast<QWidget*>(m_beforeText),
                          static_cast<QWidget*>(m_before), static_cast<QWidget*>(m_afterText),
                          static_cast<QWidget*>(m_after), static_cast<QWidget*>(m_change)})
        layout->addWidget(part);
    layout->addStretch(1);
}

void BatchView::setTheme(const Theme& theme)
{
    m_theme = theme;
    m_before->setTheme(theme);
    m_after->setTheme(theme);
}

void BatchView::setConfig(const engine::ConfigFile& file)
{
    m_file = file;
    m_shownSize = -1;
}

void BatchView::display(const engine::Snapshot& snapshot)
{
    const auto& recommendation = snapshot.searchState.recommendation;
    const bool hasBatch = snapshot.run && snapshot.run->hasBatch;
    const std::int64_t size = recommendation && snapshot.recommendsSize() ? recommendation->size : 0;
    if (size == m_shownSize)
        return;
    m_shownSize = size;
    for (QWidget* part : {static_cast<QWidget*>(m_before), static_cast<QWidget*>(m_beforeText)})
        part->setVisible(hasBatch);
    for (QWidget* part : {static_cast<QWidget*>(m_after), static_cast<QWidget*>(m_afterText)})
        part->setVisible(hasBatch && size > 0);
    m_change->setVisible(false);
    if (!hasBatch) {
        setTextIfNew(m_batch,
                     snapshot.run ? tr("The config describes only a network, without a batch.") : QString());
        return;
    }
    const config::BatchPlan& plan = snapshot.run->plan;
    const std::int64_t samples = plan.perDeviceBatch();
    setTextIfNew(m_batch,
                 plan.globalBatchSize == 1
                     ? tr("One optimizer step: 1 sample")
                     : tr("One optimizer step: %1 samples").arg(engine::numberText(plan.globalBatchSize)));
    const std::int64_t present = plan.writtenSize().value_or(samples);
    const auto before = config::sharesOf(plan, std::min(present, samples));
    setTextIfNew(m_beforeText, tr("Now, %1: %2").arg(engine::settingText(plan), sharesText(before)));
    m_before->show(before, samples, &Theme::mutedText);
    if (size < 1)
        return;
    const auto after = config::sharesOf(plan, std::min(size, samples));
    setTextIfNew(m_afterText, tr("With %1: %2").arg(engine::numberText(size), sharesText(after)));
    m_after->show(after, samples, &Theme::throughput);
    showChange(snapshot.run->phase, size);
}

void BatchView::showChange(model::Phase phase, std::int64_t size)
{
    if (!m_file)
        return;
    try {
        const auto spliced = m_file->withMicroBatchSize({.phase = phase, .microBatchSize = size});
        setTextIfNew(m_change, changedLines(m_file->changeIn(spliced, m_file->path())));
    } catch (const config::ConfigError& error) {
        setTextIfNew(m_change, QString::fromUtf8(error.what()));
    }
    m_change->setVisible(!m_change->text().isEmpty());
}

} // namespace batchpeak::ui
