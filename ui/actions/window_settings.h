// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme/theme.h"

#include <QStringList>
#include <QVariantMap>

#include <set>

class QSplitter;
class QWidget;

namespace batchpeak::ui {

/// What the window remembers from one day to the next: where it stood, the splitters that the user has
/// moved (and only those, so that better defaults reach everybody else), theme, files and folder.
class WindowSettings
{
public:
    /// \param window  under whose name it is remembered: each kind of window has its own geometry, splitters,
    ///                columns and options
    explicit WindowSettings(const QString& window = QStringLiteral("ui")) : m_name(window) {}

    /// Restores the geometry, and the splitters that were moved before; watches for those moved now.
    void attach(QWidget* window, const QList<QSplitter*>& splitters);
    void save() const;
    /// Forgets the splitters, the column widths and the order of the table.
    void resetLayout();

    ThemeSetting theme() const;
    void setTheme(ThemeSetting setting);
    bool isLogarithmic() const;
    void setLogarithmic(bool logarithmic);
    /// The widths that a person gave to columns of the table of trials, by the columns' names.
    QVariantMap columnWidths() const;
    void setColumnWidths(const QVariantMap& widths);
    /// The column that sorts that table, and its direction; empty before one was chosen.
    QString trialsOrder() const;
    void setTrialsOrder(const QString& order);
    QStringList recentFiles() const;
    void setRecentFiles(const QStringList& files);
    /// File or id of the network that was chosen for a config, by the config's absolute path; empty for none.
    QString networkOf(const QString& config) const;
    /// \param network  empty for the config's own
    void setNetworkOf(const QString& config, const QString& network);
    /// What was asked for a config otherwise than usual, as words of the command line.
    QStringList optionsOf(const QString& config) const;
    void setOptionsOf(const QString& config, const QStringList& words);
    QString lastFolder() const;
    void setLastFolder(const QString& folder);

private:
    QString keyOf(const QString& subject) const { return m_name + QLatin1Char('/') + subject; }

    QString m_name;
    QWidget* m_window = nullptr;
    QList<QSplitter*> m_splitters;
    std::set<QString> m_moved;
};

} // namespace batchpeak::ui
