// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config_text.h"

#include "syntax/text_check.h"

namespace batchpeak::config {

ConfigText::ConfigText(std::string text) : m_text(std::move(text))
{
    if (const auto problem = problemWithText(m_text))
        throw ConfigError(problem->sentence, positionIn(m_text, problem->byte));
    try {
        m_document = std::make_shared<const YamlDocument>(m_text);
    } catch (const ConfigError& error) {
        m_problem = error;
    }
}

ConfigText::ConfigText(std::shared_ptr<const YamlDocument> document)
    : m_text(document->text()), m_document(std::move(document))
{}

std::optional<ConfigSection> ConfigText::root(Dialect dialect) const
{
    return m_document ? ConfigSection::root(*m_document, dialect) : std::nullopt;
}

} // namespace batchpeak::config
