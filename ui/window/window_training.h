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

/// What takes whole training steps beside an exploration: the training window and the confirmation of a
/// recommendation. Which of them may use the device is told by the lease.
class WindowTraining : public QObject
{
    Q_OBJECT

public:
    /// \param actions  whose training and confirmation it does, and enables
    /// \param parts    with the lease that the exploration takes too
    /// \param window   that its windows belong to
    WindowTraining(WindowActions* actions, const engine::ExplorationParts& parts, QWidget* window);
    ~WindowTraining() override;

    void setTheme(const Theme& theme);
    /// What is trained from now on, and where.
    void setConfig(const engine::ConfigFile& config, const engine::ExplorationOptions& options);
    /// What the exploration is of that is followed from now on, and so of what a recommendation is confirmed.
    void setExplored(const engine::ConfigFile& config, const engine::ExplorationOptions& options);
    /// What the window shows: an earlier run has nothing to confirm, and with a file that cannot be measured
    /// nothing is trained.
    enum class Page { Present, Earlier, Unmeasurable };
    /// Enables what the exploration and the config allow, and says what stands in the way of the rest.
    void follow(const engine::Snapshot& exploration, Page page);
    /// What ending the training that is under way means, as sentences; empty where none is.
    QString closingText() const;
    /// Ends a training that is under way as Stop does; closed() follows.
    void stopTraining();
    /// Ends what is under way at once, and closes both windows.
    void close();

signals:
    /// The training window.
    void closed();

private:
    void openTraining();
    void confirm();
    /// \param trustsCode  a person has said so of what the config names
    void startConfirmation(bool trustsCode = false);
    /// Starts where the answer is yes.
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
    /// The exploration was asked for as training is now, so that its size is one for that.
    bool m_isExploredAsAsked = false;
    /// The size that the finished exploration recommends; 0 without one.
    std::int64_t m_recommended = 0;
    /// What a confirmation compares; empty without such a recommendation, or without a batch.
    std::vector<engine::PredictedSize> m_sizes;
    /// What the trials of those ran on.
    engine::DeviceIdentity m_exploredDevice;
    QPointer<TrainingWindow> m_training;
    training::ConfirmationRun* m_confirmation;
    ConfirmationDialog* m_dialog = nullptr;
};

} // namespace batchpeak::ui
