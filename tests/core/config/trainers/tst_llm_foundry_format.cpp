// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config_test_data.h"
#include "model/parameter_table.h"
#include "support/test_main.h"

#include <QFileInfo>

using namespace batchpeak;
using namespace batchpeak::config;

namespace {

const QString folder = QStringLiteral(BATCHPEAK_SHARED_CONFIGS "/other/llm-foundry/");

const std::string network = "model: {name: mpt_causal_lm, d_model: 64, n_heads: 4, n_layers: 2, "
                            "vocab_size: 512, max_seq_len: 32}\n";
const std::string loaders = "train_loader: {name: text}\neval_loader: {name: text}\n";

/// A config of a tiny network; its own keys come first.
std::string withTop(const std::string& top)
{
    return top + "max_seq_len: 32\n" + network + loaders;
}

ConfigContents contentsOf(const std::string& text)
{
    return recognise(text)->read();
}

/// Warnings but for the one that every config of this trainer gets.
QStringList furtherWarningsOf(const ConfigContents& contents)
{
    QStringList sentences;
    for (const Warning& warning : contents.warnings) {
        const QString sentence = QString::fromStdString(warning.sentence);
        if (!sentence.startsWith(QLatin1String("The launcher decides")))
            sentences << sentence;
    }
    return sentences;
}

} // namespace

