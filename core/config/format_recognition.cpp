// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config_document.h"
#include "known_formats.h"
#include "syntax/config_section.h"

#include <algorithm>
#include <ranges>

namespace batchpeak::config {

namespace {

bool hasPath(const ConfigSection& section, std::string_view path)
{
    const std::size_t dot = path.find('.');
    if (dot == std::string_view::npos || section.find(path))
        return section.find(path).has_value();
    const std::string_view key = path.substr(0, dot);
    return section.hasSection(key) && hasPath(*section.section(key), path.substr(dot + 1));
}

std::vector<std::string_view> keysThere(const FormatEntry& format, const ConfigText& text)
{
    std::vector<std::string_view> there;
    const auto root = text.root();
    if (root) {
        std::ranges::copy_if(format.usualKeys, std::back_inserter(there),
                             [&](std::string_view path) { return hasPath(*root, path); });
    }
    return there;
}

std::string listed(const std::vector<std::string_view>& words)
{
    std::string text;
    for (std::string_view word : words)
        text += (text.empty() ? "" : ", ") + std::string(word);
    return text;
}

std::string nearestOf(const std::vector<FormatEntry>& formats, const ConfigText& text)
{
    std::vector<std::string_view> most;
    const FormatEntry* nearest = nullptr;
    for (const FormatEntry& format : formats) {
        auto there = keysThere(format, text);
        if (there.size() > most.size()) {
            most = std::move(there);
            nearest = &format;
        }
    }
    if (!nearest)
        return "None of their keys is in it.";
    return "The nearest is " + std::string(nearest->name) + ", of which it has " + listed(most) + ".";
}

[[noreturn]] void refuse(const std::vector<FormatEntry>& formats, const ConfigText& text)
{
    if (text.problem())
        throw *text.problem();
    std::string marks;
    for (const FormatEntry& format : formats)
        marks +=
            (marks.empty() ? "" : "; ") + std::string(format.mark) + " (" + std::string(format.name) + ")";
    throw ConfigError("The text is no config of a known format. " + nearestOf(formats, text) +
                      " Looked for were: " + marks + ". Open a config of one of these.");
}

} // namespace

std::unique_ptr<ConfigFormat> recognise(std::string text)
{
    return recognise(std::make_shared<const ConfigText>(std::move(text)));
}

std::unique_ptr<ConfigFormat> recognise(const std::shared_ptr<const ConfigText>& text)
{
    const std::vector<FormatEntry> formats = knownFormats();
    for (const FormatEntry& entry : formats) {
        if (auto format = entry.recognise(text))
            return format;
    }
    refuse(formats, *text);
}

} // namespace batchpeak::config
