// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernel_choice.h"
#include "model/held_memory.h"
#include "model/parameter_table.h"
#include "network/optimizers/unfused_step.h"
#include "step_memory_support.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "tiny_networks.h"
#include "tiny_tunings.h"

#include <ATen/Parallel.h>
#include <ATen/ops/zeros.h>

#include <QTest>

#include <algorithm>
#include <cmath>
#include <vector>

using namespace batchpeak;
using namespace batchpeak::network;
using trial::LoadRequest;

namespace {

model::HeldMemory heldBy(const LoadRequest& request)
{
    return model::heldMemory(model::parameterTable(request.model, request.tuning), request.tuning,
                             request.phase, request.precision, request.optimizer, request.step);
}

/// Whether a peak equals the prediction within a relative tolerance of \p share, plus at most the bytes that
/// threads with a matrix unit pack.
bool isAsPredicted(double measured, double predicted, double share, double packed)
{
    return measured > predicted * (1.0 - share) && measured < (predicted + packed) * (1.0 + share);
}

/// Returns the bytes that a step packs on this machine.
double packedBytes(const model::StepMemory& estimate)
{
    return usesMatrixUnit() ? at::get_num_threads() * estimate.packedBytesPerThread : 0.0;
}

/// Returns the rows of the largest of the matrices that the original network has in place of this one.
std::int64_t largestOf(const model::Parameter& matrix)
{
    const std::vector<std::int64_t> parts = separateRows(matrix);
    return parts.empty() ? matrix.shape.front() : std::ranges::max(parts);
}

/// Returns the rows of a matrix in one product: quantized parts are multiplied separately.
std::int64_t outputsOf(const model::Parameter& matrix)
{
    return matrix.role == model::ParameterRole::Quantized ? largestOf(matrix) : matrix.shape.front();
}

/// Returns the longer dot product with a matrix: over its inputs in forward, over its outputs in backward.
std::int64_t depthOf(const model::Parameter& matrix)
{
    return std::max(matrix.shape.back(), outputsOf(matrix));
}

/// Returns the bytes of frozen matrices that threads without a matrix unit pack on this machine, in a step of
/// one sample.
double blockBytes(const LoadRequest& request)
{
    if (estimateOf(request).packedBytesPerThread == 0.0 || !usesBlocks())
        return 0.0;
    std::int64_t deepest = 0;
    for (const model::Parameter& parameter : model::parameterTable(request.model, request.tuning)) {
        if (!parameter.isTrained() && parameter.shape.size() > 1)
            deepest = std::max(deepest, depthOf(parameter));
    }
    return at::get_num_threads() * blockBytesPerThread(request.sequenceLength, deepest);
}

/// Returns the rows of products with a matrix in a step of one sample: those of a chunk if the loss is
/// computed in chunks.
std::int64_t rowsOfProducts(const model::Parameter& matrix, const LoadRequest& request)
{
    const std::int64_t chunk = request.step.lossChunkRows;
    const bool isOfLoss = matrix.isEmbedding || matrix.name == "output.weight";
    return isOfLoss && chunk > 0 ? std::min(chunk, request.sequenceLength) : request.sequenceLength;
}

/// Returns the number of elements of the largest result of products with a matrix. A gradient has the size of
/// the matrix, and so does the product of the adapters that DoRA computes.
std::int64_t largestResult(const model::Parameter& matrix, const LoadRequest& request)
{
    const std::int64_t ofActivations = rowsOfProducts(matrix, request) * depthOf(matrix);
    if (matrix.isTrained() && request.phase == model::Phase::Train)
        return std::max(ofActivations, matrix.elements());
    const bool isAdapted = request.tuning.adapter == model::AdapterKind::Dora && !matrix.projections.empty();
    return isAdapted ? std::max(ofActivations, largestOf(matrix) * matrix.shape.back()) : ofActivations;
}

/// Returns the bytes of the largest result that this machine widens to fp32 in a step of one sample, as
/// processors with AVX512 alone do.
double bytesOfWidened(const LoadRequest& request)
{
    if (estimateOf(request).packedBytesPerThread == 0.0 || !widensResults())
        return 0.0;
    std::int64_t max = 0;
    for (const model::Parameter& parameter : model::parameterTable(request.model, request.tuning)) {
        if (parameter.shape.size() > 1)
            max = std::max(max, largestResult(parameter, request));
    }
    return widenedBytes(max);
}

} // namespace

