// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/snapshot.h"
#include "theme/theme.h"

#include <QObject>

class QAction;
class QActionGroup;
class QMenu;

namespace batchpeak::ui {

/// What a person can do in the window: names, shortcuts, signs, and when each is possible. Doing it is
/// the main window's business.
class WindowActions : public QObject
{
    Q_OBJECT

public:
    explicit WindowActions(QWidget* window);

    /// Everything in one menu, \p recent among it.
    QMenu* makeMenu(QMenu* recent, QWidget* parent) const;

    /// Enables what the state of the exploration allows.
    void update(const engine::Snapshot& snapshot);
    void setTheme(const Theme& theme);

    QAction* open;
    QAction* chooseNetwork;
    /// Back to what is asked for, before the next start.
    QAction* plan;
    QAction* start;
    /// After a failure, from where it is said; it has no place in menus.
    QAction* restart;
    /// The same, on the CPU in the place of GPUs that cannot be used.
    QAction* useCpu;
    /// Pauses, or resumes while paused.
    QAction* pause;
    QAction* stop;
    /// Takes an end back and searches on.
    QAction* goOn;
    QAction* exportSize;
    QAction* copySize;
    /// Enabled by WindowTraining.
    QAction* confirm;
    QAction* train;
    QAction* saveTrials;
    QAction* saveCharts;
    QAction* logarithmic;
    QAction* fullScreen;
    QAction* resetLayout;
    QAction* quit;
    /// Data: ThemeSetting as int.
    QActionGroup* themes;

private:
    void signPause();

    Theme m_theme = Theme::light();
    bool m_resumes = false;
};

} // namespace batchpeak::ui
