// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "actions/earlier_runs.h"
#include "actions/window_settings.h"
#include "exploration/config_options.h"
#include "exploration/unmeasurable_view.h"
#include "files/config_file.h"
#include "plan/phase_sequence.h"
#include "snapshot/snapshot.h"
#include "store/exploration_records.h"
#include "theme/theme.h"
#include "workers/device_lease.h"

#include <QMainWindow>
#include <QString>
#include <QStringList>
#include <QTimer>

#include <memory>
#include <optional>
#include <variant>
#include <vector>

namespace batchpeak::engine {
class Exploration;
}

namespace batchpeak::ui {

class ExplorationView;
class NetworkPicker;
class PlanSearch;
class RecentFiles;
class WindowActions;
class WindowDesktop;
class WindowExports;
class WindowTraining;

/// The window of batchpeak: it joins an exploration, the view that draws it, and what a person asks for.
///
/// It decides nothing about an exploration and draws nothing itself. The view is drawn anew at most
/// thirty times a second, however often the exploration changes.
class MainWindow : public QMainWindow
{
    Q_OBJECT

public:
    explicit MainWindow(QWidget* parent = nullptr);
    ~MainWindow() override;

    /// The one exploration of the window, for who records or watches it.
    engine::Exploration& exploration() const { return *m_exploration; }
    /// Where explorations are kept, to be looked at again. \param path  of the store
    void setHistory(const QString& path);
    /// Takes a command line's options as ConfigOptions::setGiven() does, for the configs opened from now on.
    void setOptions(const engine::ExplorationOptions& options, const QStringList& names = {})
    {
        m_options.setGiven(options, names);
    }
    /// Reads a config and makes it the next to be explored; what is wrong with it is said in the window.
    /// \param network  file or id of the one to run; empty for the config's own, or the one chosen for it
    ///                 before
    /// \return whether it can be explored
    bool openConfig(const QString& path, const QString& network = {});
    /// Starts, or starts again what has ended, with the config as it now stands on disk.
    void startExploring();
    /// What has become of the history while something is kept in it, as a sentence.
    void tellOfHistory(const QString& sentence);
    /// Closes the window without a question: what is under way ends first, with what is known.
    void stopAndClose();

protected:
    bool event(QEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    /// A config, and what is asked of it.
    struct Asked
    {
        engine::ConfigFile file;
        engine::ExplorationOptions options;
        engine::PhaseSequence phases;
        /// A person has let the code of the config run, since it was opened last.
        bool trustsCode = false;
    };
    struct Nothing
    {};
    /// The exploration of the engine, from its start.
    struct Running
    {
        Asked asked;
    };
    /// The plan, before the start.
    struct Ready
    {
        Asked asked;
        /// An exploration of the same config that has ended, which the engine has still: it can go on and be
        /// confirmed.
        std::optional<Running> ended;
        /// One of the history that was cut off and can go on.
        std::optional<store::StoredExploration> cut;
        /// Number of the one whose offer a person has closed; 0 without one.
        qint64 declined = 0;
        /// A person has asked for the start while its Python was being asked what it has.
        bool startsOnceKnown = false;
        /// The snapshot of an exploration that has not begun.
        engine::Snapshot snapshot;
    };
    /// A file with which nothing can be tried.
    struct Unmeasurable
    {
        UnmeasurableFile file;
        /// Ready::ended of the same file while it could be read.
        std::optional<Running> ended;
    };
    /// Another run of the same config is looked at, over what was in hand before.
    struct Earlier
    {
        EarlierRun run;
        std::variant<Ready, Running> before;
    };

    void connectActions();
    void connectExports();
    void connectExploration();
    void connectEarlierRuns();
    /// Does what openConfig() does, also while a confirmation or a training holds the devices.
    bool readConfig(const QString& path, const QString& network = {});
    void showUnmeasurable(UnmeasurableFile file, std::optional<Running> ended);
    void showWhatIsInHand();
    void showLookingBack();
    /// Why the sizes that are shown had better not be written yet, as sentences; else empty.
    QString doubt() const;
    QString doubt(std::optional<std::int64_t> selected) const;
    /// \param selected  of the table, to be written in the place of the recommended one
    void exportSizes(std::optional<std::int64_t> selected);
    std::optional<std::int64_t> selectedToWrite() const;
    /// A file has another size now, which may be that of the config in hand.
    void showWritten(const QString& sentence, const QString& path);
    void readWritten();
    bool readIfChanged();
    void setWritten(const QString& path);
    void takeExportBack();
    void exploreNextPhase();
    void writeSize();
    bool isPlanShown() const;
    /// The file in hand with which no trial is possible; null where one is.
    const UnmeasurableFile* unmeasurable() const;
    /// Why nothing can be started, as a sentence; empty where it can.
    QString startObstacle() const;
    // Of what is in hand, also while an earlier run is looked at; null where it is something else.
    const Ready* planInHand() const;
    Ready* planInHand();
    const Running* runInHand() const;
    /// The exploration that the engine has of the config in hand.
    const Running* engineRun() const;
    Running* engineRun();
    const Asked* asked() const;
    /// The exploration of the engine, where it is of the config in hand; else that of nothing.
    const engine::Snapshot& own() const;
    /// The snapshot of the plan or the exploration in hand; of nothing where none is possible.
    const engine::Snapshot& present() const;
    /// The same, or the earlier one that is looked at.
    const engine::Snapshot& shown() const;
    void showEarlierRun(const EarlierRun& run);
    /// Shows what was in hand before.
    void endLookingBack();
    void backToPresent();
    void watchOthers();
    void lookAtHistory();
    /// The devices of the plan in hand, once they are known.
    QStringList chosenDevices() const;
    /// One that a run on these devices would disturb, as a sentence; empty where there is none.
    /// \param devices  without any those that are asked for
    QString disturbedText(const Asked& asked, const QStringList& devices) const;
    bool mayStartBeside(const Asked& asked, const QStringList& devices);
    void tellOfSettings();
    /// What is left of the exploration under way when it ends now, as sentences.
    QString whatIsKept() const;
    /// \return whether the window may close now; else it does so later, or not at all
    bool mayClose();
    void applyTheme();
    void draw();
    void drawSoon();
    void chooseConfig();
    void chooseNetwork();
    void rememberOpened(const QString& path);
    QString configInHand() const;
    void connectPlan();
    void connectSteering();
    void startAsAsked();
    void takeAwayProblem();
    void takeOptions(const engine::ExplorationOptions& options);
    void exploreOnCpu();
    void resetOptions();
    void showRemembered();
    /// Makes that the plan in hand, and shows it.
    void showPlan(Ready ready);
    void handOver(const Asked& asked);
    void setAsked(Ready& ready, const engine::ConfigFile& file, const engine::ExplorationOptions& options);
    void pauseOrResume();
    void continueSearch();
    void offerToResume();
    void showOffer();
    void resumeCut();
    /// Starts the plan in hand. \param cut  goes on; without it all begins anew
    void startInHand(const std::optional<store::StoredExploration>& cut = {});
    void load(const Asked& asked);
    /// Asks where the config names code, as it is now. \return whether it may run
    bool letsCodeRun(Asked& asked);
    void showError(const QString& sentence);
    /// Why no other config can be opened and nothing explored now, as a sentence; else empty.
    QString obstacle() const;
    bool isUnderWay() const;

    /// Of all that this window runs.
    std::shared_ptr<engine::DeviceLease> m_lease;
    PlanSearch* m_planSearch;
    engine::Exploration* m_exploration;
    std::variant<Nothing, Unmeasurable, Ready, Running, Earlier> m_inHand;
    bool m_closesUnasked = false;
    bool m_closesAtEnd = false;
    /// What tellOfHistory() was told last of the exploration in hand.
    QString m_historyMessage;
    /// What was said of the plan when it could not start; empty without it.
    QString m_shownProblem;
    WindowSettings m_settings;
    ConfigOptions m_options{m_settings};
    ThemeSetting m_themeSetting;
    Theme m_theme;
    WindowActions* m_actions;
    WindowExports* m_exports;
    /// The file that a size was written into last, or the config in hand; empty where nothing can be taken
    /// back.
    QString m_written;
    WindowDesktop* m_desktop;
    EarlierRuns* m_earlierRuns;
    WindowTraining* m_training;
    NetworkPicker* m_networks;
    RecentFiles* m_recent;
    ExplorationView* m_view;
    QTimer m_drawTimer;
    QTimer m_offerTimer;
    QTimer m_watchTimer;
};

} // namespace batchpeak::ui
