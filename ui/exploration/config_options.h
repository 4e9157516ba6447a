// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "options/exploration_options.h"

#include <QHash>
#include <QString>
#include <QStringList>

namespace batchpeak::ui {

class WindowSettings;

/// Options of each config, which is identified by its absolute path: from the command line, from this window,
/// and remembered from an earlier launch.
///
/// Options of the command line apply to this launch and take precedence; they are not remembered.
class ConfigOptions
{
public:
    /// \param settings  store of the remembered options; must outlive this object
    explicit ConfigOptions(WindowSettings& settings) : m_settings(settings) {}

    /// Sets the options of the command line; what was requested in the window before is forgotten.
    /// \param names  names of the given options; if empty, those that differ from the defaults
    void setGiven(const engine::ExplorationOptions& options, const QStringList& names);
    /// Whether the command line allows the code of a config to run. Returns true at most once, for the first
    /// config that is opened.
    bool takeTrust();

    /// Returns the options of a config that is opened.
    engine::ExplorationOptions open(const QString& path);
    /// Sets the options that the user requests, and remembers them.
    void ask(const QString& path, const engine::ExplorationOptions& options);
    /// Sets options for the lifetime of the window, without remembering them.
    void askOnce(const QString& path, const engine::ExplorationOptions& options);
    /// Discards all options of the config other than those of the command line.
    void reset(const QString& path);
    /// Returns those of \p options that were remembered when the config was first opened here, as
    /// command-line words; empty if there are none.
    QString rememberedWords(const QString& path, const engine::ExplorationOptions& options) const;

private:
    WindowSettings& m_settings;
    engine::ExplorationOptions m_given;
    QStringList m_givenNames;
    QHash<QString, engine::ExplorationOptions> m_asked;
    QHash<QString, engine::ExplorationOptions> m_remembered;
};

} // namespace batchpeak::ui
