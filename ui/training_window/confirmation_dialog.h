// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme/theme.h"
#include "training/confirmation_snapshot.h"

#include <QDialog>

class QLabel;
class QProgressBar;
class QPushButton;
class QVBoxLayout;

namespace batchpeak::ui {

class ConfirmationModel;
class MessageBanner;

/// Shows live the whole training steps at the recommended size and its runner-up, beside what was predicted.
/// It draws a ConfirmationSnapshot and decides nothing. It is not modal.
class ConfirmationDialog : public QDialog
{
    Q_OBJECT

public:
    ConfirmationDialog(const Theme& theme, QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    void display(const training::ConfirmationSnapshot& snapshot);
    /// Shows a sentence that says why the confirmation could not even be started.
    void showError(const QString& sentence);
    /// \param obstacle  sentence that says why it cannot be started again now; empty if it can
    void setObstacle(const QString& obstacle);
    /// Returns the whole text of the dialog.
    QString summary() const;

signals:
    void stopRequested();
    void againRequested();
    void closed();

protected:
    void hideEvent(QHideEvent* event) override;

private:
    void addTable(QVBoxLayout* layout);
    void addProgress(QVBoxLayout* layout);
    void addButtons(QVBoxLayout* layout);
    /// Grows if a sentence needs more lines; a layout does not do that when lines wrap.
    void makeRoom();

    ConfirmationModel* m_model;
    MessageBanner* m_banner;
    QLabel* m_introduction;
    QProgressBar* m_progress = nullptr;
    QLabel* m_steps = nullptr;
    QLabel* m_verdict;
    QLabel* m_remarks;
    QPushButton* m_stop = nullptr;
    QPushButton* m_again = nullptr;
    bool m_isRunning = false;
    QString m_obstacle;
};

} // namespace batchpeak::ui
