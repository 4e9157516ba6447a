// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cerebras_network.h"

#include "cerebras_keys.h"
#include "syntax/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace batchpeak::config {

namespace {

constexpr const char* butCanBeRead =
    " cannot be run here. Its batch sizes can be read and written all the same.";

UnsupportedModel unsupported(const ConfigSection& model, std::string_view key, const std::string& network)
{
    return {network + butCanBeRead, model.positionOf(key)};
}

bool hasExperts(const ConfigSection& model)
{
    const auto experts = model.section("moe");
    // One expert is a feed-forward layer like any other: Gpt2Model in ModelZoo 2.10.0,
    // models/nlp/gpt2/model.py.
    return experts &&
           experts->integer("num_experts").value_or(0) + experts->integer("num_shared_experts").value_or(0) >
               1;
}

std::variant<std::string, UnsupportedModel> familyOfName(const ConfigSection& model, std::string_view key)
{
    // Literals of the "name" fields in ModelZoo 2.10.0: models/nlp/*/model.py, t5/t5_model.py and
    // esm2/esm2_pretrain_models.py there, models/vision/vision_transformer/{model,ViTClassificationModel}.py.
    constexpr std::array<std::pair<std::string_view, std::string_view>, 13> families{
        {{"gpt2", "gpt2"},
         {"gpt3", "gpt3"},
         {"llama", "llama"},
         {"LlamaModel", "llama"},
         {"mixtral", "mixtral"},
         {"bloom", "bloom"},
         {"jais", "jais"},
         {"bert", "bert"},
         {"esm2", "esm2"},
         {"t5", "t5"},
         {"T5ForConditionalGeneration", "t5"},
         {"vision_transformer", "vit"},
         {"vit_classification", "vit"}}};
    const std::string name = model.text(key).value_or("");
    for (const auto& [known, family] : families) {
        if (name == known)
            return std::string(family);
    }
    return unsupported(model, key, "The network \"" + name + "\"");
}

std::variant<std::string, UnsupportedModel> familyOfKeys(const ConfigSection& model)
{
    // Keys that only one kind of network has, in the params files of ModelZoo 2.3.1.
    if (model.has("encoder_num_hidden_layers"))
        return std::string("t5");
    if (model.has("mlm_loss_weight"))
        return std::string(model.has("mask_token_id") ? "esm2" : "bert");
    constexpr std::array<std::pair<std::string_view, const char*>, 7> signs{
        {{"encoder_nonlinearity", "A BERT-like network without mlm_loss_weight, such as a classifier,"},
         {"image_model", "A multimodal network"},
         {"image_model_trunks", "A DINO or other self-supervised vision network"},
         {"label_dropout_rate", "A diffusion transformer (DiT)"},
         {"dpo", "A network trained by direct preference optimization"},
         {"use_untied_layer_norm", "A GPT-NeoX or Falcon network"},
         {"residual_dropout_rate", "A GPT-J or GPT-NeoX network"}}};
    for (const auto& [key, network] : signs) {
        if (model.has(key))
            return unsupported(model, key, network);
    }
    if (model.has("patch_size") && model.has("num_classes"))
        return std::string("vit");
    if (model.has("image_size"))
        return unsupported(model, "image_size", "A vision network");
    constexpr std::array<std::string_view, 5> sizes{"vocab_size", "hidden_size", "num_hidden_layers",
                                                    "num_heads", "filter_size"};
    if (std::ranges::none_of(sizes, [&](std::string_view key) { return model.has(key); }))
        return unsupported(model, "name", "A network without name, vocab_size and hidden_size");
    const std::string position = model.text("position_embedding_type").value_or("learned");
    if (position == "alibi")
        return std::string(isSwitchedOn(model, "embedding_layer_norm") ? "bloom" : "jais");
    const bool isLlama = model.text("norm_type").value_or("") == "rmsnorm" &&
                         model.text("nonlinearity").value_or("") == "swiglu";
    if (position == "rotary" && !isLlama) {
        return unsupported(model, "position_embedding_type",
                           "A network with rotary positions but without RMSNorm and SwiGLU, such as GPT-J,");
    }
    if (position == "rotary")
        return std::string(hasExperts(model) ? "mixtral" : "llama");
    return std::string("gpt2");
}

std::optional<UnsupportedModel> unsupportedExperts(const ConfigSection& model)
{
    const auto experts = model.section("moe");
    if (!experts)
        return std::nullopt;
    if (experts->integer("num_shared_experts").value_or(0) > 0)
        return unsupportedBecause(*experts, "num_shared_experts", "experts that every token takes");
    // "learned" where nothing is said: MoEConfig in ModelZoo 2.10.0, layers/FeedForwardNetwork.py.
    const std::string routing = experts->text("routing_algorithm").value_or("learned");
    if (routing != "learned")
        return unsupportedBecause(*experts, "routing_algorithm", "the routing \"" + routing + "\"");
    return std::nullopt;
}

bool isOneOf(const std::string& word, std::initializer_list<std::string_view> words)
{
    return std::ranges::find(words, word) != words.end();
}

} // namespace

