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

/// Network whose head size is not the hidden size divided by the number of heads, and whose queries and keys
/// are normalized.
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

/// Network with norms after the branches, soft caps, and a window in every other layer.
inline model::DecoderSpec tinyGemma2()
{
    model::DecoderSpec spec = tinyLlama();
    spec.headSize = 12;
    spec.activation = model::Activation::GeGlu;
    spec.tiedEmbeddings = true;
    spec.branchOutputNormalization = true;
    spec.attentionWindow = 5;
    spec.windowedLayers = {0};
    spec.attentionSoftCap = 2.0;
    spec.logitSoftCap = 3.0;
    return spec;
}

/// Network with parallel branches, each with its own norm.
inline model::DecoderSpec tinyNeoX()
{
    model::DecoderSpec spec = tinyGpt();
    spec.positionEmbedding = model::PositionEmbedding::Rotary;
    spec.rotaryDimensions = 2;
    spec.tiedEmbeddings = false;
    spec.branches = model::Branches::ParallelNorms;
    return spec;
}

/// Network with parallel branches after one norm without a bias, and a window in the rotated layers.
inline model::DecoderSpec tinyCohere2()
{
    model::DecoderSpec spec = tinyLlama();
    spec.normalization = model::Normalization::LayerNorm;
    spec.normalizationBias = false;
    spec.branches = model::Branches::Parallel;
    spec.tiedEmbeddings = true;
    spec.attentionWindow = 5;
    spec.windowedLayers = {0};
    spec.unrotatedLayers = {1};
    return spec;
}

/// Network with an expert that every token uses, and a layer without experts.
inline model::DecoderSpec tinyQwenOfExperts()
{
    model::DecoderSpec spec = tinyMixtral();
    spec.attentionBias = true;
    spec.feedForwardSize = 24;
    spec.sharedExpertSize = 40;
    spec.sharedExpertGate = true;
    spec.denseLayers = 1;
    spec.denseFeedForwardSize = 56;
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

/// BERT with all its heads; the masked-language head covers only some tokens.
inline model::EncoderSpec tinyPreTraining()
{
    model::EncoderSpec spec = tinyBert();
    spec.pooler = spec.nextSentenceHead = true;
    spec.predictedTokens = 3;
    return spec;
}

/// Returns the architecture with one layer in every stack, if its family allows leaving out layers: each kind
/// of operation exists once, for tests that run a step for every allocation of a step.
inline model::Architecture withOneLayer(model::Architecture architecture)
{
    std::visit(
        [](auto& spec) {
            if constexpr (requires { spec.layers; })
                spec.layers = 1;
            if constexpr (requires { spec.windowedLayers; }) {
                spec.windowedLayers.clear();
                spec.unrotatedLayers.clear();
                spec.denseLayers = 0;
            }
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
    /// Number of choices of one target.
    int choices = 67;
};

/// Returns one network of every kind, for properties that all must have.
inline std::vector<NamedNetwork> tinyNetworks()
{
    return {{.name = "GPT", .architecture = tinyGpt()},
            {.name = "LLaMA", .architecture = tinyLlama()},
            {.name = "Qwen3", .architecture = tinyQwen()},
            {.name = "Mixtral", .architecture = tinyMixtral()},
            {.name = "BLOOM", .architecture = tinyBloom()},
            {.name = "Gemma 2", .architecture = tinyGemma2()},
            {.name = "GPT-NeoX", .architecture = tinyNeoX()},
            {.name = "Cohere 2", .architecture = tinyCohere2()},
            {.name = "Qwen of experts", .architecture = tinyQwenOfExperts()},
            {.name = "ViT", .architecture = tinyVisionTransformer()},
            {.name = "ResNet", .architecture = tinyResNet()},
            {.name = "BERT", .architecture = tinyBert()},
            // One choice is among tokens, the other between two answers.
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
