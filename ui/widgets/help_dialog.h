// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme/theme.h"

#include <QDialog>
#include <QList>

class QAction;

namespace batchpeak::ui {

/// Explains on one page how the window is used: the way from a config to a size, and every shortcut.
class HelpDialog : public QDialog
{
    Q_OBJECT

public:
    /// \param actions  those with a shortcut are listed, with their own texts
    HelpDialog(const QList<QAction*>& actions, const Theme& theme, QWidget* parent = nullptr);

    /// Returns the whole text of the dialog.
    QString text() const;
};

/// States the name of the program, its license, and its components.
class AboutDialog : public QDialog
{
    Q_OBJECT

public:
    explicit AboutDialog(const Theme& theme, QWidget* parent = nullptr);

    QString text() const;
};

} // namespace batchpeak::ui
