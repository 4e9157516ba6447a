// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "hugging_face_test_data.h"
#include "support/test_main.h"

#include <functional>

using namespace batchpeak;
using namespace batchpeak::config;
using model::Activation;
using model::DecoderSpec;

using Change = std::function<void(DecoderSpec&)>;

namespace {

// What the configuration classes of transformers 5.23.0 have where a file says nothing.

DecoderSpec gpt2()
{
    return {.vocabularySize = 50257,
            .hiddenSize = 768,
            .layers = 12,
            .heads = 12,
            .keyValueHeads = 12,
            .feedForwardSize = 3072,
            .maxPositions = 1024,
            .activation = Activation::GeluTanh,
            .dropout = 0.1,
            .attentionDropout = 0.1};
}

DecoderSpec bloom()
{
    return {.vocabularySize = 250880,
            .hiddenSize = 64,
            .layers = 2,
            .heads = 8,
            .keyValueHeads = 8,
            .feedForwardSize = 256,
            .maxPositions = 2048,
            .positionEmbedding = model::PositionEmbedding::Alibi,
            .activation = Activation::GeluTanh,
            .embeddingNormalization = true};
}

DecoderSpec llama()
{
    return {.vocabularySize = 32000,
            .hiddenSize = 4096,
            .layers = 32,
            .heads = 32,
            .keyValueHeads = 32,
            .feedForwardSize = 11008,
            .maxPositions = 2048,
            .positionEmbedding = model::PositionEmbedding::Rotary,
            .normalization = model::Normalization::RmsNorm,
            .activation = Activation::SwiGlu,
            .tiedEmbeddings = false,
            .attentionBias = false,
            .attentionOutputBias = false,
            .feedForwardBias = false,
            .normalizationEpsilon = 1e-6};
}

DecoderSpec mixtral()
{
    DecoderSpec spec = llama();
    spec.keyValueHeads = 8;
    spec.feedForwardSize = 14336;
    spec.maxPositions = 131072;
    spec.normalizationEpsilon = 1e-5;
    spec.ropeTheta = 1e6;
    spec.experts = 8;
    return spec;
}

DecoderSpec mistral()
{
    DecoderSpec spec = llama();
    spec.keyValueHeads = 8;
    spec.feedForwardSize = 14336;
    // 131072, of which attention reaches back so many.
    spec.maxPositions = 4096;
    return spec;
}

DecoderSpec qwen2()
{
    DecoderSpec spec = llama();
    spec.vocabularySize = 151936;
    spec.feedForwardSize = 22016;
    spec.maxPositions = 32768;
    spec.attentionBias = true;
    return spec;
}

DecoderSpec qwen3()
{
    DecoderSpec spec = qwen2();
    spec.attentionBias = false;
    spec.queryKeyNormalization = true;
    return spec;
}

DecoderSpec defaultsOf(const QString& type)
{
    if (type == QLatin1String("gpt2"))
        return gpt2();
    if (type == QLatin1String("bloom"))
        return bloom();
    if (type == QLatin1String("mistral"))
        return mistral();
    if (type == QLatin1String("mixtral"))
        return mixtral();
    if (type == QLatin1String("qwen2"))
        return qwen2();
    return type == QLatin1String("qwen3") ? qwen3() : llama();
}

} // namespace

class HuggingFaceDecodersTest : public QObject
{
    Q_OBJECT

private slots:
    void readsDefaults_data()
    {
        QTest::addColumn<QString>("type");
        for (const char* type : {"gpt2", "bloom", "llama", "mistral", "mixtral", "qwen2", "qwen3"})
            QTest::newRow(type) << QString::fromLatin1(type);
    }
    void readsDefaults()
    {
        QFETCH(QString, type);
        const std::string text = configJson(type.toStdString());
        QVERIFY(networkIn<DecoderSpec>(text) == defaultsOf(type));
        QCOMPARE(std::get<model::ModelSpec>(recognise(text)->read().model).family, type.toStdString());
    }

