// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_error.h"

#include <cstddef>
#include <deque>
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::config {

enum class NodeKind { Scalar, Sequence, Mapping, Alias };

/// One node of a YAML text, with the place where it stands. Aliases are nodes of their own: nothing is
/// expanded, so a text of nested aliases takes no more room than its bytes.
struct YamlNode
{
    NodeKind kind = NodeKind::Scalar;
    /// First byte of the content, after anchor and tag; where the content is empty, the place where it
    /// would stand.
    std::size_t begin = 0;
    /// The byte after the content. Of a block mapping or sequence: after its last value.
    std::size_t end = 0;
    /// A scalar's value, unescaped.
    std::string value;
    std::string tag;
    /// Where its tag is written, be it "!" alone, by which `tag` is empty; both are 0 where none is.
    std::size_t tagBegin = 0;
    std::size_t tagEnd = 0;
    /// The scalar is bare, or stands behind "!": PyYAML looks for numbers, booleans and null in it.
    bool plain = false;
    /// Nothing is written: "key:" alone.
    bool empty = false;
    /// In braces or brackets.
    bool flow = false;
    /// Number of the anchor on this node, 0 without one.
    std::size_t anchor = 0;
    /// What an alias stands for.
    const YamlNode* target = nullptr;
    const YamlNode* parent = nullptr;
    /// Place among the parent's children.
    std::size_t place = 0;
    /// Items of a sequence; of a mapping, keys and values in turn.
    std::vector<const YamlNode*> children;
    int depth = 0;
    /// Place of this node, and of the first node after it and its descendants, in YamlDocument::nodes().
    std::size_t index = 0;
    std::size_t indexAfter = 0;
};

/// A YAML or JSON text and its nodes: with YamlTreeBuilder the one place that uses libyaml, which is the
/// parser of PyYAML in C, so that a text is read as the trainers read it.
///
/// It knows the bytes of every node, so that a text can be changed in place. What the values mean is
/// not decided here, nor are merge keys applied. A text in braces counts as JSON, in which comments (// and
/// /* */) are passed over; whether its trainer allows them is for its format to say.
class YamlDocument
{
public:
    /// \throws ConfigError if the text is empty, not UTF-8, neither YAML nor JSON, holds several documents,
    /// or is nested or long beyond any real config
    explicit YamlDocument(std::string text);

    YamlDocument(const YamlDocument&) = delete;
    YamlDocument& operator=(const YamlDocument&) = delete;

    const std::string& text() const { return m_text; }
    const YamlNode& root() const { return m_nodes.front(); }
    /// In braces, as JSON is.
    bool isJson() const { return m_isJson; }
    /// In the order of the text, a parent before its children.
    const std::pmr::deque<YamlNode>& nodes() const { return m_nodes; }

    /// Line, and column in characters, of a byte.
    TextPosition positionOf(std::size_t byte) const;
    TextPosition positionOf(const YamlNode& node) const { return positionOf(node.begin); }

private:
    friend class YamlTreeBuilder;

    std::string m_text;
    /// First bytes of lines, since positions are asked for by the thousand.
    std::vector<std::size_t> m_lineBegins;
    bool m_isJson = false;
    // Nodes are only ever added, by the ten thousand, and go all at once.
    std::pmr::monotonic_buffer_resource m_memory;
    std::pmr::deque<YamlNode> m_nodes{&m_memory};
};

/// What an alias stands for; any other node itself.
const YamlNode& resolved(const YamlNode& node);

/// The key before a value of a mapping; nothing for any other node.
const YamlNode* keyBefore(const YamlNode& value);

/// An anchor or tag begins here.
bool isProperty(std::string_view text, std::size_t byte);
/// The byte after an anchor or tag that begins here.
std::size_t propertyEnd(std::string_view text, std::size_t begin);

} // namespace batchpeak::config
