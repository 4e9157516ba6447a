// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/config_document.h"
#include "config_test_data.h"
#include "support/test_main.h"

#include <QTest>

#include <functional>

using namespace batchpeak;
using namespace batchpeak::config;
using model::Activation;
using model::EncoderDecoderSpec;
using model::EncoderSpec;
using model::ModelSpec;
using model::Normalization;
using model::PositionEmbedding;

using EncoderChange = std::function<void(EncoderSpec&)>;
using EncoderDecoderChange = std::function<void(EncoderDecoderSpec&)>;

namespace {

const std::string bertSizes = "  vocab_size: 512\n  hidden_size: 64\n  num_hidden_layers: 2\n  num_heads: 4\n"
                              "  filter_size: 256\n  max_position_embeddings: 128\n";
const std::string bert = bertSizes + "  name: bert\n";
const std::string esm2 = bertSizes + "  name: esm2\n";
const std::string t5Sizes = "  src_vocab_size: 500\n  d_model: 64\n  encoder_num_hidden_layers: 3\n"
                            "  num_heads: 4\n  d_kv: 8\n  d_ff: 256\n";

/// A params config, whose model section begins in line 3.
std::string paramsWith(const std::string& modelKeys, const std::string& inputKeys = {})
{
    return "train_input: {batch_size: 8" + inputKeys + "}\nmodel:\n" + modelKeys;
}

/// What the sizes alone make of BERT, with the defaults of ModelZoo for all else.
EncoderSpec plainBert()
{
    return {.vocabularySize = 512,
            .hiddenSize = 64,
            .layers = 2,
            .heads = 4,
            .feedForwardSize = 256,
            .maxPositions = 128,
            .pooler = true,
            .nextSentenceHead = true,
            .normalizationEpsilon = 1e-5,
            .dropout = 0.1,
            .attentionDropout = 0.1};
}

EncoderDecoderSpec plainT5()
{
    return {.vocabularySize = 500,
            .hiddenSize = 64,
            .encoderLayers = 3,
            .decoderLayers = 3,
            .heads = 4,
            .headSize = 8,
            .feedForwardSize = 256,
            .normalizationEpsilon = 1e-5,
            .dropout = 0.1};
}

} // namespace

class CerebrasEncoderModelsTest : public QObject
{
    Q_OBJECT

private slots:
    void readsAnEncoder_data()
    {
        QTest::addColumn<QByteArray>("keys");
        QTest::addColumn<QString>("family");
        QTest::addColumn<EncoderChange>("change");
        const auto row = [](const char* name, const std::string& keys, const char* family,
                            const EncoderChange& change) {
            QTest::newRow(name) << QByteArray::fromStdString(keys) << QString::fromLatin1(family) << change;
        };
        row("defaults", bert, "bert", [](EncoderSpec&) {});
        row("BERT told by its keys", bertSizes + "  mlm_loss_weight: 0.1\n", "bert", [](EncoderSpec&) {});
        row("no next sentence", bert + "  disable_nsp: True\n", "bert", [](EncoderSpec& s) {
            s.pooler = s.nextSentenceHead = false;
            s.tokenTypes = 0;
        });
        row("token types", bert + "  num_segments: 3\n", "bert", [](EncoderSpec& s) { s.tokenTypes = 3; });
        row("relu", bert + "  encoder_nonlinearity: relu\n", "bert",
            [](EncoderSpec& s) { s.activation = Activation::Relu; });
        row("gelu by tanh", bert + "  encoder_nonlinearity: gelu_new\n", "bert",
            [](EncoderSpec& s) { s.activation = Activation::GeluTanh; });
        row("norms",
            bert + "  norm_first: True\n  embedding_layer_norm: False\n  use_final_layer_norm: True\n",
            "bert", [](EncoderSpec& s) {
                s.normalizesFirst = s.finalNormalization = true;
                s.embeddingNormalization = false;
            });
        row("own output embedding", bert + "  share_embedding_weights: False\n", "bert",
            [](EncoderSpec& s) { s.tiedEmbeddings = false; });
        row("dropout for both", bert + "  dropout_rate: 0.2\n", "bert",
            [](EncoderSpec& s) { s.dropout = s.attentionDropout = 0.2; });
        row("dropout of attention", bert + "  attention_dropout_rate: 0.0\n", "bert",
            [](EncoderSpec& s) { s.attentionDropout = 0; });
        row("epsilon", bert + "  layer_norm_epsilon: 1e-12\n", "bert",
            [](EncoderSpec& s) { s.normalizationEpsilon = 1e-12; });
        row("rotary positions", bert + "  position_embedding_type: rotary\n  rope_theta: 500.0\n", "bert",
            [](EncoderSpec& s) {
                s.positionEmbedding = PositionEmbedding::Rotary;
                s.rotaryDimensions = 4;
                s.ropeTheta = 500;
            });
        row("token dropout is ESM-2's", bert + "  token_dropout: True\n", "bert", [](EncoderSpec&) {});
        row("ESM-2", esm2 + "  token_dropout: True\n  mask_token_id: 32\n", "esm2", [](EncoderSpec& s) {
            s.normalizesFirst = s.tokenDropout = true;
            s.maskToken = 32;
        });
        row("ESM-2 told by its keys", bertSizes + "  mlm_loss_weight: 0.1\n  mask_token_id: 32\n", "esm2",
            [](EncoderSpec& s) {
                s.normalizesFirst = true;
                s.maskToken = 32;
            });
        row("what costs nothing",
            bert + "  pooler_nonlinearity: tanh\n  mlm_nonlinearity: relu\n  label_smoothing: 0.1\n"
                   "  mask_padding_in_positional_embed: True\n",
            "bert", [](EncoderSpec&) {});
    }
    void readsAnEncoder()
    {
        QFETCH(QByteArray, keys);
        QFETCH(EncoderChange, change);
        EncoderSpec expected = plainBert();
        change(expected);
        const ConfigContents contents = recognise(paramsWith(keys.toStdString()))->read();
        const auto* spec = std::get_if<ModelSpec>(&contents.model);
        QVERIFY2(spec, spec ? "" : std::get<UnsupportedModel>(contents.model).sentence.c_str());
        QTEST(QString::fromStdString(spec->family), "family");
        QVERIFY(std::get<EncoderSpec>(spec->architecture) == expected);
        QVERIFY(contents.warnings.empty());
    }

