// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/parameter_table.h"
#include "model/smaller_network.h"
#include "sample_decoders.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <QTest>

#include <algorithm>
#include <set>
#include <vector>

using namespace batchpeak::model;

namespace {

/// Returns Llama 3.1 8B.
DecoderSpec llama()
{
    DecoderSpec spec = batchpeak::model::llama(128256, 8, 14336);
    spec.maxPositions = 131072;
    return spec;
}

template<typename Set>
DecoderSpec llamaWith(Set set)
{
    DecoderSpec spec = llama();
    set(spec);
    return spec;
}

/// Returns a decoder with 71 heads of size 64 that share one key and one value.
DecoderSpec falcon()
{
    return llamaWith([](DecoderSpec& spec) {
        spec.hiddenSize = 4544;
        spec.heads = 71;
        spec.keyValueHeads = 1;
        spec.feedForwardSize = 18176;
        spec.activation = Activation::Gelu;
    });
}

DecoderSpec qwen3()
{
    return llamaWith([](DecoderSpec& spec) {
        spec.hiddenSize = 1024;
        spec.heads = 16;
        spec.headSize = 128;
        spec.feedForwardSize = 3072;
        spec.queryKeyNormalization = true;
    });
}

/// Returns a decoder in which every sixth layer has no window and no rotary embedding.
DecoderSpec windowed()
{
    return llamaWith([](DecoderSpec& spec) {
        spec.attentionWindow = 1024;
        for (std::int64_t layer = 0; layer < spec.layers; ++layer)
            (layer % 6 == 5 ? spec.unrotatedLayers : spec.windowedLayers).push_back(layer);
    });
}

DecoderSpec experts()
{
    return llamaWith([](DecoderSpec& spec) {
        spec.experts = 64;
        spec.expertsPerToken = 8;
        spec.sharedExpertSize = 5632;
        spec.sharedExpertGate = true;
        spec.denseLayers = 3;
        spec.denseFeedForwardSize = 18432;
    });
}

EncoderSpec bert()
{
    return {.vocabularySize = 30522,
            .hiddenSize = 768,
            .layers = 12,
            .heads = 12,
            .feedForwardSize = 3072,
            .maxPositions = 512,
            .pooler = true,
            .nextSentenceHead = true,
            .predictedTokens = 80};
}

EncoderSpec esm()
{
    EncoderSpec spec = bert();
    spec.positionEmbedding = PositionEmbedding::Rotary;
    spec.tokenDropout = true;
    spec.maskToken = 30000;
    return spec;
}

EncoderDecoderSpec t5()
{
    return {.vocabularySize = 32128,
            .hiddenSize = 512,
            .encoderLayers = 8,
            .decoderLayers = 6,
            .heads = 6,
            .headSize = 64,
            .feedForwardSize = 1024,
            .activation = Activation::GeGlu};
}

VisionTransformerSpec vit()
{
    return {.patchSize = 14, .hiddenSize = 1280, .layers = 32, .heads = 16, .feedForwardSize = 5120};
}

Tuning lora(std::vector<AdapterTarget> targets = {{.projection = Projection::Query, .layers = {}},
                                                  {.projection = Projection::Value, .layers = {}},
                                                  {.projection = Projection::Down, .layers = {}}})
{
    return {.adapter = AdapterKind::Lora, .rank = 64, .alpha = 16.0, .targets = std::move(targets)};
}

RunSizes runOf(const Architecture& architecture, const Tuning& tuning = {})
{
    return {.model = {.family = "any", .architecture = architecture}, .tuning = tuning};
}

const DecoderSpec& decoderOf(const RunSizes& run)
{
    return std::get<DecoderSpec>(run.model.architecture);
}

/// Returns the names of a network's parameters without layer numbers, so that they do not depend on its
/// sizes.
std::set<std::string> partsOf(const RunSizes& run)
{
    std::set<std::string> parts;
    for (const Parameter& parameter : parameterTable(run.model, run.tuning)) {
        std::string name;
        std::ranges::remove_copy_if(parameter.name, std::back_inserter(name),
                                    [](char character) { return character >= '0' && character <= '9'; });
        parts.insert(name + (parameter.isTrained() ? "" : " frozen"));
    }
    return parts;
}

using Layers = std::vector<std::int64_t>;

} // namespace

/// Tests networks whose width and depth are reduced.
class SmallerNetworkTest : public QObject
{
    Q_OBJECT

private slots:
    void shrinksEveryFamily_data()
    {
        const auto add = rows<RunSizes>();
        add("GPT-2", {runOf(gpt2Small())});
        add("LLaMA", {runOf(llama())});
        add("one key-value head", {runOf(falcon())});
        add("a head size of its own", {runOf(qwen3())});
        add("windows", {runOf(windowed())});
        add("experts", {runOf(experts())});
        add("BERT", {runOf(bert())});
        add("ESM-2", {runOf(esm())});
        add("T5", {runOf(t5())});
        add("ViT", {runOf(vit())});
        add("ResNet", {runOf(ResNetSpec{.depth = 152})});
        add("a shallow ResNet", {runOf(ResNetSpec{.depth = 34})});
    }
    void shrinksEveryFamily()
    {
        RunSizes run = row<RunSizes>();
        for (const Tuning& tuning : {Tuning(), lora()}) {
            if (hasAdapters(tuning) && problemWith(run.model, tuning))
                continue;
            run.tuning = tuning;
            run.sequenceLength = takesSequences(run.model) ? 512 : 1;
            run.targetLength = defaultTargetLength(run.model);
            run.packedTextLength = 128;
            const RunSizes small = shrunk(run).value();
            QCOMPARE(problemWith(small.model).value_or(""), std::string());
            QCOMPARE(problemWith(small.model, small.tuning).value_or(""), std::string());
            QCOMPARE(partsOf(small), partsOf(run));
            QVERIFY2(parameterCount(small.model) < 2'000'000,
                     std::to_string(parameterCount(small.model)).c_str());
            QVERIFY(small.sequenceLength <= 64);
            QVERIFY(small.packedTextLength <= small.sequenceLength || !takesSequences(run.model));
            QVERIFY(shrunk(small) == small);
        }
    }

