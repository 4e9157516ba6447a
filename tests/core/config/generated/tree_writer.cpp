// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tree_writer.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace batchpeak::config {

namespace {

const std::vector<std::string> comments{
    "# a comment", "#", "# batch_size: 3", "#: - {[ \"' &a *a !t | > %", "# größer, 日本語", "#\ttabs\t"};

std::string indentText(std::size_t indent)
{
    return std::string(indent, ' ');
}

bool isCollection(const ConfigTree& tree)
{
    return tree.kind != ConfigTree::Kind::Scalar;
}

bool isEmptyCollection(const ConfigTree& tree)
{
    return isCollection(tree) && tree.entries.empty() && tree.items.empty();
}

bool isAddedNext(const ConfigTree& tree, std::size_t place)
{
    return place + 1 < tree.entries.size() && tree.entries[place + 1].isAdded;
}

} // namespace

void TreeWriter::writeBlock(const ConfigTree& tree, std::size_t indent)
{
    if (tree.kind == ConfigTree::Kind::Mapping)
        writeBlockMapping(tree, indent, false);
    else
        writeBlockSequence(tree, indent);
}

void TreeWriter::writeJson(const ConfigTree& tree)
{
    m_isJson = true;
    writeFlow(tree, 0);
    m_text.endLine();
}

void TreeWriter::writeComments(std::size_t indent)
{
    while (!m_isWithoutComments && m_chance.oneIn(5)) {
        if (!m_chance.oneIn(3))
            m_text.write(indentText(m_chance.oneIn(3) ? m_chance.below(indent + 4) : indent) +
                         m_chance.of(comments));
        else
            m_text.write(blanks(3));
        m_text.endLine();
    }
}

void TreeWriter::writeBlockMapping(const ConfigTree& tree, std::size_t indent, bool startsInLine)
{
    const Quotes quotes = drawQuotes();
    bool isFirst = true;
    for (std::size_t i = 0; i < tree.entries.size(); ++i) {
        const auto& [key, value, isAdded] = tree.entries[i];
        if (isAdded) {
            const TextPair::Scope after(m_text, TextPair::Side::After);
            m_text.write(indentText(indent) + quoted(key, quotes) + ": " + value.text);
            m_text.endLine();
            continue;
        }
        if (!isFirst || !startsInLine) {
            writeComments(indent);
            m_text.write(indentText(indent));
        }
        // An added key is quoted in the same way as the first key.
        m_text.write(quoted(key, isFirst ? quotes : drawQuotes()) + (m_chance.oneIn(10) ? " :" : ":"));
        isFirst = false;
        writeEntryValue(value, indent, isAddedNext(tree, i));
    }
    if (tree.isFiller)
        writeMerge(indent);
}

void TreeWriter::writeEntryValue(const ConfigTree& value, std::size_t indent, bool isFollowedByAdded)
{
    if (value.changed)
        return writeChanging(value, indent, isFollowedByAdded);
    if (value.isFiller && m_chance.oneIn(6) && writeAlias())
        return;
    if (isCollection(value) && !isFlowDrawn(value))
        return writeBlockValue(value, indent);
    const bool isScalar = !isCollection(value);
    if (isScalar && value.isFiller && m_chance.oneIn(6))
        return writeLongScalar(indent);
    if (!isScalar || !value.text.empty())
        m_text.write(" " + blanks(3));
    const auto anchor = value.isFiller && m_chance.oneIn(5) ? writeAnchor(value) : std::nullopt;
    m_text.write(anchor ? " " : "");
    if (isScalar)
        m_text.write(value.text);
    else
        writeFlow(value, indent + 1);
    endLineWithComment();
    remember(anchor);
}

void TreeWriter::writeBlockValue(const ConfigTree& value, std::size_t indent)
{
    std::optional<Anchor> anchor;
    if (value.isFiller && m_chance.oneIn(4)) {
        m_text.write(" ");
        anchor = writeAnchor(value);
    }
    endLineWithComment();
    const bool isAtParent = value.kind == ConfigTree::Kind::Sequence && m_chance.oneIn(2);
    writeBlock(value, isAtParent ? indent : indent + std::size_t(m_chance.between(1, 8)));
    remember(anchor);
}

