// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cerebras_vision_transformer.h"

#include "cerebras_keys.h"
#include "networks/section_sizes.h"
#include "syntax/yaml_scalar.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace batchpeak::config {

using model::VisionTransformerSpec;

namespace {

/// A switch that trials know in one position alone.
struct Switch
{
    std::string_view key;
    bool expected;
    /// What the network has in the other position.
    const char* feature;
};

// Defaults of ViTModelConfig and ViTClassificationModelConfig in ModelZoo 2.10.0,
// models/vision/vision_transformer.
constexpr std::array<Switch, 10> switches{
    {{"norm_first", true, "normalisation after each branch"},
     {"prepend_cls_token", true, "no class token"},
     {"use_encoder_pooler_layer", false, "a pooler layer"},
     {"use_post_embed_layer_norm", false, "a normalisation of the embeddings"},
     {"use_final_layer_norm", true, "no normalisation after the last layer"},
     {"use_embed_proj_bias", true, "an embedding of patches without bias"},
     {"use_ffn_bias", true, "feed-forward layers without bias"},
     {"use_ffn_bias_in_attention", true, "attention outputs without bias"},
     {"use_bias_in_output", true, "a classifier without bias"},
     {"use_dinov2_classifier", false, "a classifier of all patches"}}};

std::optional<UnsupportedModel> unsupportedFeature(const ConfigSection& model)
{
    for (const auto& [key, expected, feature] : switches) {
        if (model.boolean(key).value_or(expected) != expected)
            return unsupportedBecause(model, key, feature);
    }
    for (const auto& [key, feature] :
         {std::pair{"layerscale_value", "scaled branches"},
          std::pair{"stochastic_depth_drop_prob", "branches that are left out at random"},
          std::pair{"freeze", "frozen parameters"}}) {
        if (isSwitchedOn(model, key))
            return unsupportedBecause(model, key, feature);
    }
    const auto position = model.find("position_embedding_type");
    const bool noPosition = position && isNull(position->resolvedValue());
    const std::string positionType = model.text("position_embedding_type").value_or("learned");
    if (noPosition || positionType != "learned")
        return unsupportedBecause(model, "position_embedding_type", "positions that are not learned");
    const std::string attention = model.text("attention_module").value_or("aiayn_attention");
    if (attention != "aiayn_attention")
        return unsupportedBecause(model, "attention_module", "the attention \"" + attention + "\"");
    const std::string activation = model.text("nonlinearity").value_or("gelu");
    const auto known = activationOf(activation);
    if (!known || model::isGated(*known))
        return unsupportedBecause(model, "nonlinearity", "the activation \"" + activation + "\"");
    return std::nullopt;
}

/// Height and width; nothing if they differ.
/// \param otherwise  where the key is absent
std::optional<std::int64_t> readSquare(const ConfigSection& model, std::string_view key,
                                       std::int64_t otherwise)
{
    const auto sides = model.integers(key);
    if (!sides)
        return otherwise;
    if (sides->size() != 2 || sides->front() < 1 || sides->back() < 1)
        model.fail(key, "must be a height and a width, as in [224, 224]");
    if (sides->front() != sides->back())
        return std::nullopt;
    return checkedSize(model, key, sides->front());
}

void warnOfEmbeddingDropout(const ConfigSection& model, double dropout, std::vector<Warning>& warnings)
{
    if (model.number("embedding_dropout_rate").value_or(0.0) == dropout)
        return;
    warnings.push_back({"Trials drop embeddings at the rate of " + model.pathOf("dropout_rate") +
                            ", not at the one of embedding_dropout_rate; the difference in speed is small.",
                        model.positionOf("embedding_dropout_rate")});
}

} // namespace

std::variant<VisionTransformerSpec, UnsupportedModel> readVisionTransformer(const ConfigSection& model,
                                                                            std::vector<Warning>& warnings)
{
    if (const auto unsupported = unsupportedFeature(model))
        return *unsupported;
    const auto imageSize = readSquare(model, "image_size", 224);
    const auto patchSize = readSquare(model, "patch_size", 16);
    if (!imageSize)
        return unsupportedBecause(model, "image_size", "images that are not square");
    if (!patchSize)
        return unsupportedBecause(model, "patch_size", "patches that are not square");

    VisionTransformerSpec spec{.imageSize = *imageSize,
                               .channels = sizeOr(model, "num_channels", 3),
                               .patchSize = *patchSize,
                               .hiddenSize = requiredSize(model, "hidden_size"),
                               .layers = requiredSize(model, "num_hidden_layers"),
                               .heads = requiredSize(model, "num_heads"),
                               .feedForwardSize = requiredSize(model, "filter_size"),
                               .classes = sizeOr(model, "num_classes", 2)};
    spec.activation = *activationOf(model.text("nonlinearity").value_or("gelu"));
    spec.attentionBias = model.boolean("use_projection_bias_in_attention").value_or(true);
    spec.normalizationEpsilon = positiveNumberOr(model, "layer_norm_epsilon", 1e-5);
    spec.dropout = dropoutRateOr(model, "dropout_rate", 0.1);
    spec.attentionDropout = dropoutRateOr(model, "attention_dropout_rate", 0.1);
    warnOfEmbeddingDropout(model, spec.dropout, warnings);
    if (const auto problem = problemWith(spec)) {
        const bool ofImage = spec.imageSize % spec.patchSize != 0;
        throw ConfigError(*problem, model.positionOf(ofImage ? "image_size" : "num_heads"));
    }
    return spec;
}

} // namespace batchpeak::config
