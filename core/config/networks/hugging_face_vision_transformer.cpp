// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "hugging_face_vision_transformer.h"

#include "section_sizes.h"
#include "syntax/yaml_scalar.h"

#include <string>

namespace batchpeak::config {

using model::VisionTransformerSpec;

namespace {

/// One side where a single one stands for both; nothing where height and width differ.
std::optional<std::int64_t> squareOr(const ConfigSection& config, std::string_view key,
                                     std::int64_t otherwise)
{
    if (!config.has(key) || config.find(key)->resolvedValue().kind != NodeKind::Sequence)
        return sizeOr(config, key, otherwise);
    const auto sides = config.integers(key);
    if (sides->size() != 2)
        config.fail(key, "must be one side, as in 224, or a height and a width, as in [224, 224]");
    if (sides->front() != sides->back())
        return std::nullopt;
    return checkedSize(config, key, sides->front());
}

void checkSoundness(const VisionTransformerSpec& spec, const ConfigSection& config)
{
    const auto problem = model::problemWith(spec);
    if (!problem)
        return;
    const bool isCut = spec.imageSize % spec.patchSize != 0;
    throw ConfigError(*problem, config.positionOf(isCut ? "patch_size" : "num_attention_heads"));
}

} // namespace

// Defaults of ViTConfig in transformers 5.23.0, models/vit/configuration_vit.py.
HuggingFaceNetwork readHuggingFaceVisionTransformer(const ConfigSection& config,
                                                    std::vector<Warning>& warnings)
{
    const std::int64_t classes = labelsOf(config);
    if (const auto unsupported =
            otherHead(config,
                      {.suffixes = {"ForImageClassification"},
                       .alone = "ViTModel",
                       .head = "a classifier of " + std::to_string(classes) + " classes"},
                      warnings))
        return *unsupported;
    const std::string activation = config.text("hidden_act").value_or("gelu");
    const auto known = plainActivationOf(activation);
    if (!known)
        return networkWith(config, "hidden_act", "the activation \"" + activation + "\"");
    const auto imageSize = squareOr(config, "image_size", 224);
    if (!imageSize)
        return networkWith(config, "image_size", "images that are not square");
    const auto patchSize = squareOr(config, "patch_size", 16);
    if (!patchSize)
        return networkWith(config, "patch_size", "patches that are not square");

    const VisionTransformerSpec spec{
        .imageSize = *imageSize,
        .channels = sizeOr(config, "num_channels", 3),
        .patchSize = *patchSize,
        .hiddenSize = sizeOr(config, "hidden_size", 768),
        .layers = sizeOr(config, "num_hidden_layers", 12),
        .heads = sizeOr(config, "num_attention_heads", 12),
        .feedForwardSize = sizeOr(config, "intermediate_size", 3072),
        .classes = classes,
        .activation = *known,
        .attentionBias = config.boolean("qkv_bias").value_or(true),
        .normalizationEpsilon = positiveNumberOr(config, "layer_norm_eps", 1e-12),
        .dropout = dropoutRateOr(config, "hidden_dropout_prob", 0.0),
        .attentionDropout = dropoutRateOr(config, "attention_probs_dropout_prob", 0.0)};
    checkSoundness(spec, config);
    return spec;
}

} // namespace batchpeak::config
