// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cerebras_model.h"

#include "cerebras_networks.h"

#include <algorithm>
#include <array>
#include <string>
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
        return std::string(model.isOn("embedding_layer_norm") ? "bloom" : "jais");
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

/// "gpt2", "llama", "bert", "t5", ..., or why it is none that trials can run.
///
/// The Trainer layout names its network; the older layout leaves it to the script that is run, so that
/// only the keys can tell.
std::variant<std::string, UnsupportedModel> cerebrasFamily(const ConfigSection& model)
{
    // "model_name" until 2.4.0: unpack_trainer in ModelZoo 2.10.0, trainer/validate.py.
    for (std::string_view key : {"name", "model_name"}) {
        if (model.has(key))
            return familyOfName(model, key);
    }
    return familyOfKeys(model);
}

template<typename Spec>
std::variant<model::ModelSpec, UnsupportedModel> ofFamily(const std::string& family,
                                                          std::variant<Spec, UnsupportedModel> read)
{
    if (auto* unsupported = std::get_if<UnsupportedModel>(&read))
        return std::move(*unsupported);
    return model::ModelSpec{.family = family, .architecture = std::get<Spec>(std::move(read))};
}

} // namespace

std::variant<model::ModelSpec, UnsupportedModel> readCerebrasModel(const ConfigSection& model,
                                                                   std::vector<Warning>& warnings)
{
    const auto known = cerebrasFamily(model);
    if (const auto* unsupported = std::get_if<UnsupportedModel>(&known))
        return *unsupported;
    const auto& family = std::get<std::string>(known);
    if (family == "bert" || family == "esm2")
        return ofFamily(family, readCerebrasEncoder(model, family));
    if (family == "t5")
        return ofFamily(family, readCerebrasEncoderDecoder(model));
    if (family == "vit")
        return ofFamily(family, readCerebrasVisionTransformer(model, warnings));
    return ofFamily(family, readCerebrasDecoder(model, warnings));
}

} // namespace batchpeak::config
