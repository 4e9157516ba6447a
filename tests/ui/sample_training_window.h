// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme/style_sheet.h"
#include "theme/theme.h"
#include "ui/training_window/training_actions.h"
#include "ui/training_window/training_view.h"
#include "ui/training_window/training_words.h"

#include <QAction>
#include <QVBoxLayout>
#include <QWidget>

namespace batchpeak::ui::test {

/// The training window's inside, dressed as that window dresses it, without a run behind it.
class SampleTrainingWindow : public QWidget
{
public:
    SampleTrainingWindow(const Theme& theme, QSize size)
        : m_actions(new TrainingActions(this)), m_view(new TrainingView(m_actions, this))
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
        dressDialog(*this, theme);
        m_actions->setTheme(theme);
        m_view->setTheme(theme);
    }

    void display(const training::TrainingSnapshot& snapshot, const QString& obstacle = {})
    {
        m_actions->settings->setChecked(snapshot.state == training::TrainingState::Idle);
        m_actions->update(snapshot, obstacle);
        m_view->display(snapshot);
    }

    TrainingView* view() const { return m_view; }
    TrainingActions* actions() const { return m_actions; }

private:
    TrainingActions* m_actions;
    TrainingView* m_view;
};

} // namespace batchpeak::ui::test