/// Tests the prediction of a step's memory against the CPU device's count.
class StepMemoryTest : public QObject
{
    Q_OBJECT

private:
    static void addShared()
    {
        using model::Precision;
        using model::Sharding;
        const auto add = rows<LoadRequest>();
        for (const Sharding sharding : {Sharding::Gradients, Sharding::Parameters}) {
            const model::StepOptions shared{.sharding = sharding, .shards = 4};
            const std::string name = std::string(toText(sharding));
            for (const NamedNetwork& network : tinyNetworks())
                add(name + ", " + network.name, requestFor(network.architecture, {.options = shared}));
            for (const Precision precision : {Precision::Bf16, Precision::PureBf16, Precision::PlainBf16}) {
                add(name + ", " + std::string(toText(precision)),
                    requestFor(tinyLlama(), {.precision = precision, .options = shared}));
            }
            add(name + ", evaluated",
                requestFor(tinyLlama(), {.phase = model::Phase::Eval, .options = shared}));
            for (const auto& [kind, tuning] : tinyTunings()) {
                add(name + ", " + kind,
                    requestFor(tinyLlama(),
                               {.precision = Precision::Bf16, .options = shared, .tuning = tuning}));
            }
        }
    }

private slots:
    void predictsTheMemoryOfASample_data()
    {
        using model::Phase;
        using model::Precision;
        const auto add = rows<LoadRequest>();
        for (const NamedNetwork& network : tinyNetworks()) {
            add(network.name, requestFor(network.architecture));
            add(std::string(network.name) + ", evaluated",
                requestFor(network.architecture, {.phase = Phase::Eval}));
            add(std::string(network.name) + ", checkpointed",
                requestFor(network.architecture, {.options = {.activationCheckpointing = true}}));
            add(std::string(network.name) + ", attention by plain products",
                requestFor(network.architecture, {.options = {.attention = model::Attention::Math}}));
            for (const Precision precision : {Precision::Bf16, Precision::PureBf16})
                add(std::string(network.name) + ", " + std::string(toText(precision)),
                    requestFor(network.architecture, {.precision = precision}));
        }
        using enum model::Activation;
        for (const model::Activation activation : {GeluNew, GeluFast, GeluPython, BloomGelu, GeGluNew}) {
            model::DecoderSpec decoder = tinyGpt();
            decoder.activation = activation;
            const std::string name = std::string("GPT, ") + std::string(model::toText(activation));
            add(name, requestFor(decoder));
            add(name + ", evaluated", requestFor(decoder, {.phase = Phase::Eval}));
            add(name + ", checkpointed", requestFor(decoder, {.options = {.activationCheckpointing = true}}));
            add(name + ", plain bf16", requestFor(decoder, {.precision = Precision::PlainBf16}));
        }
        model::DecoderSpec dropping = tinyGpt();
        dropping.dropout = 0.1;
        add("GPT, dropout", requestFor(dropping));
        dropping.attentionDropout = 0.1;
        add("GPT, dropout of attention", requestFor(dropping));
        model::EncoderDecoderSpec droppingT5 = tinyT5();
        droppingT5.dropout = 0.1;
        add("T5, dropout", requestFor(droppingT5));
        model::DecoderSpec capping = tinyGemma2();
        capping.attentionDropout = 0.1;
        add("Gemma 2, dropout of attention", requestFor(capping));
        add("Gemma 2, loss in parts", requestFor(tinyGemma2(), {.options = {.lossParts = 4}}));
        model::DecoderSpec parallel = tinyNeoX();
        parallel.dropout = 0.1;
        add("GPT-NeoX, dropout", requestFor(parallel));
        for (const auto sharding : {model::Sharding::Gradients, model::Sharding::Parameters}) {
            add(std::string("LLaMA, bf16, shared ") + std::string(toText(sharding)),
                requestFor(tinyLlama(),
                           {.precision = Precision::Bf16, .options = {.sharding = sharding, .shards = 4}}));
        }
    }
    void predictsTheMemoryOfASample() { VERIFY_BELOW(std::abs(errorOfSample(row<LoadRequest>())), 2.0); }

