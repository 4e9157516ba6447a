// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/model_spec.h"

#include <string>
#include <utility>
#include <vector>

namespace batchpeak::config {

/// Small networks of every family whose modules transformers names, with more than one layer.
inline std::vector<std::pair<std::string, model::ModelSpec>> namedNetworks()
{
    using namespace model;
    const DecoderSpec learned{.vocabularySize = 100,
                              .hiddenSize = 16,
                              .layers = 3,
                              .heads = 4,
                              .keyValueHeads = 4,
                              .feedForwardSize = 32,
                              .maxPositions = 64};
    DecoderSpec alibi = learned;
    alibi.positionEmbedding = PositionEmbedding::Alibi;
    DecoderSpec bloom = alibi;
    bloom.embeddingNormalization = true;
    DecoderSpec jais = alibi;
    jais.activation = Activation::SwiGlu;
    DecoderSpec llama = learned;
    llama.positionEmbedding = PositionEmbedding::Rotary;
    llama.normalization = Normalization::RmsNorm;
    llama.activation = Activation::SwiGlu;
    llama.keyValueHeads = 2;
    llama.tiedEmbeddings = llama.attentionBias = llama.attentionOutputBias = llama.feedForwardBias = false;
    DecoderSpec qwen2 = llama;
    qwen2.attentionBias = true;
    DecoderSpec qwen3 = llama;
    qwen3.queryKeyNormalization = qwen3.tiedEmbeddings = true;
    DecoderSpec mixtral = llama;
    mixtral.experts = 4;
    DecoderSpec qwen3Moe = mixtral;
    qwen3Moe.queryKeyNormalization = true;
    DecoderSpec gemma = llama;
    gemma.activation = Activation::GeGlu;
    gemma.tiedEmbeddings = true;
    DecoderSpec stableLm = llama;
    stableLm.normalization = Normalization::LayerNorm;
    DecoderSpec starcoder2 = learned;
    starcoder2.positionEmbedding = PositionEmbedding::Rotary;
    const EncoderSpec masked{.vocabularySize = 100,
                             .hiddenSize = 16,
                             .layers = 3,
                             .heads = 4,
                             .feedForwardSize = 32,
                             .maxPositions = 64};
    EncoderSpec pretraining = masked;
    pretraining.pooler = pretraining.nextSentenceHead = true;
    EncoderSpec esm = masked;
    esm.tokenTypes = 0;
    esm.positionEmbedding = PositionEmbedding::Rotary;
    esm.embeddingNormalization = false;
    esm.finalNormalization = true;
    const EncoderDecoderSpec pair{.vocabularySize = 100,
                                  .hiddenSize = 16,
                                  .encoderLayers = 3,
                                  .decoderLayers = 2,
                                  .heads = 4,
                                  .headSize = 4,
                                  .feedForwardSize = 32};
    EncoderDecoderSpec gated = pair;
    gated.activation = Activation::GeGlu;
    gated.tiedEmbeddings = false;
    const VisionTransformerSpec images{.imageSize = 8,
                                       .patchSize = 4,
                                       .hiddenSize = 16,
                                       .layers = 3,
                                       .heads = 4,
                                       .feedForwardSize = 32,
                                       .classes = 10};
    return {{"gpt2", {"gpt2", learned}},
            {"gpt3", {"gpt3", learned}},
            {"jais", {"jais", jais}},
            {"llama", {"llama", llama}},
            {"mistral", {"mistral", llama}},
            {"mixtral", {"mixtral", mixtral}},
            {"qwen2", {"qwen2", qwen2}},
            {"qwen3", {"qwen3", qwen3}},
            {"bloom", {"bloom", bloom}},
            {"mpt", {"mpt", alibi}},
            {"bert", {"bert", masked}},
            {"bert with all heads", {"bert", pretraining}},
            {"esm2", {"esm2", esm}},
            {"t5", {"t5", pair}},
            {"t5 1.1", {"t5", gated}},
            {"vit", {"vit", images}},
            {"qwen3_moe", {"qwen3_moe", qwen3Moe}},
            {"phi3", {"phi3", llama}},
            {"gemma", {"gemma", gemma}},
            {"stablelm", {"stablelm", stableLm}},
            {"starcoder2", {"starcoder2", starcoder2}},
            {"seed_oss", {"seed_oss", qwen2}},
            {"glm", {"glm", qwen2}},
            {"smollm3", {"smollm3", llama}},
            {"hunyuan_v1_dense", {"hunyuan_v1_dense", qwen3}},
            {"gpt_bigcode", {"gpt_bigcode", learned}}};
}

inline model::ModelSpec namedNetwork(const std::string& name)
{
    for (const auto& [known, spec] : namedNetworks()) {
        if (known == name)
            return spec;
    }
    return {};
}

} // namespace batchpeak::config
