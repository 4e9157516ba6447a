// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "interpolation.h"

#include "config_section.h"
#include "yaml_edit.h"
#include "yaml_scalar.h"
#include "yaml_tag.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>

namespace batchpeak::config {

namespace {

// Limit of interpolations that are followed for one value: more mean a cycle, or a text made to take forever.
constexpr int maxSteps = 64;
constexpr std::size_t maxTextLength = 4096;
constexpr std::string_view opening = "${";
constexpr std::string_view blanksAround = " \t";

/// Part of a text: one interpolation, or literal text, unescaped.
struct Piece
{
    std::string text;
    bool isInterpolation = false;
};

/// Returns the byte after an interpolation that begins here, including nested ones.
std::size_t interpolationEnd(std::string_view text, std::size_t begin)
{
    int open = 0;
    for (std::size_t i = begin; i < text.size(); ++i) {
        if (text[i] == '{')
            ++open;
        else if (text[i] == '}' && --open == 0)
            return i + 1;
    }
    return text.size();
}

// Before "${", backslashes escape each other in pairs; if their number is odd, the last one escapes the
// interpolation: ESC_INTER and TOP_ESC in OmegaConfGrammarLexer.g4 of OmegaConf 2.3.
std::vector<Piece> piecesOf(std::string_view text)
{
    std::vector<Piece> pieces;
    std::size_t i = 0;
    for (std::size_t begin = text.find(opening); begin != std::string_view::npos;
         begin = text.find(opening, i)) {
        std::size_t slashes = 0;
        while (slashes < begin - i && text[begin - slashes - 1] == '\\')
            ++slashes;
        const bool isEscaped = slashes % 2 == 1;
        const std::size_t end = isEscaped ? begin + opening.size() : interpolationEnd(text, begin);
        const std::string written(text.substr(begin, end - begin));
        pieces.push_back({std::string(text.substr(i, begin - slashes - i)) + std::string(slashes / 2, '\\')});
        pieces.push_back({written, !isEscaped});
        i = end;
    }
    pieces.push_back({std::string(text.substr(i))});
    return pieces;
}

/// The path in an interpolation: up from the value's container if it begins with dots, then down along these
/// keys.
struct Path
{
    std::size_t dots = 0;
    std::vector<std::string> keys;
};

/// Removes the key at the beginning of the rest of a path and returns it: "x", ".x", "[x]" or "[2]".
std::optional<std::string> takeKey(std::string_view& rest, bool isFirst)
{
    const bool isBracket = rest.starts_with('[');
    if (isBracket || (!isFirst && rest.starts_with('.')))
        rest.remove_prefix(1);
    else if (!isFirst)
        return std::nullopt;
    const std::size_t end = std::min(rest.find_first_of("\\{}()[]:. \t'\""), rest.size());
    std::string key(rest.substr(0, end));
    rest.remove_prefix(end);
    const bool isClosed = !isBracket || rest.starts_with(']');
    if (key.empty() || !isClosed)
        return std::nullopt;
    rest.remove_prefix(isBracket ? 1 : 0);
    return key;
}

/// Returns the path of a text that is one interpolation of names, dots and indices, or nothing for any other
/// text.
std::optional<Path> pathOf(std::string_view text)
{
    if (!text.starts_with(opening) || !text.ends_with('}'))
        return std::nullopt;
    text = text.substr(opening.size(), text.size() - opening.size() - 1);
    text.remove_prefix(std::min(text.find_first_not_of(blanksAround), text.size()));
    text = text.substr(0, text.find_last_not_of(blanksAround) + 1);

    Path path{.dots = std::min(text.find_first_not_of('.'), text.size())};
    text.remove_prefix(path.dots);
    while (path.keys.empty() || !text.empty()) {
        const auto key = takeKey(text, path.keys.empty());
        if (!key)
            return std::nullopt;
        path.keys.push_back(*key);
    }
    return path;
}

const YamlNode* childOf(const YamlDocument& document, const YamlNode& holder, const std::string& name)
{
    if (holder.kind == NodeKind::Mapping) {
        const auto entry = ConfigSection(document, holder, {}).find(name);
        return entry ? entry->value : nullptr;
    }
    std::size_t place = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), place);
    const bool isPlace = error == std::errc() && end == name.data() + name.size();
    return isPlace && place < holder.children.size() ? holder.children[place] : nullptr;
}

/// Returns a scalar as Python writes it into a text. Fractions keep their text.
std::string writtenByPython(const YamlNode& scalar)
{
    if (isNull(scalar))
        return "None";
    if (const auto boolean = asBoolean(scalar))
        return *boolean ? "True" : "False";
    const auto integer = asInteger(scalar);
    return integer ? std::to_string(*integer) : scalar.value;
}

/// A value and its container.
struct Place
{
    const YamlNode* value = nullptr;
    const YamlNode* container = nullptr;
};

/// The entries of a mapping without merged ones.
using KeyIndex = std::unordered_map<std::string_view, const YamlNode*>;