    void predictsTheBaseline_data()
    {
        const auto add = rows<LoadRequest>();
        for (const NamedNetwork& network : tinyNetworks())
            add(network.name, requestFor(network.architecture));
        add("SGD", requestFor(tinyGpt(), {.optimizer = model::Optimizer::Sgd}));
        add("SGD without momentum",
            requestFor(tinyGpt(), {.optimizer = model::Optimizer::Sgd, .options = {.keepsMomentum = false}}));
        add("unfused", requestFor(tinyGpt(), {.options = {.adamWStep = model::AdamWStep::Operations}}));
        add("evaluated", requestFor(tinyGpt(), {.phase = model::Phase::Eval}));
        add("pure bf16", requestFor(tinyGpt(), {.precision = model::Precision::PureBf16}));
        add("plain bf16", requestFor(tinyGpt(), {.precision = model::Precision::PlainBf16}));
        add("pure fp16", requestFor(tinyGpt(), {.precision = model::Precision::PureFp16}));
        add("8 bits", requestFor(tinyGpt(), {.optimizer = model::Optimizer::AdamW8bit}));
        add("8 bits, wide embeddings", requestFor(tinyGpt(), {.optimizer = model::Optimizer::AdamW8bit,
                                                              .options = {.wideEmbeddingMoments = true}}));
        add("8 bits, wide embeddings, plain bf16",
            requestFor(tinyLlama(), {.precision = model::Precision::PlainBf16,
                                     .optimizer = model::Optimizer::Lion8bit,
                                     .options = {.wideEmbeddingMoments = true}}));
        add("4 bits", requestFor(tinyGpt(), {.optimizer = model::Optimizer::AdamW4bit}));
        add("state on the host", requestFor(tinyGpt(), {.options = {.optimizerOnHost = true}}));
        for (const auto optimizer : {model::Optimizer::AdamW, model::Optimizer::AdamW8bit}) {
            add("updates in backward, " + std::string(toText(optimizer)),
                requestFor(tinyGpt(), {.precision = model::Precision::PlainBf16,
                                       .optimizer = optimizer,
                                       .options = {.updatesInBackward = true}}));
        }
        using model::Optimizer;
        for (const auto optimizer :
             {Optimizer::AdamW32bit, Optimizer::Lion, Optimizer::Lion8bit, Optimizer::Adafactor}) {
            for (const auto precision :
                 {model::Precision::Fp32, model::Precision::PureBf16, model::Precision::PlainBf16}) {
                const std::string name =
                    std::string(toText(optimizer)) + ", " + std::string(toText(precision));
                const model::StepSettings settings{.precision = precision, .optimizer = optimizer};
                add(name, requestFor(tinyLlama(), settings));
                model::StepSettings onHost = settings;
                onHost.options.optimizerOnHost = true;
                add(name + ", on the host", requestFor(tinyLlama(), onHost));
            }
        }
        add("Adafactor, ViT", requestFor(tinyVisionTransformer(), {.optimizer = Optimizer::Adafactor}));
        add("Adafactor, Mixtral", requestFor(tinyMixtral(), {.optimizer = Optimizer::Adafactor}));
        for (const auto& [name, tuning] : tinyTunings()) {
            // predictsTemporaryMatrices() tests the other tunings, together with their temporary memory.
            if (!model::isQuantized(tuning.frozenWeights) && tuning.adapter != model::AdapterKind::Dora)
                add(name, requestFor(tinyLlama(), {.tuning = tuning}));
        }
    }
    void predictsTheBaseline()
    {
        const LoadRequest& request = row<LoadRequest>();
        const auto held = static_cast<double>(requiredBaselineBytes(request));
        const double passing = heldBy(request).fullGradientBytes;
        const double error = (estimateOf(request).constantBytes - passing) / held - 1.0;
        QVERIFY2(std::abs(error) < 0.05, std::to_string(error).c_str());
    }

