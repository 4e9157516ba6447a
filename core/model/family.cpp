// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "family.h"

#include <array>
#include <utility>

namespace batchpeak::model {

namespace {

template<typename Spec>
Architecture defaults()
{
    return Spec();
}

using Family = std::pair<std::string_view, Architecture (*)()>;

constexpr std::array<Family, 16> families{{{"gpt2", defaults<DecoderSpec>},
                                           {"gpt3", defaults<DecoderSpec>},
                                           {"llama", defaults<DecoderSpec>},
                                           {"mistral", defaults<DecoderSpec>},
                                           {"mixtral", defaults<DecoderSpec>},
                                           {"qwen2", defaults<DecoderSpec>},
                                           {"qwen3", defaults<DecoderSpec>},
                                           {"bloom", defaults<DecoderSpec>},
                                           {"jais", defaults<DecoderSpec>},
                                           {"mpt", defaults<DecoderSpec>},
                                           {"bert", defaults<EncoderSpec>},
                                           {"esm2", defaults<EncoderSpec>},
                                           {"t5", defaults<EncoderDecoderSpec>},
                                           {"vit", defaults<VisionTransformerSpec>},
                                           {"resnet", defaults<ResNetSpec>},
                                           {"torchscript", defaults<ScriptSpec>}}};

} // namespace

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
