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
class WatchedExploration;
} // namespace batchpeak::engine

namespace batchpeak::ui {

class ExplorationView;
class NetworkDownload;
class NetworkPicker;
class PlacesModel;
class PlanSearch;
class RecentFiles;
class WindowActions;
class WindowDesktop;
class WindowExports;
class WindowTraining;

/// The window of batchpeak: it connects an exploration, the view that draws it, and the user's requests.
///
/// It decides nothing about an exploration and draws nothing itself. The view is redrawn at most thirty times
/// a second, however often the exploration changes.
class MainWindow : public QMainWindow
{
    Q_OBJECT

public:
    explicit MainWindow(QWidget* parent = nullptr);
    ~MainWindow() override;

    /// Returns the only exploration of the window, for observers that record or watch it.
    engine::Exploration& exploration() const { return *m_exploration; }
    /// Sets where explorations are stored, to be viewed again.
    /// \param path  path of the store
    void setHistory(const QString& path);
    /// Sets the options of a command line as ConfigOptions::setGiven() does, for the configs opened from now
    /// on.
    void setOptions(const engine::ExplorationOptions& options, const QStringList& names = {})
    {
        m_options.setGiven(options, names);
    }
    /// Reads a config and makes it the next one to be explored; problems are reported in the window.
    /// \param network  file or id of the network to run; empty for the config's own, or the one chosen for it
    ///                 before
    /// \return whether it can be explored
    bool openConfig(const QString& path, const QString& network = {});
    /// Follows an exploration that runs elsewhere; problems are reported in the window.
    /// \param what  path of its events, number of a job, or one of them behind "ssh:HOST:"
    void follow(const QString& what);
    /// Fetches the description of the network that the config in hand names, if it is not on this computer.
    /// \param isAllowed  whether the user has consented already; if not, the window asks
    void downloadNetwork(bool isAllowed = false);
    /// Starts, or restarts what has ended, with the config as it is on disk now.
    void startExploring();
    /// Reports a sentence on the state of the history while the exploration is being stored in it.
    void tellOfHistory(const QString& sentence);
    /// Closes the window without a question: what is under way ends first, with what is known.
    void stopAndClose();

protected:
    bool event(QEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    /// A config and its options.
    struct Asked
    {
        engine::ConfigFile file;
        engine::ExplorationOptions options;
        engine::PhaseSequence phases;
        /// Whether the user has allowed the code of the config to run since it was opened last.
        bool trustsCode = false;
    };
    struct Nothing
    {};
    /// An exploration of the engine that has been started.
    struct Running
    {
        Asked asked;
    };
    /// The plan, before the start.
    struct Ready
    {
        Asked asked;
        /// An ended exploration of the same config that the engine still has: it can be continued and
        /// confirmed.
        std::optional<Running> ended;
        /// An exploration of the history that was interrupted and can be continued.
        std::optional<store::StoredExploration> cut;
        /// Number of the exploration whose offer the user has closed; 0 if there is none.
        qint64 declined = 0;
        /// Whether the user has requested the start while the Python interpreter was still being queried.
        bool startsOnceKnown = false;
        /// The snapshot of an exploration that has not begun.
        engine::Snapshot snapshot;
    };
    /// A file with which no trial is possible.
    struct Unmeasurable
    {
        UnmeasurableFile file;
        /// Ready::ended of the same file from before it became unmeasurable.
        std::optional<Running> ended;
    };
    /// Another run is viewed: one of the same config, or any that is followed. What was current before is
    /// kept.
    struct Earlier
    {
        EarlierRun run;
        std::variant<Nothing, Unmeasurable, Ready, Running> before;
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
    /// Returns sentences that say why the sizes that are shown should not be written yet; empty if there is
    /// no reason.
    QString doubt() const;
    QString doubt(std::optional<std::int64_t> selected) const;
    /// \param selected  size selected in the table, to be written in place of the recommended one
    void exportSizes(std::optional<std::int64_t> selected);
    std::optional<std::int64_t> selectedToWrite() const;
    /// Reports that a file has another size now; the file may be that of the current config.
    void showWritten(const QString& sentence, const QString& path);
    void readWritten();
    bool readIfChanged();
    void setWritten(const QString& path);
    void takeExportBack();
    void exploreNextPhase();
    void writeSize();
    bool isPlanShown() const;
    /// Returns the current file if no trial is possible with it, else null.
    const UnmeasurableFile* unmeasurable() const;
    /// Returns the network of a hub that the file in hand names, and that is not on this computer.
    std::optional<config::NetworkName> missingNetwork() const;
    /// Returns a sentence that says why nothing can be started; empty if something can.
    QString startObstacle() const;
    // The current plan or run, also while an earlier run is viewed; null if the current one is of another
    // kind.
    const Ready* planInHand() const;
    Ready* planInHand();
    const Running* runInHand() const;
    /// Returns the engine's exploration if it is of the current config, else null.
    const Running* engineRun() const;
    Running* engineRun();
    const Asked* asked() const;
    /// Returns the snapshot of the engine's exploration if it is of the current config, else an empty one.
    const engine::Snapshot& own() const;
    /// Returns the snapshot of the current plan or exploration; an empty one if none is possible.
    const engine::Snapshot& present() const;
    /// Returns the same, or the snapshot of the earlier run that is viewed.
    const engine::Snapshot& shown() const;
    void showEarlierRun(const EarlierRun& run);
    /// Shows what was current before.
    void endLookingBack();
    void backToPresent();
    void watchOthers();
    void open(const QString& path);
    void chooseWatched();
    bool isFollowing() const;
    void takeFollowed();
    void endFollowing(const QString& problem);
    void exportFollowed(const std::vector<config::ChosenSize>& sizes, const QString& doubt,
                        const QString& found);
    void lookAtHistory();
    /// Returns the devices of the current plan, once they are known.
    QStringList chosenDevices() const;
    /// Returns a sentence about an exploration that a run on these devices would disturb; empty if there is
    /// none.
    /// \param devices  if empty, those of the options
    QString disturbedText(const Asked& asked, const QStringList& devices) const;
    bool mayStartBeside(const Asked& asked, const QStringList& devices);
    void tellOfSettings();
    /// Returns sentences on what is kept of the exploration under way if it ends now.
    QString whatIsKept() const;
    /// \return whether the window may close now; if not, it closes later or not at all
    bool mayClose();
    void applyTheme();
    void draw();
    void drawSoon();
    void chooseConfig();
    void chooseNetwork();
    void showPlaces();
    void connectDownloads();
    void takeDownload(const QString& path, const QString& problem);
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
    /// Makes that the current plan, and shows it.
    void showPlan(Ready ready);
    void handOver(const Asked& asked);
    void setAsked(Ready& ready, const engine::ConfigFile& file, const engine::ExplorationOptions& options);
    void pauseOrResume();
    void continueSearch();
    void offerToResume();
    void showOffer();
    void resumeCut();
    void resumeFailed(const Running& run);
    /// Starts the current plan.
    /// \param cut  the interrupted exploration to continue; if empty, everything begins anew
    void startInHand(const std::optional<store::StoredExploration>& cut = {});
    void load(const Asked& asked);
    /// Asks the user if the config, as it is now, names code.
    /// \return whether the code may run
    bool letsCodeRun(Asked& asked);
    void showError(const QString& sentence);
    /// Returns a sentence that says why no other config can be opened and nothing can be explored now; empty
    /// if it can.
    QString obstacle() const;
    bool isUnderWay() const;

    /// Lease for all that this window runs.
    std::shared_ptr<engine::DeviceLease> m_lease;
    PlanSearch* m_planSearch;
    engine::Exploration* m_exploration;
    std::variant<Nothing, Unmeasurable, Ready, Running, Earlier> m_inHand;
    bool m_closesUnasked = false;
    bool m_closesAtEnd = false;
    /// The last sentence passed to tellOfHistory() for the current exploration.
    QString m_historyMessage;
    /// The message shown when the plan could not start; empty if there is none.
    QString m_shownProblem;
    WindowSettings m_settings;
    ConfigOptions m_options{m_settings};
    ThemeSetting m_themeSetting;
    Theme m_theme;
    WindowActions* m_actions;
    WindowExports* m_exports;
    /// The file that a size was written into last, or the current config; empty if nothing can be restored.
    QString m_written;
    WindowDesktop* m_desktop;
    EarlierRuns* m_earlierRuns;
    /// The exploration whose events are followed, while it is viewed; null if there is none.
    std::unique_ptr<engine::WatchedExploration> m_followed;
    WindowTraining* m_training;
    NetworkPicker* m_networks;
    NetworkDownload* m_download;
    PlacesModel* m_places;
    RecentFiles* m_recent;
    ExplorationView* m_view;
    QTimer m_drawTimer;
    QTimer m_offerTimer;
    QTimer m_watchTimer;
};

} // namespace batchpeak::ui
