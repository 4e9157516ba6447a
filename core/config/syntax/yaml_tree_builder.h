// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "yaml_document.h"

#include <yaml.h>

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace batchpeak::config {

/// Turns the events of libyaml's parser into the nodes of a YamlDocument.
///
/// It refuses nesting and lengths that no config has before memory comes to an end.
class YamlTreeBuilder
{
public:
    explicit YamlTreeBuilder(YamlDocument& document) : m_document(document) {}

    /// \param text  with every value at the byte where it stands in the document's own text
    /// \throws ConfigError where the text is no YAML, holds several documents, or is nested or long beyond
    ///         any real config
    void build(std::string_view text);

private:
    void take(const yaml_event_t& event);
    void startDocument(const yaml_event_t& event);
    void addScalar(const yaml_event_t& event);
    void addAlias(const yaml_event_t& event);
    YamlNode& add(NodeKind kind, const yaml_event_t& event, const yaml_char_t* anchor,
                  const yaml_char_t* tag);
    void open(NodeKind kind, const yaml_event_t& event, const yaml_char_t* anchor, const yaml_char_t* tag,
              bool isFlow);
    void close(const yaml_event_t& event);
    /// libyaml counts characters; marks come in the order of the text, but for a few steps back.
    std::size_t byteOf(const yaml_mark_t& mark);

    YamlDocument& m_document;
    std::string_view m_text;
    int m_documents = 0;
    std::size_t m_anchors = 0;
    std::vector<YamlNode*> m_open;
    std::unordered_map<std::string, const YamlNode*> m_anchored;
    /// Where byteOf() stands.
    std::size_t m_character = 0;
    std::size_t m_byte = 0;
};

} // namespace batchpeak::config
