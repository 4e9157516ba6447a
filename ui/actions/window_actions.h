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

/// The actions of the window: names, shortcuts, icons, and when each is enabled. The main window carries them
/// out.
class WindowActions : public QObject
{
    Q_OBJECT

public:
    explicit WindowActions(QWidget* window);

    /// Creates one menu of all actions, with the menus of \p recent files and \p earlier runs in it.
    QMenu* makeMenu(QMenu* recent, QMenu* earlier, QWidget* parent) const;

    /// What, besides the exploration itself, decides which actions are enabled.
    struct Surroundings
    {
        /// Sentence that says why nothing can be started; empty if something can.
        QString obstacle = {};
        bool opensPlan = false;
        bool continues = false;
    };

    /// Enables what the state of the exploration allows, if nothing else affects it.
    void update(const engine::Snapshot& snapshot);
    // A window calls each of these once per redraw: an action that changes for a moment makes its buttons
    // lose a mouse press and the focus.
    /// Enables what changes the current exploration.
    void updateRun(const engine::Snapshot& present, const Surroundings& surroundings);
    /// What Back leads to.
    enum class Back { ToRun, ToPlan, FromWatching };
    void updatePresent(bool isEnabled, Back back);
    /// Enables the exports of the exploration that the window shows.
    /// \param toWrite  result of engine::selectedToWrite()
    /// \param doubt    sentences that say why that size should not be written yet; empty if there is no
    ///                 reason
    void updateExports(const engine::Snapshot& shown, std::optional<std::int64_t> toWrite,
                       const QString& doubt);
    /// Enables what applies to a size that is selected among the trials.
    /// \param isInHand  whether \p shown is the current exploration, not an earlier one
    void updateSelected(const engine::Snapshot& shown, std::optional<std::int64_t> selected, bool isInHand);
    /// Sets the data of exportSize.
    /// \param doubt  the same as for updateExports()
    void setExportDoubt(const QString& doubt);
    void setTheme(const Theme& theme);

    /// All texts that the start and pause actions may have, without mnemonics.
    static QStringList startTexts();
    static QStringList pauseTexts();

    QAction* open;
    /// Follows an exploration whose events are in a file, or of a job.
    QAction* follow;
    QAction* chooseNetwork;
    /// Fetches the description of a network that the config names by its id.
    QAction* downloadNetwork;
    /// Takes back the consent to all downloads from a hub; hidden if there is none.
    QAction* keepsAsking;
    /// Writes a size that the user chooses, without a trial.
    QAction* writeSize;
    /// Reads the current file again if no trial was possible with it.
    QAction* readAgain;
    /// Returns to the options, before the next start.
    QAction* plan;
    /// Shows where trials can run, and lets the user choose for the plan.
    QAction* places;
    QAction* start;
    /// Starts again after a failure, offered where the failure is reported; not in any menu.
    QAction* restart;
    /// Does the same on the CPU, in place of GPUs that cannot be used.
    QAction* useCpu;
    /// Pauses, or resumes while paused.
    QAction* pause;
    QAction* stop;
    /// Shows this window's run before the current one.
    QAction* previousRun;
    /// Returns from an earlier run to the current run or plan, or from the plan to the run that has ended.
    QAction* present;
    /// Reopens an ended search and continues it.
    QAction* continueSearch;
    /// Does the same for an exploration that was interrupted, offered where that is reported; not in any
    /// menu.
    QAction* resume;
    /// Watches an exploration that another window or terminal runs, offered where that is reported.
    QAction* watch;
    /// Forgets the remembered options of the config, offered where they are reported.
    QAction* resetAll;
    QAction* exportSize;
    /// These act on the selected row of the trials, in its menu: write its size, try it now, exclude it or
    /// allow it again.
    QAction* exportSelected;
    QAction* tryAgain;
    QAction* exclude;
    /// Restores what the file contained before a size was written into it.
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
    /// Each action's data is a ThemeSetting as int.
    QActionGroup* themes;

private:
    void setShortcuts();
    void updatePause(const engine::Snapshot& snapshot);
    void signPause();

    Theme m_theme = Theme::light();
    bool m_resumes = false;
};

} // namespace batchpeak::ui
