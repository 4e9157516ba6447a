// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/config_document.h"
#include "config_test_data.h"
#include "model/parameter_table.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak;
using namespace batchpeak::config;

namespace {

const QString data = QStringLiteral(BATCHPEAK_TEST_DATA "/configs/");
const QString examples = QStringLiteral(BATCHPEAK_SOURCE_DIR "/resources/examples/");

const std::string network = "{vocab_size: 512, hidden_size: 64, num_hidden_layers: 2, num_heads: 4, "
                            "filter_size: 256, max_position_embeddings: 64}";

/// The same network with a name, as the Trainer layout has it.
std::string named(const std::string& unnamed)
{
    return unnamed.substr(0, unnamed.size() - 1) + ", name: gpt2}";
}

QString summary(const std::optional<BatchPlan>& plan)
{
    if (!plan)
        return QStringLiteral("none");
    return QStringLiteral("%1/%2 %3")
        .arg(plan->globalBatchSize)
        .arg(plan->devices)
        .arg(QString::fromStdString(toText(plan->setting)));
}

} // namespace

class CerebrasFormatsTest : public QObject
{
    Q_OBJECT

private slots:
    void readsFiles_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("format");
        QTest::addColumn<QString>("train");
        QTest::addColumn<QString>("eval");
        QTest::addColumn<qint64>("parameters");
        QTest::addColumn<qint64>("sequenceLength");
        QTest::addColumn<QString>("precision");
        const auto row = [](const QString& file, const char* format, const char* train, const char* eval,
                            qint64 parameters, qint64 sequenceLength, const char* precision) {
            QTest::newRow(qPrintable(file.section(QLatin1Char('/'), -1)))
                << file << QString::fromLatin1(format) << QString::fromLatin1(train)
                << QString::fromLatin1(eval) << parameters << sequenceLength
                << QString::fromLatin1(precision);
        };
        // Embeddings (512 + 64) * 64, two layers of 12 * 64^2 + 13 * 64, a last norm of 2 * 64.
        row(data + QStringLiteral("gpt2_params.yaml"), "Cerebras params", "528/2 88", "264/2 auto", 136960,
            64, "bf16");
        row(data + QStringLiteral("params_with_merge.yaml"), "Cerebras params",
            "48/1 {explore: {min: 2, max: 24}}", "48/1 {explore: {min: 2, max: 24}}", 136960, 32, "fp32");
        row(data + QStringLiteral("params_crlf.yaml"), "Cerebras params", "12/1 auto", "12/1 auto", 0, 0,
            "fp32");
        row(data + QStringLiteral("params_json.yaml"), "Cerebras params", "32/2 auto", "32/2 auto", 0, 0,
            "fp32");
        row(data + QStringLiteral("trainer_without_callbacks.yaml"), "Cerebras Trainer", "64/1 auto",
            "32/1 auto", 136960, 64, "fp32");
        // Embeddings 2 * 512 * 64, two layers of (64 + 2 * 32 + 64) * 64 + 3 * 172 * 64 + 2 * 64, a last norm
        // of 64.
        row(data + QStringLiteral("llama_trainer.yaml"), "Cerebras Trainer", "960/4 20", "960/4 auto", 156480,
            128, "bf16");
        row(examples + QStringLiteral("gpt2-tiny.yaml"), "Cerebras params", "256/1 explore", "256/1 explore",
            1071872, 128, "fp32");
        row(examples + QStringLiteral("llama-tiny.yaml"), "Cerebras Trainer", "240/1 auto", "240/1 auto",
            1250432, 128, "fp32");
        // Embeddings (2048 + 128 + 2) * 128 and their norm, four layers of 12 * 128^2 + 13 * 128, pooler and
        // head 2 * (128^2 + 128), the head's norm, 2048 biases, a next sentence of 2 * (128 + 1).
        row(examples + QStringLiteral("bert-tiny.yaml"), "Cerebras params", "256/1 explore", "256/1 explore",
            1107714, 128, "fp32");
        // Embeddings 2048 * 128, three layers of 12 * 128^2 + 2 * 128, three of 16 * 128^2 + 3 * 128, two
        // last norms, twice 32 buckets for 4 heads.
        row(examples + QStringLiteral("t5-tiny.yaml"), "Cerebras Trainer", "256/1 explore", "256/1 explore",
            1640832, 128, "fp32");
    }
    void readsFiles()
    {
        QFETCH(QString, file);
        const auto format = recognise(textOf(file));
        const ConfigContents contents = format->read();
        QTEST(QString::fromStdString(contents.formatName), "format");
        QCOMPARE(contents.formatName, std::string(format->name()));
        QTEST(summary(contents.train), "train");
        QTEST(summary(contents.eval), "eval");
        const auto* spec = std::get_if<model::ModelSpec>(&contents.model);
        QTEST(qint64{spec ? model::parameterCount(*spec) : 0}, "parameters");
        QTEST(qint64{contents.sequenceLength}, "sequenceLength");
        QTEST(QString::fromLatin1(model::toText(contents.precision).data()), "precision");
        QVERIFY2(contents.warnings.empty(),
                 contents.warnings.empty() ? "" : contents.warnings[0].sentence.c_str());
    }

    void refusesOtherTexts_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("named");
        const auto row = [](const char* name, const char* text, const char* named) {
            QTest::newRow(name) << QByteArray(text) << QString::fromLatin1(named);
        };
        row("a sentence", "Hello world\n", "known format");
        row("a list", "- train_input\n", "known format");
        row("another mapping", "a: 1\n", "known format");
        row("another program's trainer", "trainer:\n  devices: 1\n  max_steps: 5\n", "known format");
        row("no trainer in the list", "trainer: []\n", "known format");
        row("input sections that are words", "train_input: yes\neval_input: no\n", "known format");
        row("no input section", "model: {}\nrunconfig: {}\n", "neither train_input nor eval_input");
        row("no data loader", "trainer:\n  init: {}\n", "neither trainer.fit.train_dataloader nor");
        row("callbacks that are a word",
            "trainer:\n  init: {callbacks: all}\n  fit: {train_dataloader: {batch_size: 8}}\n",
            "list of callbacks");
        row("a section that is a list", "train_input: {batch_size: 8}\nmodel: [1]\n", "must be a mapping");
        row("a section that stands twice", "train_input: {batch_size: 8}\ntrain_input: {batch_size: 9}\n",
            "twice");
    }
    void refusesOtherTexts()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, named);
        const ReadingError error = errorOfReading(text.toStdString());
        QVERIFY2(error.sentence.contains(named), qPrintable(error.sentence));
    }

    void findsFlags_data()
    {
        QTest::addColumn<QByteArray>("callbacks");
        QTest::addColumn<QString>("train");
        QTest::addColumn<QString>("eval");
        const auto row = [](const char* name, const char* callbacks, const char* train, const char* eval) {
            QTest::newRow(name) << QByteArray(callbacks) << QString::fromLatin1(train)
                                << QString::fromLatin1(eval);
        };
        row("none", "[]", "auto", "auto");
        row("null", "null", "auto", "auto");
        row("for training", "[{ScopedTrainFlags: {csx.performance.micro_batch_size: 4}}]", "4", "auto");
        row("for evaluation", "[{ScopedValidateFlags: {csx.performance.micro_batch_size: 4}}]", "auto", "4");
        row("for both", "[{GlobalFlags: {csx.performance.micro_batch_size: explore}}]", "explore", "explore");
        row("scoped wins",
            "[{ScopedTrainFlags: {csx.performance.micro_batch_size: 4}}, "
            "{GlobalFlags: {csx.performance.micro_batch_size: 2}}]",
            "4", "2");
        row("scoped without the flag",
            "[{ScopedTrainFlags: {csx.debug.ini: 4}}, "
            "{GlobalFlags: {csx.performance.micro_batch_size: 2}}]",
            "2", "2");
        row("the last wins",
            "[{GlobalFlags: {csx.performance.micro_batch_size: 4}}, "
            "{GlobalFlags: {csx.performance.micro_batch_size: 2}}]",
            "2", "2");
        row("a mapping", "{GlobalFlags: {csx.performance.micro_batch_size: 2}}", "2", "2");
        row("scoped null",
            "[{ScopedTrainFlags: {csx.performance.micro_batch_size: null}}, "
            "{GlobalFlags: {csx.performance.micro_batch_size: 2}}]",
            "null", "2");
        row("nested keys are no flag", "[{GlobalFlags: {csx: {performance: {micro_batch_size: 2}}}}]", "auto",
            "auto");
    }
    void findsFlags()
    {
        QFETCH(QByteArray, callbacks);
        const ConfigContents contents =
            recognise(
                "trainer:\n  init: {callbacks: " + callbacks.toStdString() +
                "}\n  fit: {train_dataloader: {batch_size: 8}, val_dataloader: [{batch_size: 8}, {}]}\n")
                ->read();
        QTEST(QString::fromStdString(toText(contents.train->setting)), "train");
        QTEST(QString::fromStdString(toText(contents.eval->setting)), "eval");
    }

    void readsTheFirstOfSeveralTrainers()
    {
        const ConfigContents contents =
            recognise("trainer:\n- trainer:\n    init: {}\n    fit: {train_dataloader: {batch_size: 8}}\n"
                      "- trainer:\n    init: {}\n    fit: {train_dataloader: {batch_size: 9}}\n")
                ->read();
        QCOMPARE(contents.train->globalBatchSize, 8);
        QCOMPARE(contents.warnings.size(), std::size_t{1});
    }

    void warnsOfASizeInADataLoader()
    {
        const ConfigContents contents =
            recognise(
                "trainer:\n  init: {}\n  fit: {train_dataloader: {batch_size: 8, micro_batch_size: 4}}\n")
                ->read();
        QCOMPARE(contents.train->setting, Setting(Auto{}));
        QCOMPARE(contents.warnings.size(), std::size_t{1});
        QCOMPARE(contents.warnings[0].position, (TextPosition{.line = 3, .column = 61}));
    }

    void cannotRunLora()
    {
        const ConfigContents contents =
            recognise("trainer:\n  init:\n    callbacks: [{Lora: {r: 8}}]\n    model: " + named(network) +
                      "\n  fit: {train_dataloader: {batch_size: 8}}\n")
                ->read();
        QVERIFY(std::holds_alternative<UnsupportedModel>(contents.model));
    }
};

BATCHPEAK_TEST(CerebrasFormatsTest)
#include "tst_cerebras_formats.moc"
