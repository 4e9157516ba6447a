// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "unmodeled_features.h"

#include "syntax/words.h"

namespace batchpeak::config {

namespace {

bool isAboveOne(const Settings& settings, std::string_view key)
{
    const std::int64_t count = settings.integer(key).value_or(1);
    if (count < 1)
        settings.fail(key, "is {}, but must be at least 1", count);
    return count > 1;
}

bool applies(const Settings& settings, const UnmodeledFeature& difference)
{
    const std::string_view key = difference.key;
    switch (difference.when) {
    case UnmodeledFeature::When::On:
        return settings.isOn(key);
    case UnmodeledFeature::When::There:
        return settings.has(key);
    case UnmodeledFeature::When::True:
        return settings.boolean(key).value_or(false);
    case UnmodeledFeature::When::False:
        return !settings.boolean(key).value_or(true);
    case UnmodeledFeature::When::AboveOne:
        return isAboveOne(settings, key);
    case UnmodeledFeature::When::NoneOf:
        break;
    }
    const auto word = settings.text(key);
    return word && !isAmong(*word, difference.known);
}

Warning told(const Settings& settings, const UnmodeledFeature& difference)
{
    constexpr std::string_view valueMark = "{value}";
    std::string text = sentence(difference.text, settings.pathOf(difference.key));
    if (const std::size_t place = text.find(valueMark); place != std::string::npos)
        text.replace(place, valueMark.size(), settings.text(difference.key).value_or(""));
    return {.sentence = std::move(text),
            .position = settings.positionOf(difference.key),
            .approximation = std::string(difference.approximation)};
}

} // namespace

void refusePartialTraining(TextPosition position, std::string_view what, std::string_view why)
{
    throw notRun(position,
                 "This config trains {}, which Batchpeak cannot time, so the result would not apply. To time "
                 "full training, name the network with --model.",
                 what)
        .because(why);
}

void refuseAdapter(TextPosition position, std::string_view kind)
{
    constexpr WordMap<std::string_view, 6> names{{{"lora", "LoRA"},
                                                  {"qlora", "QLoRA"},
                                                  {"dora", "DoRA"},
                                                  {"qdora", "QDoRA"},
                                                  {"oft", "OFT"},
                                                  {"ia3", "IA3"}}};
    const std::string word = lowerCase(std::string(kind));
    const std::string name(meaningOf(names, word).value_or(kind));
    refusePartialTraining(position, sentence("an adapter ({})", name), sentence(reason::otherAdapter, name));
}

namespace {

NotRun otherRun(TextPosition position, std::string_view does, std::string_view why)
{
    return notRun(
               position,
               "This config {}; Batchpeak cannot time that, so the result would not apply. A size can still "
               "be written into it.",
               does)
        .because(why);
}

} // namespace

void refuseRun(TextPosition position, std::string_view does, std::string_view why)
{
    throw otherRun(position, does, why);
}

std::string onPreferencePairs(std::string_view method, std::string_view key)
{
    return sentence("trains on preference pairs ({}, {})", method, key);
}

std::optional<std::string> onPreferences(model::Preference method, std::string_view key)
{
    using enum model::Preference;
    switch (method) {
    case Dpo:
        return onPreferencePairs("DPO", key);
    case Orpo:
        return onPreferencePairs("ORPO", key);
    case Simpo:
        return onPreferencePairs("SimPO", key);
    case Kto:
        return sentence("trains on unpaired preferences (KTO, {})", key);
    case None:
    case Reward:
    case ValueHead:
        break;
    }
    return std::nullopt;
}

void noteRunOnPreferences(TextPosition position, std::string_view does, model::Preference preference,
                          ConfigContents& contents)
{
    contents.step.preference = preference;
    if (!contents.notRunHere)
        contents.notRunHere = otherRun(position, does, reason::preferences).why;
}

void refuseOtherRun(const Settings& settings, std::span<const UnmodeledFeature> differences,
                    model::Preference preference, ConfigContents& contents)
{
    for (const UnmodeledFeature& difference : differences) {
        if (!applies(settings, difference))
            continue;
        const Warning found = told(settings, difference);
        if (preference == model::Preference::None || difference.why != reason::preferences)
            refuseRun(found.position, found.sentence, difference.why);
        const auto does = onPreferences(preference, settings.pathOf(difference.key));
        noteRunOnPreferences(found.position, does.value_or(found.sentence), preference, contents);
    }
}

std::optional<Warning> firstOf(const Settings& settings, std::span<const UnmodeledFeature> differences)
{
    for (const UnmodeledFeature& difference : differences) {
        if (applies(settings, difference))
            return told(settings, difference);
    }
    return std::nullopt;
}

void warnOf(const Settings& settings, std::span<const UnmodeledFeature> differences,
            std::vector<Warning>& warnings)
{
    for (const UnmodeledFeature& difference : differences) {
        if (applies(settings, difference))
            warnings.push_back(told(settings, difference));
    }
}

void refuseOtherRun(const Settings& settings, std::span<const UnmodeledFeature> differences)
{
    ConfigContents nothingIsNoted;
    refuseOtherRun(settings, differences, model::Preference::None, nothingIsNoted);
}

void refuseOtherNetwork(const Settings& settings, std::span<const UnmodeledFeature> differences)
{
    for (const UnmodeledFeature& difference : differences) {
        if (applies(settings, difference))
            refuseNetwork(settings, difference.key, told(settings, difference).sentence);
    }
}

void refuseNetwork(const Settings& settings, std::string_view key, const std::string& feature)
{
    throw notRun(settings.positionOf(key),
                 "The network has {} ({}), which Batchpeak cannot run, so the result would not apply. A size "
                 "can still be written into this config.",
                 feature, settings.pathOf(key))
        .because(reason::networkPart);
}

} // namespace batchpeak::config
