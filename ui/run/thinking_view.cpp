// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "thinking_view.h"

#include "contenders_list.h"
#include "course_chart.h"
#include "widgets/labels.h"

#include <QGridLayout>
#include <QLabel>

namespace batchpeak::ui {

namespace {

/// Returns "Now: 24, to distinguish it from 28.", a line for each of the first few, then what comes next, or
/// how it ended.
QString plansText(const engine::Snapshot& snapshot)
{
    constexpr std::size_t maxUnderWay = 2;
    QStringList lines;
    for (const engine::TrialPlan& plan : snapshot.underWay) {
        if (static_cast<std::size_t>(lines.size()) < maxUnderWay)
            lines << plan.sentence;
    }
    if (snapshot.underWay.size() > maxUnderWay)
        lines << ThinkingView::tr("%1 more trials run.").arg(snapshot.underWay.size() - maxUnderWay);
    if (snapshot.next)
        lines << snapshot.next->sentence;
    if (snapshot.finish)
        lines << snapshot.ending;
    return lines.join(QLatin1Char('\n'));
}

QLabel* caption(const QString& text, QWidget* parent)
{
    QLabel* label = mutedLabel(text, parent);
    label->setFont(scaled(label->font(), 0.9));
    return label;
}

} // namespace

ThinkingView::ThinkingView(QWidget* parent)
    : QWidget(parent),
      m_plans(wrapped(new QLabel(this))),
      m_course(new CourseChart(this)),
      m_contenders(new ContendersList(this))
{
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(14);
    grid->setVerticalSpacing(4);
    grid->addWidget(m_plans, 0, 0, 1, 2);
    grid->addWidget(caption(tr("Confidence over time"), this), 1, 0);
    grid->addWidget(caption(tr("Within the tolerance of the best"), this), 1, 1);
    grid->addWidget(m_course, 2, 0);
    grid->addWidget(m_contenders, 2, 1);
    grid->setColumnStretch(0, 3);
    grid->setColumnStretch(1, 2);
    grid->setRowStretch(2, 1);
    // A line that appears and disappears would move the charts.
    m_plans->setMinimumHeight(2 * fontMetrics().lineSpacing());
    connect(m_contenders, &ContendersList::chosen, this, &ThinkingView::sizeChosen);
}

void ThinkingView::setTheme(const Theme& theme)
{
    m_course->setTheme(theme);
    m_contenders->setTheme(theme);
}

void ThinkingView::display(const engine::Snapshot& snapshot)
{
    setTextIfNew(m_plans, plansText(snapshot));
    m_course->display(snapshot, m_awaitsSearch);
    m_contenders->display(snapshot, m_awaitsSearch);
}

} // namespace batchpeak::ui