void TreeWriter::writeChanging(const ConfigTree& value, std::size_t indent, bool isFollowedByAdded)
{
    const bool isMapping = isCollection(value);
    if (!isMapping && value.text.empty()) {
        std::optional<Anchor> anchor;
        if (m_chance.oneIn(3)) {
            m_text.write(" ");
            anchor = writeAnchor(value);
        }
        m_text.change("", " " + *value.changed);
        endLineWithComment();
        return remember(anchor);
    }
    if (isMapping && m_chance.oneIn(2)) {
        m_text.change("", " " + *value.changed);
        endLineWithComment();
        // Comments above the first line of the block would stay, and the others would be removed.
        m_isWithoutComments = true;
        const TextPair::Scope before(m_text, TextPair::Side::Before);
        ConfigTree block = value;
        block.changed.reset();
        writeBlock(block, indent + std::size_t(m_chance.between(1, 8)));
        m_isWithoutComments = false;
        return;
    }
    // An entry can be added below only if the value is in the line of its key.
    if (!isMapping && !isFollowedByAdded && m_chance.oneIn(8)) {
        endLineWithComment();
        m_text.write(indentText(indent + std::size_t(m_chance.between(1, 4))));
    } else {
        m_text.write(" " + blanks(3));
    }
    const bool isAlias = value.text.starts_with('*');
    const auto anchor = !isMapping && !isAlias && m_chance.oneIn(5) ? writeAnchor(value) : std::nullopt;
    m_text.write(anchor ? " " : "");
    {
        const TextPair::Scope before(m_text, TextPair::Side::Before);
        ConfigTree written = value;
        written.changed.reset();
        if (isMapping)
            writeFlowMapping(written, indent + 1, FlowLayout::OneLine);
        else
            m_text.write(value.text);
    }
    m_text.change("", *value.changed);
    endLineWithComment();
    remember(anchor);
}

void TreeWriter::writeLongScalar(std::size_t indent)
{
    const std::string inner = indentText(indent + std::size_t(m_chance.between(1, 4)));
    const std::size_t kind = m_chance.below(4);
    if (kind < 2) {
        m_text.write(kind == 0 ? " |" : " >-");
        m_text.endLine();
        for (const char* line : {"first # no comment", "  batch_size: 7", "", "last: 'x"}) {
            m_text.write(inner + line);
            m_text.endLine();
        }
        return;
    }
    m_text.write(kind == 2 ? " \"first" : " first");
    m_text.endLine();
    m_text.write(inner + (kind == 2 ? "micro_batch_size: 9 # \\\" }\"" : "goes on"));
    m_text.endLine();
}

bool TreeWriter::writeAlias()
{
    if (m_anchors.empty())
        return false;
    m_text.write(" *" + m_chance.of(m_anchors).name);
    endLineWithComment();
    return true;
}

void TreeWriter::writeMerge(std::size_t indent)
{
    std::vector<Anchor> mappings;
    std::ranges::copy_if(m_anchors, std::back_inserter(mappings), &Anchor::isMapping);
    if (mappings.empty() || !m_chance.oneIn(2))
        return;
    m_text.write(indentText(indent) + "<<: *" + m_chance.of(mappings).name);
    endLineWithComment();
}

void TreeWriter::writeBlockSequence(const ConfigTree& tree, std::size_t indent)
{
    for (const ConfigTree& item : tree.items) {
        writeComments(indent);
        writeItem(item, indent);
    }
}

void TreeWriter::writeItem(const ConfigTree& item, std::size_t indent)
{
    const std::string gap = blanks(3);
    m_text.write(indentText(indent) + "- " + gap);
    if (item.kind == ConfigTree::Kind::Mapping && !isFlowDrawn(item))
        return writeBlockMapping(item, indent + 2 + gap.size(), true);
    if (isCollection(item))
        writeFlow(item, indent + 1);
    else
        m_text.write(item.text);
    endLineWithComment();
}

void TreeWriter::writeFlow(const ConfigTree& tree, std::size_t indent)
{
    if (tree.kind == ConfigTree::Kind::Scalar)
        return m_text.write(tree.text);
    if (tree.kind == ConfigTree::Kind::Sequence)
        return writeFlowSequence(tree, indent);
    writeFlowMapping(tree, indent, m_chance.oneIn(2) ? FlowLayout::Lines : FlowLayout::OneLine);
}

