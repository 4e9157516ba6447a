// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config_document.h"

#include "config_text.h"
#include "format_entry.h"

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

} // namespace

SplicedText ConfigFormat::withMicroBatchSize(const ChosenSize& chosen) const
{
    SplicedText spliced = splice(chosen);
    const auto before = read().plan(chosen.phase);
    const auto text = spliced.document ? std::make_shared<const ConfigText>(spliced.document)
                                       : std::make_shared<const ConfigText>(spliced.text);
    const auto after = recognise(text)->read().plan(chosen.phase);
    const bool isSize = after && after->writtenSize() == chosen.microBatchSize;
    const std::int64_t batch = chosen.globalBatchSize.value_or(before ? before->globalBatchSize : 0);
    // Evaluation accumulates nothing: its batch is its micro-batch in most configs.
    if (isSize && (chosen.phase == model::Phase::Eval || after->globalBatchSize == batch))
        return spliced;
    throw ConfigError("The size " + std::to_string(chosen.microBatchSize) + " would be read as " +
                      readText(after) + " from where this config has it; set it by hand.");
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
