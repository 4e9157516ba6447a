// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "yaml_document.h"

#include "json_text.h"
#include "text_check.h"
#include "words.h"

#include <yaml.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <unordered_map>

namespace batchpeak::config {

namespace {

// The deepest known public config has 9 levels, the longest has 408 lines.
constexpr std::size_t maxDepth = 64;
constexpr std::size_t maxNodes = 200'000;

struct ParserDeleter
{
    void operator()(yaml_parser_t* parser) const
    {
        yaml_parser_delete(parser);
        delete parser;
    }
};

/// An event of the parser, freed with the scope.
struct Event
{
    Event() = default;
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    ~Event() { yaml_event_delete(&event); }

    yaml_event_t event{};
};

/// Returns the number of bytes of a line break; 0 if there is none. In YAML 1.1, section 5.4, which libyaml
/// implements, U+0085, U+2028 and U+2029 are line breaks too.
std::size_t breakSize(std::string_view text)
{
    if (text.starts_with('\r') || text.starts_with('\n'))
        return 1;
    if (text.starts_with("\xC2\x85"))
        return 2;
    return text.starts_with("\xE2\x80\xA8") || text.starts_with("\xE2\x80\xA9") ? 3 : 0;
}

/// Returns the number of bytes of the blank, line break or comment at the beginning of the text; 0 if there
/// is none.
std::size_t blankSize(std::string_view text)
{
    if (!text.starts_with('#'))
        return text.starts_with(' ') || text.starts_with('\t') ? 1 : breakSize(text);
    std::size_t size = 1;
    while (size < text.size() && breakSize(text.substr(size)) == 0)
        ++size;
    return size;
}

/// Moves a node's begin after its anchor and tag, which may be on lines of their own. Those that follow may
/// belong to the first key in it.
void skipProperties(YamlNode& node, std::string_view text, bool mayHaveAnchor, bool mayHaveTag)
{
    while (isProperty(text, node.begin)) {
        const bool isTag = text[node.begin] == '!';
        bool& mayBeIts = isTag ? mayHaveTag : mayHaveAnchor;
        if (!mayBeIts)
            return;
        mayBeIts = false;
        const std::size_t end = propertyEnd(text, node.begin);
        if (isTag) {
            node.tagBegin = node.begin;
            node.tagEnd = end;
        }
        node.begin = end;
        while (const std::size_t size = blankSize(text.substr(node.begin)))
            node.begin += size;
    }
}

/// Whether a node may have a tag: libyaml does not report "!" before a scalar.
bool mayHaveTag(const yaml_event_t& event, const yaml_char_t* tag)
{
    const bool isWritten =
        event.type == YAML_SCALAR_EVENT &&
        (event.data.scalar.length > 0 || event.data.scalar.style != YAML_PLAIN_SCALAR_STYLE);
    return tag || isWritten;
}

std::string textOf(const yaml_char_t* text)
{
    return text ? std::string(reinterpret_cast<const char*>(text)) : std::string();
}

/// Whether a text has too many directives: libyaml compares each with all before it, which takes minutes for
/// a text that only consists of directives.
bool hasTooManyDirectives(std::string_view text)
{
    constexpr int max = 100;
    int directives = 0;
    for (std::size_t line = 0; line < text.size() && directives <= max; line = nextLine(text, line)) {
        if (text[line] == '%')
            ++directives;
        else if (std::string_view("# \t\r\n").find(text[line]) == std::string_view::npos)
            break;
    }
    return directives > max;
}

} // namespace

/// Converts the events of libyaml's parser to the nodes of a YamlDocument.
///
/// It rejects nesting and lengths that no config has before memory runs out.
class YamlTreeBuilder
{
public:
    explicit YamlTreeBuilder(YamlDocument& document) : m_document(document) {}

    /// \param text  text with every value at the same byte as in the document's own text
    /// \throws ConfigError if the text is not YAML, contains several documents, or is more deeply nested or
    ///         longer than any real config
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
    /// Returns the byte of a mark. libyaml counts characters; marks are in the order of the text, except for
    /// a few small steps back.
    std::size_t byteOf(const yaml_mark_t& mark);

