// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/parameter_table.h"
#include "support/test_main.h"

#include <QTest>

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

/// OPT learns two positions more than it uses (arXiv 2205.01068; its code pads them).
DecoderSpec opt(std::int64_t hidden, std::int64_t layers, std::int64_t heads)
{
    DecoderSpec spec = gpt(hidden, layers, heads, 2050);
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

} // namespace

class ParameterTableTest : public QObject
{
    Q_OBJECT

private slots:
    // Published counts: the configurations of the papers (GPT-3's, arXiv 2005.14165, with 5120 for the
    // misprinted 5140), as Hugging Face counts them.
    void countsWhatWasPublished_data()
    {
        QTest::addColumn<DecoderSpec>("spec");
        QTest::addColumn<qint64>("expected");
        QTest::newRow("GPT-2 S") << gpt(768, 12, 12, 1024) << qint64{124439808};
        QTest::newRow("GPT-2 M") << gpt(1024, 24, 16, 1024) << qint64{354823168};
        QTest::newRow("GPT-2 L") << gpt(1280, 36, 20, 1024) << qint64{774030080};
        QTest::newRow("GPT-2 XL") << gpt(1600, 48, 25, 1024) << qint64{1557611200};
        QTest::newRow("GPT-3 125M") << gpt(768, 12, 12, 2048) << qint64{125226240};
        QTest::newRow("GPT-3 350M") << gpt(1024, 24, 16, 2048) << qint64{355871744};
        QTest::newRow("GPT-3 760M") << gpt(1536, 24, 16, 2048) << qint64{760300032};
        QTest::newRow("GPT-3 1.3B") << gpt(2048, 24, 16, 2048) << qint64{1315723264};
        QTest::newRow("GPT-3 2.7B") << gpt(2560, 32, 32, 2048) << qint64{2651553280};
        QTest::newRow("GPT-3 6.7B") << gpt(4096, 32, 32, 2048) << qint64{6658404352};
        QTest::newRow("GPT-3 13B") << gpt(5120, 40, 40, 2048) << qint64{12853386240};
        QTest::newRow("GPT-3 175B") << gpt(12288, 96, 96, 2048) << qint64{174604259328};
        QTest::newRow("LLaMA 7b") << llama({32000, 4096, 32, 32, 32, 11008}) << qint64{6738415616};
        QTest::newRow("LLaMA 13b") << llama({32000, 5120, 40, 40, 40, 13824}) << qint64{13015864320};
        QTest::newRow("LLaMA 65b") << llama({32000, 8192, 80, 64, 64, 22016}) << qint64{65285660672};
        QTest::newRow("LLaMA 2 70b") << llama({32000, 8192, 80, 64, 8, 28672}) << qint64{68976648192};
        QTest::newRow("LLaMA 3 8b") << llama({128256, 4096, 32, 32, 8, 14336}) << qint64{8030261248};
        QTest::newRow("LLaMA 3 70b") << llama({128256, 8192, 80, 64, 8, 28672}) << qint64{70553706496};
        QTest::newRow("LLaMA 3.2 1b") << llama({128256, 2048, 16, 32, 8, 8192, true}) << qint64{1235814400};
        QTest::newRow("Mistral 7b") << llama({32000, 4096, 32, 32, 8, 14336}) << qint64{7241732096};
        QTest::newRow("Mistral Nemo 12b") << mistralNemo() << qint64{12247782400};
        QTest::newRow("Qwen2.5 0.5b") << qwen2({151936, 896, 24, 14, 2, 4864, true}) << qint64{494032768};
        QTest::newRow("Qwen3 0.6b") << qwen3({151936, 1024, 28, 16, 8, 3072, true}) << qint64{596049920};
        QTest::newRow("Qwen3 8b") << qwen3({151936, 4096, 36, 32, 8, 12288}) << qint64{8190735360};
        QTest::newRow("Mixtral 8x7b") << mixtral() << qint64{46702792704};
        QTest::newRow("BLOOM 560m") << bloom(1024, 24, 16) << qint64{559214592};
        QTest::newRow("BLOOM 1b1") << bloom(1536, 24, 16) << qint64{1065314304};
        QTest::newRow("BLOOM 1b7") << bloom(2048, 24, 16) << qint64{1722408960};
        QTest::newRow("BLOOM 3b") << bloom(2560, 30, 32) << qint64{3002557440};
        QTest::newRow("BLOOM 7b") << bloom(4096, 30, 32) << qint64{7069016064};
        QTest::newRow("BLOOM 176b") << bloom(14336, 70, 112) << qint64{176247271424};
        QTest::newRow("OPT 125m") << opt(768, 12, 12) << qint64{125239296};
        QTest::newRow("OPT 1.3b") << opt(2048, 24, 32) << qint64{1315758080};
        QTest::newRow("OPT 2.7b") << opt(2560, 32, 32) << qint64{2651596800};
        QTest::newRow("OPT 6.7b") << opt(4096, 32, 32) << qint64{6658473984};
        QTest::newRow("OPT 13b") << opt(5120, 40, 40) << qint64{12853473280};
    }
    void countsWhatWasPublished()
    {
        QFETCH(DecoderSpec, spec);
        QFETCH(qint64, expected);
        QCOMPARE(parameterCount({.architecture = spec}), expected);
    }

    void decaysMatricesAlone()
    {
        for (const Parameter& parameter : parameterTable(gpt(8, 1, 2, 4)))
            QCOMPARE(parameter.decays, parameter.shape.size() == 2);
    }

    void countsAnOutputBias()
    {
        DecoderSpec spec = gpt(8, 1, 2, 4);
        const std::int64_t without = parameterCount({.architecture = spec});
        spec.outputBias = true;
        QCOMPARE(parameterCount({.architecture = spec}), without + spec.vocabularySize);
    }
};

BATCHPEAK_TEST(ParameterTableTest)
#include "tst_parameter_table.moc"