class LlmFoundryFormatTest : public QObject
{
    Q_OBJECT

private slots:
    void recognises_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("isOurs");
        const auto row = [](const char* name, const char* text, bool isOurs) {
            QTest::newRow(name) << QString::fromLatin1(text) << isOurs;
        };
        row("with a size", "global_train_batch_size: 8\ndevice_train_microbatch_size: 4\n", true);
        row("with a loader", "global_train_batch_size: 8\ntrain_loader: {name: text}\n", true);
        row("with a size that only a run tells",
            "global_train_batch_size: ${oc.env:B}\ndevice_train_microbatch_size: 4\n", true);
        row("batch alone", "global_train_batch_size: 8\n", false);
        row("size alone", "device_train_microbatch_size: 8\n", false);
        row("one of our own", "batchpeak: 1\nglobal_train_batch_size: 8\ntrain_loader: {}\n", false);
        row("NeMo", "model: {global_batch_size: 8, micro_batch_size: 4}\ntrainer: {devices: 1}\n", false);
        row("torchtune", "model: {_component_: a.b}\ndataset: {_component_: a.b}\nbatch_size: 4\n", false);
        row("a list", "- global_train_batch_size: 8\n", false);
    }
    void recognises()
    {
        QFETCH(QString, text);
        QFETCH(bool, isOurs);
        std::string name;
        try {
            name = recognise(text.toStdString())->name();
        } catch (const ConfigError&) {
        }
        QCOMPARE(name == "LLM-Foundry", isOurs);
    }

    void readsTheBatch_data()
    {
        QTest::addColumn<QString>("top");
        QTest::addColumn<QString>("setting");
        QTest::addColumn<qint64>("size");
        QTest::addColumn<qint64>("evalSize");
        const auto row = [](const char* name, const char* top, const char* setting, qint64 size,
                            qint64 evalSize) {
            QTest::newRow(name) << QStringLiteral("global_train_batch_size: 256\n") + QString::fromLatin1(top)
                                << QString::fromLatin1(setting) << size << evalSize;
        };
        row("a number", "device_train_microbatch_size: 16\ndevice_eval_batch_size: 8\n", "explore", 16, 8);
        row("auto", "device_train_microbatch_size: auto\ndevice_eval_batch_size: 8\n", "auto", 0, 8);
        row("quoted auto", "device_train_microbatch_size: 'auto'\n", "auto", 0, 1);
        row("nothing said", "", "auto", 0, 1);
        row("evaluation not said", "device_train_microbatch_size: 16\n", "explore", 16, 16);
        row("by another value", "device_train_microbatch_size: ${variables.n}\nvariables: {n: 4}\n",
            "explore", 4, 4);
        row("parts of samples", "device_train_microbatch_size: 0.5\n", "explore", 0, 0);
        row("above the batch", "device_train_microbatch_size: 512\n", "explore", 256, 256);
    }
    void readsTheBatch()
    {
        QFETCH(QString, top);
        const ConfigContents contents = contentsOf(withTop(top.toStdString()));
        QVERIFY(contents.train && contents.eval);
        QCOMPARE(contents.train->globalBatchSize, std::int64_t{256});
        QCOMPARE(contents.train->devices, std::int64_t{1});
        QVERIFY(!contents.train->knowsDevices && !contents.eval->knowsDevices);
        QTEST(QString::fromStdString(toText(contents.train->setting)), "setting");
        QTEST(qint64{contents.train->presentSize.value_or(0)}, "size");
        QCOMPARE(contents.train->microBatchKey, std::string("device_train_microbatch_size"));
        QCOMPARE(contents.train->globalBatchKey, std::string("global_train_batch_size"));
        QTEST(qint64{contents.eval->presentSize.value_or(0)}, "evalSize");
        QCOMPARE(contents.eval->setting, Setting(Explore{}));
        QCOMPARE(contents.eval->microBatchKey, std::string("device_eval_batch_size"));
        QVERIFY(!contents.warnings.empty());
        QVERIFY(QString::fromStdString(contents.warnings[0].sentence).contains(QLatin1String("divided by")));
        QCOMPARE(contents.warnings[0].position, (TextPosition{.line = 1, .column = 26}));
    }

    void hasNoEvaluationWithoutData()
    {
        const std::string text = "global_train_batch_size: 8\ntrain_loader: {name: text}\nmax_seq_len: 32\n";
        QVERIFY(!contentsOf(text + network).eval);
        QVERIFY(contentsOf(text + network + "icl_tasks: tasks.yaml\n").eval);
        QVERIFY(contentsOf(text + network + "eval_loader: [{label: a}, {label: b}]\n").eval);
        QVERIFY_THROWS_EXCEPTION(
            ConfigError, recognise(text + network)
                             ->withMicroBatchSize({.phase = model::Phase::Eval, .microBatchSize = 4}));
    }

    void refusesIllegalValues_data()
    {
        QTest::addColumn<QString>("top");
        QTest::addColumn<QString>("named");
        QTest::addColumn<int>("line");
        QTest::addColumn<int>("column");
        const auto row = [](const char* top, const char* named, int line, int column) {
            QTest::newRow(QByteArray(top).simplified().constData())
                << QString::fromLatin1(top) << QString::fromLatin1(named) << line << column;
        };
        row("global_train_batch_size:\n", "global_train_batch_size is empty", 1, 1);
        row("global_train_batch_size: 0\n", "at least 1 sample", 1, 26);
        row("global_train_batch_size: many\n", "must be a whole number", 1, 26);
        row("global_train_batch_size: 8\ndevice_train_microbatch_size: most\n",
            "must be a whole number or auto, but is \"most\"", 2, 31);
        row("global_train_batch_size: 8\ndevice_train_microbatch_size: '4'\n", "the text \"4\"", 2, 31);
        row("global_train_batch_size: 8\ndevice_train_microbatch_size:\n", "is empty", 2, 1);
        row("global_train_batch_size: 8\ndevice_train_microbatch_size: 0\n", "at least 1 sample", 2, 31);
        row("global_train_batch_size: 8\ndevice_train_microbatch_size: -0.5\n", "whole number", 2, 31);
        row("global_train_batch_size: 8\ndevice_train_microbatch_size: ${oc.env:M}\n", "${oc.env:M}", 2, 31);
        row("global_train_batch_size: 8\ndevice_eval_batch_size: auto\n", "must be a whole number, but", 2,
            25);
        row("global_train_batch_size: 8\nprecision: bf16\n", "write amp_bf16", 2, 12);
        row("global_train_batch_size: 8\nalgorithms: {gradient_clipping: {clipping_type: most}}\n",
            "write norm, value or adaptive", 2, 49);
        row("global_train_batch_size: 8\nalgorithms: {gradient_clipping: {clipping_type: norm, "
            "clipping_threshold: -1}}\n",
            "must be at least 0", 2, 75);
    }
    void refusesIllegalValues()
    {
        QFETCH(QString, top);
        QFETCH(QString, named);
        const ReadingError error = errorOfReading(withTop(top.toStdString()));
        QVERIFY2(error.sentence.contains(named), qPrintable(error.sentence));
        QTEST(error.position.line, "line");
        QTEST(error.position.column, "column");
    }

    void refusesSequencesThatCannotBe()
    {
        const std::string top = "global_train_batch_size: 8\ntrain_loader: {}\n";
        const ReadingError error = errorOfReading(top + "max_seq_len: 64\n" + network);
        QVERIFY2(error.sentence.contains(QStringLiteral("above the 32 positions")),
                 qPrintable(error.sentence));
        QCOMPARE(error.position, (TextPosition{.line = 3, .column = 14}));
        QVERIFY(
            errorOfReading(top + "max_seq_len: 0\n" + network).sentence.contains(QStringLiteral("1 token")));
        QCOMPARE(contentsOf(top + "max_seq_len: 16\n" + network).sequenceLength, std::int64_t{16});
        QCOMPARE(contentsOf(top + network).sequenceLength, std::int64_t{32});
        QCOMPARE(contentsOf(top).sequenceLength, std::int64_t{0});
    }

    void readsTheRun_data()
    {
        QTest::addColumn<QString>("top");
        QTest::addColumn<QString>("run");
        QTest::addColumn<QStringList>("warnings");
        const auto row = [](const char* name, const char* top, const char* run, const QStringList& warnings) {
            QTest::newRow(name) << QString::fromLatin1(top) << QString::fromLatin1(run) << warnings;
        };
        row("nothing said", "", "bf16 adamw 0 whole", {});
        row("amp_bf16", "precision: amp_bf16\n", "bf16 adamw 0 whole", {});
        row("amp_fp16", "precision: amp_fp16\n", "bf16 adamw 0 whole", {QStringLiteral("loss scaling")});
        row("amp_fp8", "precision: amp_fp8\n", "bf16 adamw 0 whole", {QStringLiteral("8-bit products")});
        row("fp32", "precision: fp32\n", "tf32 adamw 0 whole", {});
        row("decoupled AdamW", "optimizer: {name: decoupled_adamw}\n", "bf16 adamw 0 whole", {});
        row("Lion", "optimizer: {name: decoupled_lionw}\n", "bf16 adamw 0 whole",
            {QStringLiteral("decoupled_lionw")});
        row("norm of gradients",
            "algorithms: {gradient_clipping: {clipping_type: norm, clipping_threshold: 0.5}}\n",
            "bf16 adamw 0.5 whole", {});
        row("clipping by value",
            "algorithms: {gradient_clipping: {clipping_type: value, clipping_threshold: 0.5}}\n",
            "bf16 adamw 0 whole", {QStringLiteral("by value")});
        row("another algorithm", "algorithms: {low_precision_layernorm: {}}\n", "bf16 adamw 0 whole",
            {QStringLiteral("low_precision_layernorm")});
        row("sharding", "fsdp_config: {sharding_strategy: FULL_SHARD}\n", "bf16 adamw 0 whole",
            {QStringLiteral("FSDP spreads")});
        row("sharding by default", "fsdp_config: {}\n", "bf16 adamw 0 whole",
            {QStringLiteral("FSDP spreads")});
        row("no sharding", "fsdp_config: {sharding_strategy: NO_SHARD}\n", "bf16 adamw 0 whole", {});
        row("no FSDP", "fsdp_config: null\n", "bf16 adamw 0 whole", {});
        row("checkpointing", "fsdp_config: {sharding_strategy: NO_SHARD, activation_checkpointing: true}\n",
            "bf16 adamw 0 again", {});
        row("offload", "fsdp_config: {sharding_strategy: NO_SHARD, activation_cpu_offload: true}\n",
            "bf16 adamw 0 whole", {QStringLiteral("activation_cpu_offload")});
        row("compiled", "compile_config: {}\n", "bf16 adamw 0 whole", {QStringLiteral("not compiled")});
        row("accumulation", "device_train_grad_accum: 4\n", "bf16 adamw 0 whole",
            {QStringLiteral("device_train_grad_accum")});
    }
    void readsTheRun()
    {
        QFETCH(QString, top);
        QFETCH(QStringList, warnings);
        const ConfigContents contents =
            contentsOf(withTop("global_train_batch_size: 8\n" + top.toStdString()));
        const QString run = QString::fromStdString(std::string(model::toText(contents.precision)) + " " +
                                                   std::string(model::toText(contents.optimizer))) +
                            QStringLiteral(" %1 ").arg(contents.step.maxGradientNorm) +
                            QLatin1String(contents.step.activationCheckpointing ? "again" : "whole");
        QTEST(run, "run");
        const QStringList said = furtherWarningsOf(contents);
        QCOMPARE(said.size(), warnings.size());
        for (qsizetype i = 0; i < said.size(); ++i)
            QVERIFY2(said[i].contains(warnings[i]), qPrintable(said[i]));
    }

    void readsWeightsIn16Bits()
    {
        const ConfigContents contents =
            contentsOf("global_train_batch_size: 8\ntrain_loader: {dataset: {packing_ratio: auto}}\n"
                       "model: {name: mpt_causal_lm, d_model: 64, n_heads: 4, master_weights_dtype: bf16}\n");
        QCOMPARE(contents.precision, model::Precision::PureBf16);
        QCOMPARE(furtherWarningsOf(contents).size(), qsizetype{2});
        QVERIFY(furtherWarningsOf(contents).at(0).contains(QStringLiteral("master_weights_dtype")));
        QVERIFY(furtherWarningsOf(contents).at(1).contains(QStringLiteral("packing_ratio")));
    }

    void readsNetworksOfTheHub_data()
    {
        QTest::addColumn<QString>("keys");
        QTest::addColumn<qint64>("parameters");
        // 124439808 with 1024 positions of 768 each.
        QTest::newRow("GPT-2") << QString() << qint64{124439808};
        QTest::newRow("positions") << QStringLiteral(", config_overrides: {n_positions: 2048}")
                                   << qint64{124439808 + 1024 * 768};
        QTest::newRow("positions by the other name")
            << QStringLiteral(", config_overrides: {max_position_embeddings: 2048}")
            << qint64{124439808 + 1024 * 768};
        // A layer has 12 D^2 + 13 D with the D of 768.
        QTest::newRow("layers") << QStringLiteral(", config_overrides: {num_hidden_layers: 6}")
                                << qint64{124439808 - 6 * (12 * 768 * 768 + 13 * 768)};
        QTest::newRow("what costs nothing")
            << QStringLiteral(", config_overrides: {use_cache: False, rope_scaling: {factor: 2}, note: w}")
            << qint64{124439808};
        QTest::newRow("no overrides") << QStringLiteral(", config_overrides: {}") << qint64{124439808};
    }
    void readsNetworksOfTheHub()
    {
        QFETCH(QString, keys);
        const ConfigContents contents =
            contentsOf("global_train_batch_size: 8\ntrain_loader: {}\nmodel: {name: hf_causal_lm, "
                       "pretrained_model_name_or_path: gpt2" +
                       keys.toStdString() + "}\n");
        const auto* spec = std::get_if<model::ModelSpec>(&contents.model);
        QVERIFY2(spec, spec ? "" : std::get<UnsupportedModel>(contents.model).sentence.c_str());
        QTEST(qint64{model::parameterCount(*spec)}, "parameters");
    }

    void readsOverridesOfEveryKind()
    {
        const std::string text = "global_train_batch_size: 8\ntrain_loader: {}\nmodel: {name: hf_causal_lm, "
                                 "pretrained_model_name_or_path: gpt2, config_overrides: ";
        const ConfigContents contents =
            contentsOf(text + "{activation_function: relu, tie_word_embeddings: no, attn_pdrop: 0.5, "
                              "n_positions: '${n}'}}\nn: 0x20\n");
        QVERIFY(std::holds_alternative<model::ModelSpec>(contents.model));
        const auto spec =
            std::get<model::DecoderSpec>(std::get<model::ModelSpec>(contents.model).architecture);
        QCOMPARE(spec.activation, model::Activation::Relu);
        QVERIFY(!spec.tiedEmbeddings);
        QCOMPARE(spec.attentionDropout, 0.5);
        QCOMPARE(spec.maxPositions, std::int64_t{32});

        const ReadingError error = errorOfReading(text + "{n_positions: 0}}\n");
        QVERIFY2(error.sentence.contains(QStringLiteral("n_positions is 0")), qPrintable(error.sentence));
        QCOMPARE(error.position, (TextPosition{.line = 3, .column = 60}));
    }

    void readsTargetsOfT5()
    {
        const ConfigContents contents =
            contentsOf("global_train_batch_size: 8\ntrain_loader: {}\nmax_seq_len: 256\n"
                       "model: {name: hf_t5, pretrained_model_name_or_path: t5-small}\n");
        QVERIFY(std::holds_alternative<model::ModelSpec>(contents.model));
        QCOMPARE(contents.sequenceLength, std::int64_t{256});
        QCOMPARE(contents.targetLength.value_or(0), std::int64_t{256});
    }

    void namesNetworksThatAreNotRun_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("named");
        QTest::addColumn<bool>("isElsewhere");
        const auto row = [](const char* name, const char* model, const char* named, bool isElsewhere) {
            QTest::newRow(name) << QString::fromLatin1(model) << QString::fromLatin1(named) << isElsewhere;
        };
        row("none", "", "The config has no model", true);
        row("another class", "model: {name: my_lm}\n", "\"my_lm\"", true);
        row("unknown id", "model: {name: hf_causal_lm, pretrained_model_name_or_path: me/mine}\n", "me/mine",
            true);
        row("adapters",
            "model: {name: hf_causal_lm, pretrained_model_name_or_path: gpt2, peft_config: {r: 8}}\n",
            "model.peft_config", false);
        row("8 bits",
            "model: {name: hf_causal_lm, pretrained_model_name_or_path: gpt2, load_in_8bit: true}\n",
            "weights in 8 bits", false);
        row("several GPUs a layer",
            "model: {name: hf_causal_lm, pretrained_model_name_or_path: gpt2}\ntp_config: {strategy: ffn}\n",
            "tp_config", false);
    }
    void namesNetworksThatAreNotRun()
    {
        QFETCH(QString, model);
        QFETCH(QString, named);
        const ConfigContents contents =
            contentsOf("global_train_batch_size: 8\ntrain_loader: {}\n" + model.toStdString());
        const auto* unsupported = std::get_if<UnsupportedModel>(&contents.model);
        QVERIFY(unsupported);
        QVERIFY2(QString::fromStdString(unsupported->sentence).contains(named),
                 unsupported->sentence.c_str());
        QTEST(unsupported->isElsewhere, "isElsewhere");
        QVERIFY(unsupported->position.line > 0);
    }

    void readsRealConfigs_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<qint64>("parameters");
        QTest::addColumn<qint64>("size");
        QTest::newRow("MPT-125M") << QStringLiteral("mpt-125m.yaml") << qint64{125311488} << qint64{16};
        // 2048 positions in place of 1024.
        QTest::newRow("GPT-2") << QStringLiteral("gpt2-small.yaml") << qint64{125226240} << qint64{4};
    }
    void readsRealConfigs()
    {
        QFETCH(QString, file);
        if (!QFileInfo::exists(folder + file))
            QSKIP("The shared configs are not on this computer.");
        const std::string text = textOf(folder + file);
        const auto format = recognise(text);
        QCOMPARE(format->name(), std::string_view("LLM-Foundry"));
        const ConfigContents contents = format->read();
        const auto* spec = std::get_if<model::ModelSpec>(&contents.model);
        QVERIFY(spec);
        QTEST(qint64{model::parameterCount(*spec)}, "parameters");
        QCOMPARE(contents.train->globalBatchSize, std::int64_t{256});
        QTEST(qint64{contents.train->presentSize.value_or(0)}, "size");
        QTEST(qint64{contents.eval->presentSize.value_or(0)}, "size");
        QCOMPARE(contents.sequenceLength, std::int64_t{2048});
        QCOMPARE(contents.precision, model::Precision::Bf16);
        QCOMPARE(contents.step.maxGradientNorm, 1.0);
        QVERIFY(!contents.step.activationCheckpointing);
        QCOMPARE(furtherWarningsOf(contents).size(), qsizetype{1});

        for (model::Phase phase : phasesOf(contents)) {
            const std::string after = format->withMicroBatchSize({.phase = phase, .microBatchSize = 32}).text;
            const auto [removed, added] = differenceOf(text, after);
            QCOMPARE(QString::fromStdString(removed), QString::number(*contents.plan(phase)->presentSize));
            QCOMPARE(added, std::string("32"));
            QCOMPARE(recognise(after)->read().plan(phase)->presentSize.value_or(0), std::int64_t{32});
        }
    }
};

BATCHPEAK_TEST(LlmFoundryFormatTest)
#include "tst_llm_foundry_format.moc"
