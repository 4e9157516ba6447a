// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "files/config_file.h"
#include "options/exploration_options.h"
#include "snapshot/snapshot.h"
#include "theme/theme.h"
#include "workers/device_identity.h"
#include "workers/device_lease.h"
#include "workers/exploration_parts.h"

#include <QObject>
#include <QPointer>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

class QWidget;

namespace batchpeak::training {
class ConfirmationRun;
}

namespace batchpeak::ui {

class ConfirmationDialog;
class TrainingWindow;
class WindowActions;

/// What runs whole training steps beside an exploration: the training window and the confirmation of a
/// recommendation. The lease determines which of them may use the device.
class WindowTraining : public QObject
{
    Q_OBJECT

public:
    /// \param actions  the training and confirmation actions of this are handled and enabled here
    /// \param parts    include the lease that the exploration also takes
    /// \param window   parent of its windows
    WindowTraining(WindowActions* actions, const engine::ExplorationParts& parts, QWidget* window);
    ~WindowTraining() override;

    void setTheme(const Theme& theme);
    /// Sets the config and options to train with from now on.
    void setConfig(const engine::ConfigFile& config, const engine::ExplorationOptions& options);
    /// Sets the config and options of the exploration that follow() gets from now on, whose recommendation
    /// can be confirmed.
    void setExplored(const engine::ConfigFile& config, const engine::ExplorationOptions& options);
    /// What the window shows: for an earlier run there is nothing to confirm, and with a file that cannot be
    /// measured there is no training.
    enum class Page { Present, Earlier, Unmeasurable };
    /// Enables what the exploration and the config allow, and says what prevents the rest.
    void follow(const engine::Snapshot& exploration, Page page);
    /// Returns sentences on what ending the training that is under way means; empty if none is.
    QString closingText() const;
    /// Ends a training that is under way as Stop does; closed() follows.
    void stopTraining();
    /// Ends what is under way immediately, and closes both windows.
    void close();

signals:
    /// The training window has closed.
    void closed();

private:
    void openTraining();
    void confirm();
    /// \param trustsCode  whether the user has allowed the code that the config names to run
    void startConfirmation(bool trustsCode = false);
    /// Asks whether code may run, and starts if the answer is yes.
    void askOfCode(const QString& path);
    void compareOptions();
    void enableActions();
    void updateWindows();
    bool hasBatch() const;

    WindowActions* m_actions;
    std::shared_ptr<engine::DeviceLease> m_lease;
    QWidget* m_window;
    Theme m_theme;
    std::optional<engine::ConfigFile> m_config;
    engine::ExplorationOptions m_options;
    std::optional<engine::ConfigFile> m_exploredConfig;
    engine::ExplorationOptions m_exploredOptions;
    Page m_page = Page::Present;
    /// Whether the exploration has the same options as the training, so that its size applies to that.
    bool m_isExploredAsAsked = false;
    /// The size that the finished exploration recommends; 0 if there is none.
    std::int64_t m_recommended = 0;
    /// The sizes that a confirmation compares; empty without such a recommendation, or without a batch.
    std::vector<engine::PredictedSize> m_sizes;
    /// The device of the trials of those sizes.
    engine::DeviceIdentity m_exploredDevice;
    QPointer<TrainingWindow> m_training;
    training::ConfirmationRun* m_confirmation;
    ConfirmationDialog* m_dialog = nullptr;
};

} // namespace batchpeak::ui
