// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config_test_data.h"
#include "model/parameter_table.h"
#include "support/test_main.h"

using namespace batchpeak;
using namespace batchpeak::config;

namespace {

const std::string resNet = "model: {family: resnet, depth: 18}\n";
const std::string t5 = "model: {family: t5, vocabulary_size: 32128, hidden_size: 512, encoder_layers: 6, "
                       "decoder_layers: 6, heads: 8, head_size: 64, feed_forward_size: 2048}\n";
const std::string gpt = "model: {family: gpt2, vocabulary_size: 512, hidden_size: 64, layers: 2, heads: 4, "
                        "key_value_heads: 4, feed_forward_size: 256, max_positions: 64}\n";

std::string withTop(const std::string& rest)
{
    return "batchpeak: 1\n" + rest;
}

} // namespace

class OwnFormatTest : public QObject
{
    Q_OBJECT

private slots:
    void readsWhatIsWritten()
    {
        const auto format = recognise(withTop(gpt + "batch_size: 96\nmicro_batch_size: {explore: {min: 2}}\n"
                                                    "eval_batch_size: 40\neval_micro_batch_size: 8\n"
                                                    "devices: 2\nsequence_length: 48\nprecision: tf32\n"
                                                    "optimizer: sgd\nactivation_checkpointing: true\n"
                                                    "loss_chunk_rows: 512\nmax_gradient_norm: 1.5\n"));
        const ConfigContents contents = format->read();
        QCOMPARE(contents.formatName, std::string("Batchpeak"));
        const auto spec = std::get<model::ModelSpec>(contents.model);
        QCOMPARE(spec.family, std::string("gpt2"));
        QCOMPARE(model::parameterCount(spec), 136960);
        const BatchPlan train{.globalBatchSize = 96, .devices = 2, .setting = Explore{.minimum = 2}};
        QVERIFY(contents.train == train);
        const BatchPlan eval{.globalBatchSize = 40,
                             .devices = 2,
                             .setting = Fixed{8},
                             .microBatchKey = "eval_micro_batch_size",
                             .globalBatchKey = "eval_batch_size"};
        QVERIFY(contents.eval == eval);
        QCOMPARE(contents.sequenceLength, 48);
        QCOMPARE(contents.precision, model::Precision::Tf32);
        QCOMPARE(contents.optimizer, model::Optimizer::Sgd);
        const model::StepOptions step{
            .activationCheckpointing = true, .lossChunkRows = 512, .maxGradientNorm = 1.5};
        QVERIFY(contents.step == step);
    }

    void takesDefaultsForTheRest()
    {
        const ConfigContents contents = recognise(withTop(gpt + "batch_size: 96\n"))->read();
        const BatchPlan plan{.globalBatchSize = 96, .devices = 1, .setting = Auto{}};
        QVERIFY(contents.train == plan);
        BatchPlan eval = plan;
        eval.microBatchKey = "eval_micro_batch_size";
        QVERIFY(contents.eval == eval);
        QCOMPARE(contents.sequenceLength, 64);
        QCOMPARE(contents.precision, model::Precision::Fp32);
        QCOMPARE(contents.optimizer, model::Optimizer::AdamW);
        QVERIFY(contents.step == model::StepOptions());
        QVERIFY(contents.warnings.empty());
    }

