// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/parameter_table.h"
#include "network/budget_allocator.h"
#include "network/cpu_device_memory.h"
#include "network/failure.h"
#include "network/network_factory.h"
#include "network/step_runner.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "tiny_networks.h"
#include "tiny_scripts.h"
#include "tiny_tunings.h"

#include <ATen/Context.h>

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <functional>
#include <optional>
#include <vector>

using namespace batchpeak;
using namespace batchpeak::network;
using trial::LoadRequest;

namespace {

constexpr std::int64_t samples = 3;

LoadRequest withOptimizer(LoadRequest request, model::Optimizer optimizer)
{
    request.optimizer = optimizer;
    return request;
}

LoadRequest withStep(LoadRequest request, const model::StepOptions& step)
{
    request.step = step;
    return request;
}

LoadRequest withLengths(LoadRequest request, std::vector<std::int64_t> lengths)
{
    request.sampleLengths = std::move(lengths);
    return request;
}

LoadRequest withDropout(LoadRequest request)
{
    auto& decoder = std::get<model::DecoderSpec>(request.model.architecture);
    decoder.dropout = 0.2;
    decoder.attentionDropout = 0.2;
    return request;
}

model::ScriptSpec tinyScript()
{
    static const QTemporaryDir folder;
    static const std::string file = folder.filePath(QStringLiteral("tiny.pt")).toStdString();
    if (!QFile::exists(QString::fromStdString(file)))
        saveScript(file, logitsForward, 67);
    return scriptSpec(file, 67);
}

// Runs one step as a worker does: what it throws is judged inside the catch block, and recovered from
// outside it.
std::optional<Failure> failureOfStep(StepRunner& runner, const DeviceMemory& memory)
{
    const std::int64_t before = memory.outOfMemoryCount();
    try {
        runner.prepare(samples);
        runner.run(1);
    } catch (const std::exception& error) {
        return classifyFailure(error, memory, before);
    }
    return std::nullopt;
}

std::vector<double> lossesOf(const LoadRequest& request, int steps, DeviceMemory& memory)
{
    StepRunner runner(request, memory);
    std::vector<double> losses;
    for (int i = 0; i < steps; ++i) {
        runner.prepare(samples);
        runner.run(1);
        losses.push_back(runner.loss());
    }
    return losses;
}

/// What a runner is asked, and how many choices there are for what it predicts.
struct Asked
{
    LoadRequest request;
    int choices = 0;
};

} // namespace

class StepRunnerTest : public QObject
{
    Q_OBJECT

private:
    CpuDeviceMemory m_memory;

    /// Each kind of adapter and of frozen weight once, in the precisions that trainers have for them.
    template<typename Add>
    static void addTunings(const Add& add)
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