std::variant<std::string, UnsupportedModel> cerebrasFamily(const ConfigSection& model)
{
    // "model_name" until 2.4.0: unpack_trainer in ModelZoo 2.10.0, trainer/validate.py.
    for (std::string_view key : {"name", "model_name"}) {
        if (model.has(key))
            return familyOfName(model, key);
    }
    return familyOfKeys(model);
}

std::optional<UnsupportedModel> unsupportedFeature(const ConfigSection& model)
{
    // Fields of GPT2LMHeadModelConfig in ModelZoo 2.10.0, models/nlp/gpt2/gpt2_model.py; the last three
    // are of older releases.
    constexpr std::array<std::pair<std::string_view, const char*>, 19> switches{
        {{"norm_first_sandwich", "normalisation on both sides of each branch"},
         {"attention_sliding_window_length", "attention in a sliding window"},
         {"fixed_sparse_attention", "sparse attention"},
         {"attention_chunk_size", "banded attention"},
         {"attention_vertical_column_spacing", "banded attention"},
         {"attention_sink_tokens", "attention sinks"},
         {"use_sink_token", "attention sinks"},
         {"attention_qk_norm_layer", "normalised queries and keys"},
         {"attention_logit_softcapping", "soft capping of attention"},
         {"final_logit_softcapping", "soft capping of logits"},
         {"cross_attention_layers", "cross attention"},
         {"num_extra_input_vocab_tokens", "extra input tokens"},
         {"extra_ffn_params", "a variant of the feed-forward layers"},
         {"attention_inner_dim", "attention of another width than the network's"},
         {"lora_params", "LoRA, where few parameters are trained"},
         {"dpo", "direct preference optimization"},
         {"use_untied_layer_norm", "parallel branches"},
         {"selective_grad", "gradients of some parameters alone"},
         {"alibi_trainable_slopes", "ALiBi positions with slopes that are trained"}}};
    for (const auto& [key, feature] : switches) {
        if (isSwitchedOn(model, key))
            return unsupportedBecause(model, key, feature);
    }
    if (const auto unsupported = unsupportedExperts(model))
        return unsupported;
    const auto memory = model.section("memory_tokens");
    if (memory && isSwitchedOn(*memory, "memory_tokens_enabled"))
        return unsupportedBecause(model, "memory_tokens", "memory tokens");

    const std::string relative = model.text("rel_distance_mode").value_or("default");
    if (relative != "default")
        return unsupportedBecause(model, "rel_distance_mode", "the relative distances \"" + relative + "\"");
    const std::string attention = model.text("attention_module").value_or("aiayn_attention");
    if (!isOneOf(attention, {"aiayn_attention", "multiquery_attention"}))
        return unsupportedBecause(model, "attention_module", "the attention \"" + attention + "\"");
    const auto position = model.find("position_embedding_type");
    const bool noPosition = (position && isNull(position->resolvedValue())) ||
                            !model.boolean("use_position_embedding").value_or(true);
    if (noPosition)
        return unsupportedBecause(model, "position_embedding_type", "no position embedding");
    const std::string positionType = model.text("position_embedding_type").value_or("learned");
    if (!isOneOf(positionType, {"learned", "rotary", "alibi"}))
        return unsupportedBecause(model, "position_embedding_type",
                                  "the position embedding \"" + positionType + "\"");
    const std::string norm = model.text("norm_type").value_or("layernorm");
    if (!isOneOf(norm, {"layernorm", "rmsnorm"}))
        return unsupportedBecause(model, "norm_type", "the normalisation \"" + norm + "\"");
    const std::string activation = model.text("nonlinearity").value_or("gelu");
    if (!activationOf(activation))
        return unsupportedBecause(model, "nonlinearity", "the activation \"" + activation + "\"");
    return std::nullopt;
}

} // namespace batchpeak::config
