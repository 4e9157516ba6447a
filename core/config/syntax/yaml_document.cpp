// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "yaml_document.h"

#include "json_text.h"
#include "text_check.h"
#include "yaml_tree_builder.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace batchpeak::config {

YamlDocument::YamlDocument(std::string text) : m_text(std::move(text)), m_lineBegins(lineBegins(m_text))
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
    const auto next = std::ranges::upper_bound(m_lineBegins, byte);
    return {.line = static_cast<int>(next - m_lineBegins.begin()),
            .column = columnIn(m_text, *std::prev(next), byte)};
}

const YamlNode& resolved(const YamlNode& node)
{
    return node.kind == NodeKind::Alias ? *node.target : node;
}

} // namespace batchpeak::config
