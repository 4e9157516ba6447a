// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/config_document.h"
#include "config_test_data.h"
#include "support/test_main.h"

#include <QTest>

#include <functional>

using namespace batchpeak;
using namespace batchpeak::config;
using batchpeak::model::Activation;
using batchpeak::model::DecoderSpec;
using batchpeak::model::ModelSpec;
using batchpeak::model::Normalization;
using batchpeak::model::PositionEmbedding;

using Change = std::function<void(DecoderSpec&)>;

namespace {

const std::string sizes = "  vocab_size: 512\n  hidden_size: 64\n  num_hidden_layers: 2\n  num_heads: 4\n"
                          "  filter_size: 256\n";

/// A params config, whose model section begins in line 3.
std::string paramsWith(const std::string& modelKeys)
{
    return "train_input: {batch_size: 8}\nmodel:\n" + modelKeys;
}

/// What the sizes alone make, with the defaults of ModelZoo for all else.
DecoderSpec plainSpec()
{
    return {.vocabularySize = 512,
            .hiddenSize = 64,
            .layers = 2,
            .heads = 4,
            .keyValueHeads = 4,
            .feedForwardSize = 256,
            .maxPositions = 1024,
            .dropout = 0.1,
            .attentionDropout = 0.1};
}

void makeLlama(DecoderSpec& spec)
{
    spec.positionEmbedding = PositionEmbedding::Rotary;
    spec.normalization = Normalization::RmsNorm;
    spec.activation = Activation::SwiGlu;
    spec.rotaryDimensions = 4;
}

const std::string llama = "  position_embedding_type: rotary\n  norm_type: rmsnorm\n  nonlinearity: swiglu\n";

} // namespace

class CerebrasModelTest : public QObject
{
    Q_OBJECT

private slots:
    void readsKeys_data()
    {
        QTest::addColumn<QByteArray>("keys");
        QTest::addColumn<Change>("change");
        QTest::addColumn<QByteArray>("family");
        const auto row = [](const char* name, const std::string& keys, const Change& change,
                            const char* family = "gpt2") {
            QTest::newRow(name) << QByteArray::fromStdString(keys) << change << QByteArray(family);
        };
        row("defaults", "", [](DecoderSpec&) {});
        row("name gpt2", "  name: \"gpt2\"\n", [](DecoderSpec&) {});
        row(
            "name gpt3", "  name: gpt3\n", [](DecoderSpec&) {}, "gpt3");
        row(
            "older key of the name", "  model_name: gpt3\n", [](DecoderSpec&) {}, "gpt3");
        row(
            "name llama, keys of GPT-2", "  name: LlamaModel\n", [](DecoderSpec&) {}, "llama");
        row("name gpt2, rotary positions",
            "  name: gpt2\n  position_embedding_type: rotary\n  rotary_dim: 16\n", [](DecoderSpec& s) {
                s.positionEmbedding = PositionEmbedding::Rotary;
                s.rotaryDimensions = 16;
            });
        row("llama told by its keys", llama, makeLlama, "llama");
        row(
            "rotary dimension", llama + "  rotary_dim: 8\n",
            [](DecoderSpec& s) {
                makeLlama(s);
                s.rotaryDimensions = 8;
            },
            "llama");
        row(
            "rope theta", llama + "  rope_theta: 500000.0\n",
            [](DecoderSpec& s) {
                makeLlama(s);
                s.ropeTheta = 500000;
            },
            "llama");
        row("positions", "  max_position_embeddings: 2048\n", [](DecoderSpec& s) { s.maxPositions = 2048; });
        row("gelu by tanh", "  nonlinearity: gelu_new\n",
            [](DecoderSpec& s) { s.activation = Activation::GeluTanh; });
        row("gelu by the error function", "  nonlinearity: gelu\n", [](DecoderSpec&) {});
        row("own output embedding", "  share_embedding_weights: False\n",
            [](DecoderSpec& s) { s.tiedEmbeddings = false; });
        row("bias of queries, keys, values", "  use_projection_bias_in_attention: no\n",
            [](DecoderSpec& s) { s.attentionBias = false; });
        row("bias of the attention's output", "  use_ffn_bias_in_attention: no\n",
            [](DecoderSpec& s) { s.attentionOutputBias = false; });
        row("bias of the feed-forward layers", "  use_ffn_bias: no\n",
            [](DecoderSpec& s) { s.feedForwardBias = false; });
        row("bias of the output", "  use_bias_in_output: yes\n", [](DecoderSpec& s) { s.outputBias = true; });
        row("epsilon", "  layer_norm_epsilon: 1e-6\n", [](DecoderSpec& s) { s.normalizationEpsilon = 1e-6; });
        row("dropout", "  dropout_rate: 0.2\n", [](DecoderSpec& s) { s.dropout = 0.2; });
        row("dropout of attention", "  attention_dropout_rate: 0.2\n",
            [](DecoderSpec& s) { s.attentionDropout = 0.2; });
        row("dropout of attention as elsewhere", "  dropout_rate: 0.2\n  attention_dropout_rate: null\n",
            [](DecoderSpec& s) { s.dropout = s.attentionDropout = 0.2; });
        row("grouped queries",
            "  attention_module: multiquery_attention\n  extra_attention_params: {num_kv_groups: 2}\n",
            [](DecoderSpec& s) { s.keyValueHeads = 2; });
        row("one group", "  attention_module: multiquery_attention\n",
            [](DecoderSpec& s) { s.keyValueHeads = 1; });
        row("groups without the module", "  extra_attention_params: {num_kv_groups: 2}\n",
            [](DecoderSpec&) {});
        row("what costs nothing", "  pos_scaling_factor: 8.0\n  embeddings_scale: 14.6\n  loss_weight: 1.0\n",
            [](DecoderSpec&) {});
        row("switches that are off",
            "  embedding_layer_norm: False\n  attention_sliding_window_length: null\n  moe: {num_experts: "
            "1}\n"
            "  cross_attention_layers: []\n  extra_ffn_params: {}\n  num_extra_input_vocab_tokens: 0\n",
            [](DecoderSpec&) {});
    }
    void readsKeys()
    {
        QFETCH(QByteArray, keys);
        QFETCH(Change, change);
        QFETCH(QByteArray, family);
        DecoderSpec expected = plainSpec();
        change(expected);
        const ConfigContents contents = recognise(paramsWith(sizes + keys.toStdString()))->read();
        const auto* spec = std::get_if<ModelSpec>(&contents.model);
        QVERIFY2(spec, spec ? "" : std::get<UnsupportedModel>(contents.model).sentence.c_str());
        QCOMPARE(QByteArray::fromStdString(spec->family), family);
        QVERIFY(std::get<DecoderSpec>(spec->architecture) == expected);
        QVERIFY(contents.warnings.empty());
    }

