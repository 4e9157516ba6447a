// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config_document.h"

#include "cerebras_params_format.h"
#include "cerebras_trainer_format.h"
#include "own_format.h"
#include "yaml_document.h"

#include <charconv>

namespace batchpeak::config {

namespace {

using Recogniser = std::unique_ptr<ConfigFormat> (*)(const std::shared_ptr<const YamlDocument>&);

/// Every format, each asked in turn whether a document is of it.
constexpr Recogniser recognisers[] = {
    OwnFormat::recognise,
    CerebrasTrainerFormat::recognise,
    CerebrasParamsFormat::recognise,
};

} // namespace

std::unique_ptr<ConfigFormat> recognise(std::string text)
{
    const auto document = std::make_shared<const YamlDocument>(std::move(text));
    for (Recogniser recogniser : recognisers) {
        if (auto format = recogniser(document))
            return format;
    }
    throw ConfigError(
        "The text is no config of a known format: it has neither trainer.init (Cerebras Trainer), nor "
        "train_input or eval_input (Cerebras params), nor batchpeak (Batchpeak's own); open one of these.");
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