    void predictsTheShardedBaseline_data() { addShared(); }
    void predictsTheShardedBaseline()
    {
        const LoadRequest& request = row<LoadRequest>();
        const model::HeldMemory held = heldBy(request);
        const double sum = held.parameterBytes + held.gradientBytes + held.optimizerBytes;
        const double error = sum / static_cast<double>(requiredBaselineBytes(request)) - 1.0;
        // In such a small residual network, statistics are large compared with a share of the parameters.
        QVERIFY2(std::abs(error) < 0.07, std::to_string(error).c_str());
    }

    // With embeddings larger than all activations, Adafactor needs more memory than forward and backward.
    void predictsTheStepOfAdafactor_data()
    {
        using model::Precision;
        const auto add = rows<LoadRequest>();
        model::DecoderSpec wide = tinyLlama();
        wide.hiddenSize = 128;
        wide.vocabularySize = 20000;
        for (const auto precision : {Precision::Fp32, Precision::PureBf16, Precision::PlainBf16}) {
            const model::StepSettings settings{.precision = precision,
                                               .optimizer = model::Optimizer::Adafactor};
            add(std::string(toText(precision)), requestOf(wide, settings));
            model::StepSettings other = settings;
            other.options = {.optimizerOnHost = true};
            add(std::string(toText(precision)) + ", on the host", requestOf(wide, other));
            // In fp32, where nothing is widened, Adafactor needs less for half of the parameters than
            // backward does.
            other.options = {.sharding = model::Sharding::Optimizer, .shards = 2};
            if (precision != Precision::Fp32)
                add(std::string(toText(precision)) + ", a shared state", requestOf(wide, other));
        }
    }
    void predictsTheStepOfAdafactor()
    {
        const LoadRequest& request = row<LoadRequest>();
        CpuDeviceMemory memory;
        StepRunner runner(request, memory);
        const double measured = peakOf(runner, memory, 1);
        const model::StepMemory estimate = estimateOf(request);
        qInfo("measured %.0f, foretold %.0f bytes", measured, estimate.optimizerStepBytes);
        QVERIFY(estimate.optimizerStepBytes > estimate.constantBytes + estimate.bytesPerSample);
        QVERIFY(isAsPredicted(measured, estimate.optimizerStepBytes, 0.01, packedBytes(estimate)));
    }

    // The prediction is for a GPU. On the CPU, torch.optim updates one parameter at a time, which needs twice
    // the memory of the largest parameter instead.
    void predictsTheUnfusedStep_data()
    {
        using model::Precision;
        const auto add = rows<LoadRequest>();
        // No product computes the gradient of the largest parameter, so no kernel needs more than the step.
        model::DecoderSpec wide = tinyGpt();
        wide.hiddenSize = 128;
        wide.maxPositions = 20000;
        for (const auto precision : {Precision::Fp32, Precision::PlainBf16}) {
            for (const auto step : {model::AdamWStep::Operations, model::AdamWStep::Decoupled}) {
                const model::StepSettings settings{.precision = precision, .options = {.adamWStep = step}};
                add(std::string(toText(step)) + ", " + std::string(toText(precision)),
                    requestOf(wide, settings));
            }
        }
    }
    void predictsTheUnfusedStep()
    {
        const LoadRequest& request = row<LoadRequest>();
        const bool isNarrow = model::isPlain(request.precision);
        const auto options = at::TensorOptions(isNarrow ? at::kBFloat16 : at::kFloat);
        CpuDeviceMemory memory;
        const model::HeldMemory held = heldBy(request);
        std::int64_t largest = 0;
        {
            std::vector<UnfusedStep::Group> groups{{.decays = true}, {.decays = false}};
            for (const model::Parameter& parameter : model::parameterTable(request.model, request.tuning)) {
                UnfusedStep::Group& group = groups[parameter.decays ? 0 : 1];
                for (auto* tensors :
                     {&group.values, &group.gradients, &group.firstMoments, &group.secondMoments})
                    tensors->push_back(at::zeros(parameter.shape, options));
                largest = std::max(largest, parameter.elements());
            }
            const UnfusedStep step(groups, {.firstMomentDecay = 0.9, .secondMomentDecay = 0.9},
                                   request.step.adamWStep == model::AdamWStep::Decoupled
                                       ? UnfusedStep::Way::Decoupled
                                       : UnfusedStep::Way::Together);
            const at::Tensor count = at::zeros({});
            memory.resetPeaks();
            const std::int64_t before = memory.allocatedBytes();
            step.run(count);
            const auto taken = static_cast<double>(memory.peakAllocatedBytes() - before);
            qInfo("taken %.0f, foretold %.0f bytes", taken, held.optimizerRoomBytes);
            QVERIFY(std::abs(taken / held.optimizerRoomBytes - 1.0) < 0.02);
        }
        StepRunner runner(request, memory);
        const double measured = peakOf(runner, memory, 1);
        const double width = isNarrow ? 2.0 : 4.0;
        const double expected =
            static_cast<double>(runner.baselineBytes()) + 2.0 * width * static_cast<double>(largest);
        QVERIFY(std::abs(measured / expected - 1.0) < 0.01);
    }

