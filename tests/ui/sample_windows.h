// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme/theme.h"
#include "ui/exploration_view.h"
#include "ui/training_window/training_view.h"
#include "ui/window_actions.h"

#include <QAction>
#include <QMenu>
#include <QVBoxLayout>
#include <QWidget>

namespace batchpeak::test {

/// The window's inside, with the theme that the main window gives it, without an exploration behind it.
class SampleWindow : public QWidget
{
public:
    SampleWindow(const ui::Theme& theme, QSize size)
        : m_actions(new ui::WindowActions(this)),
          m_view(new ui::ExplorationView(m_actions, &m_recent, &m_menu, this))
    {
        auto* layout = new QVBoxLayout(this);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->addWidget(m_view);
        resize(size);
        setTheme(theme);
    }

    void setTheme(const ui::Theme& theme)
    {
        ui::applyTheme(*this, theme);
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

    ui::ExplorationView* view() const { return m_view; }
    ui::WindowActions* actions() const { return m_actions; }

private:
    QMenu m_recent;
    QMenu m_menu;
    ui::WindowActions* m_actions;
    ui::ExplorationView* m_view;
};

/// The training window's inside, with the theme that that window gives it, without a run behind it.
class SampleTrainingWindow : public QWidget
{
public:
    SampleTrainingWindow(const ui::Theme& theme, QSize size)
        : m_actions(new ui::TrainingActions(this)), m_view(new ui::TrainingView(m_actions, this))
    {
        auto* layout = new QVBoxLayout(this);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->addWidget(m_view);
        resize(size);
        setTheme(theme);
    }

    void setTheme(const ui::Theme& theme)
    {
        ui::applyTheme(*this, theme);
        ui::applyPalette(*this, theme);
        m_actions->setTheme(theme);
        m_view->setTheme(theme);
    }

    void display(const training::TrainingSnapshot& snapshot, const QString& obstacle = {})
    {
        m_actions->settings->setChecked(snapshot.state == training::TrainingState::Idle);
        m_actions->update(snapshot, obstacle);
        m_view->display(snapshot);
    }

    ui::TrainingView* view() const { return m_view; }
    ui::TrainingActions* actions() const { return m_actions; }

private:
    ui::TrainingActions* m_actions;
    ui::TrainingView* m_view;
};

} // namespace batchpeak::test