    void readsKeys_data()
    {
        QTest::addColumn<QString>("type");
        QTest::addColumn<QByteArray>("keys");
        QTest::addColumn<Change>("change");
        const auto row = [](const char* name, const char* type, const char* keys, const Change& change) {
            QTest::newRow(name) << QString::fromLatin1(type) << QByteArray(keys) << change;
        };
        row("gpt2 sizes", "gpt2",
            R"("n_embd": 64, "n_layer": 3, "n_head": 4, "n_positions": 128, "vocab_size": 99)",
            [](DecoderSpec& s) {
                s.hiddenSize = 64;
                s.layers = 3;
                s.heads = s.keyValueHeads = 4;
                s.maxPositions = 128;
                s.vocabularySize = 99;
                s.feedForwardSize = 256;
            });
        row("gpt2 by other names", "gpt2",
            R"("hidden_size": 96, "num_hidden_layers": 2, "num_attention_heads": 6, "max_position_embeddings": 77)",
            [](DecoderSpec& s) {
                s.hiddenSize = 96;
                s.layers = 2;
                s.heads = s.keyValueHeads = 6;
                s.maxPositions = 77;
                s.feedForwardSize = 384;
            });
        row("gpt2 by both names", "gpt2", R"("hidden_size": 96, "n_embd": 48)", [](DecoderSpec& s) {
            s.hiddenSize = 96;
            s.feedForwardSize = 384;
        });
        row("gpt2 inner", "gpt2", R"("n_inner": 100)", [](DecoderSpec& s) { s.feedForwardSize = 100; });
        row("gpt2 inner null", "gpt2", R"("n_inner": null)", [](DecoderSpec&) {});
        row("gpt2 activation", "gpt2", R"("activation_function": "relu")",
            [](DecoderSpec& s) { s.activation = Activation::Relu; });
        row("gpt2 exact gelu", "gpt2", R"("activation_function": "gelu")",
            [](DecoderSpec& s) { s.activation = Activation::Gelu; });
        row("gpt2 dropout", "gpt2", R"("resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.2)",
            [](DecoderSpec& s) {
                s.dropout = 0.0;
                s.attentionDropout = 0.2;
            });
        row("gpt2 epsilon", "gpt2", R"("layer_norm_epsilon": 1e-06)",
            [](DecoderSpec& s) { s.normalizationEpsilon = 1e-6; });
        row("gpt2 untied", "gpt2", R"("tie_word_embeddings": false)",
            [](DecoderSpec& s) { s.tiedEmbeddings = false; });
        row("gpt2 numbers alone", "gpt2",
            R"("scale_attn_by_inverse_layer_idx": true, "summary_type": "cls_index")", [](DecoderSpec&) {});

        const Change smallBloom = [](DecoderSpec& s) {
            s.hiddenSize = 128;
            s.layers = 3;
            s.heads = s.keyValueHeads = 4;
            s.feedForwardSize = 512;
        };
        row("bloom sizes", "bloom", R"("hidden_size": 128, "n_layer": 3, "n_head": 4)", smallBloom);
        row("bloom by other names", "bloom",
            R"("n_embed": 128, "num_hidden_layers": 3, "num_attention_heads": 4)", smallBloom);
        row("bloom length", "bloom", R"("seq_length": 512)", [](DecoderSpec& s) { s.maxPositions = 512; });
        row("bloom dropout", "bloom", R"("hidden_dropout": 0.1, "attention_dropout": 0.2)",
            [](DecoderSpec& s) {
                s.dropout = 0.1;
                s.attentionDropout = 0.2;
            });
        row("bloom by both names", "bloom", R"("hidden_size": 64, "n_embed": 128)", [](DecoderSpec& s) {
            s.hiddenSize = 128;
            s.feedForwardSize = 512;
        });
        row("bloom slices not taken", "bloom", R"("pretraining_tp": 4, "slow_but_exact": false)",
            [](DecoderSpec&) {});
        row("bloom one slice", "bloom", R"("slow_but_exact": true)", [](DecoderSpec&) {});

        row("llama sizes", "llama",
            R"("vocab_size": 99, "hidden_size": 64, "intermediate_size": 80, "num_hidden_layers": 2,
               "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 55)",
            [](DecoderSpec& s) {
                s.vocabularySize = 99;
                s.hiddenSize = 64;
                s.feedForwardSize = 80;
                s.layers = 2;
                s.heads = 4;
                s.keyValueHeads = 2;
                s.maxPositions = 55;
            });
        row("llama keys with queries", "llama", R"("num_attention_heads": 16, "num_key_value_heads": null)",
            [](DecoderSpec& s) { s.heads = s.keyValueHeads = 16; });
        row("llama biases", "llama", R"("attention_bias": true, "mlp_bias": true)",
            [](DecoderSpec& s) { s.attentionBias = s.attentionOutputBias = s.feedForwardBias = true; });
        row("llama tied", "llama", R"("tie_word_embeddings": true)",
            [](DecoderSpec& s) { s.tiedEmbeddings = true; });
        row("llama epsilon", "llama", R"("rms_norm_eps": 1e-05)",
            [](DecoderSpec& s) { s.normalizationEpsilon = 1e-5; });
        row("llama dropout", "llama", R"("attention_dropout": 0.1)",
            [](DecoderSpec& s) { s.attentionDropout = 0.1; });
        row("llama gated by tanh", "llama", R"("hidden_act": "gelu_pytorch_tanh")",
            [](DecoderSpec& s) { s.activation = Activation::GeGlu; });
        row("llama heads as wide", "llama", R"("head_dim": 128)", [](DecoderSpec&) {});
        row("llama wider heads", "llama", R"("head_dim": 256)", [](DecoderSpec& s) { s.headSize = 256; });
        row("llama base", "llama", R"("rope_theta": 500000.0)", [](DecoderSpec& s) { s.ropeTheta = 5e5; });
        row("llama base of transformers 5", "llama",
            R"("rope_parameters": {"rope_type": "default", "rope_theta": 500000.0})",
            [](DecoderSpec& s) { s.ropeTheta = 5e5; });
        row("llama scaled positions", "llama", R"("rope_scaling": {"rope_type": "llama3", "factor": 8.0})",
            [](DecoderSpec&) {});
        row("llama no window", "llama", R"("sliding_window": 16)", [](DecoderSpec&) {});

