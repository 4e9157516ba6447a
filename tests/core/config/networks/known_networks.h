// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/model_spec.h"

#include <string>
#include <utility>
#include <vector>

namespace batchpeak::config {

inline model::DecoderSpec decoderWithLearnedPositions()
{
    return {.vocabularySize = 100,
            .hiddenSize = 16,
            .layers = 3,
            .heads = 4,
            .keyValueHeads = 4,
            .feedForwardSize = 32,
            .maxPositions = 64};
}

inline model::DecoderSpec llamaDecoder()
{
    model::DecoderSpec llama = decoderWithLearnedPositions();
    llama.positionEmbedding = model::PositionEmbedding::Rotary;
    llama.normalization = model::Normalization::RmsNorm;
    llama.activation = model::Activation::SwiGlu;
    llama.keyValueHeads = 2;
    llama.tiedEmbeddings = llama.attentionBias = llama.attentionOutputBias = llama.feedForwardBias = false;
    return llama;
}

/// Returns decoders whose branches are parallel, or that use none of LLaMA's module names.
inline std::vector<std::pair<std::string, model::ModelSpec>> networksUnlikeLlama()
{
    using namespace model;
    DecoderSpec qwen = llamaDecoder();
    qwen.keyValueHeads = qwen.heads;
    qwen.attentionBias = true;
    DecoderSpec phi = decoderWithLearnedPositions();
    phi.positionEmbedding = PositionEmbedding::Rotary;
    phi.branches = Branches::Parallel;
    phi.tiedEmbeddings = false;
    phi.outputBias = true;
    DecoderSpec gptJ = phi;
    gptJ.attentionBias = gptJ.attentionOutputBias = false;
    DecoderSpec gptNeoX = phi;
    gptNeoX.branches = Branches::ParallelNorms;
    gptNeoX.outputBias = false;
    DecoderSpec falcon = gptJ;
    falcon.outputBias = falcon.feedForwardBias = false;
    falcon.tiedEmbeddings = true;
    falcon.keyValueHeads = 1;
    DecoderSpec laterFalcon = falcon;
    laterFalcon.branches = Branches::ParallelNorms;
    DecoderSpec olderFalcon = falcon;
    olderFalcon.branches = Branches::Sequential;
    olderFalcon.positionEmbedding = PositionEmbedding::Alibi;
    DecoderSpec gptNeo = decoderWithLearnedPositions();
    gptNeo.attentionBias = false;
    gptNeo.attentionWindow = 8;
    gptNeo.windowedLayers = {1};
    DecoderSpec opt = decoderWithLearnedPositions();
    opt.positionOffset = 2;
    opt.activation = Activation::Relu;
    DecoderSpec btlm = decoderWithLearnedPositions();
    btlm.positionEmbedding = PositionEmbedding::Alibi;
    btlm.activation = Activation::SwiGlu;
    DecoderSpec cohere = llamaDecoder();
    cohere.normalization = Normalization::LayerNorm;
    cohere.normalizationBias = false;
    cohere.branches = Branches::Parallel;
    cohere.tiedEmbeddings = true;
    return {{"qwen", {"qwen", qwen}},
            {"phi", {"phi", phi}},
            {"gptj", {"gptj", gptJ}},
            {"gpt_neox", {"gpt_neox", gptNeoX}},
            {"falcon", {"falcon", falcon}},
            {"falcon with norms of branches", {"falcon", laterFalcon}},
            {"falcon with branches one after the other", {"falcon", olderFalcon}},
            {"gpt_neo", {"gpt_neo", gptNeo}},
            {"opt", {"opt", opt}},
            {"btlm", {"btlm", btlm}},
            {"cohere", {"cohere", cohere}},
            {"cohere2", {"cohere2", cohere}}};
}

/// Returns decoders that use some of LLaMA's module names, among them some with norms after branches or with
/// shared experts.
inline std::vector<std::pair<std::string, model::ModelSpec>> networksSimilarToLlama()
{
    using namespace model;
    const DecoderSpec llama = llamaDecoder();
    DecoderSpec gemma2 = llama;
    gemma2.activation = Activation::GeGlu;
    gemma2.tiedEmbeddings = gemma2.branchOutputNormalization = true;
    DecoderSpec gemma3 = gemma2;
    gemma3.queryKeyNormalization = true;
    DecoderSpec glm4 = llama;
    glm4.attentionBias = glm4.branchOutputNormalization = true;
    DecoderSpec experts = llama;
    experts.experts = 4;
    DecoderSpec qwen2Moe = experts;
    qwen2Moe.attentionBias = qwen2Moe.sharedExpertGate = true;
    qwen2Moe.sharedExpertSize = 24;
    DecoderSpec glm4Moe = experts;
    glm4Moe.attentionBias = true;
    glm4Moe.sharedExpertSize = 24;
    glm4Moe.denseLayers = 1;
    glm4Moe.denseFeedForwardSize = 48;
    DecoderSpec nemotron = llama;
    nemotron.normalization = Normalization::LayerNorm;
    nemotron.activation = Activation::ReluSquared;
    DecoderSpec arcee = llama;
    arcee.activation = Activation::ReluSquared;
    return {{"gemma2", {"gemma2", gemma2}},
            {"gemma3_text", {"gemma3_text", gemma3}},
            {"glm4", {"glm4", glm4}},
            {"qwen2_moe", {"qwen2_moe", qwen2Moe}},
            {"glm4_moe", {"glm4_moe", glm4Moe}},
            {"granite", {"granite", llama}},
            {"granitemoe", {"granitemoe", experts}},
            {"ernie4_5", {"ernie4_5", llama}},
            {"nemotron", {"nemotron", nemotron}},
            {"arcee", {"arcee", arcee}}};
}

/// Returns small networks with more than one layer, of every family whose modules have names in transformers.
inline std::vector<std::pair<std::string, model::ModelSpec>> namedNetworks()
{
    using namespace model;
    const DecoderSpec learned = decoderWithLearnedPositions();
    DecoderSpec alibi = learned;
    alibi.positionEmbedding = PositionEmbedding::Alibi;
    DecoderSpec bloom = alibi;
    bloom.embeddingNormalization = true;
    DecoderSpec jais = alibi;
    jais.activation = Activation::SwiGlu;
    const DecoderSpec llama = llamaDecoder();
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
    EncoderSpec classifier = pretraining;
    classifier.maskedLanguageHead = false;
    classifier.sentenceClasses = 3;
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
    std::vector<std::pair<std::string, ModelSpec>> networks{{"gpt2", {"gpt2", learned}},
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
                                                            {"bert with classes", {"bert", classifier}},
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
    for (const auto& others : {networksUnlikeLlama(), networksSimilarToLlama()})
        networks.insert(networks.end(), others.begin(), others.end());
    return networks;
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
