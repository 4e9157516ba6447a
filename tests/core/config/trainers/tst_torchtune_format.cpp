// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config_test_data.h"
#include "model/parameter_table.h"
#include "support/test_main.h"

#include <QFileInfo>

using namespace batchpeak;
using namespace batchpeak::config;

namespace {

const QString realFile =
    QStringLiteral(BATCHPEAK_SHARED_CONFIGS "/other/torchtune/1B_full_single_device.yaml");

const std::string network =
    "model: {_component_: torchtune.models.llama3.llama3, vocab_size: 512, num_layers: 2, num_heads: 4, "
    "num_kv_heads: 2, embed_dim: 64, max_seq_len: 32}\n";
const std::string data =
    "dataset: {_component_: torchtune.datasets.alpaca_dataset}\n"
    "tokenizer: {_component_: torchtune.models.llama3.llama3_tokenizer, max_seq_len: 16}\n";

/// A config of a tiny network; its own keys come first.
std::string withTop(const std::string& top)
{
    return top + network + data;
}

ConfigContents contentsOf(const std::string& text)
{
    return recognise(text)->read();
}

ChosenSize train(std::int64_t size, std::optional<std::int64_t> batch = std::nullopt)
{
    return {.phase = model::Phase::Train, .microBatchSize = size, .globalBatchSize = batch};
}

} // namespace

