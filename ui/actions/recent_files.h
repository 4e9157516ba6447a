// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMenu>
#include <QStringList>

namespace batchpeak::ui {

/// The menu of the files opened before, newest first. Files that are gone are left out when it opens.
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
