// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_key.h"

#include "run_marks_overlay.h"

#include <QPainter>

#include <algorithm>
#include <utility>

namespace batchpeak::ui {

RunKey::RunKey(const QString& name, QWidget* parent) : KeyLine(parent)
{
    setAccessibleName(name);
}

void RunKey::setPlot(const RunPlot& plot)
{
    m_series.clear();
    m_marks.clear();
    std::vector<Entry> entries;
    const auto add = [&](const QString& word) {
        entries.push_back({static_cast<int>(entries.size()), word, word});
    };
    for (const auto& series : plot.series) {
        if (series.values.empty())
            continue;
        m_series.push_back({.name = series.name, .look = series.look, .hue = series.hue});
        add(series.name);
    }
    for (const auto& mark : plot.marks) {
        if (std::ranges::find(m_marks, mark.word, &RunPlot::Mark::word) != m_marks.end())
            continue;
        m_marks.push_back(mark);
        add(mark.word);
    }
    setEntries(std::move(entries));
    update();
}

void RunKey::paintSign(QPainter& painter, int sign, const QRectF& box) const
{
    const auto index = static_cast<std::size_t>(sign);
    const QPointF centre = box.center();
    if (index >= m_series.size()) {
        const auto& mark = m_marks[index - m_series.size()];
        paintGlyph(painter, mark.glyph, QRectF(centre - QPointF(6, 6), QSizeF(12, 12)),
                   colourOf(mark.tone, theme()));
        return;
    }
    const auto& series = m_series[index];
    if (series.look == RunPlot::Look::Dots) {
        paintDiamond(painter, centre, theme().*series.hue, theme().card);
        return;
    }
    const bool isDashed =
        series.look == RunPlot::Look::DashedLine || series.look == RunPlot::Look::DashedStairs;
    QPen pen(theme().*series.hue, 2.0, Qt::SolidLine, Qt::FlatCap);
    if (isDashed)
        pen.setDashPattern({3.0, 2.0});
    painter.setPen(pen);
    painter.drawLine(QPointF(box.left(), centre.y()), QPointF(box.right(), centre.y()));
}

} // namespace batchpeak::ui
