// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme/theme.h"

#include <QDialog>
#include <QList>

class QAction;

namespace batchpeak::ui {

/// How the window is used, on one page: the way from a config to a size, and every key.
class HelpDialog : public QDialog
{
    Q_OBJECT

public:
    /// \param actions  those with a shortcut are listed, by their own words
    HelpDialog(const QList<QAction*>& actions, const Theme& theme, QWidget* parent = nullptr);

    /// All that is said, in one text.
    QString text() const;
};

/// Which program this is, under which license, and of what it is made.
class AboutDialog : public QDialog
{
    Q_OBJECT

public:
    explicit AboutDialog(const Theme& theme, QWidget* parent = nullptr);

    QString text() const;
};

} // namespace batchpeak::ui