    void namesWhatCannotBeRun_data()
    {
        QTest::addColumn<QByteArray>("keys");
        QTest::addColumn<QString>("named");
        QTest::addColumn<int>("line");
        const auto row = [](const char* name, const std::string& keys, const char* named, int line) {
            QTest::newRow(name) << QByteArray::fromStdString(keys) << QString::fromLatin1(named) << line;
        };
        row("another name", sizes + "  name: mistral\n", "\"mistral\"", 8);
        row("unknown positions", sizes + "  position_embedding_type: spiral\n", "\"spiral\"", 8);
        row("relative positions", sizes + "  position_embedding_type: relative\n", "\"relative\"", 8);
        row("no positions", sizes + "  position_embedding_type: null\n", "no position embedding", 8);
        row("positions switched off", sizes + "  use_position_embedding: False\n", "no position embedding",
            3);
        row("rotary without the rest of LLaMA", sizes + "  position_embedding_type: rotary\n", "GPT-J", 8);
        row("shared experts", sizes + "  name: gpt3\n  moe: {num_experts: 1, num_shared_experts: 1}\n",
            "experts that every token takes", 9);
        row("hashed routing", sizes + "  moe: {num_experts: 8, top_k: 2, routing_algorithm: hash}\n",
            "routing \"hash\"", 8);
        row("memory tokens", sizes + "  memory_tokens: {memory_tokens_enabled: True}\n", "memory tokens", 8);
        row("sliding window", sizes + "  attention_sliding_window_length: 4096\n", "sliding window", 8);
        row("sparse attention", sizes + "  fixed_sparse_attention: {stride: 2}\n", "sparse attention", 8);
        row("norm", sizes + "  norm_type: biasless-layernorm\n", "\"biasless-layernorm\"", 8);
        row("activation", sizes + "  nonlinearity: relu\n", "\"relu\"", 8);
        row("attention module", sizes + "  attention_module: linear\n", "\"linear\"", 8);
        row("LoRA", sizes + "  lora_params: {r: 8}\n", "LoRA", 8);
        row("relative distances", sizes + "  rel_distance_mode: grouped\n", "\"grouped\"", 8);
        row("another vision network", sizes + "  image_size: [224, 224]\n", "vision network", 8);
        row("DINO", sizes + "  image_model_trunks: [{}]\n", "DINO", 8);
        row("DiT", sizes + "  image_size: [32, 32]\n  label_dropout_rate: 0.1\n", "DiT", 9);
        row("no known key", "  projector: {}\n", "vocab_size and hidden_size", 3);
    }
    void namesWhatCannotBeRun()
    {
        QFETCH(QByteArray, keys);
        QFETCH(QString, named);
        const ConfigContents contents = recognise(paramsWith(keys.toStdString()))->read();
        const auto* unsupported = std::get_if<UnsupportedModel>(&contents.model);
        QVERIFY(unsupported);
        QVERIFY2(QString::fromStdString(unsupported->sentence).contains(named),
                 unsupported->sentence.c_str());
        QTEST(unsupported->position.line, "line");
        QCOMPARE(contents.train->globalBatchSize, 8);
    }