        row("mistral no window", "mistral", R"("sliding_window": null)",
            [](DecoderSpec& s) { s.maxPositions = 131072; });
        row("mistral wide window", "mistral", R"("sliding_window": 1500, "max_position_embeddings": 1000)",
            [](DecoderSpec& s) { s.maxPositions = 1000; });
        row("mistral window", "mistral", R"("sliding_window": 100, "max_position_embeddings": 1000)",
            [](DecoderSpec& s) { s.maxPositions = 100; });
        row("mistral narrower heads", "mistral", R"("head_dim": 64)",
            [](DecoderSpec& s) { s.headSize = 64; });
        row("mistral keys with queries", "mistral", R"("num_key_value_heads": null)",
            [](DecoderSpec& s) { s.keyValueHeads = 32; });
        row("mistral no biases", "mistral", R"("attention_bias": true, "mlp_bias": true)",
            [](DecoderSpec&) {});

        row("mixtral experts", "mixtral", R"("num_local_experts": 4, "num_experts_per_tok": 1)",
            [](DecoderSpec& s) {
                s.experts = 4;
                s.expertsPerToken = 1;
            });
        row("mixtral experts by another name", "mixtral", R"("num_experts": 16)",
            [](DecoderSpec& s) { s.experts = 16; });

        row("qwen2 window off", "qwen2", R"("sliding_window": 1000)", [](DecoderSpec&) {});
        row("qwen2 window on", "qwen2", R"("use_sliding_window": true, "sliding_window": 1000)",
            [](DecoderSpec& s) { s.maxPositions = 1000; });
        row("qwen2 window of no layer", "qwen2",
            R"("use_sliding_window": true, "sliding_window": 1000, "max_window_layers": 32)",
            [](DecoderSpec&) {});
        row("qwen2 types of layers", "qwen2", R"("layer_types": ["full_attention", "full_attention"])",
            [](DecoderSpec&) {});

        row("qwen3 head of its own", "qwen3", R"("hidden_size": 1024, "num_attention_heads": 16,
               "num_key_value_heads": 8)",
            [](DecoderSpec& s) {
                s.hiddenSize = 1024;
                s.heads = 16;
                s.keyValueHeads = 8;
                s.headSize = 128;
            });
        row("qwen3 biases", "qwen3", R"("attention_bias": true)",
            [](DecoderSpec& s) { s.attentionBias = s.attentionOutputBias = true; });
    }
    void readsKeys()
    {
        QFETCH(QString, type);
        QFETCH(QByteArray, keys);
        QFETCH(Change, change);
        DecoderSpec expected = defaultsOf(type);
        change(expected);
        QVERIFY(networkIn<DecoderSpec>(configJson(type.toStdString(), keys.toStdString())) == expected);
    }

    void saysWhatDiffers_data()
    {
        QTest::addColumn<QString>("type");
        QTest::addColumn<QByteArray>("keys");
        QTest::addColumn<QString>("named");
        const auto row = [](const char* name, const char* type, const char* keys, const char* named) {
            QTest::newRow(name) << QString::fromLatin1(type) << QByteArray(keys)
                                << QString::fromLatin1(named);
        };
        row("gpt2 dropout of embeddings", "gpt2", R"("embd_pdrop": 0.0)", "Trials drop embeddings");
        row("gpt2 without head", "gpt2", R"("architectures": ["GPT2Model"])",
            "GPT2Model is a network without a head");
        row("bloom without head", "bloom", R"("architectures": ["BloomModel"])", "BloomModel is");
        row("llama without head", "llama", R"("architectures": ["LlamaModel"])", "LlamaModel is");
        row("mistral window", "mistral", R"("sliding_window": 100)", "reaches back 100 tokens");
        row("nothing", "llama", R"("architectures": ["LlamaForCausalLM"], "torch_dtype": "bfloat16")", "");
        row("a window that reaches all", "mistral",
            R"("sliding_window": 100, "max_position_embeddings": 100)", "");
        row("nothing either", "gpt2", R"("architectures": ["GPT2LMHeadModel"])", "");
    }
    void saysWhatDiffers()
    {
        QFETCH(QString, type);
        QFETCH(QByteArray, keys);
        QFETCH(QString, named);
        const auto warnings = warningsOf(configJson(type.toStdString(), keys.toStdString()));
        QCOMPARE(warnings.size(), named.isEmpty() ? std::size_t{0} : std::size_t{1});
        if (named.isEmpty())
            return;
        QVERIFY2(QString::fromStdString(warnings.front().sentence).contains(named),
                 warnings.front().sentence.c_str());
        QCOMPARE(warnings.front().position.line, 3);
    }

    void saysTheWindowOfTheDefault()
    {
        const auto warnings = warningsOf(configJson("mistral"));
        QCOMPARE(warnings.size(), std::size_t{1});
        QVERIFY(warnings.front().position == (TextPosition{.line = 1, .column = 1}));
    }
};

BATCHPEAK_TEST(HuggingFaceDecodersTest)
#include "tst_hugging_face_decoders.moc"
