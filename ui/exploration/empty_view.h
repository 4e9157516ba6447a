// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme/theme.h"

#include <QWidget>

class QVBoxLayout;

namespace batchpeak::ui {

class Card;

/// What stands in the window before a config is opened: an invitation to drop one, the files opened before,
/// and the examples that come with the program.
class EmptyView : public QWidget
{
    Q_OBJECT

public:
    explicit EmptyView(QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    /// A file hangs over the window.
    void setInviting(bool inviting);
    /// Those that can still be opened, the newest first.
    void setRecentFiles(const QStringList& files);

signals:
    void openRequested();
    /// Of a file that is listed.
    void chosen(const QString& path);

private:
    class DropZone;

    Card* addList(QVBoxLayout* layout, const QString& title);
    void fill(Card* card, const QStringList& files, bool namesFolders);

    DropZone* m_zone;
    Card* m_recent;
    Card* m_examples;
};

/// The configs that come with the program, wherever it is installed or built; empty where they are missing.
QStringList exampleConfigs(const QString& programFolder);

} // namespace batchpeak::ui
