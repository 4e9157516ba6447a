// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "hugging_face_networks.h"
#include "network_readers.h"
#include "syntax/words.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace batchpeak::config {

using model::Activation;

namespace {

constexpr std::string_view typeKey = "model_type";

using Reader = model::Architecture (*)(const ConfigSection&, std::vector<Warning>&);

/// Reads the keys of MPTConfig of LLM-Foundry, whose defaults differ from those of MptConfig in transformers.
/// Published files contain both keys for which the difference matters.
model::Architecture readHuggingFaceMpt(const ConfigSection& config, std::vector<Warning>& warnings)
{
    for (std::string_view key : {"attn_config", "no_bias"}) {
        if (!config.has(key)) {
            throw errorAt(config.positionOf(key), "{} is missing, so the network is unknown; add it.",
                          config.pathOf(key));
        }
    }
    return readMptModel(config, warnings).architecture;
}

/// Readers of types other than those of rotaryDecoderClass().
constexpr WordMap<Reader, 12> knownTypes{{{"gpt2", readHuggingFaceGpt2},
                                          {"gpt_bigcode", readHuggingFaceGptBigCode},
                                          {"gptj", readHuggingFaceGptJ},
                                          {"gpt_neo", readHuggingFaceGptNeo},
                                          {"falcon", readHuggingFaceFalcon},
                                          {"opt", readHuggingFaceOpt},
                                          {"qwen", readHuggingFaceQwen},
                                          {"bloom", readHuggingFaceBloom},
                                          {"mpt", readHuggingFaceMpt},
                                          {"bert", readHuggingFaceEncoder},
                                          {"t5", readHuggingFaceEncoderDecoder},
                                          {"vit", readHuggingFaceVisionTransformer}}};

/// Refuses networks of several kinds of input, which consist of a network for texts and an encoder for each
/// other kind.
void refuseOtherInputs(const ConfigSection& config)
{
    for (std::string_view key : {"vision_config", "audio_config"}) {
        if (config.hasSection(key)) {
            throw notRun(config.positionOf(key),
                         "The network has an encoder of images or sounds beside that of texts ({}), which "
                         "Batchpeak cannot run, so the result would not apply.",
                         config.pathOf(key))
                .because(reason::otherInputs);
        }
    }
}

model::Architecture readArchitecture(const ConfigSection& config, const std::string& type,
                                     std::vector<Warning>& warnings)
{
    if (const RotaryDecoderClass* known = rotaryDecoderClass(type))
        return readHuggingFaceRotaryDecoder(config, *known, warnings);
    if (const auto read = meaningOf(knownTypes, type))
        return (*read)(config, warnings);
    refuseOtherInputs(config);
    std::vector<std::string_view> words = splitWords(rotaryDecoderTypes());
    std::ranges::transform(knownTypes, std::back_inserter(words),
                           &std::pair<std::string_view, Reader>::first);
    throw notRun(config.positionOf(typeKey), "The model_type \"{}\" is none that Batchpeak can run: {}.",
                 type, listed(words));
}

} // namespace

model::ModelSpec readHuggingFaceModel(const ConfigSection& config, std::vector<Warning>& warnings)
{
    const auto type = config.text(typeKey);
    if (!type) {
        throw errorAt(config.positionOf(typeKey), "{} is missing, so the network is unknown; add it.",
                      config.pathOf(typeKey));
    }
    return {.family = *type, .architecture = readArchitecture(config, *type, warnings)};
}

void refuse(const ConfigSection& config, std::string_view key, const std::string& feature)
{
    throw notRun(config.positionOf(key),
                 "The network has {} ({}), which Batchpeak cannot run, so the result would not apply.",
                 feature, config.pathOf(key))
        .because(reason::networkPart);
}

void checkSoundness(const model::DecoderSpec& spec, const ConfigSection& config, std::string_view headsKey)
{
    if (const auto problem = model::problemWith(spec))
        throw ConfigError(*problem, config.positionOf(headsKey));
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

void refuseOtherHead(const ConfigSection& config, const KnownHead& known, std::vector<Warning>& warnings)
{
    const auto name = classOf(config);
    if (!name || std::ranges::any_of(known.suffixes,
                                     [&name](std::string_view suffix) { return name->ends_with(suffix); }))
        return;
    if (*name != known.alone)
        refuse(config, "architectures", "the heads of " + *name);
    warn(warnings, config.positionOf("architectures"), "{} has no head to learn by; trials run it with {}.",
         *name, known.head);
}

std::optional<Activation> plainActivationOf(std::string_view word)
{
    constexpr WordMap<Activation, 9> words{{{"gelu", Activation::Gelu},
                                            {"gelu_python", Activation::GeluPython},
                                            {"gelu_new", Activation::GeluNew},
                                            {"gelu_fast", Activation::GeluFast},
                                            {"gelu_accurate", Activation::GeluNew},
                                            {"gelu_pytorch_tanh", Activation::GeluTanh},
                                            {"gelu_python_tanh", Activation::GeluNew},
                                            {"relu", Activation::Relu},
                                            {"relu2", Activation::ReluSquared}}};
    return meaningOf(words, word);
}

Activation readPlainActivation(const ConfigSection& config, std::string_view key, std::string_view otherwise)
{
    const std::string word = config.text(key).value_or(std::string(otherwise));
    const auto known = plainActivationOf(word);
    if (!known)
        refuse(config, key, sentence("the activation \"{}\"", word));
    return *known;
}

std::optional<Activation> gatedActivationOf(std::string_view word)
{
    const auto plain = plainActivationOf(word);
    if (plain == Activation::GeluTanh)
        return Activation::GeGlu;
    // GELU "fast" has no gated variant here; no class has one by default.
    if (plain == Activation::GeluNew || plain == Activation::GeluFast)
        return Activation::GeGluNew;
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
