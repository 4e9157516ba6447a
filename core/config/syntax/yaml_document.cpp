// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "yaml_document.h"

#include "json_text.h"
#include "text_check.h"
#include "yaml_tree_builder.h"

namespace batchpeak::config {

YamlDocument::YamlDocument(std::string text) : m_text(std::move(text))
{
    if (const auto problem = problemWithText(m_text))
        throw ConfigError(problem->sentence, positionOf(problem->byte));

    m_isJson = looksLikeJson(m_text);
    YamlTreeBuilder(*this).build(m_isJson ? asYamlReadsIt(m_text) : m_text);
    if (m_nodes.empty())
        throw ConfigError("The text holds no values, only comments or nothing; open a config.");
}

TextPosition YamlDocument::positionOf(std::size_t byte) const
{
    return positionIn(m_text, byte);
}

const YamlNode& resolved(const YamlNode& node)
{
    return node.kind == NodeKind::Alias ? *node.target : node;
}

} // namespace batchpeak::config
