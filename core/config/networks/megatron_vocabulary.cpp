// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "megatron_vocabulary.h"

#include "megatron_sizes.h"
#include "named_model.h"

#include <algorithm>
#include <array>
#include <utility>

namespace batchpeak::config {

namespace {

constexpr std::int64_t gpt2Tokens = 50257;

/// Of tokenizers whose vocabulary is always the same. BERT's have two tokens more than their files, [BOS] and
/// [EOS]: _BertWordPieceTokenizer in megatron/training/tokenizer/tokenizer.py of Megatron Core 0.15.
std::optional<std::int64_t> tokensOf(std::string_view tokenizer)
{
    constexpr std::array<std::pair<std::string_view, std::int64_t>, 7> known{
        {{"GPT2BPETokenizer", gpt2Tokens},
         {"megatron-gpt-345m", gpt2Tokens},
         {"BertWordPieceLowerCase", 30522 + 2},
         {"megatron-bert-345m-uncased", 30522 + 2},
         {"BertWordPieceCase", 28996 + 2},
         {"megatron-bert-345m-cased", 28996 + 2},
         {"Llama2Tokenizer", 32000}}};
    const auto found = std::ranges::find(known, tokenizer, [](const auto& entry) { return entry.first; });
    return found != known.end() ? std::optional(found->second) : std::nullopt;
}

/// Of a tokenizer that is named by a network of the Hugging Face hub.
std::optional<std::int64_t> tokensOfNetwork(const std::string& id, TextPosition position)
{
    // What is said of the network plays no part: only its tokens count.
    std::vector<Warning> ignored;
    const auto named = namedModel(id, position, ignored);
    const auto* spec = std::get_if<model::ModelSpec>(&named);
    const auto* decoder = spec ? std::get_if<model::DecoderSpec>(&spec->architecture) : nullptr;
    return decoder ? std::optional(decoder->vocabularySize) : std::nullopt;
}

std::int64_t tokens(const MegatronSettings& settings, const std::string& usualTokenizer,
                    std::vector<Warning>& warnings)
{
    if (const auto stated = settings.integer("vocab_size"))
        return checkedMegatronSize(settings, "vocab_size", *stated);
    const std::string tokenizer = settings.text("tokenizer_type").value_or(usualTokenizer);
    if (const auto known = tokensOf(tokenizer))
        return *known;
    const std::string network = settings.text("tokenizer_model").value_or("");
    const TextPosition position = settings.positionOf("tokenizer_type");
    if (const auto known = network.empty() ? std::nullopt : tokensOfNetwork(network, position))
        return *known;
    warnings.push_back({"How many tokens the tokenizer " + (network.empty() ? tokenizer : network) +
                            " has is not known here, so trials take the " + std::to_string(gpt2Tokens) +
                            " of GPT-2; with a large vocabulary, the loss takes more memory than they show.",
                        position});
    return gpt2Tokens;
}

} // namespace

std::int64_t megatronVocabulary(const MegatronSettings& settings, const std::string& usualTokenizer,
                                std::vector<Warning>& warnings)
{
    if (const auto padded = settings.integer("override_vocab_size"))
        return checkedMegatronSize(settings, "override_vocab_size", *padded);
    // 128: make_vocab_size_divisible_by in both sources.
    const std::int64_t multiple = megatronSizeOr(settings, "make_vocab_size_divisible_by", 128) *
                                  megatronSizeOr(settings, "tensor_model_parallel_size", 1);
    const std::int64_t count = tokens(settings, usualTokenizer, warnings);
    return (count + multiple - 1) / multiple * multiple;
}

} // namespace batchpeak::config
