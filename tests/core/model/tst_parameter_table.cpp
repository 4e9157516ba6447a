// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/parameter_table.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <string>
#include <vector>

using namespace batchpeak::model;

namespace {

DecoderSpec gpt(std::int64_t hidden, std::int64_t layers, std::int64_t heads, std::int64_t positions)
{
    return {.vocabularySize = 50257,
            .hiddenSize = hidden,
            .layers = layers,
            .heads = heads,
            .keyValueHeads = heads,
            .feedForwardSize = 4 * hidden,
            .maxPositions = positions};
}

struct LlamaSize
{
    std::int64_t vocabulary, hidden, layers, heads, keyValueHeads, feedForward;
    bool tied = false;
};

DecoderSpec llama(const LlamaSize& size)
{
    return {.vocabularySize = size.vocabulary,
            .hiddenSize = size.hidden,
            .layers = size.layers,
            .heads = size.heads,
            .keyValueHeads = size.keyValueHeads,
            .feedForwardSize = size.feedForward,
            .maxPositions = 4096,
            .positionEmbedding = PositionEmbedding::Rotary,
            .normalization = Normalization::RmsNorm,
            .activation = Activation::SwiGlu,
            .tiedEmbeddings = size.tied,
            .attentionBias = false,
            .attentionOutputBias = false,
            .feedForwardBias = false};
}

DecoderSpec qwen2(const LlamaSize& size)
{
    DecoderSpec spec = llama(size);
    spec.attentionBias = true;
    return spec;
}

DecoderSpec qwen3(const LlamaSize& size)
{
    DecoderSpec spec = llama(size);
    spec.headSize = 128;
    spec.queryKeyNormalization = true;
    return spec;
}

DecoderSpec mistralNemo()
{
    DecoderSpec spec = llama({131072, 5120, 40, 32, 8, 14336});
    spec.headSize = 128;
    return spec;
}

DecoderSpec bloom(std::int64_t hidden, std::int64_t layers, std::int64_t heads)
{
    DecoderSpec spec = gpt(hidden, layers, heads, 2048);
    spec.vocabularySize = 250880;
    spec.positionEmbedding = PositionEmbedding::Alibi;
    spec.embeddingNormalization = true;
    return spec;
}

/// Returns OPT, which learns two positions more than it uses (arXiv 2205.01068; its code pads them).
DecoderSpec opt(std::int64_t hidden, std::int64_t layers, std::int64_t heads)
{
    DecoderSpec spec = gpt(hidden, layers, heads, 2048);
    spec.positionOffset = 2;
    spec.vocabularySize = 50272;
    spec.activation = Activation::Relu;
    return spec;
}

DecoderSpec mixtral()
{
    DecoderSpec spec = llama({32000, 4096, 32, 32, 8, 14336});
    spec.experts = 8;
    return spec;
}

DecoderSpec gemma2()
{
    DecoderSpec spec = llama({256000, 2304, 26, 8, 4, 9216, true});
    spec.headSize = 256;
    spec.activation = Activation::GeGlu;
    spec.branchOutputNormalization = true;
    return spec;
}

/// Returns a decoder with biases everywhere and without a position table, as in GPT-NeoX and Phi.
DecoderSpec rotatedGpt(std::int64_t vocabulary, std::int64_t hidden, std::int64_t layers, Branches branches)
{
    DecoderSpec spec = gpt(hidden, layers, 32, 2048);
    spec.vocabularySize = vocabulary;
    spec.positionEmbedding = PositionEmbedding::Rotary;
    spec.tiedEmbeddings = false;
    spec.branches = branches;
    return spec;
}

DecoderSpec phi2()
{
    DecoderSpec spec = rotatedGpt(51200, 2560, 32, Branches::Parallel);
    spec.outputBias = true;
    return spec;
}

DecoderSpec gptJ()
{
    DecoderSpec spec = rotatedGpt(50400, 4096, 28, Branches::Parallel);
    spec.outputBias = true;
    spec.attentionBias = spec.attentionOutputBias = false;
    return spec;
}

DecoderSpec falcon()
{
    DecoderSpec spec = rotatedGpt(65024, 4544, 32, Branches::Parallel);
    spec.heads = 71;
    spec.keyValueHeads = 1;
    spec.tiedEmbeddings = true;
    spec.attentionBias = spec.attentionOutputBias = spec.feedForwardBias = false;
    return spec;
}

DecoderSpec commandR()
{
    DecoderSpec spec = llama({256000, 8192, 40, 64, 64, 22528, true});
    spec.normalization = Normalization::LayerNorm;
    spec.normalizationBias = false;
    spec.branches = Branches::Parallel;
    return spec;
}

DecoderSpec qwenMoe()
{
    DecoderSpec spec = qwen2({151936, 2048, 24, 16, 16, 1408});
    spec.experts = 60;
    spec.expertsPerToken = 4;
    spec.sharedExpertSize = 5632;
    spec.sharedExpertGate = true;
    return spec;
}

DecoderSpec deepSeekMoe()
{
    DecoderSpec spec = llama({102400, 2048, 28, 16, 16, 1408});
    spec.experts = 64;
    spec.expertsPerToken = 6;
    spec.sharedExpertSize = 2 * 1408;
    spec.denseLayers = 1;
    spec.denseFeedForwardSize = 10944;
    return spec;
}

/// Returns the projections that can have an adapter, of the parameters whose names begin with \p prefix.
std::vector<Projection> projectionsOf(const DecoderSpec& spec, const std::string& prefix)
{
    std::vector<Projection> projections;
    for (const Parameter& parameter : parameterTable(spec)) {
        if (!parameter.name.starts_with(prefix))
            continue;
        for (const AdapterPlace& place : adapterPlaces(parameter))
            projections.push_back(place.projection);
    }
    return projections;
}

} // namespace

