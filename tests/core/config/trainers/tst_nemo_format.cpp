// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config_test_data.h"
#include "model/parameter_table.h"
#include "support/test_main.h"

#include <QFileInfo>

using namespace batchpeak;
using namespace batchpeak::config;

namespace {

const QString realFile = QStringLiteral(BATCHPEAK_SHARED_CONFIGS "/other/nemo/megatron_gpt_config.yaml");

const std::string trainer = "trainer: {devices: 2, num_nodes: 1, precision: bf16, gradient_clip_val: 1.0}\n";
const std::string network =
    "  encoder_seq_length: 32\n  num_layers: 2\n  hidden_size: 64\n  num_attention_heads: 4\n"
    "  tokenizer: {library: megatron, type: GPT2BPETokenizer}\n";

/// A config on 2 data-parallel devices.
std::string withModel(const std::string& lines)
{
    return trainer + "model:\n" + network + lines;
}

const std::string batch = "  micro_batch_size: 4 # four\n  global_batch_size: 32\n";

ConfigContents contentsOf(const std::string& text)
{
    return recognise(text)->read();
}

} // namespace

class NemoFormatTest : public QObject
{
    Q_OBJECT

private slots:
    void recognises_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<bool>("isTaken");
        const auto row = [](const char* name, const std::string& text, bool isTaken) {
            QTest::newRow(name) << QByteArray::fromStdString(text) << isTaken;
        };
        row("both sizes", withModel(batch), true);
        row("a global batch alone", "trainer: {}\nmodel: {global_batch_size: 8}\n", true);
        row("no trainer", "model: {micro_batch_size: 8, global_batch_size: 8}\n", false);
        row("no sizes", "trainer: {devices: 1}\nmodel: {num_layers: 2}\n", false);
        row("no section", "trainer: {devices: 1}\nmodel: gpt\nmicro_batch_size: 4\n", false);
        row("axolotl's", "base_model: a/b\nmicro_batch_size: 4\ngradient_accumulation_steps: 2\n", false);
        row("Cerebras' Trainer",
            "trainer: {init: {model: {name: gpt2}}, fit: {train_dataloader: {batch_size: 8}}}\n", false);
    }
    void recognises()
    {
        QFETCH(QByteArray, text);
        bool isNemo = false;
        try {
            isNemo = recognise(text.toStdString())->name() == "NeMo";
        } catch (const ConfigError&) {
            isNemo = false;
        }
        QTEST(isNemo, "isTaken");
    }

    void readsBatches_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<qint64>("size");
        QTest::addColumn<qint64>("batch");
        QTest::addColumn<qint64>("devices");
        QTest::addColumn<bool>("knowsDevices");
        const auto row = [](const char* name, const std::string& text, qint64 size, qint64 samples,
                            qint64 devices, bool knowsDevices = true) {
            QTest::newRow(name) << QByteArray::fromStdString(text) << size << samples << devices
                                << knowsDevices;
        };
        const auto on = [](const std::string& devices, const std::string& lines = batch) {
            return "trainer: {" + devices + "}\nmodel:\n" + network + lines;
        };
        row("both", withModel(batch), 4, 32, 2);
        row("without a global batch", withModel("  micro_batch_size: 4\n"), 4, 8, 2);
        row("without a size", withModel("  global_batch_size: 32\n"), 0, 32, 2);
        row("a size that stands for another",
            withModel(
                "  micro_batch_size: ${.num_layers}\n  global_batch_size: ${model.encoder_seq_length}\n"),
            2, 32, 2);
        row("nodes", on("devices: 8, num_nodes: 2"), 4, 32, 16);
        row("a list of devices", on("devices: [0, 1, 3]"), 4, 32, 3);
        row("a text of devices", on("devices: '0,1'"), 4, 32, 2);
        row("all devices", on("devices: -1"), 4, 32, 1, false);
        row("automatic devices", on("devices: auto"), 4, 32, 1, false);
        row("no devices", on("num_nodes: 1"), 4, 32, 1, false);
        row("tensor, pipeline and context parallel",
            on("devices: 16", batch + "  tensor_model_parallel_size: 2\n  pipeline_model_parallel_size: 2\n"
                                      "  context_parallel_size: 2\n"),
            4, 32, 2);
        row("too few devices", on("devices: 6", batch + "  tensor_model_parallel_size: 4\n"), 4, 32, 1,
            false);
    }
    void readsBatches()
    {
        QFETCH(QByteArray, text);
        const ConfigContents contents = contentsOf(text.toStdString());
        const BatchPlan plan = *contents.train;
        QTEST(qint64{plan.presentSize.value_or(0)}, "size");
        QTEST(qint64{plan.globalBatchSize}, "batch");
        QTEST(qint64{plan.devices}, "devices");
        QTEST(plan.knowsDevices, "knowsDevices");
        QCOMPARE(plan.setting, Setting(Explore{}));
        QCOMPARE(plan.microBatchKey, std::string("model.micro_batch_size"));
        QCOMPARE(plan.globalBatchKey, std::string("model.global_batch_size"));
        QVERIFY(contents.eval == contents.train);
    }

    void readsTheRun_data()
    {
        QTest::addColumn<QByteArray>("trainer");
        QTest::addColumn<QByteArray>("lines");
        QTest::addColumn<int>("precision");
        QTest::addColumn<double>("norm");
        QTest::addColumn<bool>("recomputes");
        const auto row = [](const char* name, const char* settings, const char* lines,
                            model::Precision precision, double norm, bool recomputes) {
            QTest::newRow(name) << QByteArray(settings) << QByteArray(lines) << static_cast<int>(precision)
                                << norm << recomputes;
        };
        using model::Precision;
        row("defaults", "devices: 1", "", Precision::Fp32, 0.0, false);
        row("fp32", "devices: 1, precision: 32", "", Precision::Fp32, 0.0, false);
        row("bf16", "devices: 1, precision: bf16, gradient_clip_val: 2", "", Precision::Bf16, 2.0, false);
        row("bf16 by name", "devices: 1, precision: bf16-mixed", "", Precision::Bf16, 0.0, false);
        row("the model's", "devices: 1, precision: bf16", "  precision: 32\n", Precision::Fp32, 0.0, false);
        row("recomputation", "devices: 1", "  activations_checkpoint_granularity: full\n", Precision::Fp32,
            0.0, true);
    }
    void readsTheRun()
    {
        QFETCH(QByteArray, trainer);
        QFETCH(QByteArray, lines);
        const ConfigContents contents =
            contentsOf("trainer: {" + trainer.toStdString() + "}\nmodel:\n" + network +
                       "  optim: {name: fused_adam}\n" + batch + lines.toStdString());
        QTEST(static_cast<int>(contents.precision), "precision");
        QTEST(contents.step.maxGradientNorm, "norm");
        QTEST(contents.step.activationCheckpointing, "recomputes");
        QCOMPARE(contents.optimizer, model::Optimizer::AdamW);
        QCOMPARE(contents.sequenceLength, 32);
        QVERIFY2(contents.warnings.empty(), qPrintable(warningsOf(contents)));
    }

    void tellsOfGradientsWithO2()
    {
        const ConfigContents contents = contentsOf(withModel(batch + "  megatron_amp_O2: True\n"));
        QCOMPARE(contents.precision, model::Precision::PureBf16);
        QVERIFY2(warningsOf(contents).contains(QStringLiteral("gradients in fp32")),
                 qPrintable(warningsOf(contents)));
    }

    void warns_data()
    {
        QTest::addColumn<QByteArray>("lines");
        QTest::addColumn<QString>("named");
        QTest::addColumn<int>("line");
        const auto row = [](const char* lines, const char* named, int line) {
            QTest::newRow(qPrintable(QString::fromLatin1(lines).simplified()))
                << QByteArray(lines) << QString::fromLatin1(named) << line;
        };
        row("  global_batch_size: 32\n", "model.micro_batch_size is not there", 8);
        row("  micro_batch_size: 3\n  global_batch_size: 32\n", "no multiple of micro-batches of 3 on 2", 8);
        row("  micro_batch_size: 4\n  rampup_batch_size: [8, 8, 100]\n", "rampup_batch_size", 9);
        row("  micro_batch_size: 4\n  optim: {name: lamb}\n", "lamb", 9);
        row("  micro_batch_size: 4\n  optim: {name: distributed_fused_adam}\n", "spreads the optimizer", 9);
        row("  micro_batch_size: 4\n  fp8: True\n", "FP8", 9);
        row("  micro_batch_size: 4\n  fsdp: True\n", "FSDP", 9);
        row("  micro_batch_size: 4\n  cpu_offloading: True\n", "host", 9);
        row("  micro_batch_size: 4\n  precision: 16\n", "float16", 9);
        row("  micro_batch_size: 4\n  activations_checkpoint_granularity: selective\n", "selective", 9);
        row("  micro_batch_size: 4\n  data: {train_ds: {micro_batch_size: 2}}\n", "model.data.train_ds", 9);
    }
    void warns()
    {
        QFETCH(QByteArray, lines);
        QFETCH(QString, named);
        const ConfigContents contents = contentsOf(withModel(lines.toStdString()));
        QCOMPARE(contents.warnings.size(), std::size_t{1});
        QVERIFY2(warningsOf(contents).contains(named), qPrintable(warningsOf(contents)));
        QTEST(contents.warnings.front().position.line, "line");
    }

    void warnsOfAccumulation()
    {
        const ConfigContents contents =
            contentsOf("trainer: {devices: 1, accumulate_grad_batches: 2}\nmodel:\n" + network + batch);
        QVERIFY2(warningsOf(contents).contains(QStringLiteral("write 1")), qPrintable(warningsOf(contents)));
    }

    void namesOtherNetworks_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("named");
        QTest::addColumn<bool>("isElsewhere");
        const auto row = [](const char* name, const std::string& text, const char* named, bool isElsewhere) {
            QTest::newRow(name) << QByteArray::fromStdString(text) << QString::fromLatin1(named)
                                << isElsewhere;
        };
        row("none", trainer + "model:\n  restore_from_path: a.nemo\n" + batch, "model.num_layers", true);
        row("an adapter", withModel(batch + "  peft: {peft_scheme: lora}\n"), "lora", false);
        row("tensor parallel", withModel(batch + "  tensor_model_parallel_size: 2\n"), "2 * 1 * 1", false);
        row("a T5", "name: megatron_t5\n" + withModel(batch), "megatron_t5", true);
        row("an encoder and a decoder", withModel(batch + "  encoder: {num_layers: 2}\n"), "model.encoder",
            true);
        row("layers of Falcon", withModel(batch + "  name: megatron_falcon_gpt\n"), "megatron_falcon_gpt",
            true);
        row("another position embedding", withModel(batch + "  position_embedding_type: xpos\n"), "\"xpos\"",
            false);
    }
    void namesOtherNetworks()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, named);
        const ConfigContents contents = contentsOf(text.toStdString());
        const auto* unsupported = std::get_if<UnsupportedModel>(&contents.model);
        QVERIFY(unsupported);
        QVERIFY2(QString::fromStdString(unsupported->sentence).contains(named),
                 unsupported->sentence.c_str());
        QTEST(unsupported->isElsewhere, "isElsewhere");
    }

    void namesWhatIsWrong_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("named");
        QTest::addColumn<int>("line");
        QTest::addColumn<int>("column");
        const auto row = [](const char* name, const std::string& text, const char* named, int line,
                            int column) {
            QTest::newRow(name) << QByteArray::fromStdString(text) << QString::fromLatin1(named) << line
                                << column;
        };
        row("neither", withModel("  micro_batch_size: null\n"), "Neither", 8, 21);
        row("a size of another resolver", withModel("  micro_batch_size: ${multiply:2, 2}\n"),
            "write the value", 8, 21);
        row("no whole number", withModel("  micro_batch_size: four\n"), "whole number", 8, 21);
        row("no sample", withModel("  micro_batch_size: 0\n"), "1 to 2147483648", 8, 21);
        row("no device", withModel(batch + "  tensor_model_parallel_size: 0\n"), "at least 1", 10, 31);
        row("a precision", withModel(batch + "  precision: fp4\n"), "\"fp4\"", 10, 14);
        row("a negative norm", "trainer: {devices: 1, gradient_clip_val: -1}\nmodel:\n" + network + batch,
            "at least 0", 1, 42);
        row("more tokens than positions", withModel(batch + "  max_position_embeddings: 16\n"),
            "16 positions", 3, 23);
    }
    void namesWhatIsWrong()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, named);
        const ReadingError error = errorOfReading(text.toStdString());
        QVERIFY2(error.sentence.contains(named), qPrintable(error.sentence));
        QTEST(error.position.line, "line");
        QTEST(error.position.column, "column");
    }

    void writesASize_data()
    {
        QTest::addColumn<QByteArray>("before");
        QTest::addColumn<QByteArray>("after");
        QTest::addColumn<QString>("noted");
        const auto row = [](const char* name, const char* before, const char* after, const char* noted = "") {
            QTest::newRow(name) << QByteArray(before) << QByteArray(after) << QString::fromLatin1(noted);
        };
        row("in place", "  micro_batch_size: 4 # four\n  global_batch_size: 32\n",
            "  micro_batch_size: 8 # four\n  global_batch_size: 32\n", "training and validation");
        row("in lines of Windows", "  micro_batch_size: 4\r\n  global_batch_size: 32\r\n",
            "  micro_batch_size: 8\r\n  global_batch_size: 32\r\n");
        row("without a line end", "  global_batch_size: 32\n  micro_batch_size: 4",
            "  global_batch_size: 32\n  micro_batch_size: 8");
        row("absent", "  global_batch_size: 32\n  seed: 1\n",
            "  global_batch_size: 32\n  micro_batch_size: 8\n  seed: 1\n");
        row("a value of its own", "  micro_batch_size: ${.num_layers}\n  global_batch_size: 32\n",
            "  micro_batch_size: 8\n  global_batch_size: 32\n", "a number of its own now");
        row("what others stand for",
            "  micro_batch_size: 4\n  global_batch_size: 32\n  other: ${.micro_batch_size}\n",
            "  micro_batch_size: 8\n  global_batch_size: 32\n  other: ${.micro_batch_size}\n",
            "Line 10 (other)");
        row("an anchor", "  micro_batch_size: &m 4\n  global_batch_size: 32\n  other: *m\n",
            "  micro_batch_size: &m 8\n  global_batch_size: 32\n  other: *m\n", "ine 10");
        row("without a global batch", "  micro_batch_size: 16\n",
            "  micro_batch_size: 8\n  global_batch_size: 32\n");
        row("the same", "  micro_batch_size: 0x8\n  global_batch_size: 32\n",
            "  micro_batch_size: 0x8\n  global_batch_size: 32\n");
        row("with a ramp",
            "  micro_batch_size: 4\n  global_batch_size: 32\n  rampup_batch_size: [8, 8, 100]\n",
            "  micro_batch_size: 8\n  global_batch_size: 32\n  rampup_batch_size: [8, 8, 100]\n",
            "a multiple of 16");
    }
    void writesASize()
    {
        QFETCH(QByteArray, before);
        QFETCH(QByteArray, after);
        QFETCH(QString, noted);
        const SplicedText spliced =
            recognise(withModel(before.toStdString()))->withMicroBatchSize({.microBatchSize = 8});
        QCOMPARE(QByteArray::fromStdString(spliced.text),
                 QByteArray::fromStdString(withModel(after.toStdString())));
        QVERIFY2(joined(spliced.notes).contains(noted), qPrintable(joined(spliced.notes)));
    }

    void keepsTheBatchOrAsks()
    {
        const auto format = recognise(withModel(batch));
        try {
            format->withMicroBatchSize({.microBatchSize = 6});
            QFAIL("A batch of 32 is none of 6 on 2 devices.");
        } catch (const BatchNotKept& error) {
            QCOMPARE(error.below(), std::optional<std::int64_t>(24));
            QCOMPARE(error.above(), std::int64_t{36});
            QCOMPARE(error.position().line, 9);
        }
        const SplicedText chosen = format->withMicroBatchSize({.microBatchSize = 6, .globalBatchSize = 24});
        QCOMPARE(chosen.text, withModel("  micro_batch_size: 6 # four\n  global_batch_size: 24\n"));
    }

    void writesEvaluationToTheSameKey()
    {
        const SplicedText spliced =
            recognise(withModel(batch))
                ->withMicroBatchSize({.phase = model::Phase::Eval, .microBatchSize = 16});
        QCOMPARE(spliced.text, withModel("  micro_batch_size: 16 # four\n  global_batch_size: 32\n"));
        QVERIFY(joined(spliced.notes).contains(QStringLiteral("training and validation both")));
    }

    void readsAndWritesARealConfig()
    {
        if (!QFileInfo::exists(realFile))
            QSKIP("The shared configs are not on this computer.");
        const std::string text = textOf(realFile);
        const auto format = recognise(text);
        const ConfigContents contents = format->read();
        QCOMPARE(contents.train->presentSize, std::optional<std::int64_t>(4));
        QCOMPARE(contents.train->globalBatchSize, std::int64_t{8});
        QVERIFY(contents.train->knowsDevices);
        const auto* spec = std::get_if<model::ModelSpec>(&contents.model);
        QVERIFY2(spec, spec ? "" : std::get<UnsupportedModel>(contents.model).sentence.c_str());
        // GPT-2's 124439808 with 50304 tokens in place of 50257, and 512 positions in place of 1024.
        QCOMPARE(model::parameterCount(*spec), 124439808 + (50304 - 50257) * 768 - 512 * 768);
        QCOMPARE(contents.sequenceLength, 512);
        QCOMPARE(contents.precision, model::Precision::PureBf16);
        QCOMPARE(contents.step.maxGradientNorm, 1.0);
        QCOMPARE(contents.warnings.size(), std::size_t{1});
        QVERIFY2(warningsOf(contents).contains(QStringLiteral("gradients in fp32")),
                 qPrintable(warningsOf(contents)));

        const Difference difference =
            differenceOf(text, format->withMicroBatchSize({.microBatchSize = 8}).text);
        QCOMPARE(difference.removed, std::string("4"));
        QCOMPARE(difference.added, std::string("8"));
    }
};

BATCHPEAK_TEST(NemoFormatTest)
#include "tst_nemo_format.moc"
