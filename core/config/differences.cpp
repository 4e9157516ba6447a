// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "differences.h"

#include "syntax/words.h"

namespace batchpeak::config {

namespace {

bool isAboveOne(const Settings& settings, std::string_view key)
{
    const std::int64_t count = settings.integer(key).value_or(1);
    if (count < 1)
        settings.fail(key, "is " + std::to_string(count) + ", but must be at least 1");
    return count > 1;
}

bool applies(const Settings& settings, const Difference& difference)
{
    const std::string_view key = difference.key;
    switch (difference.when) {
    case Difference::When::On:
        return settings.isOn(key);
    case Difference::When::There:
        return settings.has(key);
    case Difference::When::True:
        return settings.boolean(key).value_or(false);
    case Difference::When::False:
        return !settings.boolean(key).value_or(true);
    case Difference::When::AboveOne:
        return isAboveOne(settings, key);
    case Difference::When::NoneOf:
        break;
    }
    const auto word = settings.text(key);
    return word && !isAmong(*word, difference.known);
}

std::string replaced(std::string text, std::string_view mark, const std::string& by)
{
    const std::size_t place = text.find(mark);
    return place == std::string::npos ? text : text.replace(place, mark.size(), by);
}

Warning filledIn(const Settings& settings, const Difference& difference)
{
    std::string text = replaced(std::string(difference.text), "{}", settings.pathOf(difference.key));
    if (text.find("{value}") != std::string::npos)
        text = replaced(std::move(text), "{value}", settings.text(difference.key).value_or(""));
    return {.sentence = std::move(text), .position = settings.positionOf(difference.key)};
}

} // namespace

std::optional<Warning> firstOf(const Settings& settings, std::span<const Difference> differences)
{
    for (const Difference& difference : differences) {
        if (applies(settings, difference))
            return filledIn(settings, difference);
    }
    return std::nullopt;
}

void warnOf(const Settings& settings, std::span<const Difference> differences, std::vector<Warning>& warnings)
{
    for (const Difference& difference : differences) {
        if (applies(settings, difference))
            warnings.push_back(filledIn(settings, difference));
    }
}

std::optional<UnsupportedModel> otherRun(const Settings& settings, std::span<const Difference> differences)
{
    auto found = firstOf(settings, differences);
    if (!found)
        return std::nullopt;
    return UnsupportedModel{.sentence = std::move(found->sentence), .position = found->position};
}

std::optional<UnsupportedModel> otherNetwork(const Settings& settings,
                                             std::span<const Difference> differences)
{
    for (const Difference& difference : differences) {
        if (applies(settings, difference))
            return unsupportedBecause(settings, difference.key, filledIn(settings, difference).sentence);
    }
    return std::nullopt;
}

UnsupportedModel unsupportedBecause(const Settings& settings, std::string_view key,
                                    const std::string& feature)
{
    return {
        .sentence =
            "The network uses " + feature + " (" + settings.pathOf(key) +
            "), which trials here do not have, so that they would measure another network. Its batch sizes "
            "can be read and written all the same.",
        .position = settings.positionOf(key)};
}

} // namespace batchpeak::config
