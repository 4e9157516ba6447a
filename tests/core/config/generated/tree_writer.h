// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chance.h"
#include "config_tree.h"
#include "text_pair.h"

#include <optional>
#include <string>
#include <vector>

namespace batchpeak::config {

/// Writes a tree as YAML or JSON in a random style that changes from place to place: indentation, quotes,
/// comments, anchors and aliases, merge keys, flow or block.
class TreeWriter
{
public:
    TreeWriter(Chance& chance, TextPair& text) : m_chance(chance), m_text(text) {}

    /// Writes the tree as a block that begins on its own line.
    void writeBlock(const ConfigTree& tree, std::size_t indent);
    /// Writes the tree in braces, as JSON, with all keys in double quotes.
    void writeJson(const ConfigTree& tree);
    void writeComments(std::size_t indent);

private:
    enum class Quotes { None, Single, Double };
    enum class FlowLayout { OneLine, Lines };
    struct Anchor
    {
        std::string name;
        bool isMapping = false;
    };

    void writeBlockMapping(const ConfigTree& tree, std::size_t indent, bool startsInLine);
    void writeBlockSequence(const ConfigTree& tree, std::size_t indent);
    void writeItem(const ConfigTree& item, std::size_t indent);
    void writeEntryValue(const ConfigTree& value, std::size_t indent, bool isFollowedByAdded);
    void writeBlockValue(const ConfigTree& value, std::size_t indent);
    void writeChanging(const ConfigTree& value, std::size_t indent, bool isFollowedByAdded);
    void writeLongScalar(std::size_t indent);
    bool writeAlias();
    void writeMerge(std::size_t indent);

    void writeFlow(const ConfigTree& tree, std::size_t indent);
    void writeFlowMapping(const ConfigTree& tree, std::size_t indent, FlowLayout layout);
    void writeFlowSequence(const ConfigTree& tree, std::size_t indent);

    Quotes drawQuotes();
    static std::string quoted(const std::string& key, Quotes quotes);
    std::string blanks(std::size_t max);
    std::optional<Anchor> writeAnchor(const ConfigTree& value);
    /// Remembers an anchor after its value has ended, as the value must not contain an alias of itself.
    void remember(const std::optional<Anchor>& anchor);
    void endLineWithComment();
    bool isFlowDrawn(const ConfigTree& value);

    Chance& m_chance;
    TextPair& m_text;
    bool m_isJson = false;
    bool m_isWithoutComments = false;
    std::vector<Anchor> m_anchors;
    std::size_t m_names = 0;
};

} // namespace batchpeak::config