class TorchtuneFormatTest : public QObject
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
        row("with a dataset", "model: {_component_: a.b}\ndataset: {_component_: a.c}\n", true);
        row("with several datasets", "model: {_component_: a.b}\ndataset: [{_component_: a.c}]\n", true);
        row("with an optimizer", "model: {_component_: a.b}\noptimizer: {_component_: torch.optim.SGD}\n",
            true);
        row("by an interpolation", "m: {_component_: a.b}\nmodel: ${m}\ndataset: {}\n", true);
        row("network alone", "model: {_component_: a.b}\n", false);
        row("evaluation alone", "model: {_component_: a.b}\nbatch_size: 8\ntasks: [mmlu]\n", false);
        row("component that is no word", "model: {_component_: {a: b}}\ndataset: {}\n", false);
        row("model that is a word", "model: a.b\ndataset: {}\n", false);
        row("Hydra", "model: {_target_: a.b}\ndataset: {}\n", false);
        row("one of our own", "batchpeak: 1\nmodel: {_component_: a.b}\ndataset: {}\n", false);
        row("LLM-Foundry", "global_train_batch_size: 8\ntrain_loader: {}\nmodel: {name: a}\ndataset: {}\n",
            false);
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
        QCOMPARE(name == "torchtune", isOurs);
    }

    void readsTheBatch_data()
    {
        QTest::addColumn<QString>("top");
        QTest::addColumn<qint64>("size");
        QTest::addColumn<qint64>("batch");
        QTest::addColumn<qint64>("evalSize");
        const auto row = [](const char* name, const char* top, qint64 size, qint64 batch, qint64 evalSize) {
            QTest::newRow(name) << QString::fromLatin1(top) << size << batch << evalSize;
        };
        row("both", "batch_size: 4\ngradient_accumulation_steps: 8\n", 4, 32, 0);
        row("size alone", "batch_size: 4\n", 4, 4, 0);
        row("steps null", "batch_size: 4\ngradient_accumulation_steps: null\n", 4, 4, 0);
        row("by another value", "n: 2\nbatch_size: ${n}\ngradient_accumulation_steps: ${n}\n", 2, 4, 0);
        row("evaluation", "batch_size: 4\nbatch_size_val: 16\ndataset_val: {split: test}\n", 4, 4, 16);
        row("evaluation by default", "batch_size: 4\ndataset_val: {split: test}\n", 4, 4, 4);
        row("evaluation as training", "batch_size: 4\nbatch_size_val: ${batch_size}\ndataset_val: {a: b}\n",
            4, 4, 4);
        row("no data for evaluation", "batch_size: 4\nbatch_size_val: 16\ndataset_val: null\n", 4, 4, 0);
        row("optimizer in backward",
            "batch_size: 4\ngradient_accumulation_steps: 1\noptimizer_in_bwd: True\n", 4, 4, 0);
    }
    void readsTheBatch()
    {
        QFETCH(QString, top);
        QFETCH(qint64, evalSize);
        const ConfigContents contents = contentsOf(withTop(top.toStdString()));
        QVERIFY(contents.train);
        QCOMPARE(contents.train->setting, Setting(Explore{}));
        QTEST(qint64{contents.train->presentSize.value_or(0)}, "size");
        QTEST(qint64{contents.train->globalBatchSize}, "batch");
        QCOMPARE(contents.train->devices, std::int64_t{1});
        QVERIFY(!contents.train->knowsDevices);
        QCOMPARE(contents.train->microBatchKey, std::string("batch_size"));
        QCOMPARE(contents.train->globalBatchKey, std::string("batch_size * gradient_accumulation_steps"));
        QCOMPARE(contents.eval.has_value(), evalSize > 0);
        if (!contents.eval)
            return;
        QCOMPARE(qint64{contents.eval->presentSize.value_or(0)}, evalSize);
        QCOMPARE(qint64{contents.eval->globalBatchSize}, evalSize);
        QCOMPARE(contents.eval->microBatchKey, std::string("batch_size_val"));
        QVERIFY(!contents.eval->knowsDevices);
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
        row("seed: 1\n", "batch_size is missing", 1, 1);
        row("batch_size:\n", "batch_size is missing", 1, 1);
        row("batch_size: 0\n", "must be at least 1", 1, 13);
        row("batch_size: 3000000000\n", "write at most 2147483648", 1, 13);
        row("batch_size: four\n", "must be a whole number", 1, 13);
        row("batch_size: '4'\n", "the text \"4\"", 1, 13);
        row("batch_size: ${oc.env:B}\n", "${oc.env:B}", 1, 13);
        row("batch_size: 4\ngradient_accumulation_steps: 0\n", "must be at least 1", 2, 30);
        row("batch_size: 4\ngradient_accumulation_steps: 2\noptimizer_in_bwd: True\n",
            "takes only 1 where optimizer_in_bwd is True", 2, 30);
        row("batch_size: 4\nbatch_size_val: 0\ndataset_val: {a: b}\n", "must be at least 1", 2, 17);
        row("batch_size: 4\ndtype: fp16\n", "write bf16 or fp32", 2, 8);
        row("batch_size: 4\nclip_grad_norm: -1\n", "must be at least 0", 2, 17);
        row("batch_size: 4\nclip_grad_norm: some\n", "must be a number", 2, 17);
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

    void readsTheRun_data()
    {
        QTest::addColumn<QString>("top");
        QTest::addColumn<QString>("run");
        QTest::addColumn<QString>("warning");
        const auto row = [](const char* name, const char* top, const char* run, const char* warning) {
            QTest::newRow(name) << QString::fromLatin1(top) << QString::fromLatin1(run)
                                << QString::fromLatin1(warning);
        };
        row("nothing said", "", "fp32 adamw 0 whole", "");
        row("fp32", "dtype: fp32\n", "fp32 adamw 0 whole", "");
        row("bf16", "dtype: bf16\n", "pure-bf16 adamw 0 whole", "which takes more memory");
        row("AdamW", "optimizer: {_component_: torch.optim.AdamW}\n", "fp32 adamw 0 whole", "");
        row("SGD", "optimizer: {_component_: torch.optim.SGD}\n", "fp32 sgd 0 whole", "");
        row("8 bits", "optimizer: {_component_: bitsandbytes.optim.PagedAdamW8bit}\n", "fp32 adamw 0 whole",
            "PagedAdamW8bit");
        row("norm", "clip_grad_norm: 1.0\n", "fp32 adamw 1 whole", "");
        row("no norm", "clip_grad_norm: null\n", "fp32 adamw 0 whole", "");
        row("norm that is measured alone", "clip_grad_norm: 'inf'\n", "fp32 adamw 0 whole", "");
        row("checkpointing", "enable_activation_checkpointing: True\n", "fp32 adamw 0 again", "");
        row("offloading", "enable_activation_offloading: True\n", "fp32 adamw 0 whole",
            "enable_activation_offloading");
        row("selective checkpointing", "ac_mode: selective\n", "fp32 adamw 0 whole", "ac_mode");
        row("compiled", "compile: True\n", "fp32 adamw 0 whole", "not compiled");
        row("compiled in parts", "compile: {model: True}\n", "fp32 adamw 0 whole", "not compiled");
        row("not compiled", "compile: False\n", "fp32 adamw 0 whole", "");
        row("optimizer in backward", "optimizer_in_bwd: True\n", "fp32 adamw 0 whole", "optimizer_in_bwd");
        row("optimizer after backward", "optimizer_in_bwd: False\n", "fp32 adamw 0 whole", "");
        row("8-bit products", "enable_fp8_training: True\n", "fp32 adamw 0 whole", "enable_fp8_training");
        row("offload of weights", "fsdp_cpu_offload: True\n", "fp32 adamw 0 whole", "fsdp_cpu_offload");
        row("sharding", "custom_sharded_layers: ['output']\n", "fp32 adamw 0 whole", "FSDP spreads");
        row("loss in parts", "loss: {_component_: torchtune.modules.loss.LinearCrossEntropyLoss}\n",
            "fp32 adamw 0 whole", "in 8 parts");
        row("loss in other parts",
            "loss: {_component_: torchtune.modules.loss.CEWithChunkedOutputLoss, num_output_chunks: 4}\n",
            "fp32 adamw 0 whole", "in 4 parts");
        row("loss at once", "loss: {_component_: torch.nn.CrossEntropyLoss}\n", "fp32 adamw 0 whole", "");
    }
    void readsTheRun()
    {
        QFETCH(QString, top);
        QFETCH(QString, warning);
        const ConfigContents contents = contentsOf(withTop("batch_size: 4\n" + top.toStdString()));
        const QString run = QString::fromStdString(std::string(model::toText(contents.precision)) + " " +
                                                   std::string(model::toText(contents.optimizer))) +
                            QStringLiteral(" %1 ").arg(contents.step.maxGradientNorm) +
                            QLatin1String(contents.step.activationCheckpointing ? "again" : "whole");
        QTEST(run, "run");
        QCOMPARE(contents.step.lossChunkRows, std::int64_t{0});
        QCOMPARE(contents.warnings.size(), std::size_t(warning.isEmpty() ? 0 : 1));
        if (warning.isEmpty())
            return;
        QVERIFY2(QString::fromStdString(contents.warnings[0].sentence).contains(warning),
                 contents.warnings[0].sentence.c_str());
        QCOMPARE(contents.warnings[0].position.line, 2);
    }

    void readsLengths_data()
    {
        QTest::addColumn<QString>("rest");
        QTest::addColumn<qint64>("length");
        QTest::addColumn<QString>("warning");
        const auto row = [](const char* name, const char* rest, qint64 length, const char* warning) {
            QTest::newRow(name) << QString::fromLatin1(rest) << length << QString::fromLatin1(warning);
        };
        row("of the tokenizer", "dataset: {a: b}\ntokenizer: {max_seq_len: 16}\n", 16, "");
        row("of the dataset", "dataset: {max_seq_len: 8}\ntokenizer: {max_seq_len: null}\n", 8, "");
        row("null", "dataset: {a: b}\ntokenizer: {max_seq_len: null}\n", 32, "trials run the 32 tokens");
        row("nothing said", "dataset: {a: b}\n", 32, "trials run the 32 tokens");
        row("several datasets", "dataset: [{a: b}]\ntokenizer: {max_seq_len: 16}\n", 16, "");
        row("packed", "dataset: {packed: True}\ntokenizer: {max_seq_len: 16}\n", 16, "packed");
        row("not packed", "dataset: {packed: False}\ntokenizer: {max_seq_len: 16}\n", 16, "");
        row("zero", "dataset: {a: b}\ntokenizer: {max_seq_len: 0}\n", 0, "at least 1 token");
    }
    void readsLengths()
    {
        QFETCH(QString, rest);
        QFETCH(qint64, length);
        QFETCH(QString, warning);
        const std::string text = "batch_size: 4\n" + network + rest.toStdString();
        if (length == 0) {
            const ReadingError error = errorOfReading(text);
            QVERIFY2(error.sentence.contains(warning), qPrintable(error.sentence));
            return;
        }
        const ConfigContents contents = contentsOf(text);
        QTEST(qint64{contents.sequenceLength}, "length");
        QCOMPARE(contents.warnings.size(), std::size_t(warning.isEmpty() ? 0 : 1));
        if (!warning.isEmpty())
            QVERIFY(QString::fromStdString(contents.warnings[0].sentence).contains(warning));
    }

    void namesRunsThatAreNotMeasured_data()
    {
        QTest::addColumn<QString>("top");
        QTest::addColumn<QString>("named");
        const auto row = [](const char* top, const char* named) {
            QTest::newRow(named) << QString::fromLatin1(top) << QString::fromLatin1(named);
        };
        row("teacher_model: {_component_: a.b}\n", "teacher_model");
        row("ref_checkpointer: {_component_: a.b}\n", "ref_checkpointer");
        row("quantizer: {_component_: a.b}\n", "quantizer");
        row("tensor_parallel_dim: 2\n", "tensor_parallel_dim");
        row("context_parallel_dim: 2\n", "context_parallel_dim");
        row("loss: {_component_: torchtune.rlhf.loss.DPOLoss}\n", "loss._component_");
    }
    void namesRunsThatAreNotMeasured()
    {
        QFETCH(QString, top);
        QFETCH(QString, named);
        const ConfigContents contents = contentsOf(withTop("batch_size: 4\n" + top.toStdString()));
        const auto* unsupported = std::get_if<UnsupportedModel>(&contents.model);
        QVERIFY(unsupported);
        QVERIFY2(QString::fromStdString(unsupported->sentence).contains(named),
                 unsupported->sentence.c_str());
        QVERIFY(!unsupported->isElsewhere);
        QCOMPARE(unsupported->position.line, 2);
        QVERIFY(std::holds_alternative<model::ModelSpec>(
            contentsOf(withTop("batch_size: 4\ntensor_parallel_dim: 1\n")).model));
    }

    void writes_data()
    {
        QTest::addColumn<QByteArray>("before");
        QTest::addColumn<QByteArray>("after");
        QTest::addColumn<QString>("phase");
        QTest::addColumn<qint64>("size");
        QTest::addColumn<QStringList>("notes");
        const auto row = [](const char* name, const char* before, const char* after, const char* phase,
                            qint64 size, const QStringList& notes) {
            QTest::newRow(name) << QByteArray(before) << QByteArray(after) << QString::fromLatin1(phase)
                                << size << notes;
        };
        const QString own = QStringLiteral("is a number of its own now");
        row("larger", "batch_size: 2 # all\ngradient_accumulation_steps: 8  # steps\n",
            "batch_size: 8 # all\ngradient_accumulation_steps: 2  # steps\n", "train", 8, {});
        row("smaller", "gradient_accumulation_steps: 1\nbatch_size: 8\n",
            "gradient_accumulation_steps: 4\nbatch_size: 2\n", "train", 2, {});
        row("inserted", "batch_size: 8\nseed: 1\n",
            "batch_size: 2\ngradient_accumulation_steps: 4\nseed: 1\n", "train", 2, {});
        row("nothing to insert", "batch_size: 8\nseed: 1\n", "batch_size: 8\nseed: 1\n", "train", 8, {});
        row("as it is", "batch_size: 0x8\ngradient_accumulation_steps: 0x2\n",
            "batch_size: 0x8\ngradient_accumulation_steps: 0x2\n", "train", 8, {});
        row("quoted keys", "\"batch_size\": 2\n'gradient_accumulation_steps': 4\n",
            "\"batch_size\": 4\n'gradient_accumulation_steps': 2\n", "train", 4, {});
        row("an interpolation", "n: 2\nbatch_size: ${n}\ngradient_accumulation_steps: 2\n",
            "n: 2\nbatch_size: 4\ngradient_accumulation_steps: 1\n", "train", 4, {own});
        row("an alias", "n: &n 2\nbatch_size: *n\ngradient_accumulation_steps: *n\n",
            "n: &n 2\nbatch_size: 1\ngradient_accumulation_steps: 4\n", "train", 1, {});
        row("validation as training",
            "batch_size: 2\nbatch_size_val: ${batch_size}\ngradient_accumulation_steps: 4\ndataset_val: {a: "
            "b}\n",
            "batch_size: 4\nbatch_size_val: ${batch_size}\ngradient_accumulation_steps: 2\ndataset_val: {a: "
            "b}\n",
            "train", 4, {QStringLiteral("Line 2 (batch_size_val)")});
        row("validation by default", "batch_size: 2\ngradient_accumulation_steps: 4\ndataset_val: {a: b}\n",
            "batch_size: 4\ngradient_accumulation_steps: 2\ndataset_val: {a: b}\n", "train", 4,
            {QStringLiteral("Validation takes this size too")});
        row("optimizer in backward, as it is", "batch_size: 4\noptimizer_in_bwd: True\n",
            "batch_size: 4\noptimizer_in_bwd: True\n", "train", 4, {});
        row("validation", "batch_size: 2\nbatch_size_val: 2\ndataset_val: {a: b}\n",
            "batch_size: 2\nbatch_size_val: 64\ndataset_val: {a: b}\n", "eval", 64, {});
        row("validation, inserted", "batch_size: 2\ndataset_val: {a: b}\n",
            "batch_size: 2\nbatch_size_val: 64\ndataset_val: {a: b}\n", "eval", 64, {});
        row("validation by an interpolation",
            "batch_size: 2\nbatch_size_val: ${batch_size}\ndataset_val: {a: b}\n",
            "batch_size: 2\nbatch_size_val: 64\ndataset_val: {a: b}\n", "eval", 64,
            {QStringLiteral("batch_size_val was ${batch_size} and is a number")});
    }
    void writes()
    {
        QFETCH(QByteArray, before);
        QFETCH(QByteArray, after);
        QFETCH(QString, phase);
        QFETCH(qint64, size);
        QFETCH(QStringList, notes);
        const QByteArray rest = QByteArray::fromStdString(network + data);
        const auto written = [&](const QByteArray& text) {
            return recognise(text.toStdString())
                ->withMicroBatchSize(
                    {.phase = *model::phaseFromText(phase.toStdString()), .microBatchSize = size});
        };
        const SplicedText spliced = written(before + rest);
        QCOMPARE(QByteArray::fromStdString(spliced.text), after + rest);
        QCOMPARE(qsizetype(spliced.notes.size()), notes.size());
        for (qsizetype i = 0; i < notes.size(); ++i)
            QVERIFY2(QString::fromStdString(spliced.notes[std::size_t(i)]).contains(notes[i]),
                     spliced.notes[std::size_t(i)].c_str());

        const auto withCrlf = [](QByteArray text) { return text.replace("\n", "\r\n"); };
        QCOMPARE(QByteArray::fromStdString(written(withCrlf(before + rest)).text), withCrlf(after + rest));
        // The keys last in the file, without an end of the line.
        QCOMPARE(QByteArray::fromStdString(written(rest + before.chopped(1)).text), rest + after.chopped(1));
    }

    void writesBetweenBraces()
    {
        const SplicedText spliced = recognise("{model: {_component_: a.b}, dataset: {}, batch_size: 8}")
                                        ->withMicroBatchSize(train(4));
        QCOMPARE(spliced.text, std::string("{model: {_component_: a.b}, dataset: {}, batch_size: 4, "
                                           "gradient_accumulation_steps: 2}"));
    }

    void asksWhereTheBatchCannotBeKept()
    {
        const std::string text = withTop("batch_size: 2\ngradient_accumulation_steps: 8\n");
        const auto format = recognise(text);
        try {
            (void)format->withMicroBatchSize(train(6));
            QFAIL("It was written.");
        } catch (const BatchNotKept& choice) {
            QCOMPARE(choice.below().value_or(0), std::int64_t{12});
            QCOMPARE(choice.above(), std::int64_t{18});
            QCOMPARE(choice.position(), (TextPosition{.line = 2, .column = 30}));
            QVERIFY(QString::fromUtf8(choice.what())
                        .contains(QStringLiteral("batch_size * gradient_accumulation_steps")));
        }
        QCOMPARE(format->withMicroBatchSize(train(6, 12)).text,
                 withTop("batch_size: 6\ngradient_accumulation_steps: 2\n"));
        QCOMPARE(format->withMicroBatchSize(train(6, 18)).text,
                 withTop("batch_size: 6\ngradient_accumulation_steps: 3\n"));
        QVERIFY_THROWS_EXCEPTION(ConfigError, format->withMicroBatchSize(train(6, 13)));
        QVERIFY_THROWS_EXCEPTION(ConfigError, format->withMicroBatchSize(train(0)));
    }

    void accumulatesNothingInBackward()
    {
        const auto format = recognise(withTop("batch_size: 8\noptimizer_in_bwd: True\n"));
        for (const ChosenSize& chosen : {train(4), train(3), train(4, 16)}) {
            try {
                (void)format->withMicroBatchSize(chosen);
                QFAIL("It was written.");
            } catch (const ConfigError& error) {
                QVERIFY2(QString::fromUtf8(error.what()).contains(QStringLiteral("set that to False")),
                         error.what());
                QCOMPARE(error.position(), (TextPosition{.line = 2, .column = 19}));
            }
        }
        QVERIFY_THROWS_EXCEPTION(BatchNotKept, format->withMicroBatchSize(train(16)));
        QCOMPARE(format->withMicroBatchSize(train(4, 4)).text,
                 withTop("batch_size: 4\noptimizer_in_bwd: True\n"));
        QCOMPARE(format->withMicroBatchSize(train(16, 16)).text,
                 withTop("batch_size: 16\noptimizer_in_bwd: True\n"));
    }

    void refusesAnAbsentPhase()
    {
        const auto format = recognise(withTop("batch_size: 8\nbatch_size_val: 8\n"));
        QVERIFY_THROWS_EXCEPTION(
            ConfigError, format->withMicroBatchSize({.phase = model::Phase::Eval, .microBatchSize = 4}));
        const auto other = recognise(withTop("batch_size: 8\ndataset_val: {a: b}\n"));
        QVERIFY_THROWS_EXCEPTION(
            ConfigError, other->withMicroBatchSize({.phase = model::Phase::Eval, .microBatchSize = 0}));
    }

    void readsTheRealConfig()
    {
        if (!QFileInfo::exists(realFile))
            QSKIP("The shared configs are not on this computer.");
        const std::string text = textOf(realFile);
        const auto format = recognise(text);
        QCOMPARE(format->name(), std::string_view("torchtune"));
        const ConfigContents contents = format->read();
        const auto* spec = std::get_if<model::ModelSpec>(&contents.model);
        QVERIFY(spec);
        QCOMPARE(qint64{model::parameterCount(*spec)}, qint64{1235814400});
        QCOMPARE(contents.train->presentSize.value_or(0), std::int64_t{4});
        QCOMPARE(contents.train->globalBatchSize, std::int64_t{4});
        QVERIFY(!contents.eval);
        QCOMPARE(contents.sequenceLength, std::int64_t{131072});
        QCOMPARE(contents.precision, model::Precision::PureBf16);
        QCOMPARE(contents.optimizer, model::Optimizer::AdamW);
        QCOMPARE(contents.step.maxGradientNorm, 0.0);
        QVERIFY(!contents.step.activationCheckpointing);
        // Length, precision, optimizer, loss, optimizer in backward.
        QCOMPARE(contents.warnings.size(), std::size_t{5});

        const std::string after = format->withMicroBatchSize(train(16, 16)).text;
        const auto [removed, added] = differenceOf(text, after);
        QCOMPARE(removed, std::string("4"));
        QCOMPARE(added, std::string("16"));
        QVERIFY_THROWS_EXCEPTION(BatchNotKept, format->withMicroBatchSize(train(16)));
    }
};

BATCHPEAK_TEST(TorchtuneFormatTest)
#include "tst_torchtune_format.moc"
