// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "hugging_face_model.h"

#include "hugging_face_decoder.h"
#include "hugging_face_encoder.h"
#include "hugging_face_encoder_decoder.h"
#include "hugging_face_keys.h"
#include "hugging_face_rotary_decoder.h"
#include "hugging_face_vision_transformer.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace batchpeak::config {

namespace {

constexpr std::string_view typeKey = "model_type";

using Reader = HuggingFaceNetwork (*)(const ConfigSection&, std::string_view, std::vector<Warning>&);

/// A reader of one type, which needs not to be told which.
template<HuggingFaceNetwork (*read)(const ConfigSection&, std::vector<Warning>&)>
HuggingFaceNetwork ofOneType(const ConfigSection& config, std::string_view, std::vector<Warning>& warnings)
{
    return read(config, warnings);
}

using KnownType = std::pair<std::string_view, Reader>;

constexpr std::array<KnownType, 10> knownTypes{{{"gpt2", ofOneType<readHuggingFaceGpt2>},
                                                {"llama", readHuggingFaceRotaryDecoder},
                                                {"mistral", readHuggingFaceRotaryDecoder},
                                                {"mixtral", readHuggingFaceRotaryDecoder},
                                                {"qwen2", readHuggingFaceRotaryDecoder},
                                                {"qwen3", readHuggingFaceRotaryDecoder},
                                                {"bloom", ofOneType<readHuggingFaceBloom>},
                                                {"bert", ofOneType<readHuggingFaceEncoder>},
                                                {"t5", ofOneType<readHuggingFaceEncoderDecoder>},
                                                {"vit", ofOneType<readHuggingFaceVisionTransformer>}}};

UnsupportedModel otherType(const ConfigSection& config, const std::string& type)
{
    std::string words;
    for (const auto& [word, reader] : knownTypes)
        words += (words.empty() ? "" : ", ") + std::string(word);
    return {"The network is of the model_type \"" + type +
                "\", which is none of those that trials have: " + words + ".",
            config.positionOf(typeKey)};
}

} // namespace

std::variant<model::ModelSpec, UnsupportedModel> readHuggingFaceModel(const ConfigSection& config,
                                                                      std::vector<Warning>& warnings)
{
    const auto type = config.text(typeKey);
    if (!type) {
        throw ConfigError(config.pathOf(typeKey) +
                              " is missing, without which the network is unknown; add it.",
                          config.positionOf(typeKey));
    }
    const auto* known = std::ranges::find(knownTypes, *type, &KnownType::first);
    if (known == knownTypes.end())
        return otherType(config, *type);
    if (config.has("quantization_config"))
        return networkWith(config, "quantization_config", "quantised weights");

    HuggingFaceNetwork network = known->second(config, known->first, warnings);
    if (auto* unsupported = std::get_if<UnsupportedModel>(&network))
        return std::move(*unsupported);
    return model::ModelSpec{.family = *type,
                            .architecture = std::get<model::Architecture>(std::move(network))};
}

} // namespace batchpeak::config
