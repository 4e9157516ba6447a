// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "contenders_list.h"

#include "text/readable_text.h"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <utility>

namespace batchpeak::ui {

namespace {

// Below this probability a bar is not visible.
constexpr double minProbability = 0.005;
constexpr int percentWidth = 36;
constexpr int sizeWidth = 50;

} // namespace

ContendersList::ContendersList(QWidget* parent) : QWidget(parent)
{
    setAccessibleName(tr("Probability of each size to be within the tolerance of the best"));
}

void ContendersList::setTheme(const Theme& theme)
{
    m_theme = theme;
    update();
}

void ContendersList::display(const engine::Snapshot& snapshot, bool awaitsSearch)
{
    const auto& state = snapshot.searchState;
    const std::int64_t recommended = state.recommendation ? state.recommendation->size : 0;
    const QString noRows = !state.recommendation
                               ? snapshot.finish ? tr("No size was found") : tr("No recommendation yet")
                           : !snapshot.course.empty()        ? tr("Not available with this strategy")
                           : awaitsSearch && snapshot.finish ? tr("Being worked out from the history")
                           : snapshot.finish                 ? tr("Not worked out from the history")
                                                             : tr("Shown once the run has ended");
    if (std::exchange(m_noRows, noRows) != noRows)
        update();
    std::vector<Row> rows;
    for (const search::SizeEstimate& estimate : state.estimates) {
        const bool isRecommended = estimate.size == recommended;
        // The gauge beside it shows the same number for the recommended size.
        const double probability =
            isRecommended ? state.recommendation->confidence / 100.0 : estimate.probabilityWithin;
        if (state.recommendation && probability >= minProbability)
            rows.push_back(
                {.size = estimate.size, .probability = probability, .isRecommended = isRecommended});
    }
    std::ranges::stable_sort(rows, [](const Row& a, const Row& b) {
        return std::pair(a.isRecommended, a.probability) > std::pair(b.isRecommended, b.probability);
    });
    if (rows == m_rows)
        return;
    m_rows = std::move(rows);
    QStringList texts;
    for (const Row& row : m_rows)
        texts << tr("%1: %2").arg(engine::numberText(row.size),
                                  engine::percentText(row.probability, locale(), 0));
    setAccessibleDescription(texts.join(QStringLiteral(", ")));
    update();
}

int ContendersList::rowHeight() const
{
    return fontMetrics().height() + 2;
}

QSize ContendersList::sizeHint() const
{
    constexpr int defaultRows = 6;
    return {150, defaultRows * rowHeight()};
}

QSize ContendersList::minimumSizeHint() const
{
    return {120, 3 * rowHeight()};
}

void ContendersList::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(scaled(font(), 0.9));
    if (m_rows.empty()) {
        painter.setPen(m_theme.mutedText);
        painter.drawText(rect(), Qt::AlignCenter | Qt::TextWordWrap, m_noRows);
        return;
    }
    // Rows that do not fit are the least probable ones.
    const int rows = std::min(static_cast<int>(m_rows.size()), std::max(1, height() / rowHeight()));
    for (int place = 0; place < rows; ++place) {
        const Row& row = m_rows[static_cast<std::size_t>(place)];
        const QRectF line(0, place * rowHeight(), width(), rowHeight());
        painter.setPen(m_theme.text);
        painter.drawText(line.adjusted(0, 0, sizeWidth - width() - 6, 0), Qt::AlignRight | Qt::AlignVCenter,
                         engine::numberText(row.size));
        const QRectF track = line.adjusted(sizeWidth, 4, -percentWidth, -4);
        painter.fillRect(track, m_theme.grid);
        QRectF bar = track;
        bar.setWidth(std::max(1.0, track.width() * std::min(1.0, row.probability)));
        painter.fillRect(bar, row.isRecommended ? m_theme.throughput : m_theme.scrollBar);
        painter.setPen(m_theme.mutedText);
        painter.drawText(line.adjusted(width() - percentWidth + 4, 0, 0, 0),
                         Qt::AlignRight | Qt::AlignVCenter,
                         engine::percentText(row.probability, locale(), 0));
    }
}

void ContendersList::mousePressEvent(QMouseEvent* event)
{
    const auto place = static_cast<std::size_t>(event->position().y() / rowHeight());
    if (place < m_rows.size())
        emit chosen(m_rows[place].size);
}

} // namespace batchpeak::ui
