// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "hugging_face_test_data.h"
#include "support/test_main.h"

#include <functional>

using namespace batchpeak;
using namespace batchpeak::config;
using model::Activation;
using model::EncoderDecoderSpec;
using model::EncoderSpec;
using model::VisionTransformerSpec;

namespace {

const std::string maskedLanguage = R"("architectures": ["BertForMaskedLM"])";

// What the configuration classes of transformers 5.23.0 have where a file says nothing.

EncoderSpec bert()
{
    return {.vocabularySize = 30522,
            .hiddenSize = 768,
            .layers = 12,
            .heads = 12,
            .feedForwardSize = 3072,
            .maxPositions = 512,
            .tokenTypes = 2,
            .dropout = 0.1,
            .attentionDropout = 0.1};
}

EncoderDecoderSpec t5()
{
    return {.vocabularySize = 32128,
            .hiddenSize = 512,
            .encoderLayers = 6,
            .decoderLayers = 6,
            .heads = 8,
            .headSize = 64,
            .feedForwardSize = 2048,
            .dropout = 0.1};
}

VisionTransformerSpec vit()
{
    return {.hiddenSize = 768,
            .layers = 12,
            .heads = 12,
            .feedForwardSize = 3072,
            .classes = 2,
            .normalizationEpsilon = 1e-12};
}

template<typename Spec>
using Change = std::function<void(Spec&)>;

} // namespace