    void refusesWhatCannotBe_data()
    {
        QTest::addColumn<QByteArray>("keys");
        QTest::addColumn<QString>("named");
        QTest::addColumn<int>("line");
        QTest::addColumn<int>("column");
        const auto row = [](const char* name, const std::string& keys, const char* named, int line,
                            int column) {
            QTest::newRow(name) << QByteArray::fromStdString(keys) << QString::fromLatin1(named) << line
                                << column;
        };
        row("no hidden size", "  vocab_size: 512\n  num_heads: 4\n", "model.hidden_size is missing", 3, 3);
        row("null heads", "  vocab_size: 5\n  hidden_size: 8\n  num_hidden_layers: 1\n  num_heads:\n",
            "model.num_heads is missing", 6, 3);
        row("zero layers", "  vocab_size: 5\n  hidden_size: 8\n  num_hidden_layers: 0\n", "at least 1", 5,
            22);
        row("a word", "  vocab_size: many\n", "must be a whole number, but is \"many\"", 3, 15);
        row("a list", "  vocab_size: [1]\n", "but is a list", 3, 15);
        row("too large", "  vocab_size: 512000000\n", "more than any network has", 3, 15);
        row("heads",
            "  vocab_size: 5\n  hidden_size: 64\n  num_hidden_layers: 1\n  num_heads: 5\n  filter_size: 8\n",
            "not a multiple of the 5", 6, 14);
        row("groups",
            sizes +
                "  attention_module: multiquery_attention\n  extra_attention_params:\n    num_kv_groups: 3\n",
            "3 key-value heads", 10, 20);
        row("no group",
            sizes +
                "  attention_module: multiquery_attention\n  extra_attention_params:\n    num_kv_groups: 0\n",
            "at least 1", 10, 20);
        row("rotary dimension", sizes + llama + "  rotary_dim: 18\n", "head size, 16", 11, 15);
        row("odd rotary dimension", sizes + llama + "  rotary_dim: 15\n", "even number", 11, 15);
        row("zero rotary dimension", sizes + llama + "  rotary_dim: 0\n", "at least 2", 11, 15);
        row("dropout", sizes + "  dropout_rate: 1.5\n", "less than 1", 8, 17);
        row("dropout of attention", sizes + "  attention_dropout_rate: 1\n", "less than 1", 8, 27);
        row("epsilon", sizes + "  layer_norm_epsilon: 0\n", "above 0", 8, 23);
        row("a boolean", sizes + "  use_ffn_bias: perhaps\n", "True or False, but is \"perhaps\"", 8, 17);
    }
    void refusesWhatCannotBe()
    {
        QFETCH(QByteArray, keys);
        QFETCH(QString, named);
        const ReadingError error = errorOfReading(paramsWith(keys.toStdString()));
        QVERIFY2(error.sentence.contains(named), qPrintable(error.sentence));
        QTEST(error.position.line, "line");
        QTEST(error.position.column, "column");
    }

    void warnsOfOtherDropoutOfEmbeddings()
    {
        const auto warnings =
            recognise(paramsWith(sizes + "  embedding_dropout_rate: 0.0\n"))->read().warnings;
        QCOMPARE(warnings.size(), std::size_t{1});
        QCOMPARE(warnings.front().position, (TextPosition{.line = 8, .column = 27}));
    }
};

BATCHPEAK_TEST(CerebrasModelTest)
#include "tst_cerebras_model.moc"