class ParameterTableTest : public QObject
{
    Q_OBJECT

private slots:
    // Configurations are from the papers (GPT-3's from arXiv 2005.14165, with 5120 for the misprinted 5140);
    // counts are Hugging Face's.
    void countsPublishedNetworks_data()
    {
        rows<DecoderSpec, std::int64_t>(
            {{"GPT-2 S", {gpt(768, 12, 12, 1024), 124439808}},
             {"GPT-2 M", {gpt(1024, 24, 16, 1024), 354823168}},
             {"GPT-2 L", {gpt(1280, 36, 20, 1024), 774030080}},
             {"GPT-2 XL", {gpt(1600, 48, 25, 1024), 1557611200}},
             {"GPT-3 125M", {gpt(768, 12, 12, 2048), 125226240}},
             {"GPT-3 350M", {gpt(1024, 24, 16, 2048), 355871744}},
             {"GPT-3 760M", {gpt(1536, 24, 16, 2048), 760300032}},
             {"GPT-3 1.3B", {gpt(2048, 24, 16, 2048), 1315723264}},
             {"GPT-3 2.7B", {gpt(2560, 32, 32, 2048), 2651553280}},
             {"GPT-3 6.7B", {gpt(4096, 32, 32, 2048), 6658404352}},
             {"GPT-3 13B", {gpt(5120, 40, 40, 2048), 12853386240}},
             {"GPT-3 175B", {gpt(12288, 96, 96, 2048), 174604259328}},
             {"LLaMA 7b", {llama({32000, 4096, 32, 32, 32, 11008}), 6738415616}},
             {"LLaMA 13b", {llama({32000, 5120, 40, 40, 40, 13824}), 13015864320}},
             {"LLaMA 65b", {llama({32000, 8192, 80, 64, 64, 22016}), 65285660672}},
             {"LLaMA 2 70b", {llama({32000, 8192, 80, 64, 8, 28672}), 68976648192}},
             {"LLaMA 3 8b", {llama({128256, 4096, 32, 32, 8, 14336}), 8030261248}},
             {"LLaMA 3 70b", {llama({128256, 8192, 80, 64, 8, 28672}), 70553706496}},
             {"LLaMA 3.2 1b", {llama({128256, 2048, 16, 32, 8, 8192, true}), 1235814400}},
             {"Mistral 7b", {llama({32000, 4096, 32, 32, 8, 14336}), 7241732096}},
             {"Mistral Nemo 12b", {mistralNemo(), 12247782400}},
             {"Qwen2.5 0.5b", {qwen2({151936, 896, 24, 14, 2, 4864, true}), 494032768}},
             {"Qwen3 0.6b", {qwen3({151936, 1024, 28, 16, 8, 3072, true}), 596049920}},
             {"Qwen3 8b", {qwen3({151936, 4096, 36, 32, 8, 12288}), 8190735360}},
             {"Mixtral 8x7b", {mixtral(), 46702792704}},
             {"BLOOM 560m", {bloom(1024, 24, 16), 559214592}},
             {"BLOOM 1b1", {bloom(1536, 24, 16), 1065314304}},
             {"BLOOM 1b7", {bloom(2048, 24, 16), 1722408960}},
             {"BLOOM 3b", {bloom(2560, 30, 32), 3002557440}},
             {"BLOOM 7b", {bloom(4096, 30, 32), 7069016064}},
             {"BLOOM 176b", {bloom(14336, 70, 112), 176247271424}},
             {"OPT 125m", {opt(768, 12, 12), 125239296}},
             {"OPT 1.3b", {opt(2048, 24, 32), 1315758080}},
             {"OPT 2.7b", {opt(2560, 32, 32), 2651596800}},
             {"OPT 6.7b", {opt(4096, 32, 32), 6658473984}},
             {"OPT 13b", {opt(5120, 40, 40), 12853473280}},
             {"Gemma 2 2b", {gemma2(), 2614341888}},
             {"Pythia 1.4b", {rotatedGpt(50304, 2048, 24, Branches::ParallelNorms), 1414647808}},
             {"GPT-J 6b", {gptJ(), 6050882784}},
             {"Phi-2", {phi2(), 2779683840}},
             {"Falcon 7b", {falcon(), 6921720704}},
             {"Command R 35b", {commandR(), 34980831232}},
             {"Qwen1.5 MoE", {qwenMoe(), 14315784192}},
             {"DeepSeekMoE 16b", {deepSeekMoe(), 16375728128}}});
    }
    void countsPublishedNetworks()
    {
        const auto& [spec, expected] = row<DecoderSpec, std::int64_t>();
        QCOMPARE(parameterCount({.architecture = spec}), expected);
    }

