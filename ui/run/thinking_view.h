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

/// The state of the search: what is tried now and next and why, how its recommendation and confidence
/// evolved, and which sizes could still win.
class ThinkingView : public QWidget
{
    Q_OBJECT

public:
    explicit ThinkingView(QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    /// Sets whether the state of a search has yet to be recomputed from the history; shown from the next
    /// snapshot on.
    void setAwaitsSearch(bool awaitsSearch) { m_awaitsSearch = awaitsSearch; }
    void display(const engine::Snapshot& snapshot);

signals:
    /// The user clicked a size.
    void sizeChosen(std::int64_t size);

private:
    QLabel* m_plans;
    CourseChart* m_course;
    ContendersList* m_contenders;
    bool m_awaitsSearch = false;
};

} // namespace batchpeak::ui
