// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config_test_data.h"
#include "support/test_main.h"

#include <functional>

using namespace batchpeak;
using namespace batchpeak::config;
using model::VisionTransformerSpec;

using Change = std::function<void(VisionTransformerSpec&)>;

namespace {

const std::string sizes = "  hidden_size: 64\n  num_hidden_layers: 2\n  num_heads: 4\n  filter_size: 256\n"
                          "  patch_size: [16, 16]\n  num_classes: 10\n";

/// The layout with a name, and the one without, whose keys alone tell the network.
std::string trainerWith(const std::string& modelKeys)
{
    std::string indented = "      name: vision_transformer\n";
    for (const QByteArray& line : QByteArray::fromStdString(modelKeys).split('\n')) {
        if (!line.isEmpty())
            indented += "    " + line.toStdString() + "\n";
    }
    return "trainer:\n  init:\n    model:\n" + indented + "  fit: {train_dataloader: {batch_size: 8}}\n";
}

std::string paramsWith(const std::string& modelKeys)
{
    return "train_input: {batch_size: 8, max_sequence_length: 197}\nmodel:\n" + modelKeys;
}

/// What the sizes alone make, with the defaults of ModelZoo for all else.
VisionTransformerSpec plainSpec()
{
    return {.hiddenSize = 64,
            .layers = 2,
            .heads = 4,
            .feedForwardSize = 256,
            .classes = 10,
            .normalizationEpsilon = 1e-5,
            .dropout = 0.1,
            .attentionDropout = 0.1};
}

} // namespace

class CerebrasVisionTransformerTest : public QObject
{
    Q_OBJECT

private slots:
    void readsKeys_data()
    {
        QTest::addColumn<QByteArray>("keys");
        QTest::addColumn<Change>("change");
        const auto row = [](const char* name, const char* keys, const Change& change) {
            QTest::newRow(name) << QByteArray(keys) << change;
        };
        row("sizes alone", "", [](VisionTransformerSpec&) {});
        row("image", "  image_size: [64, 64]\n  num_channels: 1\n", [](VisionTransformerSpec& s) {
            s.imageSize = 64;
            s.channels = 1;
        });
        row("approximated GELU", "  nonlinearity: gelu_new\n",
            [](VisionTransformerSpec& s) { s.activation = model::Activation::GeluTanh; });
        row("no bias of queries", "  use_projection_bias_in_attention: False\n",
            [](VisionTransformerSpec& s) { s.attentionBias = false; });
        row("epsilon", "  layer_norm_epsilon: 1.0e-6\n",
            [](VisionTransformerSpec& s) { s.normalizationEpsilon = 1e-6; });
        row("dropout", "  dropout_rate: 0.0\n  attention_dropout_rate: 0.2\n", [](VisionTransformerSpec& s) {
            s.dropout = 0.0;
            s.attentionDropout = 0.2;
        });
        row("patches by products", "  use_conv_patchified_embedding: False\n", [](VisionTransformerSpec&) {});
    }
    void readsKeys()
    {
        QFETCH(QByteArray, keys);
        QFETCH(Change, change);
        VisionTransformerSpec expected = plainSpec();
        change(expected);
        for (const std::string& text :
             {paramsWith(sizes + keys.toStdString()), trainerWith(sizes + keys.toStdString())}) {
            const ConfigContents contents = recognise(text)->read();
            const auto* spec = std::get_if<model::ModelSpec>(&contents.model);
            QVERIFY2(spec, spec ? "" : std::get<UnsupportedModel>(contents.model).sentence.c_str());
            QCOMPARE(spec->family, std::string("vit"));
            QVERIFY(std::get<VisionTransformerSpec>(spec->architecture) == expected);
            QCOMPARE(contents.sequenceLength, 1);
        }
    }

    void namesWhatTrialsDoNotHave_data()
    {
        QTest::addColumn<QByteArray>("keys");
        QTest::addColumn<QString>("named");
        const auto row = [](const char* name, const char* keys, const char* named) {
            QTest::newRow(name) << QByteArray(keys) << QString::fromLatin1(named);
        };
        row("after the branches", "  norm_first: False\n", "normalisation after each branch");
        row("no class token", "  prepend_cls_token: False\n", "no class token");
        row("pooler", "  use_encoder_pooler_layer: True\n", "pooler");
        row("fixed positions", "  position_embedding_type: fixed\n", "positions that are not learned");
        row("no positions", "  position_embedding_type: null\n", "positions that are not learned");
        row("grouped queries", "  attention_module: multiquery_attention\n", "multiquery_attention");
        row("gated", "  nonlinearity: swiglu\n", "swiglu");
        row("oblong images", "  image_size: [224, 448]\n", "not square");
        row("scaled branches", "  layerscale_value: 1.0e-5\n", "scaled branches");
        row("frozen", "  freeze: ['embed']\n", "frozen");
    }
    void namesWhatTrialsDoNotHave()
    {
        QFETCH(QByteArray, keys);
        QFETCH(QString, named);
        const ConfigContents contents = recognise(paramsWith(sizes + keys.toStdString()))->read();
        const auto* unsupported = std::get_if<UnsupportedModel>(&contents.model);
        QVERIFY(unsupported);
        QVERIFY2(QString::fromStdString(unsupported->sentence).contains(named),
                 unsupported->sentence.c_str());
        QCOMPARE(unsupported->position.line, 9);
        QVERIFY(contents.train);
    }

    void refusesWhatCannotBe_data()
    {
        QTest::addColumn<QByteArray>("keys");
        QTest::addColumn<QString>("named");
        const auto row = [](const char* name, const char* keys, const char* named) {
            QTest::newRow(name) << QByteArray(keys) << QString::fromLatin1(named);
        };
        row("one side", "  image_size: [224]\n", "a height and a width");
        row("a word", "  image_size: large\n", "list of whole numbers");
        row("patches that do not fill", "  image_size: [225, 225]\n", "not a multiple of the patch size");
        row("no channels", "  num_channels: 0\n", "at least 1");
        row("drops all", "  dropout_rate: 1.0\n", "less than 1");
    }
    void refusesWhatCannotBe()
    {
        QFETCH(QByteArray, keys);
        QFETCH(QString, named);
        const ReadingError error = errorOfReading(paramsWith(sizes + keys.toStdString()));
        QVERIFY2(error.sentence.contains(named), qPrintable(error.sentence));
        QCOMPARE(error.position.line, 9);
    }

    void saysWhereDropoutDiffers()
    {
        const ConfigContents contents =
            recognise(paramsWith(sizes + "  embedding_dropout_rate: 0.3\n"))->read();
        QCOMPARE(contents.warnings.size(), std::size_t{1});
        QCOMPARE(contents.warnings.front().position.line, 9);
    }
};

BATCHPEAK_TEST(CerebrasVisionTransformerTest)
#include "tst_cerebras_vision_transformer.moc"
