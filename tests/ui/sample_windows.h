// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "actions/window_actions.h"
#include "exploration/exploration_view.h"
#include "snapshot/writing_rule.h"
#include "theme/theme.h"
#include "training_window/training_view.h"

#include <QAction>
#include <QMenu>
#include <QVBoxLayout>
#include <QWidget>

namespace batchpeak::test {

/// Content of a window, without an engine.
template<typename Actions, typename View>
class SampleInside : public QWidget
{
public:
    View* view() const { return m_view; }
    Actions* actions() const { return m_actions; }

    void setTheme(const ui::Theme& theme)
    {
        ui::applyTheme(*this, theme);
        m_actions->setTheme(theme);
        m_view->setTheme(theme);
    }

protected:
    template<typename MakeView>
    SampleInside(const ui::Theme& theme, QSize size, MakeView makeView)
        : m_actions(new Actions(this)), m_view(makeView(m_actions))
    {
        auto* layout = new QVBoxLayout(this);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->addWidget(m_view);
        resize(size);
        setTheme(theme);
    }

private:
    Actions* m_actions;
    View* m_view;
};

class SampleWindow : public SampleInside<ui::WindowActions, ui::ExplorationView>
{
public:
    SampleWindow(const ui::Theme& theme, QSize size)
        : SampleInside(theme, size, [this](ui::WindowActions* actions) {
              return new ui::ExplorationView(actions, new QMenu(this), new QMenu(this), this);
          })
    {}

    void display(const engine::Snapshot& snapshot)
    {
        actions()->update(snapshot);
        actions()->setExportDoubt(engine::doubtText(snapshot, {}));
        actions()->train->setEnabled(snapshot.run.has_value());
        actions()->confirm->setEnabled(snapshot.state == engine::State::Finished &&
                                       snapshot.searchState.recommendation);
        view()->display(snapshot);
    }
};

class SampleTrainingWindow : public SampleInside<ui::TrainingActions, ui::TrainingView>
{
public:
    SampleTrainingWindow(const ui::Theme& theme, QSize size)
        : SampleInside(theme, size,
                       [this](ui::TrainingActions* actions) { return new ui::TrainingView(actions, this); })
    {
        ui::applyPalette(*this, theme);
    }

    void setTheme(const ui::Theme& theme)
    {
        SampleInside::setTheme(theme);
        ui::applyPalette(*this, theme);
    }

    /// \param obstacle  why no run can start now, as a sentence; empty if one can
    void display(const training::TrainingSnapshot& snapshot, const QString& obstacle = {})
    {
        actions()->settings->setChecked(snapshot.state == training::TrainingState::Idle);
        actions()->update(snapshot, obstacle);
        view()->display(snapshot, obstacle);
    }
};

} // namespace batchpeak::test
