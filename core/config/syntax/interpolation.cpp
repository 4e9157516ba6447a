// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "interpolation.h"

#include "yaml_extent.h"

#include <charconv>

namespace batchpeak::config {

namespace {

// Deeper chains are circles.
constexpr int maxSteps = 32;
constexpr std::string_view opening = "${";

/// The path in "${path}" where it is one of names, dots and indices alone; nothing where the text is anything
/// else.
std::optional<std::string_view> pathOf(std::string_view text)
{
    if (!text.starts_with(opening) || !text.ends_with('}'))
        return std::nullopt;
    const std::string_view path = text.substr(opening.size(), text.size() - opening.size() - 1);
    const bool isPath = !path.empty() && path.find_first_of("${}:, ") == std::string_view::npos;
    return isPath ? std::optional(path) : std::nullopt;
}

const YamlNode* childOf(const YamlNode& holder, std::string_view name)
{
    if (holder.kind == NodeKind::Sequence) {
        std::size_t place = 0;
        const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), place);
        const bool isPlace = error == std::errc() && end == name.data() + name.size();
        return isPlace && place < holder.children.size() ? holder.children[place] : nullptr;
    }
    for (std::size_t i = 0; holder.kind == NodeKind::Mapping && i + 1 < holder.children.size(); i += 2) {
        if (resolved(*holder.children[i]).value == name)
            return holder.children[i + 1];
    }
    return nullptr;
}

const YamlNode* followed(const YamlDocument& document, const YamlNode& node, int steps);

/// \param from  the value that holds the interpolation
const YamlNode* nodeAt(const YamlDocument& document, const YamlNode& from, std::string_view path, int steps)
{
    const YamlNode* holder = &document.root();
    if (path.starts_with('.')) {
        holder = from.parent;
        for (path.remove_prefix(1); holder && path.starts_with('.'); path.remove_prefix(1))
            holder = holder->parent;
    }
    while (holder && !path.empty()) {
        const std::size_t end = std::min(path.find_first_of(".[]"), path.size());
        if (end > 0) {
            const YamlNode* container = followed(document, *holder, steps - 1);
            holder = container ? childOf(*container, path.substr(0, end)) : nullptr;
        }
        path.remove_prefix(std::min(end + 1, path.size()));
    }
    return holder;
}

const YamlNode* followed(const YamlDocument& document, const YamlNode& node, int steps)
{
    const YamlNode& value = resolved(node);
    if (value.kind != NodeKind::Scalar || !isInterpolated(value))
        return &value;
    const auto path = pathOf(value.value);
    if (!path || steps <= 0)
        return nullptr;
    const YamlNode* target = nodeAt(document, value, *path, steps);
    return target ? followed(document, *target, steps - 1) : nullptr;
}

/// The byte after an interpolation that begins here, those inside of it included.
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

} // namespace

bool isInterpolated(const YamlNode& node)
{
    return node.kind == NodeKind::Scalar && node.value.find(opening) != std::string::npos;
}

const YamlNode* interpolationTarget(const YamlDocument& document, const YamlNode& node)
{
    return followed(document, node, maxSteps);
}

std::optional<std::string> interpolatedText(const YamlDocument& document, const YamlNode& node)
{
    const YamlNode& value = resolved(node);
    std::string result;
    for (std::size_t i = 0; i < value.value.size();) {
        const std::size_t begin = std::min(value.value.find(opening, i), value.value.size());
        result += value.value.substr(i, begin - i);
        i = begin;
        if (begin == value.value.size())
            break;
        i = interpolationEnd(value.value, begin);
        const auto path = pathOf(std::string_view(value.value).substr(begin, i - begin));
        const YamlNode* target = path ? nodeAt(document, value, *path, maxSteps) : nullptr;
        const YamlNode* scalar = target ? followed(document, *target, maxSteps) : nullptr;
        if (!scalar || scalar->kind != NodeKind::Scalar || isInterpolated(*scalar))
            return std::nullopt;
        result += scalar->value;
    }
    return result;
}

std::vector<std::string> interpolationNotes(const YamlDocument& document, const YamlNode& changed)
{
    std::vector<std::string> notes;
    for (const YamlNode& node : document.nodes()) {
        if (!isInterpolated(node) || interpolationTarget(document, node) != &changed)
            continue;
        const YamlNode* key = keyOf(node);
        notes.push_back("Line " + std::to_string(document.positionOf(node).line) +
                        (key ? " (" + key->value + ")" : std::string()) +
                        " changes with it, because it stands for the same value.");
    }
    return notes;
}

} // namespace batchpeak::config