    // In addition to the baseline, the peak has full gradients of the layers in progress and of the
    // parameters outside of layers.
    void predictsTheShardedPeak_data()
    {
        using model::Precision;
        using model::Sharding;
        const auto add = rows<LoadRequest>();
        model::DecoderSpec wide = tinyLlama();
        wide.hiddenSize = 128;
        wide.feedForwardSize = 256;
        wide.layers = 8;
        for (const Sharding sharding : {Sharding::Gradients, Sharding::Parameters}) {
            const model::StepOptions shared{.sharding = sharding, .shards = 8};
            for (const Precision precision : {Precision::Fp32, Precision::Bf16, Precision::PlainBf16}) {
                add(std::string(toText(sharding)) + ", " + std::string(toText(precision)),
                    requestOf(wide, {.precision = precision, .options = shared}));
            }
        }
    }
    void predictsTheShardedPeak()
    {
        LoadRequest request = row<LoadRequest>();
        CpuDeviceMemory memory;
        StepRunner runner(request, memory);
        const double measured = peakOf(runner, memory, 1);
        const model::StepMemory estimate = estimateOf(request);
        const double predicted = estimate.constantBytes + estimate.bytesPerSample;
        qInfo("measured %.0f, foretold %.0f bytes", measured, predicted);
        QVERIFY(isAsPredicted(measured, predicted, 0.2, packedBytes(estimate)));
    }

    void predictsTheMemoryOfFakeQuantization_data()
    {
        using model::Precision;
        const auto add = rows<LoadRequest>();
        model::DecoderSpec wide = tinyLlama();
        wide.hiddenSize = 128;
        wide.feedForwardSize = 256;
        for (const auto& [kind, tuning] : tinyRoundings())
            add(kind, requestFor(wide, {.tuning = tuning}));
        const model::Tuning usual = tinyRoundings().front().tuning;
        add("plain bf16", requestFor(wide, {.precision = Precision::PlainBf16, .tuning = usual}));
        add("checkpointed",
            requestFor(wide, {.options = {.activationCheckpointing = true}, .tuning = usual}));
        add("loss in parts", requestFor(wide, {.options = {.lossParts = 4}, .tuning = usual}));
        model::DecoderSpec tied = wide;
        tied.tiedEmbeddings = true;
        add("tied", requestFor(tied, {.tuning = tinyRoundings().at(1).tuning}));
    }
    void predictsTheMemoryOfFakeQuantization()
    {
        LoadRequest request = row<LoadRequest>();
        const auto total = [](const LoadRequest& of) {
            CpuDeviceMemory memory;
            StepRunner runner(of, memory);
            return peakOf(runner, memory, 1);
        };
        const double rounded = total(request);
        const model::StepMemory estimate = estimateOf(request);
        request.tuning.fakeQuantization = {};
        const model::StepMemory plain = estimateOf(request);
        const double measured = rounded - total(request);
        const double predicted =
            estimate.constantBytes + estimate.bytesPerSample - plain.constantBytes - plain.bytesPerSample;
        qInfo("measured %.0f, foretold %.0f bytes of rounding", measured, predicted);
        QVERIFY(isAsPredicted(measured, predicted, 0.25, packedBytes(estimate)));
    }

