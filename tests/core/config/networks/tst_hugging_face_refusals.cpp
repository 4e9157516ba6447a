// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "hugging_face_test_data.h"
#include "support/test_main.h"

using namespace batchpeak;
using namespace batchpeak::config;

/// Networks of the hub that trials do not have, and config.json files that describe none.
class HuggingFaceRefusalsTest : public QObject
{
    Q_OBJECT

private slots:
    void namesWhatTrialsDoNotHave_data()
    {
        QTest::addColumn<QString>("type");
        QTest::addColumn<QByteArray>("keys");
        QTest::addColumn<QString>("named");
        const auto row = [](const char* name, const char* type, const char* keys, const char* named) {
            QTest::newRow(name) << QString::fromLatin1(type) << QByteArray(keys)
                                << QString::fromLatin1(named);
        };
        row("quantised", "llama", R"(  "quantization_config": {"bits": 4})", "quantised weights");
        row("another head", "llama", R"(  "architectures": ["LlamaForSequenceClassification"])",
            "the heads of LlamaForSequenceClassification");
        row("two heads", "gpt2", R"(  "architectures": ["GPT2DoubleHeadsModel"])", "GPT2DoubleHeadsModel");
        row("gpt2 activation", "gpt2", R"(  "activation_function": "silu")", "the activation \"silu\"");
        row("gpt2 encoder", "gpt2", R"(  "add_cross_attention": true)", "attention to an encoder");
        row("gpt2 upcast", "gpt2", R"(  "reorder_and_upcast_attn": true)", "attention in fp32");
        row("bloom slices", "bloom", R"(  "slow_but_exact": true, "pretraining_tp": 4)",
            "products in slices");
        row("bloom head", "bloom", R"(  "architectures": ["BloomForTokenClassification"])",
            "BloomForTokenClassification");
        row("exact gate", "llama", R"(  "hidden_act": "gelu")", "the gated activation \"gelu\"");
        row("layers", "qwen3", R"(  "layer_types": ["full_attention", "linear_attention"])",
            "layers of the type \"linear_attention\"");
        row("bert decoder", "bert", R"(  "is_decoder": true)", "attention to earlier tokens alone");
        row("bert positions", "bert", R"(  "position_embedding_type": "relative_key")", "\"relative_key\"");
        row("bert activation", "bert", R"(  "hidden_act": "silu")", "the activation \"silu\"");
        row("bert head", "bert", R"(  "architectures": ["BertForQuestionAnswering"])",
            "BertForQuestionAnswering");
        row("bert classes", "bert",
            R"(  "num_labels": 3, "architectures": ["BertForSequenceClassification"])",
            "a classifier of 3 classes (num_labels)");
        row("bert names of classes", "bert",
            R"(  "id2label": {"0": "a", "1": "b", "2": "c"}, "architectures": ["BertForSequenceClassification"])",
            "a classifier of 3 classes (id2label)");
        row("t5 encoder", "t5", R"(  "architectures": ["T5EncoderModel"])", "T5EncoderModel");
        row("t5 projection", "t5", R"(  "feed_forward_proj": "gated-relu")", "\"gated-relu\"");
        row("vit head", "vit", R"(  "architectures": ["ViTForMaskedImageModeling"])",
            "ViTForMaskedImageModeling");
        row("vit activation", "vit", R"(  "hidden_act": "silu")", "the activation \"silu\"");
        row("oblong images", "vit", R"(  "image_size": [224, 448])", "images that are not square");
        row("oblong patches", "vit", R"(  "patch_size": [16, 8])", "patches that are not square");
    }
    void namesWhatTrialsDoNotHave()
    {
        QFETCH(QString, type);
        QFETCH(QByteArray, keys);
        QFETCH(QString, named);
        const ConfigContents contents = recognise(configJson(type.toStdString(), keys.toStdString()))->read();
        const auto* unsupported = std::get_if<UnsupportedModel>(&contents.model);
        QVERIFY(unsupported);
        QVERIFY2(QString::fromStdString(unsupported->sentence).contains(named),
                 unsupported->sentence.c_str());
        QVERIFY(unsupported->position ==
                (TextPosition{.line = 3, .column = static_cast<int>(keys.indexOf(": ")) + 3}));
        QVERIFY(!unsupported->isElsewhere);
        QCOMPARE(contents.sequenceLength, 0);
    }

