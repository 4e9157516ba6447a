// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme/theme.h"

#include <QDialog>
#include <QString>

class QLabel;
class QLineEdit;
class QPushButton;

namespace batchpeak::ui {

/// Asks which exploration to follow: the file of its events, the number of a job, or one of them behind ssh.
class WatchDialog : public QDialog
{
    Q_OBJECT

public:
    WatchDialog(const Theme& theme, QWidget* parent = nullptr);

    QString what() const;

private:
    void check();
    void browse();

    Theme m_theme;
    QLineEdit* m_field;
    QLabel* m_finding;
    QPushButton* m_watch;
};

} // namespace batchpeak::ui