    void readsAnEncoderDecoder_data()
    {
        QTest::addColumn<QByteArray>("keys");
        QTest::addColumn<EncoderDecoderChange>("change");
        const auto row = [](const char* name, const std::string& keys, const EncoderDecoderChange& change) {
            QTest::newRow(name) << QByteArray::fromStdString(keys) << change;
        };
        row("defaults, told by its keys", "", [](EncoderDecoderSpec&) {});
        row("name", "  name: t5\n", [](EncoderDecoderSpec&) {});
        row("older name", "  name: T5ForConditionalGeneration\n", [](EncoderDecoderSpec&) {});
        row("extra tokens", "  extra_ids: 100\n", [](EncoderDecoderSpec& s) { s.vocabularySize = 600; });
        row("decoder layers", "  decoder_num_hidden_layers: 5\n",
            [](EncoderDecoderSpec& s) { s.decoderLayers = 5; });
        row("LayerNorm", "  norm_type: layernorm\n",
            [](EncoderDecoderSpec& s) { s.normalization = Normalization::LayerNorm; });
        row("gelu", "  encoder_nonlinearity: gelu\n",
            [](EncoderDecoderSpec& s) { s.activation = Activation::Gelu; });
        row("the decoder's word is not used", "  decoder_nonlinearity: gelu\n", [](EncoderDecoderSpec&) {});
        row("own output embedding", "  share_embedding_weights: False\n",
            [](EncoderDecoderSpec& s) { s.tiedEmbeddings = false; });
        row("buckets", "  relative_attention_num_buckets: 64\n",
            [](EncoderDecoderSpec& s) { s.relativeBuckets = 64; });
        row("dropout and epsilon", "  dropout_rate: 0.0\n  layer_norm_epsilon: 1e-6\n",
            [](EncoderDecoderSpec& s) {
                s.dropout = 0;
                s.normalizationEpsilon = 1e-6;
            });
    }
    void readsAnEncoderDecoder()
    {
        QFETCH(QByteArray, keys);
        QFETCH(EncoderDecoderChange, change);
        EncoderDecoderSpec expected = plainT5();
        change(expected);
        const ConfigContents contents = recognise(paramsWith(t5Sizes + keys.toStdString()))->read();
        const auto* spec = std::get_if<ModelSpec>(&contents.model);
        QVERIFY2(spec, spec ? "" : std::get<UnsupportedModel>(contents.model).sentence.c_str());
        QCOMPARE(spec->family, std::string("t5"));
        QVERIFY(std::get<EncoderDecoderSpec>(spec->architecture) == expected);
    }

