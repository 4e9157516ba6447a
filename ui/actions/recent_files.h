// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMenu>
#include <QStringList>

namespace batchpeak::ui {

/// Menu of the recently opened files, newest first. Files that no longer exist are omitted when it opens.
class RecentFiles : public QMenu
{
    Q_OBJECT

public:
    explicit RecentFiles(QWidget* parent = nullptr);

    void setFiles(const QStringList& files);
    const QStringList& files() const { return m_files; }
    void add(const QString& path);

signals:
    void chosen(const QString& path);

private:
    void fill();

    QStringList m_files;
};

} // namespace batchpeak::ui