class HuggingFaceOtherNetworksTest : public QObject
{
    Q_OBJECT

private slots:
    void readsBert_data()
    {
        QTest::addColumn<QByteArray>("keys");
        QTest::addColumn<Change<EncoderSpec>>("change");
        const auto row = [](const char* name, const char* keys, const Change<EncoderSpec>& change) {
            QTest::newRow(name) << QByteArray(keys) << change;
        };
        row("defaults", "", [](EncoderSpec&) {});
        row("sizes",
            R"(, "vocab_size": 99, "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
            "intermediate_size": 80, "max_position_embeddings": 55, "type_vocab_size": 1)",
            [](EncoderSpec& s) {
                s.vocabularySize = 99;
                s.hiddenSize = 64;
                s.layers = 2;
                s.heads = 4;
                s.feedForwardSize = 80;
                s.maxPositions = 55;
                s.tokenTypes = 1;
            });
        row("activation", R"(, "hidden_act": "gelu_new")",
            [](EncoderSpec& s) { s.activation = Activation::GeluTanh; });
        row("untied", R"(, "tie_word_embeddings": false)", [](EncoderSpec& s) { s.tiedEmbeddings = false; });
        row("epsilon", R"(, "layer_norm_eps": 1e-05)", [](EncoderSpec& s) { s.normalizationEpsilon = 1e-5; });
        row("dropout", R"(, "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.2)",
            [](EncoderSpec& s) {
                s.dropout = 0.0;
                s.attentionDropout = 0.2;
            });
        row("positions", R"(, "position_embedding_type": "absolute")", [](EncoderSpec&) {});
    }
    void readsBert()
    {
        QFETCH(QByteArray, keys);
        QFETCH(Change<EncoderSpec>, change);
        EncoderSpec expected = bert();
        change(expected);
        const std::string text = configJson("bert", maskedLanguage + keys.toStdString());
        QVERIFY(networkIn<EncoderSpec>(text) == expected);
        QVERIFY(warningsOf(text).empty());
    }

    void readsHeadsOfBert_data()
    {
        QTest::addColumn<QByteArray>("keys");
        QTest::addColumn<bool>("pooler");
        QTest::addColumn<bool>("maskedLanguage");
        QTest::addColumn<bool>("nextSentence");
        QTest::addColumn<int>("warnings");
        const auto row = [](const char* name, const char* keys, bool pooler, bool masked, bool next,
                            int warnings = 0) {
            QTest::newRow(name) << QByteArray(keys) << pooler << masked << next << warnings;
        };
        row("masked language", R"("architectures": ["BertForMaskedLM"])", false, true, false);
        row("pre-training", R"("architectures": ["BertForPreTraining"])", true, true, true);
        row("next sentence", R"("architectures": ["BertForNextSentencePrediction"])", true, false, true);
        row("classifier", R"("architectures": ["BertForSequenceClassification"])", true, false, true);
        row("classifier with names", R"("architectures": ["BertForSequenceClassification"],
            "id2label": {"0": "no", "1": "yes"}, "num_labels": 3)",
            true, false, true);
        row("no head", R"("architectures": ["BertModel"])", false, true, false, 1);
        row("nothing said", R"("hidden_act": "gelu")", false, true, false, 1);
    }
    void readsHeadsOfBert()
    {
        QFETCH(QByteArray, keys);
        QFETCH(int, warnings);
        const std::string text = configJson("bert", keys.toStdString());
        const auto spec = networkIn<EncoderSpec>(text);
        QTEST(spec.pooler, "pooler");
        QTEST(spec.maskedLanguageHead, "maskedLanguage");
        QTEST(spec.nextSentenceHead, "nextSentence");
        const auto said = warningsOf(text);
        QCOMPARE(said.size(), static_cast<std::size_t>(warnings));
        QVERIFY(said.empty() || said.front().sentence.find("BertForMaskedLM") != std::string::npos);
    }

    void readsT5_data()
    {
        QTest::addColumn<QByteArray>("keys");
        QTest::addColumn<Change<EncoderDecoderSpec>>("change");
        const auto row = [](const char* name, const char* keys, const Change<EncoderDecoderSpec>& change) {
            QTest::newRow(name) << QByteArray(keys) << change;
        };
        row("defaults", "", [](EncoderDecoderSpec&) {});
        row("sizes",
            R"("vocab_size": 99, "d_model": 64, "d_kv": 32, "d_ff": 80, "num_layers": 3, "num_heads": 4)",
            [](EncoderDecoderSpec& s) {
                s.vocabularySize = 99;
                s.hiddenSize = 64;
                s.headSize = 32;
                s.feedForwardSize = 80;
                s.encoderLayers = s.decoderLayers = 3;
                s.heads = 4;
            });
        row("by other names",
            R"("hidden_size": 64, "head_dim": 32, "num_hidden_layers": 3, "num_attention_heads": 4)",
            [](EncoderDecoderSpec& s) {
                s.hiddenSize = 64;
                s.headSize = 32;
                s.encoderLayers = 3;
                s.heads = 4;
            });
        row("decoder", R"("num_decoder_layers": 2)", [](EncoderDecoderSpec& s) { s.decoderLayers = 2; });
        row("decoder null", R"("num_decoder_layers": null)", [](EncoderDecoderSpec&) {});
        row("1.1", R"("feed_forward_proj": "gated-gelu", "tie_word_embeddings": false)",
            [](EncoderDecoderSpec& s) {
                s.activation = Activation::GeGlu;
                s.tiedEmbeddings = false;
            });
        row("gated by silu", R"("feed_forward_proj": "gated-silu")",
            [](EncoderDecoderSpec& s) { s.activation = Activation::SwiGlu; });
        row("not gated", R"("feed_forward_proj": "gelu")",
            [](EncoderDecoderSpec& s) { s.activation = Activation::Gelu; });
        row("buckets", R"("relative_attention_num_buckets": 16, "relative_attention_max_distance": 64)",
            [](EncoderDecoderSpec& s) {
                s.relativeBuckets = 16;
                s.maxRelativeDistance = 64;
            });
        row("numbers", R"("layer_norm_epsilon": 1e-05, "dropout_rate": 0.0)", [](EncoderDecoderSpec& s) {
            s.normalizationEpsilon = 1e-5;
            s.dropout = 0.0;
        });
        row("old name", R"("architectures": ["T5WithLMHeadModel"])", [](EncoderDecoderSpec&) {});
    }
    void readsT5()
    {
        QFETCH(QByteArray, keys);
        QFETCH(Change<EncoderDecoderSpec>, change);
        EncoderDecoderSpec expected = t5();
        change(expected);
        const std::string text = configJson("t5", keys.toStdString());
        QVERIFY(networkIn<EncoderDecoderSpec>(text) == expected);
        QVERIFY(warningsOf(text).empty());
    }

    void readsViT_data()
    {
        QTest::addColumn<QByteArray>("keys");
        QTest::addColumn<Change<VisionTransformerSpec>>("change");
        const auto row = [](const char* name, const char* keys, const Change<VisionTransformerSpec>& change) {
            QTest::newRow(name) << QByteArray(keys) << change;
        };
        row("defaults", "", [](VisionTransformerSpec&) {});
        row("sizes",
            R"("hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 80,
            "image_size": 32, "patch_size": 8, "num_channels": 1)",
            [](VisionTransformerSpec& s) {
                s.hiddenSize = 64;
                s.layers = 2;
                s.heads = 4;
                s.feedForwardSize = 80;
                s.imageSize = 32;
                s.patchSize = 8;
                s.channels = 1;
            });
        row("two sides", R"("image_size": [32, 32], "patch_size": [8, 8])", [](VisionTransformerSpec& s) {
            s.imageSize = 32;
            s.patchSize = 8;
        });
        row("classes", R"("num_labels": 10)", [](VisionTransformerSpec& s) { s.classes = 10; });
        row("names of classes", R"("id2label": {"0": "cat", "1": "dog", "2": "cow"})",
            [](VisionTransformerSpec& s) { s.classes = 3; });
        row("no bias", R"("qkv_bias": false)", [](VisionTransformerSpec& s) { s.attentionBias = false; });
        row("activation", R"("hidden_act": "gelu_fast")",
            [](VisionTransformerSpec& s) { s.activation = Activation::GeluTanh; });
        row("numbers",
            R"("layer_norm_eps": 1e-06, "hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.2)",
            [](VisionTransformerSpec& s) {
                s.normalizationEpsilon = 1e-6;
                s.dropout = 0.1;
                s.attentionDropout = 0.2;
            });
    }
    void readsViT()
    {
        QFETCH(QByteArray, keys);
        QFETCH(Change<VisionTransformerSpec>, change);
        VisionTransformerSpec expected = vit();
        change(expected);
        const std::string text = configJson("vit", keys.toStdString());
        QVERIFY(networkIn<VisionTransformerSpec>(text) == expected);
        QVERIFY(warningsOf(text).empty());
    }

    void saysWithWhichHeadItRuns_data()
    {
        QTest::addColumn<QString>("type");
        QTest::addColumn<QString>("className");
        QTest::addColumn<QString>("named");
        QTest::newRow("t5") << "t5"
                            << "T5Model"
                            << "its projection onto the vocabulary";
        QTest::newRow("vit") << "vit"
                             << "ViTModel"
                             << "a classifier of 2 classes";
    }
    void saysWithWhichHeadItRuns()
    {
        QFETCH(QString, type);
        QFETCH(QString, className);
        QFETCH(QString, named);
        const auto warnings = warningsOf(
            configJson(type.toStdString(), "  \"architectures\": [\"" + className.toStdString() + "\"]"));
        QCOMPARE(warnings.size(), std::size_t{1});
        QVERIFY2(QString::fromStdString(warnings.front().sentence).contains(named),
                 warnings.front().sentence.c_str());
        QVERIFY(warnings.front().position == (TextPosition{.line = 3, .column = 20}));
    }
};

BATCHPEAK_TEST(HuggingFaceOtherNetworksTest)
#include "tst_hugging_face_other_networks.moc"
