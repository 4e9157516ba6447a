// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "llm_foundry_model.h"

#include "cerebras/cerebras_keys.h"
#include "mpt_model.h"
#include "named_model.h"

#include <array>
#include <string>
#include <utility>

namespace batchpeak::config {

namespace {

constexpr std::string_view hubKey = "pretrained_model_name_or_path";

std::optional<UnsupportedModel> unsupportedTraining(const ConfigSection& model)
{
    constexpr std::array<std::pair<std::string_view, const char*>, 3> switches{
        {{"peft_config", "adapters, where few parameters are trained"},
         {"pretrained_lora_id_or_path", "adapters, where few parameters are trained"},
         {"load_in_8bit", "weights in 8 bits"}}};
    for (const auto& [key, feature] : switches) {
        if (isSwitchedOn(model, key))
            return unsupportedBecause(model, key, feature);
    }
    return std::nullopt;
}

} // namespace

std::variant<model::ModelSpec, UnsupportedModel> readLlmFoundryModel(const ConfigSection& section,
                                                                     std::vector<Warning>& warnings)
{
    if (const auto unsupported = unsupportedTraining(section))
        return *unsupported;
    const std::string name = section.text("name").value_or("");
    if (name == "mpt_causal_lm")
        return readMptModel(section, warnings);
    const auto id = section.text(hubKey);
    if (name.starts_with("hf_") && id)
        return namedModel(*id, section.positionOf(hubKey), warnings, section.section("config_overrides"));
    return UnsupportedModel{.sentence = "The network is built as \"" + name +
                                        "\", which is not known here; give its config.json as the model "
                                        "(--model FILE).",
                            .position = section.positionOf("name"),
                            .isElsewhere = true};
}

} // namespace batchpeak::config
