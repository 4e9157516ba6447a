// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model_spec.h"

#include <array>
#include <utility>

namespace batchpeak::model {

namespace {

template<typename Spec>
constexpr bool isOfSequences = requires(const Spec& spec)
{
    longestSequence(spec);
};

template<typename Spec>
Architecture defaults()
{
    return Spec();
}

using Family = std::pair<std::string_view, Architecture (*)()>;

constexpr std::array<Family, 47> families{{{"gpt2", defaults<DecoderSpec>},
                                           {"gpt3", defaults<DecoderSpec>},
                                           {"llama", defaults<DecoderSpec>},
                                           {"mistral", defaults<DecoderSpec>},
                                           {"mixtral", defaults<DecoderSpec>},
                                           {"qwen", defaults<DecoderSpec>},
                                           {"qwen2", defaults<DecoderSpec>},
                                           {"qwen2_moe", defaults<DecoderSpec>},
                                           {"qwen3", defaults<DecoderSpec>},
                                           {"qwen3_moe", defaults<DecoderSpec>},
                                           {"phi", defaults<DecoderSpec>},
                                           {"phi3", defaults<DecoderSpec>},
                                           {"gemma", defaults<DecoderSpec>},
                                           {"gemma2", defaults<DecoderSpec>},
                                           {"gemma3_text", defaults<DecoderSpec>},
                                           {"stablelm", defaults<DecoderSpec>},
                                           {"starcoder2", defaults<DecoderSpec>},
                                           {"seed_oss", defaults<DecoderSpec>},
                                           {"glm", defaults<DecoderSpec>},
                                           {"glm4", defaults<DecoderSpec>},
                                           {"glm4_moe", defaults<DecoderSpec>},
                                           {"smollm3", defaults<DecoderSpec>},
                                           {"hunyuan_v1_dense", defaults<DecoderSpec>},
                                           {"cohere", defaults<DecoderSpec>},
                                           {"cohere2", defaults<DecoderSpec>},
                                           {"granite", defaults<DecoderSpec>},
                                           {"granitemoe", defaults<DecoderSpec>},
                                           {"nemotron", defaults<DecoderSpec>},
                                           {"arcee", defaults<DecoderSpec>},
                                           {"ernie4_5", defaults<DecoderSpec>},
                                           {"gpt_neox", defaults<DecoderSpec>},
                                           {"gptj", defaults<DecoderSpec>},
                                           {"gpt_neo", defaults<DecoderSpec>},
                                           {"falcon", defaults<DecoderSpec>},
                                           {"opt", defaults<DecoderSpec>},
                                           {"gpt_bigcode", defaults<DecoderSpec>},
                                           {"bloom", defaults<DecoderSpec>},
                                           {"btlm", defaults<DecoderSpec>},
                                           {"jais", defaults<DecoderSpec>},
                                           {"mpt", defaults<DecoderSpec>},
                                           {"bert", defaults<EncoderSpec>},
                                           {"esm2", defaults<EncoderSpec>},
                                           {"t5", defaults<EncoderDecoderSpec>},
                                           {"vit", defaults<VisionTransformerSpec>},
                                           {"resnet", defaults<ResNetSpec>},
                                           {"torchscript", defaults<ScriptSpec>},
                                           {"transformers", defaults<TransformersSpec>}}};

} // namespace

const std::string& nameOf(const ModelSpec& spec)
{
    const auto* other = std::get_if<TransformersSpec>(&spec.architecture);
    return other ? other->type : spec.family;
}

bool takesSequences(const ModelSpec& spec)
{
    if (const auto* other = std::get_if<TransformersSpec>(&spec.architecture))
        return other->takesTexts;
    return std::visit([](const auto& architecture) { return isOfSequences<decltype(architecture)>; },
                      spec.architecture);
}

std::int64_t defaultSequenceLength(const ModelSpec& spec)
{
    if (!takesSequences(spec))
        return 1;
    return std::visit(
        [](const auto& architecture) -> std::int64_t {
            if constexpr (isOfSequences<decltype(architecture)>)
                return defaultSequenceLength(architecture);
            else
                return 1;
        },
        spec.architecture);
}

std::optional<std::int64_t> defaultTargetLength(const ModelSpec& spec)
{
    const auto* pair = std::get_if<EncoderDecoderSpec>(&spec.architecture);
    return pair ? std::optional(defaultTargetLength(*pair)) : std::nullopt;
}

std::optional<std::int64_t> longestSequence(const ModelSpec& spec)
{
    return std::visit(
        [](const auto& architecture) -> std::optional<std::int64_t> {
            if constexpr (isOfSequences<decltype(architecture)>)
                return longestSequence(architecture);
            else
                return std::nullopt;
        },
        spec.architecture);
}

bool normalizesOverBatch(const ModelSpec& spec)
{
    return std::holds_alternative<ResNetSpec>(spec.architecture);
}

std::optional<std::string> problemWith(const ModelSpec& spec)
{
    return std::visit([](const auto& architecture) { return problemWith(architecture); }, spec.architecture);
}

std::optional<Architecture> architectureOf(std::string_view family)
{
    for (const auto& [word, make] : families) {
        if (family == word)
            return make();
    }
    return std::nullopt;
}

std::string familyWords()
{
    std::string words;
    for (const auto& [word, make] : families)
        words += (words.empty() ? "" : ", ") + std::string(word);
    return words;
}

} // namespace batchpeak::model