    void predictsTemporaryMatrices_data()
    {
        using model::Precision;
        const auto add = rows<LoadRequest>();
        model::DecoderSpec wide = tinyLlama();
        wide.hiddenSize = 256;
        wide.feedForwardSize = 768;
        wide.layers = 2;
        model::Tuning tuning = lora(allLinear());
        tuning.frozenWeights = model::FrozenWeights::TorchaoNf4;
        for (const Precision precision : {Precision::Fp32, Precision::PlainBf16})
            add(std::string(toText(precision)), requestOf(wide, {.precision = precision, .tuning = tuning}));
        add("checkpointed",
            requestOf(wide, {.options = {.activationCheckpointing = true}, .tuning = tuning}));
        for (const auto weights : {model::FrozenWeights::Nf4, model::FrozenWeights::Int8}) {
            tuning.frozenWeights = weights;
            for (const Precision precision : {Precision::Fp32, Precision::Bf16, Precision::PlainBf16}) {
                // To scale integers in 16 bits, the CPU widens them; GPUs do not.
                if (weights == model::FrozenWeights::Int8 && precision != Precision::Fp32)
                    continue;
                add(std::string(toText(weights)) + ", " + std::string(toText(precision)),
                    requestOf(wide, {.precision = precision, .tuning = tuning}));
            }
        }
        tuning.frozenWeights = model::FrozenWeights::Nf4;
        tuning.doubleQuantization = false;
        add("nf4, scales in full", requestOf(wide, {.tuning = tuning}));
        tuning.doubleQuantization = true;
        tuning.frozenWeights = model::FrozenWeights::Same;
        tuning.adapter = model::AdapterKind::Dora;
        for (const Precision precision : {Precision::Fp32, Precision::Bf16, Precision::PlainBf16}) {
            add("DoRA, " + std::string(toText(precision)),
                requestOf(wide, {.precision = precision, .tuning = tuning}));
        }
        tuning.frozenWeights = model::FrozenWeights::Bf16;
        for (const Precision precision : {Precision::Fp32, Precision::Bf16}) {
            add("DoRA beside bf16, " + std::string(toText(precision)),
                requestOf(wide, {.precision = precision, .tuning = tuning}));
        }
        tuning.frozenWeights = model::FrozenWeights::Nf4;
        add("DoRA, nf4", requestOf(wide, {.precision = Precision::Bf16, .tuning = tuning}));
    }
    void predictsTemporaryMatrices()
    {
        const LoadRequest& request = row<LoadRequest>();
        CpuDeviceMemory memory;
        StepRunner runner(request, memory);
        const double measured =
            peakOf(runner, memory, 1) - static_cast<double>(requiredBaselineBytes(request));
        const model::StepMemory estimate = estimateOf(request);
        const double held = estimate.parameterBytes + estimate.gradientBytes + estimate.optimizerBytes;
        QVERIFY(std::abs(held / static_cast<double>(requiredBaselineBytes(request)) - 1.0) < 0.05);
        const double predicted = estimate.constantBytes - held + estimate.bytesPerSample;
        const double packed = packedBytes(estimate) + blockBytes(request) + bytesOfWidened(request);
        qInfo("measured %.0f, foretold %.0f, packed %.0f bytes beside what is held", measured, predicted,
              packed);
        QVERIFY(isAsPredicted(measured, predicted, 0.05, packed));
    }

    void predictsConstantMemoryOfLossChunks()
    {
        const auto predicted = [](std::int64_t rows) {
            model::DecoderSpec wide = tinyGpt();
            wide.vocabularySize = 20000;
            return estimateOf(requestOf(wide, {.options = {.lossChunkRows = rows}}));
        };
        QVERIFY(predicted(64).bytesPerSample < 0.1 * predicted(0).bytesPerSample);
        QVERIFY(predicted(64).constantBytes > predicted(0).constantBytes + 64 * 20000 * 12);
    }

