// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "window_settings.h"

#include "settings_file.h"

#include <QDir>
#include <QFileInfo>
#include <QSplitter>
#include <QVariant>
#include <QWidget>

#include <array>
#include <utility>

namespace batchpeak::ui {

namespace {

const QString geometrySubject = QStringLiteral("geometry");
const QString themeKey = QStringLiteral("ui/theme");
const QString logarithmicKey = QStringLiteral("ui/logarithmicSizes");
const QString columnsSubject = QStringLiteral("columnWidths");
const QString optionsSubject = QStringLiteral("options");
const QString orderKey = QStringLiteral("ui/trialsOrder");
const QString recentKey = QStringLiteral("ui/recentFiles");
const QString networksKey = QStringLiteral("ui/networks");
const QString folderKey = QStringLiteral("ui/lastFolder");

QString splitterSubject(const QString& name)
{
    return QStringLiteral("splitter/") + name;
}

const std::array<std::pair<ThemeSetting, QLatin1String>, 3> themeWords{
    {{ThemeSetting::System, QLatin1String("system")},
     {ThemeSetting::Light, QLatin1String("light")},
     {ThemeSetting::Dark, QLatin1String("dark")}}};

/// Stores a value for a config, and removes the values of configs that no longer exist.
/// \param value  if invalid, the value of the config is removed
void keep(const QString& key, const QString& config, const QVariant& value)
{
    QVariantMap all = SettingsFile::value(key).toMap();
    all.removeIf([](const QVariantMap::iterator& each) { return !QFileInfo::exists(each.key()); });
    all.remove(config);
    if (value.isValid())
        all.insert(config, value);
    SettingsFile::setValue(key, all);
}

} // namespace

void WindowSettings::attach(QWidget* window, const QList<QSplitter*>& splitters)
{
    m_window = window;
    m_splitters = splitters;
    window->restoreGeometry(SettingsFile::value(keyOf(geometrySubject)).toByteArray());
    for (QSplitter* splitter : splitters) {
        const QByteArray state =
            SettingsFile::value(keyOf(splitterSubject(splitter->objectName()))).toByteArray();
        if (!state.isEmpty() && splitter->restoreState(state))
            m_moved.insert(splitter->objectName());
        QObject::connect(splitter, &QSplitter::splitterMoved, window,
                         [this, name = splitter->objectName()] { m_moved.insert(name); });
    }
}

void WindowSettings::save() const
{
    SettingsFile::setValue(keyOf(geometrySubject), m_window->saveGeometry());
    for (const QSplitter* splitter : m_splitters) {
        if (m_moved.contains(splitter->objectName()))
            SettingsFile::setValue(keyOf(splitterSubject(splitter->objectName())), splitter->saveState());
    }
}

void WindowSettings::resetLayout()
{
    m_moved.clear();
    for (const QSplitter* splitter : m_splitters)
        SettingsFile::remove(keyOf(splitterSubject(splitter->objectName())));
    SettingsFile::remove(keyOf(columnsSubject));
    SettingsFile::remove(orderKey);
}

ThemeSetting WindowSettings::theme() const
{
    const QString word = SettingsFile::value(themeKey).toString();
    for (const auto& [setting, name] : themeWords) {
        if (word == name)
            return setting;
    }
    return ThemeSetting::System;
}

void WindowSettings::setTheme(ThemeSetting setting)
{
    for (const auto& [candidate, name] : themeWords) {
        if (candidate == setting)
            SettingsFile::setValue(themeKey, QString(name));
    }
}

bool WindowSettings::isLogarithmic() const
{
    return SettingsFile::value(logarithmicKey, true).toBool();
}

void WindowSettings::setLogarithmic(bool logarithmic)
{
    SettingsFile::setValue(logarithmicKey, logarithmic);
}

QVariantMap WindowSettings::columnWidths() const
{
    return SettingsFile::value(keyOf(columnsSubject)).toMap();
}

void WindowSettings::setColumnWidths(const QVariantMap& widths)
{
    SettingsFile::setValue(keyOf(columnsSubject), widths);
}

QString WindowSettings::trialsOrder() const
{
    return SettingsFile::value(orderKey).toString();
}

void WindowSettings::setTrialsOrder(const QString& order)
{
    SettingsFile::setValue(orderKey, order);
}

QStringList WindowSettings::recentFiles() const
{
    return SettingsFile::value(recentKey).toStringList();
}

void WindowSettings::setRecentFiles(const QStringList& files)
{
    SettingsFile::setValue(recentKey, files);
}

QString WindowSettings::networkOf(const QString& config) const
{
    return SettingsFile::value(networksKey).toMap().value(config).toString();
}

void WindowSettings::setNetworkOf(const QString& config, const QString& network)
{
    keep(networksKey, config, network.isEmpty() ? QVariant() : network);
}

QStringList WindowSettings::optionsOf(const QString& config) const
{
    return SettingsFile::value(keyOf(optionsSubject)).toMap().value(config).toStringList();
}

void WindowSettings::setOptionsOf(const QString& config, const QStringList& words)
{
    keep(keyOf(optionsSubject), config, words.isEmpty() ? QVariant() : words);
}

QString WindowSettings::lastFolder() const
{
    return SettingsFile::value(folderKey, QDir::homePath()).toString();
}

void WindowSettings::setLastFolder(const QString& folder)
{
    SettingsFile::setValue(folderKey, folder);
}

} // namespace batchpeak::ui
