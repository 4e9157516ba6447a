// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/networks/mpt_model.h"
#include "model/parameter_table.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak;
using namespace batchpeak::config;

namespace {

/// A tiny network with more keys, as one flow mapping.
std::string tiny(const std::string& keys)
{
    return "{name: mpt_causal_lm, d_model: 64, n_heads: 4, n_layers: 2, vocab_size: 512, max_seq_len: 32" +
           keys + "}\n";
}

struct Reading
{
    std::variant<model::ModelSpec, UnsupportedModel> model;
    std::vector<Warning> warnings;
};

Reading read(const std::string& text)
{
    const YamlDocument document(text);
    Reading reading;
    reading.model = readMptModel(*ConfigSection::root(document, Dialect::OmegaConf), reading.warnings);
    return reading;
}

model::DecoderSpec decoderOf(const Reading& reading)
{
    const auto* spec = std::get_if<model::ModelSpec>(&reading.model);
    return spec ? std::get<model::DecoderSpec>(spec->architecture) : model::DecoderSpec();
}

} // namespace

class MptModelTest : public QObject
{
    Q_OBJECT

private slots:
    void countsParameters_data()
    {
        QTest::addColumn<QString>("keys");
        QTest::addColumn<qint64>("parameters");
        const auto row = [](const char* name, const char* keys, qint64 parameters) {
            QTest::newRow(name) << QString::fromLatin1(keys) << parameters;
        };
        // V D + S D + L (4 (D^2 + D) + (D F + F) + (F D + D) + 4 D) + 2 D with the V of 50368, D of 768, S of
        // 2048, L of 12 and F of 4 * 768: 38682624 + 1572864 + 12 * 7087872 + 1536.
        row("mpt-125m", "{d_model: 768, n_heads: 12, n_layers: 12, expansion_ratio: 4}", 125311488);
        // The defaults of MPTConfig: D 2048, L 24, F 8192.
        row("nothing said", "{name: mpt_causal_lm}",
            50368LL * 2048 + 2048LL * 2048 +
                24 * (4 * (2048LL * 2048 + 2048) + 2 * 2048LL * 8192 + 8192 + 2048 + 4 * 2048) + 2 * 2048);
        // Without positions to learn; the norms keep the biases that no_bias takes away.
        row("no biases, ALiBi",
            "{d_model: 768, n_heads: 12, n_layers: 12, no_bias: true, attn_config: {alibi: true}}",
            50368LL * 768 + 12 * (4 * 768LL * 768 + 2 * 768LL * 3072 + 4 * 768) + 2 * 768);
        // Keys and values of 3 of the 12 heads, a gate in every feed-forward layer, and an output of its own.
        row("LLaMA-like",
            "{d_model: 768, n_heads: 12, n_layers: 2, no_bias: true, norm_type: low_precision_rmsnorm, "
            "tie_word_embeddings: false, attn_config: {attn_type: grouped_query_attention, kv_n_heads: 3, "
            "rope: true}, ffn_config: {ffn_type: mptglu, ffn_hidden_size: 2048, ffn_act_fn: {name: silu}}}",
            2 * 50368LL * 768 + 2 * (2 * 768LL * 768 + 2 * 768LL * 192 + 3 * 768LL * 2048 + 2 * 768) + 768);
    }
    void countsParameters()
    {
        QFETCH(QString, keys);
        const Reading reading = read(keys.toStdString());
        const auto* spec = std::get_if<model::ModelSpec>(&reading.model);
        QVERIFY2(spec, spec ? "" : std::get<UnsupportedModel>(reading.model).sentence.c_str());
        QCOMPARE(spec->family, std::string("mpt"));
        QTEST(qint64{model::parameterCount(*spec)}, "parameters");
    }

    void readsKeys()
    {
        using model::Activation;
        using model::Normalization;
        using model::PositionEmbedding;
        const model::DecoderSpec plain = decoderOf(read(tiny("")));
        QCOMPARE(plain.positionEmbedding, PositionEmbedding::Learned);
        QCOMPARE(plain.maxPositions, std::int64_t{32});
        QCOMPARE(plain.normalization, Normalization::LayerNorm);
        QCOMPARE(plain.activation, Activation::Gelu);
        QCOMPARE(plain.keyValueHeads, std::int64_t{4});
        QVERIFY(plain.tiedEmbeddings && plain.attentionBias && plain.feedForwardBias);

        const auto with = [](const char* keys) { return decoderOf(read(tiny(keys))); };
        QCOMPARE(with(", attn_config: {alibi: true}").positionEmbedding, PositionEmbedding::Alibi);
        const model::DecoderSpec rotary = with(", attn_config: {rope: true, rope_theta: 500000}");
        QCOMPARE(rotary.positionEmbedding, PositionEmbedding::Rotary);
        QCOMPARE(rotary.ropeTheta, 500000.0);
        QCOMPARE(with(", attn_config: {attn_type: multiquery_attention}").keyValueHeads, std::int64_t{1});
        QCOMPARE(with(", expansion_ratio: 2.5").feedForwardSize, std::int64_t{160});
        QCOMPARE(with(", head_dim: 32").headSize, std::int64_t{32});
        QCOMPARE(with(", norm_type: LayerNorm").normalization, Normalization::LayerNorm);
        QCOMPARE(with(", norm_type: triton_rmsnorm").normalization, Normalization::RmsNorm);
        QCOMPARE(with(", norm_eps: 1e-6").normalizationEpsilon, 1e-6);
        QCOMPARE(with(", ffn_config: {ffn_type: mptglu}").activation, Activation::GeGlu);
        QCOMPARE(with(", ffn_config: {ffn_act_fn: {name: gelu, approximate: tanh}}").activation,
                 Activation::GeluTanh);
        QCOMPARE(with(", ffn_config: {ffn_act_fn: {name: relu}}").activation, Activation::Relu);
        const model::DecoderSpec mixed = with(", no_bias: true, attention_bias: true");
        QVERIFY(mixed.attentionBias && !mixed.attentionOutputBias && !mixed.feedForwardBias);
        const model::DecoderSpec dropping =
            with(", resid_pdrop: 0.1, emb_pdrop: 0.1, attn_config: {attn_pdrop: 0.2}");
        QCOMPARE(dropping.dropout, 0.1);
        QCOMPARE(dropping.attentionDropout, 0.2);
    }

