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

/// Whole training steps at the recommended size and its runner-up, live, beside what was predicted: it draws
/// a ConfirmationSnapshot and decides nothing. It blocks nothing.
class ConfirmationDialog : public QDialog
{
    Q_OBJECT

public:
    ConfirmationDialog(const Theme& theme, QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    void display(const training::ConfirmationSnapshot& snapshot);
    /// That it could not even be started, as a sentence.
    void showError(const QString& sentence);
    /// \param obstacle  why it cannot be started again now, as a sentence; else empty
    void setObstacle(const QString& obstacle);
    /// All that the dialog says, in one text.
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
    /// Grows where a sentence needs more lines; a layout does not when they wrap.
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