    void readsLengths_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("lengths");
        const auto row = [](const char* name, const std::string& text, const char* lengths) {
            QTest::newRow(name) << QByteArray::fromStdString(text) << QString::fromLatin1(lengths);
        };
        row("BERT, nothing said", paramsWith(bert), "128, none, 0 predicted");
        row("BERT", paramsWith(bert, ", max_sequence_length: 64, max_predictions_per_seq: 20"),
            "64, none, 20 predicted");
        row("T5, nothing said", paramsWith(t5Sizes), "512, 114");
        row("T5", paramsWith(t5Sizes, ", src_max_sequence_length: 256, tgt_max_sequence_length: 57"),
            "256, 57");
    }
    void readsLengths()
    {
        QFETCH(QByteArray, text);
        const ConfigContents contents = recognise(text.toStdString())->read();
        QString lengths = QStringLiteral("%1, %2").arg(
            QString::number(contents.sequenceLength),
            contents.targetLength ? QString::number(*contents.targetLength) : QStringLiteral("none"));
        const auto& architecture = std::get<ModelSpec>(contents.model).architecture;
        if (const auto* encoder = std::get_if<EncoderSpec>(&architecture))
            lengths += QStringLiteral(", %1 predicted").arg(encoder->predictedTokens);
        QTEST(lengths, "lengths");
    }

    void namesWhatCannotBeRun_data()
    {
        QTest::addColumn<QByteArray>("keys");
        QTest::addColumn<QString>("named");
        QTest::addColumn<int>("line");
        const auto row = [](const char* name, const std::string& keys, const char* named, int line) {
            QTest::newRow(name) << QByteArray::fromStdString(keys) << QString::fromLatin1(named) << line;
        };
        row("BERT without its head", bertSizes + "  encoder_nonlinearity: gelu\n", "such as a classifier", 9);
        row("no biases", bert + "  use_ffn_bias: False\n", "without biases", 10);
        row("grouped attention", bert + "  attention_module: multiquery_attention\n",
            "\"multiquery_attention\"", 10);
        row("classes", bert + "  num_classes: 3\n", "3 classes", 10);
        row("ALiBi", bert + "  position_embedding_type: alibi\n", "\"alibi\"", 10);
        row("no positions", bert + "  position_embedding_type: null\n", "no position embedding", 10);
        row("activation of BERT", bert + "  encoder_nonlinearity: silu\n", "\"silu\"", 10);
        row("biases of attention", t5Sizes + "  use_projection_bias_in_attention: True\n", "biases", 9);
        row("biases of feed-forward layers", t5Sizes + "  use_ffn_bias: True\n", "biases", 9);
        row("post-norm", t5Sizes + "  use_pre_encoder_decoder_layer_norm: False\n", "after the branches", 9);
        row("two embeddings", t5Sizes + "  share_encoder_decoder_embedding: False\n", "of its own", 9);
        row("two vocabularies", t5Sizes + "  tgt_vocab_size: 400\n", "another vocabulary", 9);
        row("norm", t5Sizes + "  norm_type: biasless-layernorm\n", "\"biasless-layernorm\"", 9);
        row("absolute positions", t5Sizes + "  position_embedding_type: fixed\n", "not relative", 9);
        row("activation of T5", t5Sizes + "  encoder_nonlinearity: reglu\n", "\"reglu\"", 9);
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
    }

    void refusesWhatCannotBe_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("named");
        QTest::addColumn<int>("line");
        const auto row = [](const char* name, const std::string& text, const char* named, int line) {
            QTest::newRow(name) << QByteArray::fromStdString(text) << QString::fromLatin1(named) << line;
        };
        row("no positions",
            paramsWith("  name: bert\n  vocab_size: 5\n  hidden_size: 8\n  num_heads: 2\n"
                       "  num_hidden_layers: 1\n  filter_size: 8\n"),
            "max_position_embeddings is missing", 3);
        row("heads", paramsWith(bert + "  num_heads: 5\n"), "twice", 10);
        row("heads that do not divide",
            paramsWith("  name: bert\n  vocab_size: 5\n  hidden_size: 8\n  num_heads: 3\n"
                       "  num_hidden_layers: 1\n  filter_size: 8\n  max_position_embeddings: 4\n"),
            "not a multiple of the 3", 6);
        row("rotary dimension", paramsWith(bert + "  position_embedding_type: rotary\n  rotary_dim: 18\n"),
            "head size, 16", 11);
        row("segments", paramsWith(bert + "  num_segments: -1\n"), "at least 0", 10);
        row("mask token", paramsWith(esm2 + "  token_dropout: True\n  mask_token_id: 512\n"), "mask token",
            11);
        row("dropout", paramsWith(bert + "  dropout_rate: 1.0\n"), "less than 1", 10);
        row("sequence past the positions", paramsWith(bert, ", max_sequence_length: 129"),
            "above the 128 positions", 1);
        row("no prediction", paramsWith(bert, ", max_predictions_per_seq: 0"), "at least 1", 1);
        row("no head size",
            paramsWith("  src_vocab_size: 5\n  d_model: 8\n  encoder_num_hidden_layers: 1\n"
                       "  num_heads: 2\n  d_ff: 8\n"),
            "d_kv is missing", 3);
        row("extra tokens", paramsWith(t5Sizes + "  extra_ids: -1\n"), "at least 0", 9);
        row("buckets", paramsWith(t5Sizes + "  relative_attention_num_buckets: 6\n"), "multiple of 4", 9);
        row("no target token", paramsWith(t5Sizes, ", tgt_max_sequence_length: 0"), "at least 1 token", 1);
    }
    void refusesWhatCannotBe()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, named);
        const ReadingError error = errorOfReading(text.toStdString());
        QVERIFY2(error.sentence.contains(named), qPrintable(error.sentence));
        QTEST(error.position.line, "line");
    }
};

BATCHPEAK_TEST(CerebrasEncoderModelsTest)
#include "tst_cerebras_encoder_models.moc"