    void keepsSharedKeyValueHeads_data()
    {
        rows<DecoderSpec, int, int, int, int>({{"each its own", {gpt2Small(), 2, 2, 16, 32}},
                                               {"four share", {llama(), 8, 2, 16, 128}},
                                               {"all share", {falcon(), 8, 1, 16, 128}},
                                               {"heads are wider together", {qwen3(), 4, 2, 16, 32}}});
    }
    void keepsSharedKeyValueHeads()
    {
        const auto& [whole, heads, keyValueHeads, headSize, hidden] = row<DecoderSpec, int, int, int, int>();
        const DecoderSpec small = decoderOf(shrunk(runOf(whole)).value());
        QCOMPARE(small.heads, heads);
        QCOMPARE(small.keyValueHeads, keyValueHeads);
        QCOMPARE(headSizeOf(small), headSize);
        QCOMPARE(small.hiddenSize, hidden);
    }

    void keepsTheRotatedShareOfHeads()
    {
        const auto spec = llamaWith([](DecoderSpec& each) { each.rotaryDimensions = 32; });
        QCOMPARE(decoderOf(shrunk(runOf(spec)).value()).rotaryDimensions, 4);
    }

    void keepsLayersThatDiffer()
    {
        const DecoderSpec small = decoderOf(shrunk(runOf(windowed())).value());
        QCOMPARE(small.layers, 2);
        QCOMPARE(small.windowedLayers, Layers{0});
        QCOMPARE(small.unrotatedLayers, Layers{1});

        const DecoderSpec routed = decoderOf(shrunk(runOf(experts())).value());
        QCOMPARE(routed.denseLayers, 1);
        QCOMPARE(routed.experts, 4);
        QCOMPARE(routed.expertsPerToken, 2);
        QVERIFY(routed.sharedExpertSize > 0 && routed.denseFeedForwardSize > routed.feedForwardSize);
    }

    void keepsWindowsShorterThanSamples()
    {
        RunSizes run = runOf(windowed());
        run.sequenceLength = 4096;
        QCOMPARE(decoderOf(shrunk(run).value()).attentionWindow, 16);
        // A window that covered whole samples still does.
        run.sequenceLength = 512;
        QCOMPARE(decoderOf(shrunk(run).value()).attentionWindow, 128);
    }

    /// If no windowed layers were listed, the window would apply to both remaining layers, which have none.
    void removesAWindowThatNoLayerHas()
    {
        const auto spec = llamaWith([](DecoderSpec& each) {
            each.attentionWindow = 1024;
            each.windowedLayers = {1, 3};
        });
        const auto small = shrunk(runOf(spec, lora({{.projection = Projection::Query, .layers = {30}}})));
        QCOMPARE(decoderOf(small.value()).windowedLayers, Layers());
        QCOMPARE(decoderOf(small.value()).attentionWindow, 0);
    }

    void keepsAdaptersOfSomeLayers()
    {
        const Tuning tuning = lora({{.projection = Projection::Query, .layers = {28, 30}},
                                    {.projection = Projection::Value, .layers = {}},
                                    {.projection = Projection::Down, .layers = {7, 29}}});
        const Tuning small = shrunk(runOf(llama(), tuning)).value().tuning;
        QVERIFY(
            (small.targets == std::vector<AdapterTarget>{{.projection = Projection::Value, .layers = {}},
                                                         {.projection = Projection::Down, .layers = {1}}}));
    }

    void keepsPartsOfSomeLayers()
    {
        const Tuning tuning{
            .trainedParts = {"layers.30.", "layers.31.attention.qkv.weight", "output.", "final_norm."}};
        QCOMPARE(shrunk(runOf(llama(), tuning)).value().tuning.trainedParts,
                 (std::vector<std::string>{"layers.1.", "output.", "final_norm."}));
    }

    void keepsTheScaleOfAdapters_data() { rows<bool>({{"by the rank", {false}}, {"by its root", {true}}}); }
    void keepsTheScaleOfAdapters()
    {
        Tuning tuning = lora();
        tuning.rankStabilized = row<bool>();
        const Tuning small = shrunk(runOf(falcon(), tuning)).value().tuning;
        // The single value head is the narrowest projection.
        QCOMPARE(small.rank, 16);
        QCOMPARE(adapterScale(small), adapterScale(tuning));
    }

    void keepsBlocksThatAreNamed()
    {
        const Tuning tuning{.trainedParts = {"stages.2.blocks.35."}};
        const RunSizes small = shrunk(runOf(ResNetSpec{.depth = 152}, tuning)).value();
        QCOMPARE(problemWith(small.model, small.tuning).value_or(""), std::string());
    }

    void keepsExcessiveSequenceLengths()
    {
        RunSizes run = runOf(gpt2Small());
        run.sequenceLength = 2048;
        QCOMPARE(shrunk(run).value().sequenceLength, 65);
        run.sequenceLength = 1024;
        QCOMPARE(shrunk(run).value().sequenceLength, 64);
        run.sequenceLength = 0;
        QCOMPARE(shrunk(run).value().sequenceLength, 0);
    }

    void returnsNothingForTorchScriptModules() { QVERIFY(!shrunk(runOf(ScriptSpec{.file = "a.pt"}))); }
};

BATCHPEAK_TEST(SmallerNetworkTest)
#include "tst_smaller_network.moc"
