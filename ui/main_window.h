// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "earlier_runs.h"
#include "engine/config_file.h"
#include "engine/device_lease.h"
#include "engine/phase_sequence.h"
#include "engine/snapshot.h"
#include "store/exploration_records.h"
#include "theme/theme.h"
#include "window_settings.h"

#include <QHash>
#include <QMainWindow>
#include <QString>
#include <QTimer>

#include <memory>
#include <optional>

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
    /// For the configs opened from now on, over what is remembered of each.
    void setOptions(const engine::ExplorationOptions& options);
    /// Reads a config and makes it the next to be explored; what is wrong with it is said in the window.
    /// \param network  file or id of the one to run; empty for the config's own, or the one chosen for it
    ///                 before
    /// \return whether it can be explored
    bool openConfig(const QString& path, const QString& network = {});
    /// Starts, or starts again what has ended, with the config as it now stands on disk.
    void startExploring();
    /// Closes the window without a question: what is under way ends first, with what is known.
    void stopAndClose();

protected:
    bool event(QEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void connectActions();
    void connectExports();
    void connectExploration();
    void connectEarlierRuns();
    void showUnmeasurable(const QString& path, const QString& why);
    void showWhatIsInHand();
    /// Why the sizes that are shown had better not be written yet, as sentences; else empty.
    QString doubt() const;
    QString doubt(std::optional<std::int64_t> selected) const;
    /// \param selected  of the table, to be written in the place of the recommended one
    void exportSizes(std::optional<std::int64_t> selected);
    std::optional<std::int64_t> selectedToWrite() const;
    /// A file has another size now, which may be that of the config in hand.
    void showWritten(const QString& sentence, const QString& path);
    void takeExportBack();
    void exploreNextPhase();
    void writeSize();
    /// The exploration in hand, or the earlier one that is looked at; nothing where none is possible.
    const engine::Snapshot& shown() const;
    void lookBack(const EarlierRun& run);
    void endLookingBack();
    /// \return whether the window may close now; else it does so later, or not at all
    bool mayClose();
    void applyTheme();
    void draw();
    void chooseConfig();
    void chooseNetwork();
    void rememberOpened(const QString& path);
    QString configInHand() const;
    void connectPlan();
    void connectSteering();
    void takeOptions(const engine::ExplorationOptions& options);
    engine::ExplorationOptions optionsFor(const engine::ConfigFile& file) const;
    void showPlan();
    void pauseOrResume();
    void goOn();
    void offerToResume();
    void resumeCut();
    void startInHand();
    /// Loads the exploration once more where a person lets the config's code run, as it is now.
    /// \return whether it may start
    bool letsCodeRun();
    void showError(const QString& sentence);
    /// Why no other config can be opened and nothing explored now, as a sentence; else empty.
    QString obstacle() const;
    bool isUnderWay() const;

    /// Of all that this window runs.
    std::shared_ptr<engine::DeviceLease> m_lease;
    PlanSearch* m_planSearch;
    engine::Exploration* m_exploration;
    /// Of the command line.
    engine::ExplorationOptions m_given;
    /// Of the config in hand, and of those opened before it.
    engine::ExplorationOptions m_options;
    /// A person has let the code of the config in hand run, since it was opened last.
    bool m_trustsCode = false;
    engine::PhaseSequence m_phases;
    QHash<QString, engine::ExplorationOptions> m_asked;
    std::optional<engine::ConfigFile> m_config;
    /// Of that config, where it was cut off and can go on.
    std::optional<store::StoredExploration> m_cut;
    /// Nothing while the exploration in hand is shown.
    std::optional<EarlierRun> m_earlierRun;
    bool m_closesUnasked = false;
    bool m_closesAtEnd = false;
    /// The config that was opened last, where nothing can be tried with it, and why.
    std::optional<engine::ConfigFile> m_unmeasurable;
    QString m_whyUnmeasurable;
    WindowSettings m_settings;
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
};

} // namespace batchpeak::ui