    void namesTheTypesThatItKnows()
    {
        const ConfigContents contents = recognise(configJson("gpt_neox"))->read();
        const auto* unsupported = std::get_if<UnsupportedModel>(&contents.model);
        QVERIFY(unsupported);
        QCOMPARE(QString::fromStdString(unsupported->sentence),
                 QStringLiteral(
                     "The network is of the model_type \"gpt_neox\", which is none of those that trials "
                     "have: gpt2, llama, mistral, mixtral, qwen2, qwen3, bloom, bert, t5, vit."));
        QVERIFY(unsupported->position == (TextPosition{.line = 2, .column = 17}));
    }

    void refusesWhatCannotBe_data()
    {
        QTest::addColumn<QString>("type");
        QTest::addColumn<QByteArray>("keys");
        QTest::addColumn<QString>("named");
        const auto row = [](const char* name, const char* type, const char* keys, const char* named) {
            QTest::newRow(name) << QString::fromLatin1(type) << QByteArray(keys)
                                << QString::fromLatin1(named);
        };
        row("no layers", "llama", R"(  "num_hidden_layers": 0)", "at least 1");
        row("too many layers", "gpt2", R"(  "n_layer": 100000)", "more than any network has");
        row("too many layers of t5", "t5", R"(  "num_layers": 100000)", "more than any network has");
        row("a word", "bert", R"(  "hidden_size": "large")", "whole number");
        row("heads that do not fit", "gpt2", R"(  "n_head": 5)", "not a multiple of the 5");
        row("heads by another name", "bloom", R"(  "num_attention_heads": 5)", "not a multiple of the 5");
        row("heads of llama", "llama", R"(  "num_attention_heads": 3)", "not a multiple of the 3");
        row("groups", "llama", R"(  "num_key_value_heads": 5)", "5 key-value heads");
        row("odd heads", "llama", R"(  "head_dim": 63)", "even number");
        row("no heads", "mistral", R"(  "head_dim": 0)", "at least 1");
        row("too many experts", "mixtral", R"(  "num_experts_per_tok": 9)", "takes 9 of 8 experts");
        row("no experts", "mixtral", R"(  "num_local_experts": 0)", "at least 1");
        row("no window", "mistral", R"(  "sliding_window": 0)", "at least 1");
        row("heads of bert", "bert", R"(  "num_attention_heads": 5)", "not a multiple of the 5");
        row("heads of vit", "vit", R"(  "num_attention_heads": 5)", "not a multiple of the 5");
        row("dropout", "bert", R"(  "hidden_dropout_prob": 1.0)", "less than 1");
        row("epsilon", "llama", R"(  "rms_norm_eps": 0)", "above 0");
        row("base", "llama", R"(  "rope_theta": -1)", "above 0");
        row("a yes", "llama", R"(  "tie_word_embeddings": 1)", "True or False");
        row("buckets", "t5", R"(  "relative_attention_num_buckets": 30)", "multiple of 4");
        row("patches", "vit", R"(  "patch_size": 15)", "not a multiple of the patch size");
        row("three sides", "vit", R"(  "image_size": [1, 2, 3])", "a height and a width");
        row("no classes", "vit", R"(  "id2label": {})", "at least 1");
        row("architectures", "gpt2", R"(  "architectures": "GPT2LMHeadModel")", "a list of words");
        row("architectures of mappings", "gpt2", R"(  "architectures": [{}])", "a list of words");
    }
    void refusesWhatCannotBe()
    {
        QFETCH(QString, type);
        QFETCH(QByteArray, keys);
        QFETCH(QString, named);
        const ReadingError error = errorOfReading(configJson(type.toStdString(), keys.toStdString()));
        QVERIFY2(error.sentence.contains(named), qPrintable(error.sentence));
        QCOMPARE(error.position.line, 3);
        QCOMPARE(error.position.column, static_cast<int>(keys.indexOf(": ")) + 3);
    }
};

BATCHPEAK_TEST(HuggingFaceRefusalsTest)
#include "tst_hugging_face_refusals.moc"
