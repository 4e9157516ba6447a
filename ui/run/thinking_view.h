// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/snapshot.h"
#include "theme/theme.h"

#include <QWidget>

class QLabel;

namespace batchpeak::ui {

class ContendersList;
class CourseChart;

/// What the search thinks: what is tried now and next and why, how its recommendation and confidence came
/// about, and which sizes could still win.
class ThinkingView : public QWidget
{
    Q_OBJECT

public:
    explicit ThinkingView(QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    /// What a search of the history knew is still to be made out of it, as is said from the next snapshot on.
    void setAwaitsSearch(bool awaitsSearch) { m_awaitsSearch = awaitsSearch; }
    void display(const engine::Snapshot& snapshot);

signals:
    /// A person has pointed out a size.
    void sizeChosen(std::int64_t size);

private:
    QLabel* m_plans;
    CourseChart* m_course;
    ContendersList* m_contenders;
    bool m_awaitsSearch = false;
};

} // namespace batchpeak::ui