void TreeWriter::writeFlowMapping(const ConfigTree& tree, std::size_t indent, FlowLayout layout)
{
    const bool isLines = layout == FlowLayout::Lines && !tree.entries.empty();
    const std::size_t inner = indent + std::size_t(m_chance.between(1, 8));
    const Quotes quotes = drawQuotes();
    const std::string separator = ": ";
    m_text.write("{");
    if (isLines)
        m_text.endLine();
    for (std::size_t i = 0; i < tree.entries.size(); ++i) {
        const auto& [key, value, isAdded] = tree.entries[i];
        if (isAdded)
            continue;
        const bool isFollowedByAdded = isAddedNext(tree, i);
        const bool isLast = i + (isFollowedByAdded ? 2 : 1) == tree.entries.size();
        const std::string added = isFollowedByAdded ? quoted(tree.entries[i + 1].key, quotes) + ": " +
                                                          tree.entries[i + 1].value.text
                                                    : "";
        if (isLines)
            m_text.write(indentText(inner));
        // The last line may have no comma, so the added entry is written above it.
        if (isLines && isFollowedByAdded && isLast) {
            const TextPair::Scope after(m_text, TextPair::Side::After);
            m_text.write(added + ",");
            m_text.endLine();
            m_text.write(indentText(inner));
        }
        m_text.write(quoted(key, i == 0 ? quotes : drawQuotes()) + separator);
        if (value.changed) {
            {
                const TextPair::Scope before(m_text, TextPair::Side::Before);
                ConfigTree written = value;
                written.changed.reset();
                if (isCollection(written))
                    writeFlowMapping(written, inner, FlowLayout::OneLine);
                else
                    m_text.write(written.text.empty() ? "null" : written.text);
            }
            m_text.change("", *value.changed);
        } else {
            writeFlow(value, inner);
        }
        if (isFollowedByAdded && !isLines)
            m_text.change("", ", " + added);
        if (!isLast)
            m_text.write(isLines ? "," : "," + blanks(2) + " ");
        if (isLines) {
            if (m_chance.oneIn(6))
                m_text.write(m_isJson ? " // a comment, {\"batch_size\": 3}"
                                      : " # a comment, {batch_size: 3}");
            m_text.endLine();
            if (isFollowedByAdded && !isLast) {
                const TextPair::Scope after(m_text, TextPair::Side::After);
                m_text.write(indentText(inner) + added + ",");
                m_text.endLine();
            }
        }
    }
    m_text.write((isLines ? indentText(indent) : "") + "}");
}

void TreeWriter::writeFlowSequence(const ConfigTree& tree, std::size_t indent)
{
    m_text.write("[");
    for (std::size_t i = 0; i < tree.items.size(); ++i) {
        m_text.write(i == 0 ? "" : ", ");
        writeFlow(tree.items[i], indent);
    }
    m_text.write("]");
}

TreeWriter::Quotes TreeWriter::drawQuotes()
{
    if (m_isJson)
        return Quotes::Double;
    constexpr std::array<Quotes, 6> draws{Quotes::None, Quotes::None,   Quotes::None,
                                          Quotes::None, Quotes::Single, Quotes::Double};
    return draws[m_chance.below(draws.size())];
}

std::string TreeWriter::quoted(const std::string& key, Quotes quotes)
{
    const char* mark = quotes == Quotes::None ? "" : quotes == Quotes::Single ? "'" : "\"";
    return mark + key + mark;
}

std::string TreeWriter::blanks(std::size_t max)
{
    return std::string(m_chance.oneIn(3) ? m_chance.below(max + 1) : 0, ' ');
}

std::optional<TreeWriter::Anchor> TreeWriter::writeAnchor(const ConfigTree& value)
{
    const Anchor anchor{"anchor-" + std::to_string(m_names++), value.kind == ConfigTree::Kind::Mapping};
    m_text.write("&" + anchor.name);
    return anchor;
}

void TreeWriter::remember(const std::optional<Anchor>& anchor)
{
    if (anchor)
        m_anchors.push_back(*anchor);
}

void TreeWriter::endLineWithComment()
{
    if (m_chance.oneIn(4))
        m_text.write(" " + blanks(4) + m_chance.of(comments));
    else if (m_chance.oneIn(8))
        m_text.write("  ");
    m_text.endLine();
}

bool TreeWriter::isFlowDrawn(const ConfigTree& value)
{
    return m_isJson || isEmptyCollection(value) || m_chance.oneIn(4);
}

} // namespace batchpeak::config
