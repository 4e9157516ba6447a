// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "document_origin.h"

#include <cstddef>
#include <deque>
#include <memory>
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::config {

enum class NodeKind { Scalar, Sequence, Mapping, Alias };

/// One node of a YAML text with its position. Aliases are nodes of their own and are not expanded, so the
/// memory for a text of nested aliases is proportional to its bytes.
struct YamlNode
{
    NodeKind kind = NodeKind::Scalar;
    /// First byte of the content, after anchor and tag; the byte where it would be if the content is empty.
    std::size_t begin = 0;
    /// The byte after the content; for a block mapping or sequence, the byte after its last value.
    std::size_t end = 0;
    /// A scalar's value, unescaped.
    std::string value;
    std::string tag;
    /// Bytes [tagBegin, tagEnd) of its tag, also of a plain "!", for which `tag` is empty; both are 0 without
    /// a tag.
    std::size_t tagBegin = 0;
    std::size_t tagEnd = 0;
    /// Whether the scalar is unquoted or has the tag "!", so that PyYAML looks for numbers, booleans and null
    /// in it.
    bool plain = false;
    /// Whether no value is written, as in "key:".
    bool empty = false;
    /// Whether it is a flow collection, in braces or brackets.
    bool flow = false;
    /// Number of the anchor on this node; 0 without one.
    std::size_t anchor = 0;
    /// Node that an alias refers to.
    const YamlNode* target = nullptr;
    const YamlNode* parent = nullptr;
    /// Index among the parent's children.
    std::size_t place = 0;
    /// Items of a sequence; alternating keys and values of a mapping.
    std::vector<const YamlNode*> children;
    int depth = 0;
    /// Indices in YamlDocument::nodes() of this node, and of the first node after it and its descendants.
    std::size_t index = 0;
    std::size_t indexAfter = 0;
};

/// A YAML or JSON text and its nodes. Only this class and YamlTreeBuilder use libyaml, which is PyYAML's
/// parser in C, so that a text is read as the trainers read it.
///
/// It knows the bytes of every node, so that a text can be changed in place. It neither interprets values nor
/// applies merge keys. A text in braces counts as JSON, in which comments (// and /* */) are ignored; its
/// format decides whether its trainer allows them.
class YamlDocument
{
public:
    /// \throws ConfigError if the text is empty, not UTF-8, neither YAML nor JSON, contains several
    ///         documents, or is more deeply nested or longer than any real config
    explicit YamlDocument(std::string text);
    /// \param origin  the text that this one was made from
    YamlDocument(std::string text, std::shared_ptr<const DocumentOrigin> origin);

    YamlDocument(const YamlDocument&) = delete;
    YamlDocument& operator=(const YamlDocument&) = delete;

    const std::string& text() const { return m_text; }
    const YamlNode& root() const { return m_nodes.front(); }
    /// The text that this one was made from; null if it is the text of a file.
    const std::shared_ptr<const DocumentOrigin>& origin() const { return m_origin; }
    /// Whether the text is in braces, like JSON.
    bool isJson() const { return m_isJson; }
    /// Nodes in the order of the text, a parent before its children.
    const std::pmr::deque<YamlNode>& nodes() const { return m_nodes; }

    /// Returns the line of a byte, and its column in characters; those in the origin if there is one.
    TextPosition positionOf(std::size_t byte) const;
    TextPosition positionOf(const YamlNode& node) const { return positionOf(node.begin); }

private:
    friend class YamlTreeBuilder;

    std::string m_text;
    std::shared_ptr<const DocumentOrigin> m_origin;
    /// First bytes of lines, since positions are requested by the thousand.
    std::vector<std::size_t> m_lineBegins;
    bool m_isJson = false;
    // Nodes are added by the ten thousand, and only freed all at once.
    std::pmr::monotonic_buffer_resource m_memory;
    std::pmr::deque<YamlNode> m_nodes{&m_memory};
};

/// Returns the target of an alias; any other node itself.
const YamlNode& resolved(const YamlNode& node);

/// Returns the key before a value of a mapping; nullptr for any other node.
const YamlNode* keyBefore(const YamlNode& value);

/// Whether an anchor or tag begins here.
bool isProperty(std::string_view text, std::size_t byte);
/// Returns the byte after an anchor or tag that begins here.
std::size_t propertyEnd(std::string_view text, std::size_t begin);

} // namespace batchpeak::config
