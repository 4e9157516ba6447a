// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/networks/torchtune_model.h"
#include "model/parameter_table.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak;
using namespace batchpeak::config;

namespace {

using Network = std::variant<model::ModelSpec, UnsupportedModel>;

Network read(const QString& text, std::vector<Warning>* said = nullptr)
{
    const YamlDocument document(text.toStdString());
    std::vector<Warning> warnings;
    Network network = readTorchtuneModel(*ConfigSection::root(document, Dialect::OmegaConf), warnings);
    if (said)
        *said = warnings;
    return network;
}

/// A builder that takes all sizes, with a tiny network and more arguments.
QString general(const char* builder, const char* arguments = "")
{
    return QStringLiteral(
               "{_component_: torchtune.models.x.%1, vocab_size: 512, num_layers: 2, num_heads: 4, "
               "num_kv_heads: 2, embed_dim: 64, max_seq_len: 32%2}\n")
        .arg(QLatin1String(builder), QLatin1String(arguments));
}

model::DecoderSpec decoderOf(const Network& network)
{
    const auto* spec = std::get_if<model::ModelSpec>(&network);
    return spec ? std::get<model::DecoderSpec>(spec->architecture) : model::DecoderSpec();
}

} // namespace

class TorchtuneModelTest : public QObject
{
    Q_OBJECT

private slots:
    void knowsBuildersByName_data()
    {
        QTest::addColumn<qint64>("parameters");
        QTest::addColumn<qint64>("positions");
        const auto row = [](const char* name, qint64 parameters, qint64 positions) {
            QTest::newRow(name) << parameters << positions;
        };
        // Published counts; positions are max_seq_len of the builders.
        row("llama2.llama2_7b", 6738415616, 4096);
        row("llama2.llama2_13b", 13015864320, 4096);
        row("llama2.llama2_70b", 68976648192, 4096);
        row("llama3.llama3_8b", 8030261248, 8192);
        row("llama3.llama3_70b", 70553706496, 8192);
        row("llama3_1.llama3_1_8b", 8030261248, 131072);
        row("llama3_1.llama3_1_70b", 70553706496, 131072);
        row("llama3_1.llama3_1_405b", 405853388800, 131072);
        row("llama3_2.llama3_2_1b", 1235814400, 131072);
        row("llama3_2.llama3_2_3b", 3212749824, 131072);
        row("llama3_3.llama3_3_70b", 70553706496, 131072);
        row("mistral.mistral_7b", 7241732096, 32768);
        row("qwen2.qwen2_0_5b", 494032768, 32768);
        row("qwen2.qwen2_1_5b", 1543714304, 32768);
        row("qwen2.qwen2_7b", 7615616512, 32768);
        row("qwen2_5.qwen2_5_0_5b", 494032768, 32768);
        row("qwen2_5.qwen2_5_1_5b_base", 1543714304, 131072);
        row("qwen2_5.qwen2_5_1_5b_instruct", 1543714304, 32768);
        row("qwen2_5.qwen2_5_3b", 3085938688, 32768);
        row("qwen2_5.qwen2_5_7b_base", 7615616512, 131072);
        row("qwen2_5.qwen2_5_7b_instruct", 7615616512, 32768);
        row("qwen2_5.qwen2_5_14b_base", 14770033664, 131072);
        row("qwen2_5.qwen2_5_14b_instruct", 14770033664, 32768);
        row("qwen2_5.qwen2_5_32b_base", 32763876352, 131072);
        row("qwen2_5.qwen2_5_32b_instruct", 32763876352, 32768);
        row("qwen2_5.qwen2_5_72b_base", 72706203648, 131072);
        row("qwen2_5.qwen2_5_72b_instruct", 72706203648, 32768);
        row("qwen3.qwen3_0_6b_base", 596049920, 32768);
        row("qwen3.qwen3_0_6b_instruct", 596049920, 40960);
        row("qwen3.qwen3_1_7b_base", 1720574976, 32768);
        row("qwen3.qwen3_1_7b_instruct", 1720574976, 40960);
        row("qwen3.qwen3_4b_base", 4022468096, 32768);
        row("qwen3.qwen3_4b_instruct", 4022468096, 40960);
        row("qwen3.qwen3_8b_base", 8190735360, 32768);
        row("qwen3.qwen3_8b_instruct", 8190735360, 40960);
        row("qwen3.qwen3_14b_base", 14768307200, 32768);
        row("qwen3.qwen3_14b_instruct", 14768307200, 40960);
        row("qwen3.qwen3_32b", 32762123264, 40960);
    }
    void knowsBuildersByName()
    {
        std::vector<Warning> warnings;
        const Network network =
            read(QStringLiteral("_component_: torchtune.models.") + QLatin1String(QTest::currentDataTag()),
                 &warnings);
        const auto* spec = std::get_if<model::ModelSpec>(&network);
        QVERIFY2(spec, spec ? "" : std::get<UnsupportedModel>(network).sentence.c_str());
        QTEST(qint64{model::parameterCount(*spec)}, "parameters");
        QTEST(qint64{decoderOf(network).maxPositions}, "positions");
        QCOMPARE(warnings.size(), std::size_t{0});
    }

