// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config_document.h"

#include "config_text.h"
#include "format.h"
#include "syntax/second_reading.h"
#include "syntax/words.h"

#include <algorithm>
#include <charconv>

namespace batchpeak::config {

namespace {

std::string readText(const std::optional<BatchPlan>& plan)
{
    if (!plan)
        return "nothing";
    const auto size = plan->writtenSize();
    return (size ? std::to_string(*size) : toText(plan->setting)) + " in a batch of " +
           std::to_string(plan->globalBatchSize);
}

bool hasPath(const ConfigSection& section, std::string_view path)
{
    const std::size_t dot = path.find('.');
    if (dot == std::string_view::npos || section.find(path))
        return section.find(path).has_value();
    const std::string_view key = path.substr(0, dot);
    return section.hasSection(key) && hasPath(*section.section(key), path.substr(dot + 1));
}

std::vector<std::string_view> keysThere(const Format& format, const ConfigText& text)
{
    const auto root = text.root();
    std::vector<std::string_view> there = splitWords(format.usualKeys);
    std::erase_if(there, [&](std::string_view path) { return !root || !hasPath(*root, path); });
    return there;
}

std::string nearestTo(const ConfigText& text)
{
    std::vector<std::string_view> most;
    const Format* nearest = nullptr;
    for (const Format* format : formats) {
        auto there = keysThere(*format, text);
        if (there.size() > most.size()) {
            most = std::move(there);
            nearest = format;
        }
    }
    if (!nearest)
        return "None of their keys is in it.";
    return "The nearest is " + std::string(nearest->name) + ", of which it has " + listed(most) + ".";
}

[[noreturn]] void refuse(const ConfigText& text)
{
    if (text.problem())
        throw *text.problem();
    std::string marks;
    for (const Format* format : formats)
        marks +=
            (marks.empty() ? "" : "; ") + std::string(format->mark) + " (" + std::string(format->name) + ")";
    throw ConfigError("The text is no config of a known format. " + nearestTo(text) +
                      " Looked for were: " + marks + ". Open a config of one of these.");
}

} // namespace

std::string_view ConfigDocument::name() const
{
    return m_format.name;
}

ConfigContents ConfigDocument::read() const
{
    ConfigContents contents = m_format.read(*m_text);
    contents.formatName = m_format.name;
    contents.rules = m_format.rules;
    return contents;
}

SplicedText ConfigDocument::withMicroBatchSize(const ChosenSize& chosen) const
{
    SplicedText spliced = m_format.splice(*m_text, chosen);
    const auto before = read().plan(chosen.phase);
    const auto text = spliced.document ? std::make_shared<const ConfigText>(spliced.document)
                                       : std::make_shared<const ConfigText>(spliced.text);
    const auto after = recognise(text)->read().plan(chosen.phase);
    const bool isSize = after && after->writtenSize() == chosen.microBatchSize;
    const std::int64_t batch = chosen.globalBatchSize.value_or(before ? before->globalBatchSize : 0);
    // Evaluation accumulates nothing: its batch is its micro-batch in most configs.
    const bool isBatch = after && (chosen.phase == model::Phase::Eval || after->globalBatchSize == batch);
    if (!isSize || !isBatch) {
        throw ConfigError("The size " + std::to_string(chosen.microBatchSize) + " would be read as " +
                          readText(after) + " from where this config has it; set it by hand.");
    }
    if (m_text->document() && spliced.document)
        requireSecondReading(*m_text->document(), *spliced.document);
    return spliced;
}

std::unique_ptr<const ConfigDocument> recognise(std::string text)
{
    return recognise(std::make_shared<const ConfigText>(std::move(text)));
}

std::unique_ptr<const ConfigDocument> recognise(std::shared_ptr<const ConfigText> text)
{
    const auto found =
        std::ranges::find_if(formats, [&](const Format* format) { return format->fits(*text); });
    if (found == formats.end())
        refuse(*text);
    return std::make_unique<const ConfigDocument>(**found, std::move(text));
}

Setting settingFromText(std::string_view text)
{
    if (text == "explore")
        return Explore{};
    if (text == "auto")
        return Auto{};
    if (text == "null" || text == "none" || text == "None")
        return Whole{};
    std::int64_t size = 0;
    const char* end = text.data() + text.size();
    const auto [parsed, error] = std::from_chars(text.data(), end, size);
    if (text.empty() || parsed != end || error != std::errc() || size < 1) {
        throw ConfigError(
            "The setting \"" + std::string(text) +
            "\" is none of explore, auto, null and a whole number of at least 1; give one of these.");
    }
    return Fixed{size};
}

} // namespace batchpeak::config