    void readsEveryArchitecture_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<qint64>("parameters");
        QTest::newRow("vit") << QByteArray(
                                    "{family: vit, patch_size: 32, hidden_size: 768, layers: 12, heads: "
                                    "12, feed_forward_size: 3072}")
                             << qint64{88224232};
        QTest::newRow("resnet") << QByteArray("{family: resnet}") << qint64{25557032};
        QTest::newRow("torchscript") << QByteArray(
                                            "{family: torchscript, file: net.pt, inputs: [{shape: [4]}]}")
                                     << qint64{0};
    }
    void readsEveryArchitecture()
    {
        QFETCH(QByteArray, text);
        const auto format = recognise(withTop("model: " + text.toStdString() + "\nbatch_size: 8\n"));
        const ConfigContents contents = format->read();
        QTEST(qint64{model::parameterCount(std::get<model::ModelSpec>(contents.model))}, "parameters");
        QCOMPARE(contents.sequenceLength, 1);
    }

    void readsDecoders_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<qint64>("parameters");
        const QByteArray llamaParts =
            "max_positions: 32768, position_embedding: rotary, normalization: rmsnorm, "
            "activation: swiglu, attention_output_bias: false, feed_forward_bias: false";
        QTest::newRow("qwen3") << QByteArray("{family: qwen3, vocabulary_size: 151936, hidden_size: 1024, "
                                             "layers: 28, heads: 16, key_value_heads: 8, head_size: 128, "
                                             "feed_forward_size: 3072, query_key_normalization: true, "
                                             "attention_bias: false, " +
                                             llamaParts + "}")
                               << qint64{596049920};
        QTest::newRow("qwen2") << QByteArray("{family: qwen2, vocabulary_size: 151936, hidden_size: 896, "
                                             "layers: 24, heads: 14, key_value_heads: 2, "
                                             "feed_forward_size: 4864, " +
                                             llamaParts + "}")
                               << qint64{494032768};
        QTest::newRow("mistral") << QByteArray(
                                        "{family: mistral, vocabulary_size: 131072, hidden_size: 5120, "
                                        "layers: 40, heads: 32, key_value_heads: 8, head_size: 128, "
                                        "feed_forward_size: 14336, tied_embeddings: false, "
                                        "attention_bias: false, " +
                                        llamaParts + "}")
                                 << qint64{12247782400};
    }
    void readsDecoders()
    {
        QFETCH(QByteArray, text);
        const ConfigContents contents =
            recognise(withTop("model: " + text.toStdString() + "\nbatch_size: 8\n"))->read();
        QTEST(qint64{model::parameterCount(std::get<model::ModelSpec>(contents.model))}, "parameters");
        QCOMPARE(contents.sequenceLength, 32768);
    }

    void readsEncoders()
    {
        const ConfigContents contents =
            recognise(withTop("model: {family: bert, vocabulary_size: 30522, hidden_size: 768, layers: 12, "
                              "heads: 12, feed_forward_size: 3072, max_positions: 512}\nbatch_size: 8\n"))
                ->read();
        QCOMPARE(model::parameterCount(std::get<model::ModelSpec>(contents.model)), 109514298);
        QCOMPARE(contents.sequenceLength, 512);
        QVERIFY(!contents.targetLength);
    }

    void readsBothLengthsOfAnEncoderDecoder()
    {
        const ConfigContents usual = recognise(withTop(t5 + "batch_size: 8\n"))->read();
        QCOMPARE(model::parameterCount(std::get<model::ModelSpec>(usual.model)), 60506624);
        QCOMPARE(usual.sequenceLength, 512);
        QCOMPARE(usual.targetLength, std::optional<std::int64_t>(114));
        const ConfigContents chosen =
            recognise(withTop(t5 + "batch_size: 8\nsequence_length: 64\ndecoder_sequence_length: 16\n"))
                ->read();
        QCOMPARE(chosen.sequenceLength, 64);
        QCOMPARE(chosen.targetLength, std::optional<std::int64_t>(16));
    }

    void readsScriptInputs()
    {
        const ConfigContents contents =
            recognise(withTop("model:\n  family: torchscript\n  file: nets/lm.pt\n  inputs:\n"
                              "  - {shape: [16], type: int64, upper_bound: 100}\n  - shape: [3, 8]\n"
                              "  output: logits\n  classes: 100\n  targets_per_sample: 16\nbatch_size: 8\n"))
                ->read();
        const auto& spec =
            std::get<model::ScriptSpec>(std::get<model::ModelSpec>(contents.model).architecture);
        const model::ScriptSpec expected{
            .file = "nets/lm.pt",
            .inputs = {{.shape = {16}, .type = model::ScriptInputType::Int64, .upperBound = 100},
                       {.shape = {3, 8}}},
            .output = model::ScriptOutput::Logits,
            .classes = 100,
            .targetsPerSample = 16};
        QVERIFY(spec == expected);
    }

    void warnsOfBatchNormalization()
    {
        const ConfigContents contents = recognise(withTop(resNet + "batch_size: 8\n"))->read();
        QCOMPARE(contents.warnings.size(), std::size_t{1});
        QVERIFY(contents.warnings.front().sentence.find("batch normalisation") != std::string::npos);
        QCOMPARE(contents.warnings.front().position.line, 2);
    }

    void namesWhatIsWrong_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("named");
        QTest::addColumn<int>("line");
        const auto row = [](const char* name, const std::string& text, const char* named, int line) {
            QTest::newRow(name) << QByteArray::fromStdString(text) << QString::fromLatin1(named) << line;
        };
        row("another version", "batchpeak: 2\n" + resNet, "version", 1);
        row("a version that is none", "batchpeak: soon\n" + resNet, "whole number", 1);
        row("no model", withTop("batch_size: 8\n"), "no model", 1);
        row("no family", withTop("model: {depth: 18}\nbatch_size: 8\n"), "model.family is missing", 2);
        row("unknown family", withTop("model: {family: alexnet}\nbatch_size: 8\n"), "\"alexnet\"", 2);
        row("misspelt key", withTop(resNet + "batch_size: 8\nmicrobatch_size: 4\n"), "microbatch_size", 4);
        row("misspelt key of the network", withTop("model: {family: resnet, deepness: 18}\nbatch_size: 8\n"),
            "model.deepness", 2);
        row("key of another network", withTop("model: {family: resnet, heads: 8}\nbatch_size: 8\n"),
            "model.heads", 2);
        row("misspelt key of an input",
            withTop(
                "model:\n  family: torchscript\n  file: a.pt\n  inputs:\n  - {size: [3]}\nbatch_size: 8\n"),
            "model.inputs[0].size", 6);
        row("inputs that are no list",
            withTop("model:\n  family: torchscript\n  file: a.pt\n  inputs: 3\nbatch_size: 8\n"),
            "list of mappings", 5);
        row("impossible network", withTop("model: {family: resnet, depth: 19}\nbatch_size: 8\n"), "depth 19",
            2);
        row("no batch", withTop(resNet), "batch_size is missing", 1);
        row("fewer samples than devices", withTop(resNet + "batch_size: 2\ndevices: 4\n"),
            "less than devices, which is 4", 3);
        row("size above the batch", withTop(resNet + "batch_size: 2\nmicro_batch_size: 3\n"), "above", 4);
        row("images in sequence", withTop(resNet + "batch_size: 8\nsequence_length: 8\n"), "no sequences", 4);
        row("more tokens than positions", withTop(gpt + "batch_size: 8\nsequence_length: 65\n"), "at most 64",
            4);
        row("a decoder's sequence where there is one sequence",
            withTop(gpt + "batch_size: 8\ndecoder_sequence_length: 8\n"), "no sequence of its own", 4);
        row("no token for the decoder", withTop(t5 + "batch_size: 8\ndecoder_sequence_length: 0\n"),
            "at least 1", 4);
        row("unknown precision", withTop(resNet + "batch_size: 8\nprecision: fp8\n"), "\"fp8\"", 4);
        row("unknown optimizer", withTop(resNet + "batch_size: 8\noptimizer: lion\n"), "\"lion\"", 4);
        row("negative norm", withTop(resNet + "batch_size: 8\nmax_gradient_norm: -1\n"), "no clipping", 4);
        row("negative chunk", withTop(resNet + "batch_size: 8\nloss_chunk_rows: -1\n"), "at least 0", 4);
    }
    void namesWhatIsWrong()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, named);
        const ReadingError error = errorOfReading(text.toStdString());
        QVERIFY2(error.sentence.contains(named), qPrintable(error.sentence));
        QTEST(error.position.line, "line");
    }

    void writesASize_data()
    {
        QTest::addColumn<QString>("phase");
        QTest::addColumn<QByteArray>("before");
        QTest::addColumn<QByteArray>("after");
        const auto row = [](const char* name, const char* phase, const char* before, const char* after) {
            QTest::newRow(name) << QString::fromLatin1(phase) << QByteArray(before) << QByteArray(after);
        };
        row("in place", "train", "batch_size: 8\nmicro_batch_size: explore # searched\n",
            "batch_size: 8\nmicro_batch_size: 5 # searched\n");
        row("inserted", "train", "batch_size: 8\ndevices: 1\n",
            "batch_size: 8\nmicro_batch_size: 5\ndevices: 1\n");
        row("evaluation", "eval", "batch_size: 8\nmicro_batch_size: 4\n",
            "batch_size: 8\neval_micro_batch_size: 5\nmicro_batch_size: 4\n");
    }
    void writesASize()
    {
        QFETCH(QString, phase);
        QFETCH(QByteArray, before);
        QFETCH(QByteArray, after);
        const SplicedText spliced =
            recognise(withTop(resNet + before.toStdString()))
                ->withMicroBatchSize(
                    {.phase = *model::phaseFromText(phase.toStdString()), .microBatchSize = 5});
        QCOMPARE(QByteArray::fromStdString(spliced.text), QByteArray::fromStdString(withTop(resNet)) + after);
    }

    void refusesASizeAboveTheBatch()
    {
        const auto format = recognise(withTop(resNet + "batch_size: 8\neval_batch_size: 4\n"));
        QVERIFY_THROWS_EXCEPTION(
            ConfigError, format->withMicroBatchSize({.phase = model::Phase::Train, .microBatchSize = 9}));
        QVERIFY_THROWS_EXCEPTION(
            ConfigError, format->withMicroBatchSize({.phase = model::Phase::Eval, .microBatchSize = 5}));
    }

    void changesOneValueOfTheExamples_data()
    {
        QTest::addColumn<QString>("file");
        for (const char* name : {"qwen3-tiny.yaml", "resnet18-tiny.yaml", "vit-tiny.yaml"})
            QTest::newRow(name) << QStringLiteral(BATCHPEAK_SOURCE_DIR "/resources/examples/") +
                                       QString::fromLatin1(name);
    }
    void changesOneValueOfTheExamples()
    {
        QFETCH(QString, file);
        checkChangesOneValueAlone(textOf(file));
    }

    void readsTheExampleOfTheReadme()
    {
        const QString readme =
            QString::fromStdString(textOf(QStringLiteral(BATCHPEAK_SOURCE_DIR "/README.md")));
        const QString example =
            readme.section(QStringLiteral("```yaml\n"), 1, 1).section(QStringLiteral("```"), 0, 0);
        const ConfigContents contents = recognise(example.toStdString())->read();
        // TinyLlama's published count.
        QCOMPARE(qint64{model::parameterCount(std::get<model::ModelSpec>(contents.model))},
                 qint64{1100048384});
        QCOMPARE(contents.train->setting, Setting(Explore{}));
        QCOMPARE(contents.sequenceLength, std::int64_t{2048});
    }
};

BATCHPEAK_TEST(OwnFormatTest)
#include "tst_own_format.moc"
