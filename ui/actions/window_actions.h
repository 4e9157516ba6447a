// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/snapshot.h"
#include "theme/theme.h"

#include <QObject>

#include <cstdint>
#include <optional>

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

    /// Everything in one menu, \p recent files and \p earlier runs among it.
    QMenu* makeMenu(QMenu* recent, QMenu* earlier, QWidget* parent) const;

    /// What stands beside an exploration and decides, too, what can be done with it.
    struct Surroundings
    {
        /// Why nothing can be started, as a sentence; empty where it can.
        QString obstacle = {};
        bool opensPlan = false;
        bool continues = false;
    };

    /// Enables what the state of the exploration allows, where nothing stands beside it.
    void update(const engine::Snapshot& snapshot);
    // A window calls each of these once in a drawing: an action that is another for a moment loses the press
    // and the focus of its buttons.
    /// Enables what changes the exploration in hand.
    void updateRun(const engine::Snapshot& present, const Surroundings& surroundings);
    /// \param leadsToPlan  what was in hand before is a plan, and no run
    void updatePresent(bool isEnabled, bool leadsToPlan);
    /// Enables what can leave the window, of the exploration that it shows.
    /// \param toWrite  as of engine::selectedToWrite()
    /// \param doubt    why that size had better not be written yet, as sentences; else empty
    void updateExports(const engine::Snapshot& shown, std::optional<std::int64_t> toWrite,
                       const QString& doubt);
    /// Enables what can be asked of a size that is selected among the trials.
    /// \param isInHand  \p shown is the exploration in hand, and none that is over
    void updateSelected(const engine::Snapshot& shown, std::optional<std::int64_t> selected, bool isInHand);
    /// What the data of exportSize are. \param doubt  as of updateExports()
    void setExportDoubt(const QString& doubt);
    void setTheme(const Theme& theme);

    /// What start and pause read at one time or another, without mnemonics.
    static QStringList startTexts();
    static QStringList pauseTexts();

    QAction* open;
    QAction* chooseNetwork;
    /// Of a person's own choice, without a trial.
    QAction* writeSize;
    /// The file in hand, where nothing can be tried with it as it was.
    QAction* readAgain;
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
    /// Looks at the run of this window before the one in hand.
    QAction* previousRun;
    /// Goes back from there to the run or the plan in hand, or from the plan to the run that has ended.
    QAction* present;
    /// Takes an end back and searches on.
    QAction* continueSearch;
    /// The same with an exploration that was cut off, from where that is said; it has no place in menus.
    QAction* resume;
    /// Watches an exploration that another window or terminal runs, from where that is said.
    QAction* watch;
    /// Forgets what is remembered of the config, from where that is said.
    QAction* resetAll;
    QAction* exportSize;
    /// Act on the row that is selected among the trials, in their menu: write its size, try it now, rule it
    /// out or let it in again.
    QAction* exportSelected;
    QAction* tryAgain;
    QAction* exclude;
    /// Gives the file back what it held before a size was written into it.
    QAction* takeBack;
    QAction* copySize;
    /// Enabled by WindowTraining.
    QAction* confirm;
    QAction* train;
    QAction* saveTrials;
    QAction* saveCharts;
    QAction* logarithmic;
    QAction* fullScreen;
    QAction* resetLayout;
    QAction* help;
    QAction* about;
    QAction* quit;
    /// Data: ThemeSetting as int.
    QActionGroup* themes;

private:
    void setShortcuts();
    void updatePause(const engine::Snapshot& snapshot);
    void signPause();

    Theme m_theme = Theme::light();
    bool m_resumes = false;
};

} // namespace batchpeak::ui