    void warns_data()
    {
        QTest::addColumn<QString>("keys");
        QTest::addColumn<QString>("named");
        QTest::newRow("nothing") << QString() << QString();
        QTest::newRow("clipping") << QStringLiteral(", attn_config: {clip_qkv: 6}")
                                  << QStringLiteral("clip_qkv");
        QTest::newRow("no biases") << QStringLiteral(", no_bias: true") << QStringLiteral("no_bias");
        QTest::newRow("no biases to leave out")
            << QStringLiteral(", no_bias: true, norm_type: rmsnorm") << QString();
        QTest::newRow("dropout of embeddings")
            << QStringLiteral(", emb_pdrop: 0.1") << QStringLiteral("emb_pdrop");
    }
    void warns()
    {
        QFETCH(QString, keys);
        QFETCH(QString, named);
        const Reading reading = read(tiny(keys.toStdString()));
        QCOMPARE(reading.warnings.size(), std::size_t(named.isEmpty() ? 0 : 1));
        if (!named.isEmpty())
            QVERIFY(QString::fromStdString(reading.warnings[0].sentence).contains(named));
    }

    void namesWhatTrialsDoNotHave_data()
    {
        QTest::addColumn<QString>("keys");
        QTest::addColumn<QString>("named");
        const auto row = [](const char* keys, const char* named) {
            QTest::newRow(named) << QString::fromLatin1(keys) << QString::fromLatin1(named);
        };
        row(", attn_config: {qk_ln: true}", "attn_config.qk_ln");
        row(", attn_config: {qk_gn: true}", "attn_config.qk_gn");
        row(", attn_config: {prefix_lm: true}", "attn_config.prefix_lm");
        row(", attn_config: {attn_logit_softcapping: 30}", "attn_config.attn_logit_softcapping");
        row(", attn_config: {sliding_window_size: 16}", "attn_config.sliding_window_size");
        row(", attn_config: {attn_type: another}", "the attention \"another\"");
        row(", final_logit_softcapping: 30", "final_logit_softcapping");
        row(", block_overrides: {order: []}", "block_overrides");
        row(", learned_pos_emb: false", "no position embedding");
        row(", norm_type: groupnorm", "the normalisation \"groupnorm\"");
        row(", ffn_config: {ffn_type: mb_dmoe}", "\"mb_dmoe\"");
        row(", ffn_config: {ffn_act_fn: {name: quick_gelu}}", "ffn_config.ffn_act_fn");
    }
    void namesWhatTrialsDoNotHave()
    {
        QFETCH(QString, keys);
        QFETCH(QString, named);
        const Reading reading = read(tiny(keys.toStdString()));
        const auto* unsupported = std::get_if<UnsupportedModel>(&reading.model);
        QVERIFY(unsupported);
        QVERIFY2(QString::fromStdString(unsupported->sentence).contains(named),
                 unsupported->sentence.c_str());
        QCOMPARE(unsupported->position.line, 1);
        QVERIFY(!unsupported->isElsewhere);
    }

    void refuses_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("named");
        const auto row = [](const char* text, const char* named) {
            QTest::newRow(text) << QString::fromLatin1(text) << QString::fromLatin1(named);
        };
        row("{d_model: 64, n_heads: 5}", "5");
        row("{d_model: 0}", "d_model is 0");
        row("{d_model: 1e30}", "d_model must be a whole number");
        row("{n_layers: 100000}", "more than any network has");
        row("{d_model: 64, expansion_ratio: 2.51}", "is no whole number");
        row("{expansion_ratio: -1}", "must be above 0");
        row("{expansion_ratio: 1e300}", "more than any network has");
        row("{attn_config: {attn_type: grouped_query_attention}}", "kv_n_heads is missing");
        row("{n_heads: 16, attn_config: {attn_type: grouped_query_attention, kv_n_heads: 3}}", "key-value");
        row("{resid_pdrop: 1.5}", "dropout rate");
    }
    void refuses()
    {
        QFETCH(QString, text);
        QFETCH(QString, named);
        try {
            read(text.toStdString());
            QFAIL("It was read.");
        } catch (const ConfigError& error) {
            QVERIFY2(QString::fromUtf8(error.what()).contains(named), error.what());
            QCOMPARE(error.position().line, 1);
        }
    }
};

BATCHPEAK_TEST(MptModelTest)
#include "tst_mpt_model.moc"
