// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme/style_sheet.h"
#include "theme/theme.h"
#include "ui/exploration_view.h"
#include "ui/window_actions.h"

#include <QAction>
#include <QMenu>
#include <QVBoxLayout>
#include <QWidget>

namespace batchpeak::ui::test {

/// The window's inside, dressed as the main window dresses it, without an exploration behind it.
class SampleWindow : public QWidget
{
public:
    SampleWindow(const Theme& theme, QSize size)
        : m_actions(new WindowActions(this)), m_view(new ExplorationView(m_actions, &m_recent, &m_menu, this))
    {
        auto* layout = new QVBoxLayout(this);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->addWidget(m_view);
        resize(size);
        setTheme(theme);
    }

    void setTheme(const Theme& theme)
    {
        applyTheme(*this, theme);
        m_actions->setTheme(theme);
        m_view->setTheme(theme);
    }

    void display(const engine::Snapshot& snapshot)
    {
        m_actions->update(snapshot);
        m_actions->train->setEnabled(snapshot.run.has_value());
        m_actions->confirm->setEnabled(snapshot.state == engine::State::Finished &&
                                       snapshot.searchState.recommendation);
        m_view->display(snapshot);
    }

    ExplorationView* view() const { return m_view; }
    WindowActions* actions() const { return m_actions; }

private:
    QMenu m_recent;
    QMenu m_menu;
    WindowActions* m_actions;
    ExplorationView* m_view;
};

} // namespace batchpeak::ui::test
