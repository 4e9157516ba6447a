// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "hugging_face_model.h"

#include "hugging_face_networks.h"
#include "network_sizes.h"
#include "syntax/words.h"

#include <algorithm>
#include <array>
#include <utility>

namespace batchpeak::config {

using model::Activation;

namespace {

using ActivationWord = std::pair<std::string_view, Activation>;

template<std::size_t count>
std::optional<Activation> valueOf(const std::array<ActivationWord, count>& words, std::string_view word)
{
    const auto* found = std::ranges::find(words, word, &ActivationWord::first);
    return found == words.end() ? std::nullopt : std::optional(found->second);
}

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

UnsupportedModel networkWith(const ConfigSection& config, std::string_view key, const std::string& feature)
{
    return {"The network has " + feature + " (" + config.pathOf(key) +
                "), which trials here do not have, so that they would measure another network.",
            config.positionOf(key)};
}

std::string_view keyThere(const ConfigSection& config, std::string_view own, std::string_view later)
{
    return config.has(later) ? later : own;
}

std::optional<std::string> classOf(const ConfigSection& config)
{
    const auto classes = config.words("architectures");
    return classes && !classes->empty() ? std::optional(classes->front()) : std::nullopt;
}

std::optional<UnsupportedModel> otherHead(const ConfigSection& config, const KnownHead& known,
                                          std::vector<Warning>& warnings)
{
    const auto name = classOf(config);
    if (!name || std::ranges::any_of(known.suffixes,
                                     [&name](std::string_view suffix) { return name->ends_with(suffix); }))
        return std::nullopt;
    if (*name != known.alone)
        return networkWith(config, "architectures", "the heads of " + *name);
    warnings.push_back(
        {*name + " is a network without a head, which has nothing to learn by; trials run it with " +
             known.head + ".",
         config.positionOf("architectures")});
    return std::nullopt;
}

std::optional<Activation> plainActivationOf(std::string_view word)
{
    constexpr std::array<ActivationWord, 8> words{{{"gelu", Activation::Gelu},
                                                   {"gelu_python", Activation::Gelu},
                                                   {"gelu_new", Activation::GeluTanh},
                                                   {"gelu_fast", Activation::GeluTanh},
                                                   {"gelu_accurate", Activation::GeluTanh},
                                                   {"gelu_pytorch_tanh", Activation::GeluTanh},
                                                   {"gelu_python_tanh", Activation::GeluTanh},
                                                   {"relu", Activation::Relu}}};
    return valueOf(words, word);
}

std::optional<Activation> gatedActivationOf(std::string_view word)
{
    if (plainActivationOf(word) == Activation::GeluTanh)
        return Activation::GeGlu;
    return word == "silu" || word == "swish" ? std::optional(Activation::SwiGlu) : std::nullopt;
}

std::string_view labelsKey(const ConfigSection& config)
{
    return config.has("id2label") ? "id2label" : "num_labels";
}

std::int64_t labelsOf(const ConfigSection& config)
{
    if (const auto labels = config.section("id2label"))
        return checkedSize(config, "id2label", static_cast<std::int64_t>(labels->keys().size()));
    return sizeOr(config, "num_labels", 2);
}

} // namespace batchpeak::config
