// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config_options.h"

#include "actions/window_settings.h"
#include "options/option_table.h"
#include "options/saved_arguments.h"

#include <utility>

namespace batchpeak::ui {

void ConfigOptions::setGiven(const engine::ExplorationOptions& options, const QStringList& names)
{
    m_given = options;
    m_givenNames = names.isEmpty() ? engine::givenNames(options) : names;
    m_asked.clear();
}

bool ConfigOptions::takeTrust()
{
    return std::exchange(m_given.trustsCode, false);
}

engine::ExplorationOptions ConfigOptions::open(const QString& path)
{
    if (!m_remembered.contains(path))
        m_remembered.insert(path, engine::optionsFrom(m_settings.optionsOf(path)));
    if (m_asked.contains(path))
        return m_asked.value(path);
    return engine::overlaid(engine::optionsFrom(m_settings.optionsOf(path)), m_given, m_givenNames);
}

void ConfigOptions::ask(const QString& path, const engine::ExplorationOptions& options)
{
    m_asked.insert(path, options);
    const auto before = engine::optionsFrom(m_settings.optionsOf(path));
    const QStringList unchanged = engine::sameNames(m_givenNames, options, m_given);
    m_settings.setOptionsOf(path, engine::savedArguments(engine::overlaid(options, before, unchanged)));
}

void ConfigOptions::askOnce(const QString& path, const engine::ExplorationOptions& options)
{
    m_asked.insert(path, options);
}

void ConfigOptions::reset(const QString& path)
{
    m_settings.setOptionsOf(path, {});
    m_remembered.insert(path, {});
    m_asked.remove(path);
}

QString ConfigOptions::rememberedWords(const QString& path, const engine::ExplorationOptions& options) const
{
    const engine::ExplorationOptions remembered = m_remembered.value(path);
    QStringList names = engine::sameNames(engine::givenNames(remembered), remembered, options);
    for (const QString& name : engine::sameNames(m_givenNames, m_given, options))
        names.removeAll(name);
    return engine::wordsFor(engine::overlaid({}, remembered, names)).join(QLatin1Char(' '));
}

} // namespace batchpeak::ui
