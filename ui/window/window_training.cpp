// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "window_training.h"

#include "actions/window_actions.h"
#include "files/trusted_code.h"
#include "options/option_table.h"
#include "training/confirmation_run.h"
#include "training_window/confirmation_dialog.h"
#include "training_window/training_window.h"
#include "widgets/buttons.h"
#include "widgets/questions.h"

#include <QAction>
#include <QWidget>

namespace batchpeak::ui {

using Holder = engine::DeviceLease::Holder;

WindowTraining::WindowTraining(WindowActions* actions, const engine::ExplorationParts& parts, QWidget* window)
    : QObject(window),
      m_actions(actions),
      m_lease(parts.lease),
      m_window(window),
      m_confirmation(new training::ConfirmationRun(parts, this))
{
    connect(actions->train, &QAction::triggered, this, &WindowTraining::openTraining);
    connect(actions->confirm, &QAction::triggered, this, &WindowTraining::confirm);
    connect(m_confirmation, &training::ConfirmationRun::snapshotChanged, this,
            [this](const training::ConfirmationSnapshot& snapshot) {
                if (m_dialog)
                    m_dialog->display(snapshot);
            });
    connect(m_confirmation, &training::ConfirmationRun::finished, this, [this] {
        if (m_dialog)
            m_dialog->display(m_confirmation->snapshot());
    });
}

WindowTraining::~WindowTraining()
{
    m_confirmation->disconnect(this);
}

void WindowTraining::setTheme(const Theme& theme)
{
    m_theme = theme;
    if (m_training)
        m_training->setTheme(theme);
    if (m_dialog)
        m_dialog->setTheme(theme);
}

bool WindowTraining::hasBatch() const
{
    return m_config && m_config->contents().train;
}

void WindowTraining::setConfig(const engine::ConfigFile& config, const engine::ExplorationOptions& options)
{
    m_config = config;
    m_options = options;
    if (m_training && hasBatch())
        m_training->setConfig(*m_config, m_options);
    compareOptions();
    enableActions();
}

void WindowTraining::setExplored(const engine::ConfigFile& config, const engine::ExplorationOptions& options)
{
    m_exploredConfig = config;
    m_exploredOptions = options;
    compareOptions();
}

void WindowTraining::compareOptions()
{
    m_isExploredAsAsked = engine::wordsFor(m_options) == engine::wordsFor(m_exploredOptions);
}

void WindowTraining::follow(const engine::Snapshot& exploration, Page page)
{
    m_page = page;
    m_recommended = m_isExploredAsAsked ? exploration.trainingSize() : 0;
    m_sizes = exploration.predictedSizes;
    m_exploredDevice = exploration.devices.empty() ? engine::DeviceIdentity()
                                                   : engine::identityOf(exploration.devices.front());
    enableActions();
    updateWindows();
}

void WindowTraining::enableActions()
{
    const bool isPython = !m_options.python.isEmpty();
    m_actions->train->setEnabled(hasBatch() && !isPython && m_page != Page::Unmeasurable);
    explain(m_actions->train, m_config && !hasBatch() ? tr("This config has no batch to train with")
                              : isPython
                                  ? tr("Your Python measures and confirms sizes; train with your own trainer")
                                  : tr("Take real optimizer steps with this config"));
    const QString taken = m_lease->obstacleFor(Holder::Exploration);
    const bool isExploring = m_lease->holder() == Holder::Exploration;
    m_actions->confirm->setEnabled(!m_sizes.empty() && taken.isEmpty() && m_page != Page::Earlier);
    explain(m_actions->confirm,
            !taken.isEmpty() ? taken
            : isExploring    ? tr("Possible when the exploration has ended")
            : m_sizes.empty()
                ? tr("Possible after an exploration that recommends a size, for a config with a "
                     "batch")
                : tr("Take whole optimizer steps at the recommended size and its runner-up"));
}

void WindowTraining::updateWindows()
{
    if (m_training) {
        m_training->setObstacle(m_lease->obstacleFor(Holder::Training));
        if (!m_training->isUnderWay())
            m_training->setRecommended(m_recommended);
    }
    if (m_dialog) {
        const QString unknown =
            m_sizes.empty() ? tr("There is no recommendation to confirm any more.") : QString();
        const QString taken = m_lease->obstacleFor(Holder::Confirmation);
        m_dialog->setObstacle(taken.isEmpty() ? unknown : taken);
    }
}

void WindowTraining::openTraining()
{
    if (!m_training) {
        m_training = new TrainingWindow(m_lease, m_window);
        m_training->setTheme(m_theme);
        m_training->setConfig(*m_config, m_options);
        connect(m_training, &TrainingWindow::closed, this, [this] {
            m_training.clear();
            emit closed();
        });
    }
    updateWindows();
    m_training->show();
    m_training->raise();
    m_training->activateWindow();
}

void WindowTraining::confirm()
{
    if (!m_dialog) {
        m_dialog = new ConfirmationDialog(m_theme, m_window);
        connect(m_dialog, &ConfirmationDialog::stopRequested, m_confirmation,
                &training::ConfirmationRun::stop);
        connect(m_dialog, &ConfirmationDialog::againRequested, this, [this] { startConfirmation(); });
        connect(m_dialog, &ConfirmationDialog::closed, m_confirmation, &training::ConfirmationRun::stop);
    }
    m_dialog->show();
    m_dialog->raise();
    startConfirmation();
}

void WindowTraining::startConfirmation(bool trustsCode)
{
    if (m_sizes.empty())
        return;
    try {
        training::TrainingOptions options = training::trainingOptions(m_exploredOptions);
        options.run.trustsCode = trustsCode;
        m_confirmation->start(m_exploredConfig->path(), m_exploredConfig->contentsFor(m_exploredOptions),
                              options, m_sizes, training::defaultConfirmationSteps, m_exploredDevice);
    } catch (const engine::UntrustedCode& code) {
        return askOfCode(code.path());
    } catch (const std::exception& error) {
        m_dialog->showError(QString::fromUtf8(error.what()));
    }
    m_dialog->display(m_confirmation->snapshot());
}

void WindowTraining::askOfCode(const QString& path)
{
    try {
        if (mayRunCode(m_dialog, path, m_theme))
            return startConfirmation(/*trustsCode=*/true);
        m_dialog->showError(
            tr("You did not allow the code that the config names to run, so nothing was confirmed."));
    } catch (const engine::ExplorationError& error) {
        m_dialog->showError(error.sentence());
    }
    m_dialog->display(m_confirmation->snapshot());
}

QString WindowTraining::closingText() const
{
    return m_training && m_training->isUnderWay() ? m_training->closingText() : QString();
}

void WindowTraining::stopTraining()
{
    if (m_training)
        m_training->stopAndClose();
}

void WindowTraining::close()
{
    // Hidden, not closed: it may have a question open further up the stack, and is deleted together with its
    // parent window.
    if (m_training)
        m_training->hide();
    if (m_dialog)
        m_dialog->close();
}

} // namespace batchpeak::ui
