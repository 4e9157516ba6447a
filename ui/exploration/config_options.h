// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "options/exploration_options.h"

#include <QHash>
#include <QString>
#include <QStringList>

namespace batchpeak::ui {

class WindowSettings;

/// What is asked of each config, which is named by its absolute path: on the command line, in this window,
/// and on another day.
///
/// What the command line asks for holds for its launch, before all else, and is not remembered.
class ConfigOptions
{
public:
    /// \param settings  that remember; they outlive this
    explicit ConfigOptions(WindowSettings& settings) : m_settings(settings) {}

    /// Takes the options of the command line; what was asked in the window before is forgotten.
    /// \param names  of the options that are given; without them those that ask for something else than usual
    void setGiven(const engine::ExplorationOptions& options, const QStringList& names);
    /// Whether the command line lets the code of a config run: said once, of the first config that is opened.
    bool takeTrust();

    /// What is asked of a config that is opened.
    engine::ExplorationOptions open(const QString& path);
    /// A person asks for this, which is remembered.
    void ask(const QString& path, const engine::ExplorationOptions& options);
    /// This is asked as long as the window lives, and not remembered.
    void askOnce(const QString& path, const engine::ExplorationOptions& options);
    /// Nothing is asked any more but by the command line.
    void reset(const QString& path);
    /// The words of those of \p options that were remembered when the config was first opened here, as of a
    /// command line; empty where there are none.
    QString rememberedWords(const QString& path, const engine::ExplorationOptions& options) const;

private:
    WindowSettings& m_settings;
    engine::ExplorationOptions m_given;
    QStringList m_givenNames;
    QHash<QString, engine::ExplorationOptions> m_asked;
    QHash<QString, engine::ExplorationOptions> m_remembered;
};

} // namespace batchpeak::ui