    YamlDocument& m_document;
    std::string_view m_text;
    int m_documents = 0;
    std::size_t m_anchors = 0;
    std::vector<YamlNode*> m_open;
    std::unordered_map<std::string, const YamlNode*> m_anchored;
    /// Current position of byteOf().
    std::size_t m_character = 0;
    std::size_t m_byte = 0;
};

void YamlTreeBuilder::build(std::string_view text)
{
    m_text = text;
    // libyaml's positions do not include the byte order mark.
    m_byte = byteOrderMarkSize(text);
    const std::string_view seen = text.substr(m_byte);
    if (hasTooManyDirectives(seen))
        throw ConfigError(
            "The text begins with hundreds of directives (%), which no config has; remove them.");

    const std::unique_ptr<yaml_parser_t, ParserDeleter> parser(new yaml_parser_t{});
    if (!yaml_parser_initialize(parser.get()))
        throw ConfigError("There is not enough memory to read the text; close other programs.");
    yaml_parser_set_encoding(parser.get(), YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(parser.get(), reinterpret_cast<const unsigned char*>(seen.data()),
                                 seen.size());
    for (yaml_event_type_t type = YAML_NO_EVENT; type != YAML_STREAM_END_EVENT;) {
        Event next;
        if (!yaml_parser_parse(parser.get(), &next.event)) {
            throw errorAt(m_document.positionOf(byteOf(parser->problem_mark)),
                          "The text is not valid YAML ({}); correct it at this place.", parser->problem);
        }
        type = next.event.type;
        take(next.event);
    }
}

void YamlTreeBuilder::take(const yaml_event_t& event)
{
    switch (event.type) {
    case YAML_DOCUMENT_START_EVENT:
        return startDocument(event);
    case YAML_SCALAR_EVENT:
        return addScalar(event);
    case YAML_ALIAS_EVENT:
        return addAlias(event);
    case YAML_SEQUENCE_START_EVENT:
        return open(NodeKind::Sequence, event, event.data.sequence_start.anchor,
                    event.data.sequence_start.tag,
                    event.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE);
    case YAML_MAPPING_START_EVENT:
        return open(NodeKind::Mapping, event, event.data.mapping_start.anchor, event.data.mapping_start.tag,
                    event.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return close(event);
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_STREAM_END_EVENT:
    case YAML_DOCUMENT_END_EVENT:
        return;
    }
}

void YamlTreeBuilder::startDocument(const yaml_event_t& event)
{
    if (++m_documents > 1) {
        throw errorAt(m_document.positionOf(byteOf(event.start_mark)),
                      "A second document begins here, but a config is one document; remove the line \"---\" "
                      "or split the file.");
    }
}

void YamlTreeBuilder::addScalar(const yaml_event_t& event)
{
    const auto& scalar = event.data.scalar;
    YamlNode& node = add(NodeKind::Scalar, event, scalar.anchor, scalar.tag);
    node.value.assign(reinterpret_cast<const char*>(scalar.value), scalar.length);
    const bool isBare = scalar.style == YAML_PLAIN_SCALAR_STYLE;
    // PyYAML also looks for numbers after the tag "!", even in quotes.
    node.plain = isBare || scalar.plain_implicit != 0;
    node.empty = isBare && scalar.length == 0;
    // For an empty value libyaml reports the position of what precedes or follows it.
    if (node.empty)
        node.end = node.begin;
}

void YamlTreeBuilder::addAlias(const yaml_event_t& event)
{
    YamlNode& node = add(NodeKind::Alias, event, nullptr, nullptr);
    const auto anchored = m_anchored.find(textOf(event.data.alias.anchor));
    if (anchored == m_anchored.end()) {
        throw errorAt(m_document.positionOf(node),
                      "No anchor of this name stands before this alias; write &{} where the values are.",
                      textOf(event.data.alias.anchor));
    }
    node.target = anchored->second;
    const bool isInside =
        std::ranges::any_of(m_open, [&](const YamlNode* open) { return open == node.target; });
    if (isInside) {
        throw errorAt(
            m_document.positionOf(node),
            "This alias stands inside of what it stands for, which never ends; write the value out instead.");
    }
}

YamlNode& YamlTreeBuilder::add(NodeKind kind, const yaml_event_t& event, const yaml_char_t* anchor,
                               const yaml_char_t* tag)
{
    const std::size_t begin = byteOf(event.start_mark);
    if (m_document.m_nodes.size() >= maxNodes) {
        throw errorAt(m_document.positionOf(begin),
                      "The text holds more than {} values, which no config does; open the config itself.",
                      maxNodes);
    }
    YamlNode& node = m_document.m_nodes.emplace_back();
    node.kind = kind;
    // In libyaml a node begins with its anchor and tag.
    node.begin = begin;
    skipProperties(node, m_text, anchor != nullptr, mayHaveTag(event, tag));
    node.end = byteOf(event.end_mark);
    if (tag && textOf(tag) != "!")
        node.tag = textOf(tag);
    node.depth = static_cast<int>(m_open.size());
    node.index = m_document.m_nodes.size() - 1;
    node.indexAfter = node.index + 1;
    if (anchor) {
        node.anchor = ++m_anchors;
        m_anchored[textOf(anchor)] = &node;
    }
    if (!m_open.empty()) {
        node.parent = m_open.back();
        node.place = node.parent->children.size();
        m_open.back()->children.push_back(&node);
    }
    return node;
}

void YamlTreeBuilder::open(NodeKind kind, const yaml_event_t& event, const yaml_char_t* anchor,
                           const yaml_char_t* tag, bool isFlow)
{
    YamlNode& node = add(kind, event, anchor, tag);
    node.flow = isFlow;
    if (m_open.size() >= maxDepth) {
        throw errorAt(
            m_document.positionOf(node),
            "The text is nested more than {} levels deep, which no config is; open the config itself.",
            maxDepth);
    }
    m_open.push_back(&node);
}

void YamlTreeBuilder::close(const yaml_event_t& event)
{
    YamlNode& node = *m_open.back();
    node.indexAfter = m_document.m_nodes.size();
    // In libyaml a block ends where the next node begins.
    node.end = node.flow || node.children.empty() ? byteOf(event.end_mark) : node.children.back()->end;
    m_open.pop_back();
}

std::size_t YamlTreeBuilder::byteOf(const yaml_mark_t& mark)
{
    const std::size_t first = byteOrderMarkSize(m_text);
    while (m_character < mark.index && m_byte < m_text.size()) {
        do {
            ++m_byte;
        } while (m_byte < m_text.size() && isContinuationByte(m_text[m_byte]));
        ++m_character;
    }
    while (m_character > mark.index && m_byte > first) {
        do {
            --m_byte;
        } while (m_byte > first && isContinuationByte(m_text[m_byte]));
        --m_character;
    }
    return m_byte;
}

YamlDocument::YamlDocument(std::string text) : YamlDocument(std::move(text), nullptr) {}

YamlDocument::YamlDocument(std::string text, std::shared_ptr<const DocumentOrigin> origin)
    : m_text(std::move(text)), m_origin(std::move(origin)), m_lineBegins(lineBegins(m_text))
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
    return m_origin ? m_origin->positionOf(byte) : positionIn(m_text, m_lineBegins, byte);
}

const YamlNode& resolved(const YamlNode& node)
{
    return node.kind == NodeKind::Alias ? *node.target : node;
}

const YamlNode* keyBefore(const YamlNode& value)
{
    const bool isValue = value.parent && value.parent->kind == NodeKind::Mapping && value.place % 2 == 1;
    return isValue ? value.parent->children[value.place - 1] : nullptr;
}

bool isProperty(std::string_view text, std::size_t byte)
{
    return byte < text.size() && (text[byte] == '&' || text[byte] == '!');
}

// Neither anchor nor tag needs a blank after it: yaml_parser_scan_anchor and yaml_parser_scan_tag_uri in
// scanner.c of libyaml 0.2.5.
std::size_t propertyEnd(std::string_view text, std::size_t begin)
{
    constexpr std::string_view anchorCharacters =
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-";
    if (text[begin] == '&')
        return std::min(text.find_first_not_of(anchorCharacters, begin + 1), text.size());
    const std::string_view ends = text.substr(begin).starts_with("!<") ? " \t\r\n" : " \t\r\n,[]{}";
    // A tag is ASCII; other bytes may be a line break.
    const auto isEnd = [ends](char c) {
        return static_cast<unsigned char>(c) >= 0x80 || ends.find(c) != std::string_view::npos;
    };
    return static_cast<std::size_t>(
        std::find_if(text.begin() + static_cast<std::ptrdiff_t>(begin), text.end(), isEnd) - text.begin());
}

} // namespace batchpeak::config
