// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "recent_files.h"

#include "text/escaped_text.h"

#include <QAction>
#include <QDir>
#include <QFileInfo>

namespace batchpeak::ui {

namespace {

constexpr qsizetype maxFiles = 8;

} // namespace

RecentFiles::RecentFiles(QWidget* parent) : QMenu(tr("&Recent"), parent)
{
    connect(this, &QMenu::aboutToShow, this, &RecentFiles::fill);
    fill();
}

void RecentFiles::setFiles(const QStringList& files)
{
    m_files = files.mid(0, maxFiles);
    fill();
}

void RecentFiles::add(const QString& path)
{
    const QString absolute = QFileInfo(path).absoluteFilePath();
    m_files.removeAll(absolute);
    m_files.prepend(absolute);
    m_files = m_files.mid(0, maxFiles);
    fill();
}

void RecentFiles::fill()
{
    m_files.removeIf([](const QString& path) { return !QFileInfo::exists(path); });
    clear();
    for (const QString& path : m_files) {
        // An ampersand in a name must not become a mnemonic.
        QString name = engine::escapeControls(QDir::toNativeSeparators(path));
        name.replace(QLatin1Char('&'), QLatin1String("&&"));
        QAction* action = addAction(name);
        connect(action, &QAction::triggered, this, [this, path] { emit chosen(path); });
    }
    if (m_files.isEmpty())
        addAction(tr("No file opened yet"))->setEnabled(false);
}

} // namespace batchpeak::ui