    void readsArgumentsOfNamedBuilders()
    {
        // An output of its own: 128256 * 2048 more.
        const Network network = read(QStringLiteral(
            "{_component_: torchtune.models.llama3_2.llama3_2_1b, tie_word_embeddings: False}\n"));
        QVERIFY(std::holds_alternative<model::ModelSpec>(network));
        QCOMPARE(qint64{model::parameterCount(std::get<model::ModelSpec>(network))},
                 qint64{1235814400 + 128256LL * 2048});
    }

    void readsSizes()
    {
        const model::DecoderSpec spec =
            decoderOf(read(general("llama3", ", intermediate_dim: 192, norm_eps: 1e-6, attn_dropout: 0.1")));
        QCOMPARE(spec, (model::DecoderSpec{.vocabularySize = 512,
                                           .hiddenSize = 64,
                                           .layers = 2,
                                           .heads = 4,
                                           .keyValueHeads = 2,
                                           .feedForwardSize = 192,
                                           .maxPositions = 32,
                                           .positionEmbedding = model::PositionEmbedding::Rotary,
                                           .normalization = model::Normalization::RmsNorm,
                                           .activation = model::Activation::SwiGlu,
                                           .tiedEmbeddings = false,
                                           .attentionBias = false,
                                           .attentionOutputBias = false,
                                           .feedForwardBias = false,
                                           .normalizationEpsilon = 1e-6,
                                           .ropeTheta = 500000,
                                           .attentionDropout = 0.1}));
        // 4 * floor(2 * 64 / 3) = 168, rounded up to 256.
        QCOMPARE(decoderOf(read(general("llama2"))).feedForwardSize, std::int64_t{256});
        const model::DecoderSpec large = decoderOf(read(QStringLiteral(
            "{_component_: llama2, vocab_size: 32000, num_layers: 32, num_heads: 32, embed_dim: "
            "4096, max_seq_len: 4096}\n")));
        QCOMPARE(large.feedForwardSize, std::int64_t{11008});
        QCOMPARE(large.keyValueHeads, std::int64_t{32});
        QCOMPARE(qint64{model::parameterCount({.family = "llama", .architecture = large})},
                 qint64{6738415616});
    }