KeyIndex indexOf(const YamlNode& mapping)
{
    KeyIndex index;
    for (std::size_t i = 0; i + 1 < mapping.children.size(); i += 2) {
        const YamlNode& key = resolved(*mapping.children[i]);
        if (isNamed(key))
            index.try_emplace(key.value, mapping.children[i + 1]);
    }
    return index;
}

/// Follows at most maxSteps interpolations until it is restarted.
class Resolver
{
public:
    enum class LookUps { Few, Many };

    /// \param lookUps  Many: mappings are indexed before lookups
    explicit Resolver(const YamlDocument& document, LookUps lookUps = LookUps::Few)
        : m_document(document), m_lookUps(lookUps)
    {}

    void restart() { m_steps = maxSteps; }

    /// Returns the value at the end of all interpolations, which is not one itself.
    std::optional<Place> followed(Place place)
    {
        for (;;) {
            const YamlNode& value = resolved(*place.value);
            if (!isInterpolated(value))
                return Place{&value, place.container};
            const auto next = at(place, value.value);
            if (!next)
                return std::nullopt;
            place = *next;
        }
    }

    std::optional<std::string> text(Place place)
    {
        const YamlNode& value = resolved(*place.value);
        if (value.kind != NodeKind::Scalar || !hasReadableTag(value))
            return std::nullopt;
        if (value.value.find(opening) == std::string::npos)
            return writtenByPython(value);
        std::string result;
        for (const Piece& piece : piecesOf(value.value)) {
            const auto target = piece.isInterpolation ? at(place, piece.text) : std::nullopt;
            const auto inserted = target ? text(*target) : std::nullopt;
            if (piece.isInterpolation && !inserted)
                return std::nullopt;
            result += piece.isInterpolation ? *inserted : piece.text;
            if (result.size() > maxTextLength)
                return std::nullopt;
        }
        return result;
    }

    /// Whether the value at \p place refers to \p wanted, to a value that contains it, or is a text that
    /// includes it.
    bool leadsTo(const YamlNode& wanted, Place place)
    {
        for (const Piece& piece : piecesOf(resolved(*place.value).value)) {
            const auto target = piece.isInterpolation ? at(place, piece.text) : std::nullopt;
            if (target && (holds(*target->value, wanted) || holds(resolved(*target->value), wanted) ||
                           leadsTo(wanted, *target)))
                return true;
        }
        return false;
    }

private:
    static bool holds(const YamlNode& node, const YamlNode& wanted)
    {
        return node.index <= wanted.index && wanted.index < node.indexAfter;
    }

    /// Returns the value that one interpolation names, which may be a further interpolation.
    std::optional<Place> at(const Place& from, std::string_view interpolation)
    {
        const auto path = pathOf(interpolation);
        if (!path || --m_steps < 0)
            return std::nullopt;
        const YamlNode* start = path->dots > 0 ? from.container : &m_document.root();
        for (std::size_t level = 1; start && level < path->dots; ++level)
            start = start->anchor == 0 ? start->parent : nullptr;
        if (!start)
            return std::nullopt;
        Place place{start, start->parent};
        for (const std::string& key : path->keys) {
            const auto holder = followed(place);
            const YamlNode* child = holder ? childIn(*holder->value, key) : nullptr;
            if (!child)
                return std::nullopt;
            place = {child, holder->value};
        }
        return place;
    }

    const YamlNode* childIn(const YamlNode& holder, const std::string& key)
    {
        if (m_lookUps == LookUps::Few || holder.kind != NodeKind::Mapping)
            return childOf(m_document, holder, key);
        const auto [place, isNew] = m_indexes.try_emplace(&holder);
        if (isNew)
            place->second = indexOf(holder);
        if (const auto child = place->second.find(key); child != place->second.end())
            return child->second;
        return place->second.contains("<<") ? childOf(m_document, holder, key) : nullptr;
    }

    const YamlDocument& m_document;
    LookUps m_lookUps;
    std::unordered_map<const YamlNode*, KeyIndex> m_indexes;
    int m_steps = maxSteps;
};

} // namespace

bool isInterpolated(const YamlNode& node)
{
    return node.kind == NodeKind::Scalar && node.value.find(opening) != std::string::npos &&
           std::ranges::any_of(piecesOf(node.value), &Piece::isInterpolation);
}

const YamlNode* interpolationTarget(const YamlDocument& document, const YamlNode& node,
                                    const YamlNode& container)
{
    const auto place = Resolver(document).followed({&node, &container});
    return place ? place->value : nullptr;
}

std::optional<std::string> interpolatedText(const YamlDocument& document, const YamlNode& node,
                                            const YamlNode& container)
{
    return Resolver(document).text({&node, &container});
}

std::vector<std::string> interpolationNotes(const YamlDocument& document, const YamlNode& changed)
{
    Resolver resolver(document, Resolver::LookUps::Many);
    std::vector<ChangedPlace> places;
    for (const YamlNode& node : document.nodes()) {
        resolver.restart();
        if (&node != &changed && isInterpolated(node) && resolver.leadsTo(changed, {&node, node.parent}))
            places.push_back({&node, keyBefore(node)});
    }
    return changeNotes(document, places, "it stands for the same value");
}

} // namespace batchpeak::config
