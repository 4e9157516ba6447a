// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/model_spec.h"
#include "trial/trial_request.h"

#include <vector>

namespace batchpeak::network {

/// Networks small enough that a step takes a millisecond, with every kind of operation in them.
inline model::DecoderSpec tinyGpt()
{
    return {.vocabularySize = 67,
            .hiddenSize = 32,
            .layers = 2,
            .heads = 4,
            .keyValueHeads = 4,
            .feedForwardSize = 64,
            .maxPositions = 24};
}

inline model::DecoderSpec tinyLlama()
{
    return {.vocabularySize = 67,
            .hiddenSize = 32,
            .layers = 2,
            .heads = 4,
            .keyValueHeads = 2,
            .feedForwardSize = 48,
            .maxPositions = 24,
            .positionEmbedding = model::PositionEmbedding::Rotary,
            .normalization = model::Normalization::RmsNorm,
            .activation = model::Activation::SwiGlu,
            .tiedEmbeddings = false,
            .attentionBias = false,
            .attentionOutputBias = false,
            .feedForwardBias = false};
}

/// Heads that do not share the hidden size, and are normalised.
inline model::DecoderSpec tinyQwen()
{
    model::DecoderSpec spec = tinyLlama();
    spec.headSize = 16;
    spec.queryKeyNormalization = true;
    spec.tiedEmbeddings = true;
    return spec;
}

inline model::DecoderSpec tinyMixtral()
{
    model::DecoderSpec spec = tinyLlama();
    spec.experts = 4;
    spec.expertsPerToken = 2;
    return spec;
}

inline model::DecoderSpec tinyBloom()
{
    model::DecoderSpec spec = tinyGpt();
    spec.positionEmbedding = model::PositionEmbedding::Alibi;
    spec.activation = model::Activation::GeluTanh;
    spec.embeddingNormalization = true;
    return spec;
}

inline model::VisionTransformerSpec tinyVisionTransformer()
{
    return {.imageSize = 8,
            .patchSize = 4,
            .hiddenSize = 32,
            .layers = 2,
            .heads = 4,
            .feedForwardSize = 64,
            .classes = 67};
}

inline model::ResNetSpec tinyResNet()
{
    return {.depth = 18, .classes = 67, .imageSize = 16, .width = 4};
}

inline model::EncoderSpec tinyBert()
{
    return {.vocabularySize = 67,
            .hiddenSize = 32,
            .layers = 2,
            .heads = 4,
            .feedForwardSize = 64,
            .maxPositions = 24};
}

inline model::EncoderSpec tinyEsm()
{
    return {.vocabularySize = 67,
            .hiddenSize = 32,
            .layers = 2,
            .heads = 4,
            .feedForwardSize = 64,
            .maxPositions = 24,
            .tokenTypes = 0,
            .positionEmbedding = model::PositionEmbedding::Rotary,
            .normalizesFirst = true,
            .embeddingNormalization = false,
            .finalNormalization = true,
            .tokenDropout = true,
            .maskToken = 66};
}

inline model::EncoderDecoderSpec tinyT5()
{
    return {.vocabularySize = 67,
            .hiddenSize = 32,
            .encoderLayers = 2,
            .decoderLayers = 2,
            .heads = 4,
            .headSize = 6,
            .feedForwardSize = 48};
}

/// BERT with all its heads, the masked-language head on some tokens alone.
inline model::EncoderSpec tinyPreTraining()
{
    model::EncoderSpec spec = tinyBert();
    spec.pooler = spec.nextSentenceHead = true;
    spec.predictedTokens = 3;
    return spec;
}

/// The same with one layer in every stack, where the family has layers to leave out: each kind of operation
/// is there once, for tests that run a step for every allocation of a step.
inline model::Architecture withOneLayer(model::Architecture architecture)
{
    std::visit(
        [](auto& spec) {
            if constexpr (requires { spec.layers; })
                spec.layers = 1;
            if constexpr (requires { spec.encoderLayers; })
                spec.encoderLayers = spec.decoderLayers = 1;
        },
        architecture);
    return architecture;
}

struct NamedNetwork
{
    const char* name = nullptr;
    model::Architecture architecture;
    /// What one target is chosen from.
    int choices = 67;
};

/// One of every kind, for what must hold for all.
inline std::vector<NamedNetwork> tinyNetworks()
{
    return {{.name = "GPT", .architecture = tinyGpt()},
            {.name = "LLaMA", .architecture = tinyLlama()},
            {.name = "Qwen3", .architecture = tinyQwen()},
            {.name = "Mixtral", .architecture = tinyMixtral()},
            {.name = "BLOOM", .architecture = tinyBloom()},
            {.name = "ViT", .architecture = tinyVisionTransformer()},
            {.name = "ResNet", .architecture = tinyResNet()},
            {.name = "BERT", .architecture = tinyBert()},
            // One choice among tokens, and one between two answers.
            {.name = "BERT, all heads", .architecture = tinyPreTraining(), .choices = 67 * 2},
            {.name = "ESM-2", .architecture = tinyEsm()},
            {.name = "T5", .architecture = tinyT5()}};
}

inline trial::LoadRequest tinyRequest(const model::Architecture& architecture, model::Phase phase,
                                      model::Precision precision = model::Precision::Fp32)
{
    return {.model = {.family = "tiny", .architecture = architecture},
            .phase = phase,
            .sequenceLength = 16,
            .targetLength = 9,
            .precision = precision,
            .seed = 5};
}

} // namespace batchpeak::network