    static void addRequests()
    {
        const auto add = rows<Asked>();
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
        addOne("capped loss in chunks",
               withStep(tinyRequest(tinyGemma2(), Phase::Train), {.lossChunkRows = 7}));
        addOne("loss in chunks", withStep(train, {.lossChunkRows = 7}));
        addOne("loss in chunks, recomputed",
               withStep(train, {.lossChunkRows = 7, .recomputesLossChunks = true}));
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
        // A convolution with a stride over a single pixel has undefined weight gradients in bf16 on
        // processors with a matrix unit (oneDNN of torch 2.11.0 reads memory that it never wrote), so that no
        // image may shrink to that.
        model::ResNetSpec residual = tinyResNet();
        residual.imageSize = 32;
        addOne("pure bf16, ResNet", tinyRequest(residual, Phase::Train, model::Precision::PureBf16));
        addOne("pure bf16, ViT",
               tinyRequest(tinyVisionTransformer(), Phase::Train, model::Precision::PureBf16));
        addOne("pure bf16, TorchScript", tinyRequest(tinyScript(), Phase::Train, model::Precision::PureBf16));
        addOne("pure bf16, SGD",
               withOptimizer(tinyRequest(tinyGpt(), Phase::Train, model::Precision::PureBf16),
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

    /// Operation by operation, in each layout of parameters.
    template<typename Add>
    static void addUnfused(const Add& add)
    {
        using model::Phase;
        using model::Sharding;
        const LoadRequest train = tinyRequest(tinyGpt(), Phase::Train);
        add("unfused AdamW", withStep(train, {.fusesOptimizer = false}));
        add("unfused AdamW, clipping", withStep(train, {.maxGradientNorm = 0.5, .fusesOptimizer = false}));
        add("unfused AdamW, channels last", withStep(tinyRequest(tinyResNet(), Phase::Train),
                                                     {.channelsLast = true, .fusesOptimizer = false}));
        add("unfused AdamW, fp16", withStep(tinyRequest(tinyLlama(), Phase::Train, model::Precision::Fp16),
                                            {.fusesOptimizer = false}));
        for (const Sharding sharding : {Sharding::Optimizer, Sharding::Parameters}) {
            add(("unfused AdamW, sharded " + std::string(toText(sharding))).c_str(),
                withStep(train, {.fusesOptimizer = false, .sharding = sharding, .shards = 4}));
        }
    }

    template<typename Add>
    static void addUpdatesInBackward(const Add& add)
    {
        using model::Phase;
        using model::Precision;
        const model::StepOptions updates{.updatesInBackward = true};
        add("updates in backward", withStep(tinyRequest(tinyGpt(), Phase::Train), updates));
        add("updates in backward, TorchScript", withStep(tinyRequest(tinyScript(), Phase::Train), updates));
        add("updates in backward, channels last",
            withStep(tinyRequest(tinyResNet(), Phase::Train),
                     {.channelsLast = true, .updatesInBackward = true}));
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
    static void addFloat16(const Add& add)
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

    /// Those that keep their state otherwise than AdamW and SGD do.
    template<typename Add>
    static void addOptimizers(const Add& add)
    {
        using model::Optimizer;
        using model::Phase;
        using model::Precision;
        const auto llama = [](Precision precision) {
            return tinyRequest(tinyLlama(), Phase::Train, precision);
        };
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
        add("Adafactor, Mixtral",
            withOptimizer(tinyRequest(tinyMixtral(), Phase::Train), Optimizer::Adafactor));
    }

    /// Devices that share gradients, and parameters too; more layers than are gathered at a time.
    template<typename Add>
    static void addShared(const Add& add)
    {
        using model::Phase;
        using model::Precision;
        const model::StepOptions gradients{.sharding = model::Sharding::Gradients, .shards = 4};
        const model::StepOptions parameters{.sharding = model::Sharding::Parameters, .shards = 4};
        model::DecoderSpec gpt = tinyGpt();
        model::DecoderSpec llama = tinyLlama();
        gpt.layers = llama.layers = 5;
        const auto requestOf = [&](Precision precision) {
            return tinyRequest(llama, Phase::Train, precision);
        };
        const LoadRequest train = tinyRequest(gpt, Phase::Train);
        add("shared gradients", withStep(train, gradients));
        add("shared gradients, bf16", withStep(requestOf(Precision::Bf16), gradients));
        add("shared gradients, pure bf16", withStep(requestOf(Precision::PureBf16), gradients));
        add("shared parameters", withStep(train, parameters));
        add("shared parameters, eval", withStep(tinyRequest(gpt, Phase::Eval), parameters));
        add("shared parameters, bf16", withStep(requestOf(Precision::Bf16), parameters));
        add("shared parameters, pure bf16", withStep(requestOf(Precision::PureBf16), parameters));
        add("shared parameters, 8-bit AdamW, plain bf16",
            withOptimizer(withStep(requestOf(Precision::PlainBf16), parameters),
                          model::Optimizer::AdamW8bit));
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

    /// Of every network.
    static void addSharedNetworks()
    {
        const auto add = rows<Asked>();
        for (const auto& [name, architecture, choices] : tinyNetworks()) {
            for (const auto sharding : {model::Sharding::Gradients, model::Sharding::Parameters}) {
                LoadRequest request = withStep(tinyRequest(architecture, model::Phase::Train),
                                               {.sharding = sharding, .shards = 3});
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

private slots:
    void takesPyTorchsWays_data()
    {
        struct Ways
        {
            model::Precision precision = model::Precision::Fp32;
            model::StepOptions step;
            bool productsInTf32 = false;
            bool convolutionsInTf32 = true;
            bool timesConvolutions = false;
        };
        const auto add = rows<LoadRequest, bool, bool, bool>();
        const auto addWays = [&](const char* name, const Ways& ways) {
            add(name, {withStep(tinyRequest(tinyResNet(), model::Phase::Eval, ways.precision), ways.step),
                       ways.productsInTf32, ways.convolutionsInTf32, ways.timesConvolutions});
        };
        addWays("nothing said", {});
        addWays("TF32", {.precision = model::Precision::Tf32, .productsInTf32 = true});
        addWays("no TF32", {.step = {.convolvesInTf32 = false}, .convolutionsInTf32 = false});
        addWays("timed algorithms", {.step = {.timesConvolutions = true}, .timesConvolutions = true});
    }
    // What the whole process of a GPU computes by, as torch.backends has it.
    void takesPyTorchsWays()
    {
        const auto& [request, products, convolutions, times] = row<LoadRequest, bool, bool, bool>();
        const StepRunner runner(request, m_memory);
        QCOMPARE(at::globalContext().allowTF32CuBLAS(), products);
        QCOMPARE(at::globalContext().allowTF32CuDNN(), convolutions);
        QCOMPARE(at::globalContext().benchmarkCuDNN(), times);
    }

    void cleanup()
    {
        BudgetAllocator::installed().failAllocation(0);
        m_memory.setLimit(0);
        m_memory.emptyCache();
        // Whatever a test made is gone with it: a later one starts from the same bytes.
        QCOMPARE(m_memory.allocatedBytes(), 0);
    }

    void predictsItsBaseline_data()
    {
        addRequests();
        addSharedNetworks();
    }
    void predictsItsBaseline()
    {
        const LoadRequest& request = row<Asked>().request;
        const StepRunner runner(request, m_memory);
        QCOMPARE(requiredBaselineBytes(request), runner.baselineBytes());
        QCOMPARE(m_memory.allocatedBytes(), runner.baselineBytes());
        std::int64_t parameters = 0;
        for (const model::Parameter& parameter :
             model::tunedTable(networkParameters(request.model), request.tuning))
            parameters += parameter.elements();
        QCOMPARE(runner.parameters(), parameters);
    }

    void timesEveryPart_data() { addRequests(); }
    void timesEveryPart()
    {
        const LoadRequest& request = row<Asked>().request;
        StepRunner runner(request, m_memory);
        runner.prepare(samples);
        const StepChain chain = runner.run(3);
        QCOMPARE(chain.steps.size(), std::size_t{3});
        double sum = 0;
        for (const StepTimes& step : chain.steps) {
            QVERIFY(step.forwardSeconds > 0);
            QCOMPARE(step.backwardSeconds > 0, request.phase == model::Phase::Train);
            sum += step.microBatchSeconds();
        }
        QCOMPARE(chain.optimizerSeconds.has_value(), request.phase == model::Phase::Train);
        QVERIFY(!chain.optimizerSeconds || *chain.optimizerSeconds > 0);
        QVERIFY(sum + chain.optimizerSeconds.value_or(0.0) <= chain.wallSeconds);
    }

    void averagesOverVaryingLengths()
    {
        const LoadRequest request = withLengths(tinyRequest(tinyGpt(), model::Phase::Train), {1, 4, 5, 30});
        StepRunner runner(request, m_memory);
        runner.prepare(samples);
        const StepChain chain = runner.run(2);
        QCOMPARE(chain.steps.size(), std::size_t{2});
        QVERIFY(chain.microBatchesPerStep > 1);
        double sum = 0;
        for (const StepTimes& step : chain.steps)
            sum += step.microBatchSeconds();
        QVERIFY(sum > 0 && sum <= chain.wallSeconds);
    }

    // Gradients of float16 hold a sum over a chain as well as those of one micro-batch.
    void scalesTheLossOfChainsAsThatOfSteps()
    {
        StepRunner runner(tinyRequest(tinyLlama(), model::Phase::Train, model::Precision::PureFp16),
                          m_memory);
        runner.prepare(samples);
        constexpr int enoughToSettle = 20;
        for (int step = 0; step < enoughToSettle && runner.run(1).lacksStep; ++step)
            continue;
        const double loss = runner.loss();
        QVERIFY(!runner.run(1).lacksStep);
        QVERIFY(!runner.run(64).lacksStep);
        QVERIFY(std::abs(runner.loss() / loss - 1.0) < 0.1);
    }

    // Memory is that of the longest sample, also where all others are short.
    void takesTheMemoryOfTheLongestSample()
    {
        const LoadRequest worst = tinyRequest(tinyGpt(), model::Phase::Train);
        const auto peakOf = [&](const LoadRequest& request) {
            StepRunner runner(request, m_memory);
            runner.prepare(samples);
            m_memory.resetPeaks();
            runner.run(1);
            return m_memory.peakReservedBytes();
        };
        const std::int64_t peak = peakOf(worst);
        QVERIFY(peakOf(withLengths(worst, {1})) >= peak);
    }

    void learns_data()
    {
        addRequests();
        addSharedNetworks();
    }
    void learns()
    {
        const auto& [request, choices] = row<Asked>();
        StepRunner runner(request, m_memory);
        runner.prepare(samples);
        runner.run(1);
        const double first = runner.loss();
        // Untrained, every choice is about equally probable.
        QVERIFY2(std::abs(first - std::log(choices)) < 0.3, qPrintable(QString::number(first)));
        for (int step = 0; step < 40; ++step)
            runner.run(1);
        const double last = runner.loss();
        QVERIFY(std::isfinite(last));
        // Samples in another order add up to another rounding.
        if (request.phase == model::Phase::Eval)
            VERIFY_BELOW(std::abs(last / first - 1), 1e-5);
        else
            QVERIFY2(last < first - 0.01, qPrintable(QString::number(last)));
    }

    void fitsIntoItsPeakAndNotIntoOneByteLess_data() { addRequests(); }
    void fitsIntoItsPeakAndNotIntoOneByteLess()
    {
        const LoadRequest& request = row<Asked>().request;
        // The second step of a fresh runner, always: the first may hold what libraries make once, and with
        // experts the weights decide which of them a token takes, and so the sizes of later steps.
        const auto secondStep = [&](std::int64_t limit) {
            m_memory.setLimit(0);
            StepRunner runner(request, m_memory);
            runner.prepare(samples);
            runner.run(1);
            m_memory.setLimit(limit);
            m_memory.resetPeaks();
            const auto failure = failureOfStep(runner, m_memory);
            const std::int64_t peak = m_memory.peakReservedBytes();
            // Of branches side by side, one waits in autograd's queue while the other fails.
            if (failure)
                runner.recover();
            return std::pair(peak, failure);
        };
        const std::int64_t peak = secondStep(0).first;
        for (int repetition = 0; repetition < 2; ++repetition) {
            QVERIFY(!secondStep(peak).second);
            const auto failure = secondStep(peak - 1).second;
            QVERIFY(failure);
            QCOMPARE(failure->outcome, trial::Outcome::OutOfMemory);
            QCOMPARE(failure->neededBytes, peak);
        }
    }

    // Freed blocks of one size must not keep those of another from fitting.
    void fitsWhateverTheCacheHolds()
    {
        StepRunner runner(tinyRequest(tinyGpt(), model::Phase::Train), m_memory);
        const auto peakOf = [&](std::int64_t size) {
            runner.prepare(size);
            m_memory.resetPeaks();
            runner.run(1);
            return m_memory.peakReservedBytes();
        };
        const std::int64_t peak = peakOf(400);
        peakOf(390);
        QVERIFY(BudgetAllocator::installed().counters().cached > 0);
        m_memory.setLimit(peak);
        peakOf(400);
        peakOf(395);
        QCOMPARE(peakOf(400), peak);
    }

    void recoversFromEveryAllocation_data() { addRequests(); }
    void recoversFromEveryAllocation()
    {
        LoadRequest request = row<Asked>().request;
        request.model.architecture = withOneLayer(request.model.architecture);
        std::vector<double> losses;
        {
            StepRunner runner(request, m_memory);
            while (true) {
                const auto number = static_cast<std::int64_t>(losses.size()) + 1;
                BudgetAllocator::installed().failAllocation(number);
                const auto failure = failureOfStep(runner, m_memory);
                BudgetAllocator::installed().failAllocation(0);
                if (!failure)
                    break;
                QCOMPARE(failure->outcome, trial::Outcome::OutOfMemory);
                QVERIFY(!failure->sticky);
                QVERIFY(runner.recover());
                QCOMPARE(m_memory.allocatedBytes(), runner.baselineBytes());
                QVERIFY(!failureOfStep(runner, m_memory));
                losses.push_back(runner.loss());
            }
        }
        // A module from a file makes few in evaluation.
        QVERIFY(losses.size() > 5);
        // A failed backward has updated some parameters already.
        if (!request.step.updatesInBackward)
            QCOMPARE(losses, lossesOf(request, static_cast<int>(losses.size()), m_memory));
        qInfo("%zu of %zu failures recovered from", losses.size(), losses.size());
    }

    // The same numbers, but that blocks of 8 bits begin with each parameter.
    void updatesInBackwardAsBehindIt_data()
    {
        const auto add = rows<LoadRequest>();
        addUpdatesInBackward(
            [&](const char* name, const LoadRequest& request) { add(name, LoadRequest(request)); });
    }
    void updatesInBackwardAsBehindIt()
    {
        LoadRequest request = row<LoadRequest>();
        const std::vector<double> within = lossesOf(request, 5, m_memory);
        request.step.updatesInBackward = false;
        const std::vector<double> behind = lossesOf(request, 5, m_memory);
        for (std::size_t i = 0; i < within.size(); ++i)
            VERIFY_BELOW(std::abs(within[i] / behind[i] - 1.0), 1e-4);
        QVERIFY(within.back() < within.front());
    }

    // The same numbers, whichever way AdamW goes.
    void stepsOperationByOperationAsTheKernel_data()
    {
        const auto add = rows<LoadRequest>();
        addUnfused([&](const char* name, const LoadRequest& request) { add(name, LoadRequest(request)); });
        add("of masters, where it is fused",
            withStep(tinyRequest(tinyLlama(), model::Phase::Train, model::Precision::PureBf16),
                     {.fusesOptimizer = false}));
        add("of plain bf16",
            withStep(tinyRequest(tinyLlama(), model::Phase::Train, model::Precision::PlainBf16),
                     {.fusesOptimizer = false}));
    }
    void stepsOperationByOperationAsTheKernel()
    {
        LoadRequest request = row<LoadRequest>();
        const double bound = model::isNarrowThroughout(request.precision) ? 1e-2 : 1e-4;
        const std::vector<double> unfused = lossesOf(request, 5, m_memory);
        request.step.fusesOptimizer = true;
        const std::vector<double> fused = lossesOf(request, 5, m_memory);
        for (std::size_t i = 0; i < unfused.size(); ++i)
            VERIFY_BELOW(std::abs(unfused[i] / fused[i] - 1.0), bound);
        QVERIFY(unfused.back() < unfused.front());
    }

    void stopsBetweenLayers_data()
    {
        const auto add = rows<LoadRequest, int>();
        // Before each of two layers, and before the output; backward as many again.
        add("train", {tinyRequest(tinyGpt(), model::Phase::Train), 6});
        add("eval", {tinyRequest(tinyLlama(), model::Phase::Eval), 3});
    }
    void stopsBetweenLayers()
    {
        const auto& [request, questions] = row<LoadRequest, int>();
        StepRunner runner(request, m_memory);
        int asked = 0;
        int stopAt = 0;
        runner.setCancelled([&] { return ++asked == stopAt; });
        runner.prepare(samples);
        runner.run(1);
        QCOMPARE(asked, questions);
        for (stopAt = 1; stopAt <= questions; ++stopAt) {
            asked = 0;
            runner.prepare(samples);
            QVERIFY_THROWS_EXCEPTION(Cancelled, runner.run(1));
            QCOMPARE(asked, stopAt);
            QVERIFY(runner.recover());
        }
    }

    void refusesWhatCannotBe_data()
    {
        const auto add = rows<LoadRequest>();
        LoadRequest request = tinyRequest(tinyGpt(), model::Phase::Train);
        request.sequenceLength = 25;
        add("more tokens than positions", request);
        request.sequenceLength = 0;
        add("no token", request);
        request = tinyRequest(tinyGpt(), model::Phase::Train);
        std::get<model::DecoderSpec>(request.model.architecture).heads = 5;
        add("heads that do not divide", request);
        add("a scale of gradients that are gone",
            withStep(tinyRequest(tinyGpt(), model::Phase::Train, model::Precision::Fp16),
                     {.updatesInBackward = true}));
        const model::StepOptions packed{.packedTextLength = 5};
        add("packed texts of an encoder", withStep(tinyRequest(tinyBert(), model::Phase::Train), packed));
        add("packed texts of an encoder and a decoder",
            withStep(tinyRequest(tinyT5(), model::Phase::Train), packed));
        add("packed images", withStep(tinyRequest(tinyVisionTransformer(), model::Phase::Eval), packed));
        add("a norm of gradients that are gone",
            withStep(tinyRequest(tinyGpt(), model::Phase::Train),
                     {.maxGradientNorm = 1.0, .updatesInBackward = true}));
    }
    void refusesWhatCannotBe()
    {
        const auto& request = row<LoadRequest>();
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, StepRunner(request, m_memory));
    }
};

BATCHPEAK_TEST(StepRunnerTest)
#include "tst_step_runner.moc"
