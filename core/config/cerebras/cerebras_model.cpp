// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cerebras_readers.h"
#include "networks/network_readers.h"
#include "syntax/words.h"
#include "unmodeled_features.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace batchpeak::config {

namespace {

bool hasExperts(const ConfigSection& model)
{
    const ConfigSection experts = model.sectionAt("moe");
    // A single expert is an ordinary feed-forward layer: Gpt2Model in ModelZoo 2.10.0,
    // models/nlp/gpt2/model.py.
    return sizeOrNone(experts, "num_experts", 0) + sizeOrNone(experts, "num_shared_experts", 0) > 1;
}

std::string familyOfName(const ConfigSection& model, std::string_view key)
{
    // Literals of the "name" fields in ModelZoo 2.10.0: models/nlp/*/model.py, t5/t5_model.py and
    // esm2/esm2_pretrain_models.py there, models/vision/vision_transformer/{model,ViTClassificationModel}.py.
    constexpr WordMap<std::string_view, 22> families{{{"gpt2", "gpt2"},
                                                      {"gpt3", "gpt3"},
                                                      {"llama", "llama"},
                                                      {"LlamaModel", "llama"},
                                                      {"mistral", "mistral"},
                                                      {"mixtral", "mixtral"},
                                                      {"gemma2", "gemma2"},
                                                      {"bloom", "bloom"},
                                                      {"btlm", "btlm"},
                                                      {"jais", "jais"},
                                                      {"starcoder", "gpt_bigcode"},
                                                      {"santacoder", "gpt_bigcode"},
                                                      {"gptj", "gptj"},
                                                      {"gpt-neox", "gpt_neox"},
                                                      {"falcon", "falcon"},
                                                      {"bert", "bert"},
                                                      {"bert/classifier", "bert"},
                                                      {"esm2", "esm2"},
                                                      {"t5", "t5"},
                                                      {"T5ForConditionalGeneration", "t5"},
                                                      {"vision_transformer", "vit"},
                                                      {"vit_classification", "vit"}}};
    const std::string name = model.text(key).value_or("");
    const auto family = meaningOf(families, name);
    if (!family)
        throw notRun(model.positionOf(key), cannotBeRun, sentence("the network \"{}\"", name));
    return std::string(*family);
}

/// Whether the model is BertForSequenceClassificationModelConfig in
/// models/nlp/bert/classifier/bert_classifier_model.py.
bool isClassifier(const ConfigSection& model)
{
    return model.has("num_labels") && model.has("problem_type") && model.has("task_dropout");
}

std::string familyOfKeys(const ConfigSection& model)
{
    // Each of these keys belongs to only one kind of network, in the params files of ModelZoo 2.3.1.
    if (model.has("encoder_num_hidden_layers"))
        return "t5";
    if (model.has("mlm_loss_weight"))
        return model.has("mask_token_id") ? "esm2" : "bert";
    if (isClassifier(model))
        return "bert";
    constexpr WordMap<const char*, 5> signs{
        {{"encoder_nonlinearity", "a BERT-like network without mlm_loss_weight, such as a summarizer"},
         {"image_model", "a multimodal network"},
         {"image_model_trunks", "a DINO or other self-supervised vision network"},
         {"label_dropout_rate", "a diffusion transformer (DiT)"},
         {"dpo", "a network trained by direct preference optimization"}}};
    for (const auto& [key, network] : signs) {
        if (model.has(key))
            throw notRun(model.positionOf(key), cannotBeRun, network);
    }
    // Only GPTJSubModelConfig has these.
    if (model.boolean("use_untied_layer_norm").value_or(false))
        return "gpt_neox";
    if (model.has("use_untied_layer_norm") || model.has("residual_dropout_rate"))
        return "gptj";
    if (model.has("patch_size") && model.has("num_classes"))
        return "vit";
    if (model.has("image_size"))
        throw notRun(model.positionOf("image_size"), cannotBeRun, "a vision network");
    constexpr std::array<std::string_view, 5> sizes{"vocab_size", "hidden_size", "num_hidden_layers",
                                                    "num_heads", "filter_size"};
    if (std::ranges::none_of(sizes, [&](std::string_view key) { return model.has(key); }))
        throw notRun(model.positionOf("name"), cannotBeRun,
                     "a network without name, vocab_size and hidden_size");
    const std::string position = model.text("position_embedding_type").value_or("learned");
    if (position == "alibi")
        return model.isOn("embedding_layer_norm") ? "bloom" : "jais";
    const bool isLlama = model.text("norm_type").value_or("") == "rmsnorm" &&
                         model.text("nonlinearity").value_or("") == "swiglu";
    if (position == "rotary" && !isLlama) {
        throw notRun(model.positionOf("position_embedding_type"), cannotBeRun,
                     "a network with rotary positions but without RMSNorm and SwiGLU, such as GPT-J");
    }
    if (position == "rotary")
        return hasExperts(model) ? "mixtral" : "llama";
    return "gpt2";
}

/// Returns the family: "gpt2", "llama", "bert", "t5", ...
///
/// The Trainer layout names its network. The older layout leaves it to the script that is run, so only the
/// keys identify it.
std::string familyOf(const ConfigSection& model)
{
    // The key was "model_name" until 2.4.0: unpack_trainer in ModelZoo 2.10.0, trainer/validate.py.
    for (std::string_view key : {"name", "model_name"}) {
        if (model.has(key))
            return familyOfName(model, key);
    }
    return familyOfKeys(model);
}

model::Architecture readArchitecture(const ConfigSection& model, const std::string& family,
                                     std::vector<Warning>& warnings)
{
    if (family == "bert" && isClassifier(model))
        return readCerebrasClassifier(model);
    if (family == "bert" || family == "esm2")
        return readCerebrasEncoder(model, family);
    if (family == "gptj" || family == "gpt_neox" || family == "falcon")
        return readCerebrasParallelDecoder(model, warnings);
    if (family == "t5")
        return readCerebrasEncoderDecoder(model);
    if (family == "vit")
        return readCerebrasVisionTransformer(model, warnings);
    return readCerebrasDecoder(model, warnings);
}

} // namespace

model::ModelSpec readCerebrasModel(const ConfigSection& model, std::vector<Warning>& warnings)
{
    const std::string family = familyOf(model);
    return {.family = family, .architecture = readArchitecture(model, family, warnings)};
}

} // namespace batchpeak::config
