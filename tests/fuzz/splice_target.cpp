// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/config_document.h"
#include "fuzz_target.h"
#include "node_distance.h"

#include <optional>

namespace batchpeak::fuzz {

namespace {

/// Number of bytes at the beginning of an input that determine the phase, the size, and whether the batch is
/// chosen too.
constexpr std::size_t choiceBytes = 3;

config::ChosenSize chosenBy(std::string_view bytes)
{
    const auto value = [&](std::size_t i) { return std::int64_t{static_cast<unsigned char>(bytes[i])}; };
    config::ChosenSize chosen{.phase = value(0) % 2 == 0 ? model::Phase::Train : model::Phase::Eval,
                              .microBatchSize = value(1) % 16};
    if (value(2) % 2 == 0)
        chosen.globalBatchSize = chosen.microBatchSize * (value(2) / 16);
    return chosen;
}

/// Returns the text with the chosen size; nothing if a ConfigError reports that the size cannot be written.
std::optional<std::string> spliced(const std::string& text, const config::ChosenSize& chosen)
{
    try {
        return config::recognize(text)->withMicroBatchSize(chosen).text;
    } catch (const config::ConfigError& error) {
        require(std::string_view(error.what()).ends_with('.'), "an error is a sentence", error.what());
        return std::nullopt;
    }
}

/// Largest number of nodes that may change: a size, a batch, the accumulation steps and a switch, each with
/// its key; removed bounds of a search; the callback that contains a flag.
constexpr std::size_t maxNodes = 24;

bool isYaml(const std::string& text)
{
    try {
        const config::YamlDocument document(text);
        return true;
    } catch (const config::ConfigError&) {
        return false;
    }
}

} // namespace

void run(std::string_view bytes)
{
    if (bytes.size() <= choiceBytes)
        return;
    const config::ChosenSize chosen = chosenBy(bytes);
    const std::string text(bytes.substr(choiceBytes));
    const auto once = spliced(text, chosen);
    if (!once)
        return;
    const auto contents = config::recognize(*once)->read();
    require(contents.plan(chosen.phase)->writtenSize() == chosen.microBatchSize, "the size is read back",
            *once);
    if (isYaml(text)) {
        const std::size_t distance =
            nodeDistance(config::YamlDocument(text), config::YamlDocument(*once), maxNodes);
        require(distance <= maxNodes, "few values differ", *once);
    }
    const auto twice = spliced(*once, chosen);
    require(twice == once, "the same size once more changes nothing",
            *once + "\n---\n" + twice.value_or("refused"));
}

} // namespace batchpeak::fuzz
