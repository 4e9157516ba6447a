// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "plain_networks.h"

#include "approximations.h"
#include "networks/named_network.h"
#include "networks/network_readers.h"
#include "networks/peft_adapter.h"
#include "plain_format.h"
#include "syntax/json_text.h"
#include "syntax/words.h"
#include "syntax/yaml_scalar.h"
#include "unmodeled_features.h"

#include <algorithm>
#include <array>

namespace batchpeak::config {

namespace {

/// Returns the network that is named under one of the keys.
model::ModelSpec named(const ConfigSection& root, std::string_view keys, const NetworkSource& networks,
                       ConfigContents& contents, std::string (*asId)(std::string) = nullptr)
{
    const auto name = wordAt(root, keys);
    const TextPosition position = positionAt(root, keys);
    if (!name || name->empty())
        throw networkElsewhere(position, "The config names no network; give one with --model.");
    contents.hasOwnModules = asId != nullptr;
    return readNamedNetwork({.name = asId ? asId(*name) : *name}, position, networks, contents);
}

/// A key of a trainer and that of the config.json of a network.
struct NetworkKey
{
    std::string_view from;
    std::string_view to;
};

/// Returns the network of the config.json that the keys of a section make, with \p more entries in JSON.
model::ModelSpec described(const ConfigSection& section, std::string_view type,
                           std::span<const NetworkKey> keys, const std::string& more,
                           ConfigContents& contents)
{
    std::string text = "{\"model_type\": \"" + std::string(type) + "\"";
    for (const auto& [from, to] : keys) {
        const auto word = wordAt(section, from);
        if (!word)
            continue;
        const bool isNumber = numberIn(*word).has_value();
        const std::string lower = lowerCase(*word);
        text += sentence(", \"{}\": {}", to,
                         isNumber                              ? *word
                         : lower == "true" || lower == "false" ? lower
                                                               : quotedJson(*word));
    }
    const TextPosition position = section.document().positionOf(section.mapping());
    contents.hasOwnModules = true;
    ConfigContents source;
    try {
        source = recognize(text + more + "}")->readForPython();
    } catch (const ConfigError& error) {
        throw networkElsewhere(position, "{}", error.what());
    }
    if (auto* unsupported = std::get_if<UnsupportedModel>(&source.model)) {
        unsupported->position = position;
        throw NotRun(*unsupported);
    }
    contents.notRunHere = std::move(source.notRunHere);
    if (contents.notRunHere)
        contents.notRunHere->position = position;
    return std::get<model::ModelSpec>(std::move(source.model));
}

/// Returns adapters on the layers that are named, or on all linear layers.
PeftAdapter loraOf(const ConfigSection& root, std::string_view rank, std::string_view alpha,
                   std::string_view dropout, std::string_view targets)
{
    PeftAdapter adapter{.place = {.path = std::string(rank), .position = positionAt(root, rank)}};
    adapter.rank = countAt(root, rank).value_or(8);
    adapter.alpha = numberIn(wordAt(root, alpha).value_or("")).value_or(16.0);
    adapter.dropout = numberIn(wordAt(root, dropout).value_or("")).value_or(0.0);
    // A list, or words separated by commas.
    std::vector<std::string> names;
    const YamlNode* value = nodeAt(root, targets);
    if (value) {
        for (const YamlNode* item : value->children)
            names.push_back(item->value);
    }
    std::string_view rest = value && value->kind == NodeKind::Scalar ? value->value : std::string_view();
    while (!rest.empty()) {
        const std::string_view name = rest.substr(0, rest.find(','));
        names.emplace_back(name);
        rest.remove_prefix(std::min(name.size() + 1, rest.size()));
    }
    const auto isAll = [](const std::string& name) {
        return isAmong(name, "ALL all all-linear AUTO DEFAULT EMBEDDING");
    };
    if (names.empty() || std::ranges::any_of(names, isAll))
        adapter.targets = std::string("all-linear");
    else
        adapter.targets = std::move(names);
    return adapter;
}

/// Published networks by torchtitan's names and flavors (the tables of torchtitan/models/*/__init__.py of
/// 0.2).
constexpr WordMap<std::string_view, 14> torchtitanIds{{{"llama3/8B", "meta-llama/Meta-Llama-3-8B"},
                                                       {"llama3/70B", "meta-llama/Meta-Llama-3-70B"},
                                                       {"llama3/405B", "meta-llama/Llama-3.1-405B"},
                                                       {"llama2/7B", "meta-llama/Llama-2-7b-hf"},
                                                       {"llama2/13B", "meta-llama/Llama-2-13b-hf"},
                                                       {"llama2/70B", "meta-llama/Llama-2-70b-hf"},
                                                       {"qwen3/0.6B", "Qwen/Qwen3-0.6B"},
                                                       {"qwen3/1.7B", "Qwen/Qwen3-1.7B"},
                                                       {"qwen3/4B", "Qwen/Qwen3-4B"},
                                                       {"qwen3/8B", "Qwen/Qwen3-8B"},
                                                       {"qwen3/14B", "Qwen/Qwen3-14B"},
                                                       {"qwen3/32B", "Qwen/Qwen3-32B"},
                                                       {"deepseek_v3/671B", "deepseek-ai/DeepSeek-V3"},
                                                       {"llama3/1B", "meta-llama/Llama-3.2-1B"}}};

/// debugmodel of torchtitan/models/llama3/__init__.py.
constexpr std::string_view llamaDebugModel =
    R"(, "hidden_size": 256, "num_hidden_layers": 6, "num_attention_heads": 16, "num_key_value_heads": 16,)"
    R"( "intermediate_size": 768, "vocab_size": 2048, "max_position_embeddings": 2048)";

/// Returns "owner/name" of "checkpoints/owner/name".
std::string lastTwoParts(std::string path)
{
    while (path.ends_with('/'))
        path.pop_back();
    const std::size_t last = path.rfind('/');
    const std::size_t before =
        last == std::string::npos || last == 0 ? std::string::npos : path.rfind('/', last - 1);
    return before == std::string::npos ? path : path.substr(before + 1);
}

} // namespace

model::ModelSpec readNoNetwork(const ConfigSection& root, const NetworkSource&, ConfigContents&)
{
    throw networkElsewhere(
        root.document().positionOf(root.mapping()),
        "The config describes no network; give one with --model, such as its config.json.");
}

model::ModelSpec readTorchtitanNetwork(const ConfigSection& root, const NetworkSource& networks,
                                       ConfigContents& contents)
{
    if (wordAt(root, "hf_transformers.model"))
        return named(root, "hf_transformers.model", networks, contents);
    const std::string name = wordAt(root, "model.name").value_or("");
    const std::string flavor = wordAt(root, "model.flavor").value_or("");
    const TextPosition position = positionAt(root, "model.flavor|model.name");
    if (flavor.find('/') != std::string::npos)
        return named(root, "model.flavor", networks, contents);
    contents.hasOwnModules = true;
    if (name == "llama3" && flavor == "debugmodel")
        return described(root, "llama", {}, std::string(llamaDebugModel), contents);
    const auto id = meaningOf(torchtitanIds, name + "/" + flavor);
    if (!id) {
        throw networkElsewhere(position,
                               "torchtitan's network \"{}\" in the flavor \"{}\" is none that is known here; "
                               "give its config.json with --model.",
                               name, flavor);
    }
    return readNamedNetwork({.name = std::string(*id)}, position, networks, contents);
}

model::ModelSpec readNanotronNetwork(const ConfigSection& root, const NetworkSource&,
                                     ConfigContents& contents)
{
    const ConfigSection config = root.sectionIfAny("model").sectionIfAny("model_config");
    constexpr WordMap<std::string_view, 3> families{
        {{"is_llama_config", "llama"}, {"is_qwen2_config", "qwen2"}, {"is_starcoder2_config", "starcoder2"}}};
    const auto family =
        std::ranges::find_if(families, [&config](const auto& each) { return config.isOn(each.first); });
    if (family == families.end() || config.isOn("moe_config")) {
        throw networkElsewhere(
            positionAt(root, "model.model_config"),
            "The network in model.model_config is of no family that is known here; give its "
            "config.json with --model.");
    }
    constexpr std::array<NetworkKey, 9> keys{{{"hidden_size", "hidden_size"},
                                              {"intermediate_size", "intermediate_size"},
                                              {"num_hidden_layers", "num_hidden_layers"},
                                              {"num_attention_heads", "num_attention_heads"},
                                              {"num_key_value_heads", "num_key_value_heads"},
                                              {"max_position_embeddings", "max_position_embeddings"},
                                              {"tie_word_embeddings", "tie_word_embeddings"},
                                              {"vocab_size", "vocab_size"},
                                              {"rope_theta", "rope_theta"}}};
    contents.places.network = root.placeOf("model.model_config");
    return described(config, family->second, keys, {}, contents);
}

namespace {

/// Returns LitGPT's network: Config in litgpt/config.py of LitGPT 0.5.
model::ModelSpec litgptConfig(const ConfigSection& config, ConfigContents& contents)
{
    const bool isLlama = wordAt(config, "norm_class_name") == "RMSNorm" &&
                         wordAt(config, "mlp_class_name") == "LLaMAMLP" && !config.isOn("parallel_residual");
    const bool isNeox = wordAt(config, "mlp_class_name").value_or("GptNeoxMLP") == "GptNeoxMLP";
    if (!isLlama && !isNeox) {
        throw networkElsewhere(
            config.document().positionOf(config.mapping()),
            "The network in model_config is of no family that is known here; give its config.json "
            "with --model.");
    }
    constexpr std::array<NetworkKey, 9> keys{{{"n_embd", "hidden_size"},
                                              {"intermediate_size", "intermediate_size"},
                                              {"n_layer", "num_hidden_layers"},
                                              {"n_head", "num_attention_heads"},
                                              {"n_query_groups", "num_key_value_heads"},
                                              {"block_size", "max_position_embeddings"},
                                              {"head_size", "head_dim"},
                                              {"rope_base", "rope_theta"},
                                              {"padded_vocab_size|vocab_size", "vocab_size"}}};
    constexpr std::array<NetworkKey, 7> neoxKeys{{{"n_embd", "hidden_size"},
                                                  {"intermediate_size", "intermediate_size"},
                                                  {"n_layer", "num_hidden_layers"},
                                                  {"n_head", "num_attention_heads"},
                                                  {"block_size", "max_position_embeddings"},
                                                  {"rotary_percentage", "rotary_pct"},
                                                  {"padded_vocab_size|vocab_size", "vocab_size"}}};
    if (isLlama)
        return described(config, "llama", keys, {}, contents);
    return described(config, "gpt_neox", neoxKeys, {}, contents);
}

} // namespace

model::ModelSpec readLitgptNetwork(const ConfigSection& root, const NetworkSource& networks,
                                   ConfigContents& contents)
{
    // finetune/lora.py: one switch for each part of a layer.
    if (root.has("lora_r")) {
        struct Part
        {
            std::string_view key;
            bool isDefault;
            std::string_view modules;
        };
        // Names of modules in transformers; a network has only some of them.
        constexpr std::array<Part, 6> parts{{{"lora_query", true, "q_proj query_key_value qkv_proj"},
                                             {"lora_key", false, "k_proj"},
                                             {"lora_value", true, "v_proj"},
                                             {"lora_projection", false, "o_proj dense"},
                                             {"lora_mlp", false,
                                              "gate_proj up_proj down_proj gate_up_proj fc1 fc2 "
                                              "dense_h_to_4h dense_4h_to_h"},
                                             {"lora_head", false, "lm_head embed_out"}}};
        std::vector<std::string> targets;
        for (const Part& part : parts) {
            if (root.has(part.key) ? !root.isOn(part.key) : !part.isDefault)
                continue;
            for (std::string_view module : splitWords(part.modules))
                targets.emplace_back(module);
        }
        PeftAdapter adapter = loraOf(root, "lora_r", "lora_alpha", "lora_dropout", "lora_targets");
        adapter.targets = std::move(targets);
        const std::string quantize = wordAt(root, "quantize").value_or("");
        if (quantize.starts_with("bnb.nf4")) {
            adapter.frozenWeights = model::FrozenWeights::Nf4;
            adapter.doubleQuantization = quantize.ends_with("-dq");
        } else if (quantize.starts_with("bnb.int8")) {
            adapter.frozenWeights = model::FrozenWeights::Int8;
        }
        contents.tuningFor = tuningBy(std::move(adapter));
    }
    const ConfigSection config = root.sectionIfAny("model_config");
    if (config.has("n_embd"))
        return litgptConfig(config, contents);
    return named(root, "checkpoint_dir|model_name|initial_checkpoint_dir|model_config.name", networks,
                 contents, lastTwoParts);
}

model::ModelSpec readNeoxNetwork(const ConfigSection& root, const NetworkSource&, ConfigContents& contents)
{
    const std::string positions = wordAt(root, "pos_emb|pos-emb").value_or("learned");
    const std::string norm = wordAt(root, "norm").value_or("layernorm");
    const std::string activation = wordAt(root, "activation").value_or("gelu");
    const bool isLlama = norm == "rmsnorm" && (activation == "swiglu" || activation == "silu");
    const bool isKnown = positions == "rotary" &&
                         (isLlama || (norm == "layernorm" && activation == "gelu")) &&
                         !root.has("moe_num_experts") && !root.has("num_experts");
    if (!countAt(root, "num_layers|num-layers") || !countAt(root, "hidden_size|hidden-size"))
        throw networkElsewhere(
            {}, "The config describes no network (num_layers, hidden_size); give one with --model.");
    if (!isKnown) {
        throw networkElsewhere(
            positionAt(root, "pos_emb|pos-emb"), cannotBeRun,
            sentence("a network with {} positions, {} and {}", positions, norm, activation));
    }
    constexpr std::array<NetworkKey, 7> keys{
        {{"hidden_size|hidden-size", "hidden_size"},
         {"num_layers|num-layers", "num_hidden_layers"},
         {"num_attention_heads|num-attention-heads", "num_attention_heads"},
         {"num_kv_heads|num-kv-heads", "num_key_value_heads"},
         {"max_position_embeddings|max-position-embeddings", "max_position_embeddings"},
         {"rotary_pct|rotary-pct", "rotary_pct"},
         {"rotary_emb_base", "rope_theta"}}};
    // The vocabulary is that of the tokenizer, padded; that of GPT-NeoX-20B has 50,432 rows.
    warnOfApproximation(contents.warnings, positionAt(root, "make_vocab_size_divisible_by"),
                        approximation::otherVocabulary,
                        "The tokenizer decides the size of the vocabulary; trials take 50,432.");
    const std::int64_t hidden = countAt(root, "hidden_size|hidden-size").value_or(1);
    const bool isTied = wordAt(root, "no_weight_tying|no-weight-tying").value_or("false") == "false";
    // ParallelMLP in megatron/model/transformer.py: two thirds are the inputs of both halves of a gate.
    std::int64_t inner = countAt(root, "intermediate_size|intermediate-size").value_or(hidden * 4);
    if (isLlama)
        inner = (inner * 2 / 3 / 2 + 255) / 256 * 256;
    const std::string more =
        sentence(", \"vocab_size\": 50432, \"tie_word_embeddings\": {}, \"intermediate_size\": {}",
                 isTied ? "true" : "false", inner);
    return described(root, isLlama ? "llama" : "gpt_neox", keys, more, contents);
}

model::ModelSpec readOlmoNetwork(const ConfigSection& root, const NetworkSource&, ConfigContents& contents)
{
    const ConfigSection config = root.sectionIfAny("model");
    // ModelConfig in olmo/config.py of OLMo 0.6.
    const std::string norm = wordAt(config, "layer_norm_type").value_or("default");
    const std::string activation = wordAt(config, "activation_type").value_or("swiglu");
    const std::string block = wordAt(config, "block_type").value_or("sequential");
    if (activation != "swiglu" || !config.isOn("rope") || !isAmong(block, "sequential llama")) {
        throw networkElsewhere(positionAt(root, "model.d_model"), cannotBeRun,
                               sentence("a network with {} blocks, {} and {}", block, activation, norm));
    }
    constexpr std::array<NetworkKey, 8> keys{{{"d_model", "hidden_size"},
                                              {"n_layers", "num_hidden_layers"},
                                              {"n_heads", "num_attention_heads"},
                                              {"n_kv_heads", "num_key_value_heads"},
                                              {"max_sequence_length", "max_position_embeddings"},
                                              {"embedding_size|vocab_size", "vocab_size"},
                                              {"weight_tying", "tie_word_embeddings"},
                                              {"rope_theta", "rope_theta"}}};
    const std::int64_t hidden = countAt(config, "d_model").value_or(1);
    const std::int64_t ratio = countAt(config, "mlp_ratio").value_or(4);
    // SwiGLU multiplies two halves of that many values.
    const std::int64_t inner = countAt(config, "mlp_hidden_size").value_or(hidden * ratio) / 2;
    const std::string_view type = norm == "rms" ? (config.isOn("norm_after") ? "olmo2" : "llama") : "olmo";
    contents.places.network = root.placeOf("model.d_model");
    return described(config, type, keys, sentence(", \"intermediate_size\": {}", inner), contents);
}

model::ModelSpec readVerlNetwork(const ConfigSection& root, const NetworkSource& networks,
                                 ConfigContents& contents)
{
    if (countAt(root, "model.lora_rank"))
        contents.tuningFor = tuningBy(loraOf(root, "model.lora_rank", "model.lora_alpha",
                                             "model.lora_dropout", "model.target_modules"));
    const model::ModelSpec network = named(root, "model.partial_pretrain|model.path", networks, contents);
    contents.hasOwnModules = false;
    return network;
}

model::ModelSpec readOpenRlhfNetwork(const ConfigSection& root, const NetworkSource& networks,
                                     ConfigContents& contents)
{
    if (countAt(root, "lora_rank")) {
        PeftAdapter adapter = loraOf(root, "lora_rank", "lora_alpha", "lora_dropout", "target_modules");
        if (root.isOn("load_in_4bit"))
            adapter.frozenWeights = model::FrozenWeights::Nf4;
        contents.tuningFor = tuningBy(std::move(adapter));
    }
    return named(root, "pretrain|model.model_name_or_path", networks, contents);
}

namespace {

/// Reads the adapters of ms-swift, whose runs on preferences are refused; the type is LoRA unless it is
/// written: BaseArguments of ms-swift 4.3.
void readSwiftTuning(const ConfigSection& root, std::string_view otherwise, ConfigContents& contents)
{
    // The method of `swift rlhf`; a run of `swift sft` has none.
    if (const auto method = wordAt(root, "rlhf_type"))
        refuseRun(positionAt(root, "rlhf_type"), sentence("trains on preferences or rewards ({})", *method),
                  reason::preferences);
    constexpr std::string_view typeKeys = "tuner_type|train_type|sft_type";
    const std::string type = wordAt(root, typeKeys).value_or(std::string(otherwise));
    if (type == "full")
        return;
    if (type != "lora")
        refuseAdapter(positionAt(root, typeKeys), type);
    PeftAdapter adapter = loraOf(root, "lora_rank", "lora_alpha", "lora_dropout", "target_modules");
    if (!root.has("lora_alpha"))
        adapter.alpha = 32.0;
    if (!root.has("lora_dropout"))
        adapter.dropout = 0.05;
    adapter.usesDora = root.isOn("use_dora");
    const auto bits = countAt(root, "quant_bits|quantization_bit");
    if (bits == 4)
        adapter.frozenWeights = model::FrozenWeights::Nf4;
    else if (bits == 8)
        adapter.frozenWeights = model::FrozenWeights::Int8;
    contents.tuningFor = tuningBy(std::move(adapter));
}

} // namespace

model::ModelSpec readSwiftNetwork(const ConfigSection& root, const NetworkSource& networks,
                                  ConfigContents& contents)
{
    readSwiftTuning(root, "lora", contents);
    return named(root, "model|model_id_or_path|model_type", networks, contents);
}

model::ModelSpec readSwiftMegatronNetwork(const ConfigSection& root, const NetworkSource& networks,
                                          ConfigContents& contents)
{
    readSwiftTuning(root, "full", contents);
    const model::ModelSpec network =
        named(root, "model|load|mcore_model|load_safetensors", networks, contents);
    contents.hasOwnModules = true;
    return network;
}

model::ModelSpec readLlamaBoardNetwork(const ConfigSection& root, const NetworkSource& networks,
                                       ConfigContents& contents)
{
    const std::string type = wordAt(root, "top.finetuning_type").value_or("lora");
    // _parse_train_args in webui/runner.py.
    if (type == "lora") {
        PeftAdapter adapter =
            loraOf(root, "train.lora_rank", "train.lora_alpha", "train.lora_dropout", "train.lora_target");
        const std::string bits = wordAt(root, "top.quantization_bit").value_or("");
        if (bits == "4")
            adapter.frozenWeights = model::FrozenWeights::Nf4;
        else if (bits == "8")
            adapter.frozenWeights = model::FrozenWeights::Int8;
        contents.tuningFor = tuningBy(std::move(adapter));
    } else if (type == "freeze")
        refusePartialTraining(positionAt(root, "top.finetuning_type"), "some layers (freeze)");
    else if (type != "full")
        refuseAdapter(positionAt(root, "top.finetuning_type"), type);
    return named(root, "top.model_name", networks, contents);
}

} // namespace batchpeak::config
