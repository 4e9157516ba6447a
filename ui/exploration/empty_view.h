// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme/theme.h"

#include <QWidget>

class QVBoxLayout;

namespace batchpeak::ui {

class Card;

/// The page that is shown before a config is opened: an invitation to drop one, the recently opened files,
/// and the examples that come with the program.
class EmptyView : public QWidget
{
    Q_OBJECT

public:
    explicit EmptyView(QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    /// Shows whether a file is being dragged over the window.
    void setInviting(bool inviting);
    /// Sets the files that can still be opened, newest first.
    void setRecentFiles(const QStringList& files);

signals:
    void openRequested();
    /// The user chose a file from a list.
    void chosen(const QString& path);

private:
    class DropZone;

    Card* addList(QVBoxLayout* layout, const QString& title);
    void fill(Card* card, const QStringList& files, bool namesFolders);

    DropZone* m_zone;
    Card* m_recent;
    Card* m_examples;
};

/// Returns the configs that come with the program, whether it runs installed or from its build tree; empty if
/// they are missing.
QStringList exampleConfigs(const QString& programFolder);

} // namespace batchpeak::ui
