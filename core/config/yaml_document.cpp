// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "yaml_document.h"

#include "text_check.h"
#include "yaml_tree_builder.h"

#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <sstream>

namespace batchpeak::config {

namespace {

bool isContinuationByte(char byte)
{
    return (static_cast<unsigned char>(byte) & 0xC0u) == 0x80u;
}

} // namespace

YamlDocument::YamlDocument(std::string text) : m_text(std::move(text))
{
    if (const auto problem = problemWithText(m_text))
        throw ConfigError(problem->sentence, positionOf(problem->byte));

    // yaml-cpp counts its places without the byte order mark.
    const std::size_t textBegin = byteOrderMarkSize(m_text);
    std::istringstream stream(m_text.substr(textBegin));
    YamlTreeBuilder builder(*this, textBegin);
    try {
        YAML::Parser parser(stream);
        while (parser.HandleNextDocument(builder)) {
        }
    } catch (const YAML::Exception& error) {
        const bool hasPlace = error.mark.pos >= 0;
        throw ConfigError("The text is not valid YAML (" + error.msg + "); correct it at this place.",
                          hasPlace ? positionOf(textBegin + static_cast<std::size_t>(error.mark.pos))
                                   : TextPosition{});
    }
    if (m_nodes.empty())
        throw ConfigError("The text holds no values, only comments or nothing; open a config.");
}

TextPosition YamlDocument::positionOf(std::size_t byte) const
{
    TextPosition position{.line = 1, .column = 1};
    for (std::size_t i = byteOrderMarkSize(m_text); i < byte && i < m_text.size(); ++i) {
        const bool isLoneReturn = m_text[i] == '\r' && (i + 1 == m_text.size() || m_text[i + 1] != '\n');
        if (m_text[i] == '\n' || isLoneReturn)
            position = {.line = position.line + 1, .column = 1};
        else if (!isContinuationByte(m_text[i]))
            ++position.column;
    }
    return position;
}

const YamlNode& resolved(const YamlNode& node)
{
    return node.kind == NodeKind::Alias ? *node.target : node;
}

} // namespace batchpeak::config