    // All chunks accumulate one gradient of the wide output, which exists only if the output is trained.
    void predictsTheGradientOfLossChunks_data()
    {
        using model::Precision;
        const auto add = rows<LoadRequest>();
        model::DecoderSpec wide = tinyLlama();
        wide.vocabularySize = 20000;
        const model::StepOptions chunked{.lossChunkRows = 8};
        model::StepOptions again = chunked;
        again.recomputesLossChunks = true;
        for (const Precision precision : {Precision::Fp32, Precision::Bf16, Precision::PlainBf16}) {
            const std::string name = "recomputed, " + std::string(toText(precision));
            add(name, requestOf(wide, {.precision = precision, .options = again}));
            add(name + ", evaluated",
                requestOf(wide, {.phase = model::Phase::Eval, .precision = precision, .options = again}));
            add(name + ", LoRA",
                requestOf(wide, {.precision = precision, .options = again, .tuning = lora(allLinear())}));
        }
        for (const Precision precision : {Precision::Fp32, Precision::PlainBf16}) {
            const std::string name(toText(precision));
            add(name, requestOf(wide, {.precision = precision, .options = chunked}));
            add(name + ", LoRA",
                requestOf(wide, {.precision = precision, .options = chunked, .tuning = lora(allLinear())}));
        }
    }
    void predictsTheGradientOfLossChunks()
    {
        const LoadRequest& request = row<LoadRequest>();
        CpuDeviceMemory memory;
        StepRunner runner(request, memory);
        const double measured = peakOf(runner, memory, 1);
        const model::StepMemory estimate = estimateOf(request);
        const double predicted = estimate.constantBytes + estimate.bytesPerSample;
        const double packed = packedBytes(estimate) + bytesOfWidened(request);
        qInfo("measured %.0f, foretold %.0f, packed %.0f bytes", measured, predicted, packed);
        QVERIFY(isAsPredicted(measured, predicted, 0.15, packed));
    }

    // Peaks of LoRA in plain bf16, as above, measured on a Sapphire Rapids with and without its matrix unit.
    void boundsThePackingOfAMatrixUnit_data()
    {
        rows<double, int, bool>({{"no unit", {3.96e6, 0, true}},
                                 {"packed where nothing packs", {6.2e6, 0, false}},
                                 {"the least", {6.2e6, 1, true}},
                                 {"the most", {8.8e6, 1, true}},
                                 {"as of two threads", {11.0e6, 1, false}},
                                 {"two threads", {11.0e6, 2, true}}});
    }
    void boundsThePackingOfAMatrixUnit()
    {
        const auto& [measured, threads, isAllowed] = row<double, int, bool>();
        model::DecoderSpec wide = tinyLlama();
        wide.vocabularySize = 20000;
        const model::StepMemory estimate =
            estimateOf(requestOf(wide, {.precision = model::Precision::PlainBf16,
                                        .options = {.lossChunkRows = 8},
                                        .tuning = lora(allLinear())}));
        const double predicted = estimate.constantBytes + estimate.bytesPerSample;
        QCOMPARE(isAsPredicted(measured, predicted, 0.15, threads * estimate.packedBytesPerThread),
                 isAllowed);
    }

    // Twice the widest matrix in blocks of 64, unless that exceeds a core's cache.
    void packsOnlyOperandsOfTwoBytes_data()
    {
        using model::Precision;
        model::Tuning narrow = lora(allLinear());
        narrow.frozenWeights = model::FrozenWeights::Bf16;
        const double vocabulary = 2.0 * 2.0 * 128.0 * 64.0;
        rows<model::StepSettings, double>({{"fp32", {model::StepSettings(), 0.0}},
                                           {"bf16", {{.precision = Precision::Bf16}, vocabulary}},
                                           {"plain bf16", {{.precision = Precision::PlainBf16}, vocabulary}},
                                           {"fp16", {{.precision = Precision::Fp16}, vocabulary}},
                                           {"fp32 beside bf16", {{.tuning = narrow}, vocabulary}}});
    }
    void packsOnlyOperandsOfTwoBytes()
    {
        const auto& [settings, bytes] = row<model::StepSettings, double>();
        QCOMPARE(estimateOf(requestOf(tinyLlama(), settings)).packedBytesPerThread, bytes);
        model::DecoderSpec wide = tinyLlama();
        wide.vocabularySize = 1000000;
        const double max = bytes > 0.0 ? 4.0 * 1024.0 * 1024.0 : 0.0;
        QCOMPARE(estimateOf(requestOf(wide, settings)).packedBytesPerThread, max);
    }

    void predictsNothingForAModuleFromAFile()
    {
        model::ModelSpec spec;
        spec.architecture.emplace<model::ScriptSpec>();
        QVERIFY(!model::stepMemory(spec, {}));
    }
};

BATCHPEAK_TEST(StepMemoryTest)
#include "tst_step_memory.moc"