    void takesTheDefaultsOfEachBuilder_data()
    {
        QTest::addColumn<QString>("family");
        QTest::addColumn<double>("theta");
        QTest::addColumn<bool>("isTied");
        QTest::addColumn<bool>("hasBias");
        QTest::newRow("llama2") << QStringLiteral("llama") << 10000.0 << false << false;
        QTest::newRow("llama3") << QStringLiteral("llama") << 500000.0 << false << false;
        QTest::newRow("llama3_1") << QStringLiteral("llama") << 500000.0 << false << false;
        QTest::newRow("llama3_2") << QStringLiteral("llama") << 500000.0 << true << false;
        QTest::newRow("mistral") << QStringLiteral("mistral") << 10000.0 << false << false;
        QTest::newRow("qwen2") << QStringLiteral("qwen2") << 1000000.0 << false << true;
    }
    void takesTheDefaultsOfEachBuilder()
    {
        const Network network = read(general(QTest::currentDataTag()));
        QVERIFY(std::holds_alternative<model::ModelSpec>(network));
        const model::DecoderSpec spec = decoderOf(network);
        QTEST(QString::fromStdString(std::get<model::ModelSpec>(network).family), "family");
        QTEST(spec.ropeTheta, "theta");
        QTEST(spec.tiedEmbeddings, "isTied");
        QTEST(spec.attentionBias, "hasBias");
    }

    void readsQueriesAndKeys()
    {
        const model::DecoderSpec spec =
            decoderOf(read(general("qwen2", ", q_proj_bias: False, k_proj_bias: False, v_proj_bias: False, "
                                            "q_norm: True, k_norm: True, head_dim: 32")));
        QVERIFY(!spec.attentionBias);
        QVERIFY(spec.queryKeyNormalization);
        QCOMPARE(spec.headSize, std::int64_t{32});
    }

    void namesWhatIsNotRun_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("named");
        QTest::addColumn<bool>("isElsewhere");
        for (const char* name : {"lora_llama3_2_1b", "qlora_llama3_8b", "dora_llama3_8b"}) {
            QTest::newRow(name) << QStringLiteral("_component_: torchtune.models.llama.") +
                                       QLatin1String(name)
                                << QStringLiteral("adapters") << false;
        }
        QTest::newRow("another") << QStringLiteral("_component_: torchtune.models.gemma.gemma_2b")
                                 << QStringLiteral("torchtune.models.gemma.gemma_2b") << true;
        QTest::newRow("somebody's own")
            << QStringLiteral("_component_: mine.network") << QStringLiteral("mine.network") << true;
        QTest::newRow("biases of queries alone")
            << general("qwen2", ", k_proj_bias: False, v_proj_bias: False")
            << QStringLiteral("biases in some") << false;
        QTest::newRow("norm of queries alone")
            << general("qwen2", ", q_norm: True") << QStringLiteral("either queries or keys") << false;
    }
    void namesWhatIsNotRun()
    {
        QFETCH(QString, text);
        QFETCH(QString, named);
        const Network network = read(text);
        const auto* unsupported = std::get_if<UnsupportedModel>(&network);
        QVERIFY(unsupported);
        QVERIFY2(QString::fromStdString(unsupported->sentence).contains(named),
                 unsupported->sentence.c_str());
        QTEST(unsupported->isElsewhere, "isElsewhere");
        QCOMPARE(unsupported->position.line, 1);
    }

    void refuses_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("named");
        QTest::newRow("a size is missing") << QStringLiteral("{_component_: llama3, vocab_size: 512}\n")
                                           << QStringLiteral("embed_dim is missing");
        QTest::newRow("heads") << general("llama3").replace(QStringLiteral("num_kv_heads: 2"),
                                                            QStringLiteral("num_kv_heads: 3"))
                               << QStringLiteral("key-value heads");
        QTest::newRow("dropout") << general("llama3", ", attn_dropout: 1") << QStringLiteral("dropout rate");
    }
    void refuses()
    {
        QFETCH(QString, text);
        QFETCH(QString, named);
        try {
            read(text);
            QFAIL("It was read.");
        } catch (const ConfigError& error) {
            QVERIFY2(QString::fromUtf8(error.what()).contains(named), error.what());
            QCOMPARE(error.position().line, 1);
        }
    }
};

BATCHPEAK_TEST(TorchtuneModelTest)
#include "tst_torchtune_model.moc"
