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

/// A window for training runs of one config: it joins a run, the view that draws it, and what a person asks
/// for. It decides nothing about a run and draws nothing itself.
///
/// To close it is to end its run, after a question: with a checkpoint of what was learned where the run keeps
/// some. Where it stood, and what was asked for each config, is remembered.
class TrainingWindow : public QWidget
{
    Q_OBJECT

public:
    /// \param lease  that its runs take
    explicit TrainingWindow(const std::shared_ptr<engine::DeviceLease>& lease, QWidget* parent = nullptr);
    ~TrainingWindow() override;

    void setTheme(const Theme& theme);
    /// The config to train from the next start on. What was chosen stays where it is the same config.
    /// \param base  of the exploration beside: device, memory, worker and what else a training follows
    void setConfig(const engine::ConfigFile& config, const engine::ExplorationOptions& base);
    /// \param size  that an exploration of the config recommends; 0 without one
    void setRecommended(std::int64_t size);
    /// \param sentence  why no run can start now; empty where one can
    void setObstacle(const QString& sentence);

    bool isUnderWay() const;
    /// What ending the run now means, as sentences.
    QString closingText() const;
    /// Ends the run as Stop does, and closes then, without a question; at once where nothing is under way.
    /// Once more, or after Stop, it waits for the same end.
    void stopAndClose();
    const training::TrainingRun& run() const { return *m_run; }

signals:
    /// The window is of no further use, and deletes itself.
    void closed();

protected:
    void closeEvent(QCloseEvent* event) override;

private:
    /// \param trustsCode  a person has said so of what the config names
    void start(bool trustsCode = false);
    /// Starts where the answer is yes.
    void askOfCode(const QString& path);
    void stop();
    void draw();
    /// Keeps what is asked for of the present config.
    void remember();
    void addRun();
    /// Why nothing can be started now, as a full sentence; empty where it can.
    QString obstacle() const;
    void showError(const QString& sentence);

    training::TrainingRun* m_run;
    TrainingActions* m_actions;
    TrainingView* m_view;
    std::optional<engine::ConfigFile> m_config;
    /// Something else uses the device.
    QString m_obstacle;
    /// Of the run; empty where it keeps none.
    QString m_checkpointFolder;
    /// The run was asked to end.
    bool m_isStopping = false;
    /// It closes when the run has ended.
    bool m_closesAtEnd = false;
    Theme m_theme = Theme::light();
    WindowSettings m_settings{QStringLiteral("training")};
    QTimer m_drawTimer;
};

} // namespace batchpeak::ui
