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

/// What the window remembers between launches: its geometry, theme, files and folder, and the splitters that
/// the user has moved. Only those splitters, so that better defaults reach all other users.
class WindowSettings
{
public:
    /// \param window  name under which the settings are stored: each kind of window has its own geometry,
    ///                splitters, columns and options
    explicit WindowSettings(const QString& window = QStringLiteral("ui")) : m_name(window) {}

    /// Restores the geometry and the previously moved splitters, and watches for splitters that are moved
    /// now.
    void attach(QWidget* window, const QList<QSplitter*>& splitters);
    void save() const;
    /// Forgets the splitters, the column widths and the order of the table.
    void resetLayout();

    ThemeSetting theme() const;
    void setTheme(ThemeSetting setting);
    bool isLogarithmic() const;
    void setLogarithmic(bool logarithmic);
    /// Returns the widths that the user gave to columns of the table of trials, by column name.
    QVariantMap columnWidths() const;
    void setColumnWidths(const QVariantMap& widths);
    /// Returns the column that sorts that table, and its direction; empty before the user has chosen one.
    QString trialsOrder() const;
    void setTrialsOrder(const QString& order);
    QStringList recentFiles() const;
    void setRecentFiles(const QStringList& files);
    /// Returns the file or id of the network that was chosen for a config, given the config's absolute path;
    /// empty if there is none.
    QString networkOf(const QString& config) const;
    /// \param network  file or id; empty for the config's own network
    void setNetworkOf(const QString& config, const QString& network);
    /// Returns the options of a config that differ from the defaults, as command-line words.
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