    void decaysOnlyMatrices()
    {
        for (const Parameter& parameter : parameterTable(gpt(8, 1, 2, 4)))
            QCOMPARE(parameter.decays, parameter.shape.size() == 2);
    }

    void acceptsAdaptersOnSharedButNotRoutedExperts()
    {
        using enum Projection;
        const DecoderSpec spec = qwenMoe();
        QCOMPARE(projectionsOf(spec, "layers.3.shared_expert."),
                 (std::vector<Projection>{Gate, Up, GateUp, Down}));
        QCOMPARE(projectionsOf(spec, "layers.3.shared_expert_gate."), std::vector<Projection>{Dense});
        QVERIFY(projectionsOf(spec, "layers.3.experts.").empty());
        QVERIFY(projectionsOf(spec, "layers.3.router.").empty());
        QCOMPARE(projectionsOf(deepSeekMoe(), "layers.0.feed_forward."),
                 (std::vector<Projection>{Gate, Up, GateUp, Down}));
    }

    void countsAnOutputBias()
    {
        DecoderSpec spec = gpt(8, 1, 2, 4);
        const std::int64_t without = parameterCount({.architecture = spec});
        spec.outputBias = true;
        QCOMPARE(parameterCount({.architecture = spec}), without + spec.vocabularySize);
    }

    // Each size by itself is legal, but a count of the bytes of their product would overflow.
    void refusesMoreParametersThanCanBeCounted()
    {
        DecoderSpec spec = gpt(1 << 20, 1, 2, 4);
        QVERIFY(!problemWith({.architecture = spec}, {}));
        spec.layers = 100;
        const auto problem = problemWith({.architecture = spec}, {});
        QVERIFY(problem);
        QVERIFY2(problem->find("100 trillion") != std::string::npos, problem->c_str());
    }

    void refusesTwoAdaptersOfOneProjection_data()
    {
        using enum Projection;
        rows<std::vector<AdapterTarget>, bool>(
            {{"apart", {{{.projection = Query}, {.projection = Key}, {.projection = Value}}, false}},
             {"named twice", {{{.projection = Query}, {.projection = Query}}, false}},
             {"together and apart", {{{.projection = QueryKeyValue}, {.projection = Key}}, true}},
             {"in other layers",
              {{{.projection = QueryKeyValue, .layers = {0}}, {.projection = Key, .layers = {1}}}, false}}});
    }
    void refusesTwoAdaptersOfOneProjection()
    {
        const auto& [targets, isRefused] = row<std::vector<AdapterTarget>, bool>();
        const Tuning tuning{.adapter = AdapterKind::Lora, .targets = targets};
        QCOMPARE(problemWith({.architecture = gpt(8, 2, 2, 4)}, tuning).has_value(), isRefused);
    }
};

BATCHPEAK_TEST(ParameterTableTest)
#include "tst_parameter_table.moc"
