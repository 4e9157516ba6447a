// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "actions/window_settings.h"
#include "files/config_file.h"
#include "options/exploration_options.h"
#include "theme/theme.h"
#include "workers/device_lease.h"

#include <QTimer>
#include <QWidget>

#include <cstdint>
#include <memory>
#include <optional>

namespace batchpeak::training {
class TrainingRun;
}

namespace batchpeak::ui {

class TrainingActions;
class TrainingView;

/// A window for training runs of one config: it connects a run, the view that draws it, and the user's
/// requests. It decides nothing about a run and draws nothing itself.
///
/// Closing the window ends its run, after a question: with a checkpoint of what was learned if the run keeps
/// one. The geometry and the options of each config are remembered.
class TrainingWindow : public QWidget
{
    Q_OBJECT

public:
    /// \param lease  device lease that its runs acquire
    explicit TrainingWindow(const std::shared_ptr<engine::DeviceLease>& lease, QWidget* parent = nullptr);
    ~TrainingWindow() override;

    void setTheme(const Theme& theme);
    /// Sets the config to train from the next start on. The user's options are kept if the config is the
    /// same.
    /// \param base  options of the exploration: device, memory, worker and what else a training follows
    void setConfig(const engine::ConfigFile& config, const engine::ExplorationOptions& base);
    /// \param size  size that an exploration of the config recommends; 0 if there is none
    void setRecommended(std::int64_t size);
    /// \param sentence  says why no run can start now; empty if one can
    void setObstacle(const QString& sentence);

    bool isUnderWay() const;
    /// Returns sentences on what ending the run now means.
    QString closingText() const;
    /// Ends the run as Stop does, and then closes without a question; closes immediately if nothing is under
    /// way. A second call, or a call after Stop, waits for the same end.
    void stopAndClose();
    const training::TrainingRun& run() const { return *m_run; }

signals:
    /// The window is no longer needed, and deletes itself.
    void closed();

protected:
    void closeEvent(QCloseEvent* event) override;

private:
    /// \param trustsCode  whether the user has allowed the code that the config names to run
    void start(bool trustsCode = false);
    /// Asks whether code may run, and starts if the answer is yes.
    void askOfCode(const QString& path);
    void stop();
    void draw();
    /// Stores the options of the present config.
    void remember();
    void addRun();
    /// Returns a full sentence that says why nothing can be started now; empty if something can.
    QString obstacle() const;
    void showError(const QString& sentence);

    training::TrainingRun* m_run;
    TrainingActions* m_actions;
    TrainingView* m_view;
    std::optional<engine::ConfigFile> m_config;
    /// Sentence that says that something else uses the device.
    QString m_obstacle;
    /// Checkpoint folder of the run; empty if it keeps none.
    QString m_checkpointFolder;
    /// Whether the run was asked to end.
    bool m_isStopping = false;
    /// Whether the window closes when the run has ended.
    bool m_closesAtEnd = false;
    Theme m_theme = Theme::light();
    WindowSettings m_settings{QStringLiteral("training")};
    QTimer m_drawTimer;
};

} // namespace batchpeak::ui
