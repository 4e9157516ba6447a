// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "yaml_tree_builder.h"

#include "yaml_extent.h"

#include <yaml-cpp/mark.h>

#include <algorithm>

namespace batchpeak::config {

namespace {

// The deepest public config that we know of nests 9 levels, the longest holds 408 lines.
constexpr std::size_t maxDepth = 64;
constexpr std::size_t maxNodes = 200'000;

} // namespace

YamlTreeBuilder::YamlTreeBuilder(YamlDocument& document, std::size_t textBegin)
    : m_document(document), m_textBegin(textBegin)
{}

void YamlTreeBuilder::OnDocumentStart(const YAML::Mark& mark)
{
    if (++m_documents > 1) {
        throw ConfigError("A second document begins here, but a config is one document; remove the line "
                          "\"---\" or split the file.",
                          m_document.positionOf(m_textBegin + static_cast<std::size_t>(mark.pos)));
    }
}

void YamlTreeBuilder::OnDocumentEnd()
{
    settleNull(m_document.text().size());
}

void YamlTreeBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor)
{
    YamlNode& node = add(NodeKind::Scalar, mark, anchor, {});
    m_null = &node;
    // Null is a plain word, or no word at all; which of the two, the next token shows.
    node.plain = true;
    node.value = std::string(plainWordAt(m_document.text(), node.begin));
    if (node.value != "~" && node.value != "null" && node.value != "Null" && node.value != "NULL") {
        node.value.clear();
        node.empty = true;
    }
}

void YamlTreeBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor)
{
    YamlNode& node = add(NodeKind::Alias, mark, YAML::NullAnchor, "?");
    node.target = m_anchored.at(anchor);
    const bool isInside =
        std::ranges::any_of(m_open, [&](const YamlNode* open) { return open == node.target; });
    if (isInside) {
        throw ConfigError("This alias stands inside of what it stands for, which never ends; write the "
                          "value out instead.",
                          m_document.positionOf(node));
    }
}

void YamlTreeBuilder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                               const std::string& value)
{
    YamlNode& node = add(NodeKind::Scalar, mark, anchor, tag);
    node.value = value;
    const char first = node.begin < m_document.text().size() ? m_document.text()[node.begin] : '\0';
    node.plain = first != '"' && first != '\'' && first != '|' && first != '>';
}

void YamlTreeBuilder::OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                                      YAML::EmitterStyle::value style)
{
    open(NodeKind::Sequence, mark, anchor, tag, style);
}

void YamlTreeBuilder::OnSequenceEnd()
{
    close();
}

void YamlTreeBuilder::OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                                 YAML::EmitterStyle::value style)
{
    open(NodeKind::Mapping, mark, anchor, tag, style);
}

void YamlTreeBuilder::OnMapEnd()
{
    close();
}

YamlNode& YamlTreeBuilder::add(NodeKind kind, const YAML::Mark& mark, YAML::anchor_t anchor,
                               const std::string& tag)
{
    const std::size_t begin = m_textBegin + static_cast<std::size_t>(mark.pos);
    const bool hasProperties = anchor != YAML::NullAnchor || tag != "?";
    settleNull(begin);
    if (m_document.m_nodes.size() >= maxNodes) {
        throw ConfigError("The text holds more than " + std::to_string(maxNodes) +
                              " values, which no config does; open the config itself.",
                          m_document.positionOf(begin));
    }
    YamlNode& node = m_document.m_nodes.emplace_back();
    node.kind = kind;
    node.begin = hasProperties ? afterProperties(m_document.text(), begin) : begin;
    node.tag = tag == "?" || tag == "!" ? std::string() : tag;
    node.anchor = anchor;
    node.depth = static_cast<int>(m_open.size());
    node.index = m_document.m_nodes.size() - 1;
    node.indexAfter = node.index + 1;
    if (anchor != YAML::NullAnchor)
        m_anchored[anchor] = &node;
    if (!m_open.empty()) {
        node.parent = m_open.back();
        node.place = node.parent->children.size();
        m_open.back()->children.push_back(&node);
    }
    return node;
}

void YamlTreeBuilder::open(NodeKind kind, const YAML::Mark& mark, YAML::anchor_t anchor,
                           const std::string& tag, YAML::EmitterStyle::value style)
{
    YamlNode& node = add(kind, mark, anchor, tag);
    node.flow = style == YAML::EmitterStyle::Flow;
    if (m_open.size() >= maxDepth) {
        throw ConfigError("The text is nested more than " + std::to_string(maxDepth) +
                              " levels deep, which no config is; open the config itself.",
                          m_document.positionOf(node));
    }
    m_open.push_back(&node);
}

void YamlTreeBuilder::close()
{
    m_open.back()->indexAfter = m_document.m_nodes.size();
    m_open.pop_back();
}

void YamlTreeBuilder::settleNull(std::size_t nextBegin)
{
    if (m_null && m_null->begin >= nextBegin) {
        m_null->value.clear();
        m_null->empty = true;
    }
    m_null = nullptr;
}

} // namespace batchpeak::config
