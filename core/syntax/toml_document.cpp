// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "toml_document.h"

#include "json_text.h"
#include "text_check.h"

#include <nlohmann/json.hpp>
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>

namespace batchpeak::config {

namespace {

/// Writes tables as mappings in braces, which nest without indents.
class Writer
{
public:
    explicit Writer(const std::string& text) : m_text(text), m_lines(lineBegins(text)) {}

    void write(const toml::node& node)
    {
        if (const toml::table* table = node.as_table())
            writeTable(*table);
        else if (const toml::array* array = node.as_array())
            writeArray(*array);
        else
            writeValue(node);
    }

    std::string takeDocument() { return std::move(m_document); }
    std::vector<OriginSegment> takeSegments() { return std::move(m_segments); }

private:
    void writeTable(const toml::table& table)
    {
        m_document += "{";
        bool isFirst = true;
        for (const auto& [key, value] : table) {
            m_document += (isFirst ? "" : ", ") + quotedJson(std::string(key.str())) + ": ";
            isFirst = false;
            write(value);
        }
        m_document += "}";
    }

    void writeArray(const toml::array& array)
    {
        m_document += "[";
        for (std::size_t i = 0; i < array.size(); ++i) {
            m_document += i == 0 ? "" : ", ";
            write(array[i]);
        }
        m_document += "]";
    }

    void writeValue(const toml::node& node)
    {
        const std::string value = valueText(node);
        const std::size_t begin = byteOf(node.source().begin);
        m_segments.push_back({.begin = m_document.size(),
                              .end = m_document.size() + value.size(),
                              .textBegin = begin,
                              .textEnd = valueEnd(begin, node.is_string()),
                              .isCopy = false,
                              .valueBegin = begin});
        m_document += value;
    }

    static std::string valueText(const toml::node& node)
    {
        if (const auto* text = node.as_string())
            return quotedJson(text->get());
        if (const auto* number = node.as_integer())
            return std::to_string(number->get());
        if (const auto* flag = node.as_boolean())
            return flag->get() ? "true" : "false";
        if (const auto* number = node.as_floating_point(); number && std::isfinite(number->get()))
            return nlohmann::json(number->get()).dump();
        return quotedJson("a value of another kind");
    }

    /// Columns of toml++ count code points from 1.
    std::size_t byteOf(const toml::source_position& position) const
    {
        std::size_t byte = m_lines.at(std::min<std::size_t>(position.line, m_lines.size()) - 1);
        byte = std::max(byte, position.line == 1 ? byteOrderMarkSize(m_text) : 0);
        for (toml::source_index column = 1; column < position.column && byte < m_text.size(); ++column) {
            do {
                ++byte;
            } while (byte < m_text.size() && isContinuationByte(m_text[byte]));
        }
        return byte;
    }

    /// Returns the byte after a number or a word; the ends that toml++ reports differ between its releases. A
    /// text in quotes is never replaced.
    std::size_t valueEnd(std::size_t begin, bool isText) const
    {
        return isText ? begin : std::min(m_text.find_first_of(" \t\r\n,]}#", begin), m_text.size());
    }

    const std::string& m_text;
    std::vector<std::size_t> m_lines;
    std::string m_document;
    std::vector<OriginSegment> m_segments;
};

/// Returns the change that writes an entry on the line below another one, with its indent, or behind it in a
/// table on one line.
OriginChange insertedBelow(const std::string& text, const OriginSegment& beside, std::string key,
                           const std::string& value)
{
    const std::size_t line = lineBegin(text, beside.textBegin);
    const std::string before = text.substr(line, beside.textBegin - line);
    if (before.find('{') != std::string::npos)
        return {.piece = {beside.textEnd, beside.textEnd, ", " + key + " = " + value}};
    // A key with dots names its tables itself.
    const std::string name = before.substr(0, before.find('='));
    if (const std::size_t dot = name.rfind('.'); dot != std::string::npos) {
        const std::size_t begin = name.find_first_not_of(" \t");
        key = name.substr(begin, dot + 1 - begin) + key;
    }
    const std::size_t indent = std::min(text.find_first_not_of(" \t", line), text.size()) - line;
    const std::size_t end = lineEnd(text, beside.textEnd);
    const std::string entry = text.substr(line, indent) + std::string(key) + " = " + value;
    const std::string lineBreak = text.substr(end).starts_with("\r\n") ? "\r\n" : "\n";
    if (end == text.size())
        return {.piece = {end, end, lineBreak + entry}};
    const std::size_t place = nextLine(text, end);
    return {.piece = {place, place, entry + lineBreak}};
}

} // namespace

std::shared_ptr<const YamlDocument> tomlDocument(const std::string& text)
{
    auto origin = std::make_shared<DocumentOrigin>(DocumentOrigin{.text = text});
    std::string document;
    try {
        const toml::table root = toml::parse(text);
        Writer writer(text);
        writer.write(root);
        document = writer.takeDocument();
        origin->segments = writer.takeSegments();
    } catch (const toml::parse_error& error) {
        const toml::source_position begin = error.source().begin;
        throw ConfigError("The text is not valid TOML: " + std::string(error.description()) +
                              ". Correct it, or open another file.",
                          {.line = static_cast<int>(begin.line), .column = static_cast<int>(begin.column)});
    }
    origin->insert = [text](const OriginSegment& beside, std::string_view path, const std::string& value) {
        return insertedBelow(text, beside, std::string(path.substr(path.rfind('.') + 1)), value);
    };
    origin->reread = [](const std::string& changed) { return tomlDocument(changed); };
    return std::make_shared<const YamlDocument>(std::move(document), std::move(origin));
}

} // namespace batchpeak::config
