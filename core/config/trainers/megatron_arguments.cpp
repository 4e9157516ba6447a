// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "megatron_arguments.h"

#include "run_reader.h"
#include "syntax/shell_variables.h"
#include "syntax/words.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace batchpeak::config {

namespace {

struct Names
{
    std::string_view setting;
    std::string_view option;
    std::string_view olderOption;
};

/// Options whose name is not that of the setting with dashes.
constexpr std::array<Names, 16> otherNames{
    {{"layernorm_epsilon", "--norm-epsilon", "--layernorm-epsilon"},
     {"rotary_percentage", "--rotary-percent", ""},
     {"num_moe_experts", "--num-experts", ""},
     {"qkv_bias", "--add-qkv-bias", ""},
     {"micro_batch_size", "--micro-batch-size", "--batch-size"},
     {"tensor_model_parallel_size", "--tensor-model-parallel-size", "--model-parallel-size"},
     {"override_vocab_size", "--padded-vocab-size", ""},
     {"encoder_seq_length", "--seq-length", "--encoder-seq-length"},
     {"num_layers", "--num-layers", "--encoder-num-layers"},
     {"activations_checkpoint_granularity", "--recompute-granularity", "--recompute-activations"},
     {"activations_checkpoint_method", "--recompute-method", ""},
     {"activations_checkpoint_num_layers", "--recompute-num-layers", ""},
     {"fp8", "--fp8-format", "--fp8"},
     {"fp4", "--fp4-format", ""},
     {"fsdp", "--use-megatron-fsdp", "--use-torch-fsdp2"},
     {"position_embedding_type", "--position-embedding-type", "--use-rotary-position-embeddings"}}};

/// Settings that are on unless a flag turns them off.
constexpr std::array<Names, 4> switchedOff{
    {{"bias", "--disable-bias-linear", ""},
     {"share_embeddings_and_output_weights", "--untie-embeddings-and-output-weights", ""},
     {"bias_activation_fusion", "--no-bias-gelu-fusion", ""},
     {"bert_binary_head", "--bert-no-binary-head", ""}}};

constexpr WordMap<std::string_view, 3> activations{
    {{"--swiglu", "swiglu"}, {"--squared-relu", "squared-relu"}, {"--quick-geglu", "quick-geglu"}}};

std::string optionOf(std::string_view name, const ShellScript& script)
{
    const auto isName = [&](const Names& names) { return names.setting == name; };
    if (const auto names = std::ranges::find_if(switchedOff, isName); names != switchedOff.end())
        return std::string(names->option);
    if (const auto names = std::ranges::find_if(otherNames, isName); names != otherNames.end()) {
        const bool isOlder =
            !names->olderOption.empty() && !script.has(names->option) && script.has(names->olderOption);
        return std::string(isOlder ? names->olderOption : names->option);
    }
    if (name == "activation") {
        for (const auto& [option, word] : activations) {
            if (script.has(option))
                return std::string(option);
        }
    }
    std::string option = "--" + std::string(name);
    std::ranges::replace(option, '_', '-');
    return option;
}

std::optional<double> finiteNumberIn(const std::string& text)
{
    const auto number = numberIn(text);
    return number && std::isfinite(*number) ? number : std::nullopt;
}

} // namespace

bool MegatronArguments::has(std::string_view name) const
{
    return m_script.has(optionOf(name, m_script));
}

std::optional<std::int64_t> MegatronArguments::integer(std::string_view name) const
{
    // The number of groups counts only if groups are turned on; its default is 1.
    if (name == "num_query_groups" && !m_script.has("--group-query-attention"))
        return std::nullopt;
    const std::string option = optionOf(name, m_script);
    const auto value = m_script.value(option);
    if (!value)
        return name == "num_query_groups" && !m_script.has(option) ? std::optional<std::int64_t>(1)
                                                                   : std::nullopt;
    const auto number = shellNumber(*value);
    if (!number)
        fail(name, "must be a whole number, but is \"{}\"", *value);
    return number;
}

std::optional<double> MegatronArguments::number(std::string_view name) const
{
    const auto value = m_script.value(optionOf(name, m_script));
    if (!value)
        return std::nullopt;
    const auto number = finiteNumberIn(*value);
    if (!number)
        fail(name, "must be a number, but is \"{}\"", *value);
    return number;
}

std::optional<double> MegatronArguments::learningRate(std::vector<Warning>& warnings) const
{
    const std::string written = m_script.value("--lr").value_or("");
    return learningRateOf(*this, "lr", {.written = written, .number = finiteNumberIn(written)}, warnings);
}

std::optional<bool> MegatronArguments::boolean(std::string_view name) const
{
    const bool isThere = m_script.has(optionOf(name, m_script));
    const bool isReversed = std::ranges::find(switchedOff, name, &Names::setting) != switchedOff.end();
    return isThere ? std::optional(!isReversed) : std::nullopt;
}

std::optional<std::string> MegatronArguments::text(std::string_view name) const
{
    const std::string option = optionOf(name, m_script);
    if (!m_script.has(option))
        return std::nullopt;
    if (option == "--use-rotary-position-embeddings")
        return "rope";
    if (option == "--recompute-activations")
        return "selective";
    const auto activation = meaningOf(activations, option);
    return activation ? std::string(*activation) : m_script.value(option);
}

bool MegatronArguments::isOn(std::string_view name) const
{
    const std::string option = optionOf(name, m_script);
    const std::string value = m_script.value(option).value_or("");
    return m_script.has(option) && value != "0" && value != "None";
}

std::string MegatronArguments::pathOf(std::string_view name) const
{
    return optionOf(name, m_script);
}

TextPosition MegatronArguments::positionOf(std::string_view name) const
{
    return m_script.positionOf(optionOf(name, m_script));
}

std::optional<SourceLocation> MegatronArguments::placeOf(std::string_view name) const
{
    const std::string option = optionOf(name, m_script);
    const auto position = m_script.valuePositionOf(option);
    return position ? std::optional(SourceLocation{.key = option, .position = *position}) : std::nullopt;
}

void MegatronArguments::refuseUnresolved() const
{
    constexpr std::string_view deciding =
        "num_layers hidden_size num_attention_heads ffn_hidden_size num_query_groups kv_channels "
        "normalization max_position_embeddings encoder_seq_length position_embedding_type num_moe_experts "
        "moe_router_topk moe_ffn_hidden_size tensor_model_parallel_size context_parallel_size "
        "pipeline_model_parallel_size expert_model_parallel_size";
    for (std::string_view name : splitWords(deciding)) {
        const std::string option = optionOf(name, m_script);
        const ShellArgument* argument = m_script.argument(option);
        if (!argument || argument->values.empty() || m_script.value(option))
            continue;
        const ShellWord& value = argument->values.front();
        throw networkElsewhere(
            m_script.positionOf(option),
            "The script takes {} from {}, which only running it tells; give the network with --model.",
            option, m_script.text().substr(value.begin, value.end - value.begin));
    }
}

} // namespace batchpeak::config
