// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "support/rows.h"
#include "tiny_networks.h"
#include "tiny_scripts.h"
#include "tiny_tunings.h"

#include <QFile>
#include <QTemporaryDir>

#include <string>
#include <vector>

/// Rows of tests of a StepRunner: each network, and each option of a step that a request can set.
namespace batchpeak::network {

using trial::LoadRequest;

/// Request to a runner, and number of classes of its prediction.
struct Asked
{
    LoadRequest request;
    int choices = 0;
};

inline LoadRequest withOptimizer(LoadRequest request, model::Optimizer optimizer)
{
    request.optimizer = optimizer;
    return request;
}

inline LoadRequest withStep(LoadRequest request, const model::StepOptions& step)
{
    request.step = step;
    return request;
}

inline LoadRequest withLengths(LoadRequest request, std::vector<std::int64_t> lengths)
{
    request.sampleLengths = std::move(lengths);
    return request;
}

inline LoadRequest withDropout(LoadRequest request)
{
    auto& decoder = std::get<model::DecoderSpec>(request.model.architecture);
    decoder.dropout = 0.2;
    decoder.attentionDropout = 0.2;
    return request;
}

inline model::ScriptSpec tinyScript()
{
    static const QTemporaryDir folder;
    static const std::string file = folder.filePath(QStringLiteral("tiny.pt")).toStdString();
    if (!QFile::exists(QString::fromStdString(file)))
        saveScript(file, logitsForward, 67);
    return scriptSpec(file, 67);
}

/// Adds each kind of adapter and of frozen weight once, in the precisions that trainers offer for them.
template<typename Add>
void addTunings(const Add& add)
{
    using model::Precision;
    for (const auto& [name, tuning] : tinyTunings()) {
        const std::string kind = name;
        if (kind != "LoRA" && kind != "DoRA" && kind != "QLoRA" && kind != "LoRA beside 8 bits")
            continue;
        LoadRequest request = tinyRequest(tinyLlama(), model::Phase::Train, Precision::Bf16);
        request.tuning = tuning;
        request.tuning.targets = allLinear();
        request.tuning.dropout = 0.1;
        if (tuning.frozenWeights == model::FrozenWeights::Same)
            request.tuning.frozenWeights = model::FrozenWeights::Bf16;
        add((kind + ", bf16, dropout").c_str(), request);
    }
    for (const auto& [name, tuning] : tinyRoundings()) {
        LoadRequest request = tinyRequest(tinyLlama(), model::Phase::Train, Precision::PlainBf16);
        request.tuning = tuning;
        add((std::string(name) + ", plain bf16").c_str(), request);
    }
    LoadRequest request = tinyRequest(tinyLlama(), model::Phase::Train, Precision::PlainBf16);
    request.tuning = lora(allLinear());
    request.step.activationCheckpointing = true;
    add("LoRA, plain bf16, checkpointing", request);
    request.phase = model::Phase::Eval;
    add("LoRA, eval", request);
}

/// Adds AdamW steps that run operation by operation, in each layout of parameters.
template<typename Add>
void addUnfused(const Add& add)
{
    using model::Phase;
    using model::Sharding;
    const LoadRequest train = tinyRequest(tinyGpt(), Phase::Train);
    add("unfused AdamW", withStep(train, {.adamWStep = model::AdamWStep::Operations}));
    add("unfused AdamW, clipping",
        withStep(train, {.maxGradientNorm = 0.5, .adamWStep = model::AdamWStep::Operations}));
    add("unfused AdamW, channels last",
        withStep(tinyRequest(tinyResNet(), Phase::Train),
                 {.channelsLast = true, .adamWStep = model::AdamWStep::Operations}));
    add("unfused AdamW, fp16", withStep(tinyRequest(tinyLlama(), Phase::Train, model::Precision::Fp16),
                                        {.adamWStep = model::AdamWStep::Operations}));
    add("decoupled AdamW", withStep(train, {.adamWStep = model::AdamWStep::Decoupled}));
    for (const Sharding sharding : {Sharding::Optimizer, Sharding::Parameters}) {
        add(("unfused AdamW, sharded " + std::string(toText(sharding))).c_str(),
            withStep(train, {.adamWStep = model::AdamWStep::Operations, .sharding = sharding, .shards = 4}));
    }
}

template<typename Add>
void addUpdatesInBackward(const Add& add)
{
    using model::Phase;
    using model::Precision;
    const model::StepOptions updates{.updatesInBackward = true};
    add("updates in backward", withStep(tinyRequest(tinyGpt(), Phase::Train), updates));
    add("updates in backward, TorchScript", withStep(tinyRequest(tinyScript(), Phase::Train), updates));
    add("updates in backward, channels last",
        withStep(tinyRequest(tinyResNet(), Phase::Train), {.channelsLast = true, .updatesInBackward = true}));
    add("updates in backward, checkpointing, loss in chunks, bf16",
        withStep(tinyRequest(tinyLlama(), Phase::Train, Precision::Bf16),
                 {.activationCheckpointing = true, .lossChunkRows = 7, .updatesInBackward = true}));
    add("updates in backward, pure bf16",
        withStep(tinyRequest(tinyLlama(), Phase::Train, Precision::PureBf16), updates));
    add("updates in backward, 8-bit AdamW on the host, plain bf16",
        withOptimizer(withStep(tinyRequest(tinyLlama(), Phase::Train, Precision::PlainBf16),
                               {.optimizerOnHost = true, .updatesInBackward = true}),
                      model::Optimizer::AdamW8bit));
    add("updates in backward, SGD",
        withOptimizer(withStep(tinyRequest(tinyGpt(), Phase::Train), updates), model::Optimizer::Sgd));
    add("updates in backward, left out where parameters are shared",
        withStep(tinyRequest(tinyGpt(), Phase::Train),
                 {.updatesInBackward = true, .sharding = model::Sharding::Parameters, .shards = 4}));
}

template<typename Add>
void addFloat16(const Add& add)
{
    using model::Phase;
    using enum model::Precision;
    add("fp16", tinyRequest(tinyLlama(), Phase::Train, Fp16));
    add("fp16, eval", tinyRequest(tinyLlama(), Phase::Eval, Fp16));
    add("fp16, all of it",
        withStep(tinyRequest(tinyLlama(), Phase::Train, Fp16),
                 {.activationCheckpointing = true, .lossChunkRows = 7, .maxGradientNorm = 0.5}));
    add("fp16, encoder", tinyRequest(tinyBert(), Phase::Train, Fp16));
    add("fp16, ViT", tinyRequest(tinyVisionTransformer(), Phase::Train, Fp16));
    add("fp16, SGD", withOptimizer(tinyRequest(tinyGpt(), Phase::Train, Fp16), model::Optimizer::Sgd));
    add("fp16, 8-bit AdamW",
        withOptimizer(tinyRequest(tinyGpt(), Phase::Train, Fp16), model::Optimizer::AdamW8bit));
    add("pure fp16", tinyRequest(tinyLlama(), Phase::Train, PureFp16));
    add("pure fp16, clipping",
        withStep(tinyRequest(tinyLlama(), Phase::Train, PureFp16), {.maxGradientNorm = 0.5}));
    add("pure fp16, shared parameters", withStep(tinyRequest(tinyLlama(), Phase::Train, PureFp16),
                                                 {.sharding = model::Sharding::Parameters, .shards = 4}));
    add("plain fp16", tinyRequest(tinyLlama(), Phase::Train, PlainFp16));
    for (const auto& [name, tuning] : tinyTunings()) {
        const std::string kind = name;
        if (kind != "QLoRA" && kind != "LoRA beside 8 bits")
            continue;
        LoadRequest request = tinyRequest(tinyLlama(), Phase::Train, Fp16);
        request.tuning = tuning;
        request.tuning.targets = allLinear();
        add(("fp16, " + kind).c_str(), request);
    }
}

/// Adds the optimizers whose state differs in form from that of AdamW and SGD.
template<typename Add>
void addOptimizers(const Add& add)
{
    using model::Optimizer;
    using model::Phase;
    using model::Precision;
    const auto llama = [](Precision precision) { return tinyRequest(tinyLlama(), Phase::Train, precision); };
    add("32-bit AdamW, plain bf16", withOptimizer(llama(Precision::PlainBf16), Optimizer::AdamW32bit));
    for (const Precision precision : {Precision::Fp32, Precision::PureBf16, Precision::PlainBf16}) {
        const std::string of = ", " + std::string(toText(precision));
        add(("Lion" + of).c_str(), withOptimizer(llama(precision), Optimizer::Lion));
        add(("Adafactor" + of).c_str(), withOptimizer(llama(precision), Optimizer::Adafactor));
    }
    add("8-bit Lion, plain bf16", withOptimizer(llama(Precision::PlainBf16), Optimizer::Lion8bit));
    const model::StepOptions onHost{.optimizerOnHost = true};
    const model::StepOptions shared{.sharding = model::Sharding::Optimizer, .shards = 4};
    const model::StepOptions sharedParameters{.sharding = model::Sharding::Parameters, .shards = 4};
    for (const Optimizer optimizer : {Optimizer::AdamW32bit, Optimizer::Lion, Optimizer::Adafactor}) {
        const std::string of = std::string(toText(optimizer)) + ", plain bf16, ";
        const LoadRequest request = withOptimizer(llama(Precision::PlainBf16), optimizer);
        add((of + "on the host").c_str(), withStep(request, onHost));
        add((of + "a shared state").c_str(), withStep(request, shared));
        add((of + "shared parameters").c_str(), withStep(request, sharedParameters));
    }
    add("Adafactor, clipping",
        withStep(withOptimizer(llama(Precision::Bf16), Optimizer::Adafactor), {.maxGradientNorm = 0.5}));
    model::ResNetSpec residual = tinyResNet();
    residual.imageSize = 32;
    add("Adafactor, ResNet, channels last",
        withStep(withOptimizer(tinyRequest(residual, Phase::Train), Optimizer::Adafactor),
                 {.channelsLast = true}));
    add("Adafactor, Mixtral", withOptimizer(tinyRequest(tinyMixtral(), Phase::Train), Optimizer::Adafactor));
}

/// Adds devices that share gradients, and parameters too, with more layers than are gathered at a time.
template<typename Add>
void addShared(const Add& add)
{
    using model::Phase;
    using model::Precision;
    const model::StepOptions gradients{.sharding = model::Sharding::Gradients, .shards = 4};
    const model::StepOptions parameters{.sharding = model::Sharding::Parameters, .shards = 4};
    model::DecoderSpec gpt = tinyGpt();
    model::DecoderSpec llama = tinyLlama();
    gpt.layers = llama.layers = 5;
    const auto requestOf = [&](Precision precision) { return tinyRequest(llama, Phase::Train, precision); };
    const LoadRequest train = tinyRequest(gpt, Phase::Train);
    add("shared gradients", withStep(train, gradients));
    add("shared gradients, bf16", withStep(requestOf(Precision::Bf16), gradients));
    add("shared gradients, pure bf16", withStep(requestOf(Precision::PureBf16), gradients));
    add("shared parameters", withStep(train, parameters));
    add("shared parameters, eval", withStep(tinyRequest(gpt, Phase::Eval), parameters));
    add("shared parameters, bf16", withStep(requestOf(Precision::Bf16), parameters));
    add("shared parameters, pure bf16", withStep(requestOf(Precision::PureBf16), parameters));
    add("shared parameters, 8-bit AdamW, plain bf16",
        withOptimizer(withStep(requestOf(Precision::PlainBf16), parameters), model::Optimizer::AdamW8bit));
    model::StepOptions all = parameters;
    all.activationCheckpointing = true;
    all.lossChunkRows = 7;
    all.maxGradientNorm = 0.5;
    all.optimizerOnHost = true;
    add("shared parameters, bf16, all of it", withStep(requestOf(Precision::Bf16), all));
    for (const auto& [name, tuning] : tinyTunings()) {
        const std::string kind = name;
        if (kind != "LoRA" && kind != "QLoRA" && kind != "LoRA beside 8 bits")
            continue;
        LoadRequest request = withStep(requestOf(Precision::Bf16), parameters);
        request.tuning = tuning;
        request.tuning.targets = allLinear();
        add(("shared parameters, bf16, " + kind).c_str(), request);
    }
}

inline void addRequests()
{
    const auto add = test::rows<Asked>();
    using model::Phase;
    for (const auto& [name, architecture, choices] : tinyNetworks()) {
        const LoadRequest train = tinyRequest(architecture, Phase::Train);
        add(std::string(name) + ", train", {train, choices});
        add(std::string(name) + ", train, checkpointing",
            {withStep(train, {.activationCheckpointing = true}), choices});
        add(std::string(name) + ", eval", {tinyRequest(architecture, Phase::Eval), choices});
    }
    const auto addOne = [&](const char* name, const LoadRequest& request) { add(name, {request, 67}); };
    addOne("TorchScript, train", tinyRequest(tinyScript(), Phase::Train));
    addOne("TorchScript, eval", tinyRequest(tinyScript(), Phase::Eval));
    const LoadRequest train = tinyRequest(tinyGpt(), Phase::Train);
    addOne("SGD", withOptimizer(train, model::Optimizer::Sgd));
    addOne("SGD without momentum",
           withOptimizer(withStep(train, {.keepsMomentum = false}), model::Optimizer::Sgd));
    addUnfused(addOne);
    addOne("dropout", withDropout(train));
    addOne("dropout, checkpointing", withStep(withDropout(train), {.activationCheckpointing = true}));
    addOne("capped loss in chunks", withStep(tinyRequest(tinyGemma2(), Phase::Train), {.lossChunkRows = 7}));
    addOne("loss in chunks", withStep(train, {.lossChunkRows = 7}));
    addOne("loss in chunks, recomputed", withStep(train, {.lossChunkRows = 7, .recomputesLossChunks = true}));
    addOne("capped loss in chunks, recomputed, bf16",
           withStep(tinyRequest(tinyGemma2(), Phase::Train, model::Precision::Bf16),
                    {.lossChunkRows = 7, .recomputesLossChunks = true}));
    addOne("loss in chunks, recomputed, plain bf16",
           withStep(tinyRequest(tinyLlama(), Phase::Train, model::Precision::PlainBf16),
                    {.lossChunkRows = 7, .recomputesLossChunks = true}));
    addOne("loss in chunks, checkpointing",
           withStep(train, {.activationCheckpointing = true, .lossChunkRows = 7}));
    addOne("clipping", withStep(train, {.maxGradientNorm = 0.5}));
    addOne("attention by plain products", withStep(train, {.attention = model::Attention::Math}));
    addOne("channels last", withStep(tinyRequest(tinyResNet(), Phase::Train), {.channelsLast = true}));
    addOne("bf16", tinyRequest(tinyLlama(), Phase::Train, model::Precision::Bf16));
    addOne("bf16, all of it",
           withStep(tinyRequest(tinyLlama(), Phase::Train, model::Precision::Bf16),
                    {.activationCheckpointing = true, .lossChunkRows = 7, .maxGradientNorm = 0.5}));
    addOne("bf16, Qwen3", tinyRequest(tinyQwen(), Phase::Train, model::Precision::Bf16));
    addOne("pure bf16", tinyRequest(tinyLlama(), Phase::Train, model::Precision::PureBf16));
    // A convolution with a stride over a single pixel has undefined weight gradients in bf16 on processors
    // with a matrix unit (oneDNN of torch 2.11.0 reads uninitialized memory), so no image may shrink to a
    // single pixel.
    model::ResNetSpec residual = tinyResNet();
    residual.imageSize = 32;
    addOne("pure bf16, ResNet", tinyRequest(residual, Phase::Train, model::Precision::PureBf16));
    addOne("pure bf16, ViT", tinyRequest(tinyVisionTransformer(), Phase::Train, model::Precision::PureBf16));
    addOne("pure bf16, TorchScript", tinyRequest(tinyScript(), Phase::Train, model::Precision::PureBf16));
    addOne("pure bf16, SGD", withOptimizer(tinyRequest(tinyGpt(), Phase::Train, model::Precision::PureBf16),
                                           model::Optimizer::Sgd));
    addOne("pure bf16, eval", tinyRequest(tinyGpt(), Phase::Eval, model::Precision::PureBf16));
    addOne("plain bf16", tinyRequest(tinyLlama(), Phase::Train, model::Precision::PlainBf16));
    addFloat16(addOne);
    addOne("state on the host", withStep(train, {.optimizerOnHost = true}));
    addOne("a shared state", withStep(train, {.sharding = model::Sharding::Optimizer, .shards = 4}));
    const LoadRequest llama = tinyRequest(tinyLlama(), Phase::Train);
    addOne("packed texts", withStep(llama, {.packedTextLength = 5}));
    addOne("packed texts, cut apart",
           withStep(llama, {.attention = model::Attention::Flash, .packedTextLength = 5}));
    addOne("8-bit AdamW", withOptimizer(train, model::Optimizer::AdamW8bit));
    addOne("8-bit AdamW, wide embeddings",
           withOptimizer(withStep(train, {.wideEmbeddingMoments = true}), model::Optimizer::AdamW8bit));
    addOne("8-bit Lion, wide embeddings, plain bf16",
           withOptimizer(withStep(tinyRequest(tinyLlama(), Phase::Train, model::Precision::PlainBf16),
                                  {.wideEmbeddingMoments = true}),
                         model::Optimizer::Lion8bit));
    addOne("8-bit AdamW, plain bf16",
           withOptimizer(tinyRequest(tinyLlama(), Phase::Train, model::Precision::PlainBf16),
                         model::Optimizer::AdamW8bit));
    addOne("4-bit AdamW", withOptimizer(train, model::Optimizer::AdamW4bit));
    addOne("4-bit AdamW, pure bf16",
           withOptimizer(tinyRequest(tinyLlama(), Phase::Train, model::Precision::PureBf16),
                         model::Optimizer::AdamW4bit));
    addOptimizers(addOne);
    addTunings(addOne);
    addShared(addOne);
    addUpdatesInBackward(addOne);
}

/// Adds a row for every network on devices that share gradients, and on devices that share parameters too.
inline void addSharedNetworks()
{
    const auto add = test::rows<Asked>();
    for (const auto& [name, architecture, choices] : tinyNetworks()) {
        for (const auto sharding : {model::Sharding::Gradients, model::Sharding::Parameters}) {
            LoadRequest request =
                withStep(tinyRequest(architecture, model::Phase::Train), {.sharding = sharding, .shards = 3});
            std::visit(
                [](auto& spec) {
                    if constexpr (requires { spec.layers; })
                        spec.layers = 5;
                    if constexpr (requires { spec.encoderLayers; })
                        spec.encoderLayers = spec.decoderLayers = 4;
                },
                request.model.architecture);
            const std::string row = std::string(name) + ", shared " + std::string(toText(sharding));
            add(row, {request, choices});
            request.step.activationCheckpointing = true;
            add(row + ", checkpointing", {request, choices});
        }
    }
}

} // namespace batchpeak::network
