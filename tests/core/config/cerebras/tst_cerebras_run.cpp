// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/config_document.h"
#include "config_test_data.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak;
using namespace batchpeak::config;

namespace {

const std::string network = "{vocab_size: 512, hidden_size: 64, num_hidden_layers: 2, num_heads: 4, "
                            "filter_size: 256, max_position_embeddings: 64}";

/// The same network with a name, as the Trainer layout has it.
std::string named(const std::string& unnamed)
{
    return unnamed.substr(0, unnamed.size() - 1) + ", name: gpt2}";
}

} // namespace

class CerebrasRunTest : public QObject
{
    Q_OBJECT

private slots:
    void readsTheNormOfGradients_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<double>("norm");
        const std::string params = "train_input: {batch_size: 8}\nmodel: " + network + "\n";
        QTest::newRow("params") << QByteArray::fromStdString(params + "optimizer: {max_gradient_norm: 0.5}\n")
                                << 0.5;
        QTest::newRow("nothing said") << QByteArray::fromStdString(params) << 0.0;
        QTest::newRow("negative") << QByteArray::fromStdString(params +
                                                               "optimizer: {max_gradient_norm: -1}\n")
                                  << -1.0;
        QTest::newRow("Trainer") << QByteArray::fromStdString(
                                        "trainer:\n  init:\n    model: " + named(network) +
                                        "\n    precision: {max_gradient_norm: 1.0}\n"
                                        "  fit: {train_dataloader: {batch_size: 8}}\n")
                                 << 1.0;
    }
    void readsTheNormOfGradients()
    {
        QFETCH(QByteArray, text);
        QFETCH(double, norm);
        const auto format = recognise(text.toStdString());
        if (norm < 0) {
            QVERIFY_THROWS_EXCEPTION(ConfigError, format->read());
            return;
        }
        QCOMPARE(format->read().step.maxGradientNorm, norm);
    }

    void readsTheRun_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("run");
        QTest::addColumn<QString>("warning");
        const auto params = [](const char* name, const char* modelKeys, const char* rest, const char* run,
                               const char* warning) {
            const std::string spec = network.substr(0, network.size() - 1) + modelKeys + "}\n" + rest;
            QTest::newRow(name) << QByteArray::fromStdString("train_input: {batch_size: 8}\nmodel: " + spec)
                                << QString::fromLatin1(run) << QString::fromLatin1(warning);
        };
        const auto trainer = [](const char* name, const char* init, const char* run, const char* warning) {
            QTest::newRow(name) << QByteArray::fromStdString(
                                       "trainer:\n  init:\n    model: " + named(network) + "\n" + init +
                                       "  fit: {train_dataloader: {batch_size: 8}}\n")
                                << QString::fromLatin1(run) << QString::fromLatin1(warning);
        };
        params("params, nothing said", "", "", "fp32 adamw", "");
        params("mixed precision", ", mixed_precision: True", "", "bf16 adamw", "");
        params("bfloat16", ", mixed_precision: True, fp16_type: bfloat16", "", "bf16 adamw", "");
        params("cbfloat16", ", mixed_precision: True, fp16_type: cbfloat16", "", "bf16 adamw",
               "cbfloat16 is a format");
        params("float16", ", mixed_precision: True, fp16_type: float16", "", "bf16 adamw",
               "float16 with loss scaling");
        params("type alone", ", fp16_type: cbfloat16", "", "fp32 adamw", "");
        params("AdamW", "", "optimizer: {optimizer_type: \"AdamW\"}\n", "fp32 adamw", "");
        params("lower case", "", "optimizer: {optimizer_type: adamw}\n", "fp32 adamw", "");
        params("SGD", "", "optimizer: {optimizer_type: SGD}\n", "fp32 sgd", "");
        params("Adam", "", "optimizer: {optimizer_type: Adam}\n", "fp32 adamw", "Adam, which costs the same");
        params("Adafactor", "", "optimizer: {optimizer_type: AdaFactor}\n", "fp32 adamw",
               "AdaFactor, whose steps");
        params("sparsity", "", "sparsity: {sparsity: 0.75}\n", "fp32 adamw", "dense");
        trainer("trainer, nothing said", "", "fp32 adamw", "");
        trainer("precision, nothing said", "    precision: {max_gradient_norm: 1.0}\n", "bf16 adamw", "");
        trainer("precision off", "    precision: {enabled: false, fp16_type: bfloat16}\n", "fp32 adamw", "");
        trainer("precision cbfloat16", "    precision: {enabled: true, fp16_type: cbfloat16}\n", "bf16 adamw",
                "cbfloat16 is a format");
        trainer("optimizer AdamW", "    optimizer: {AdamW: {betas: [0.9, 0.95]}}\n", "fp32 adamw", "");
        trainer("optimizer SGD", "    optimizer: {SGD: {lr: 2e-4}}\n", "fp32 sgd", "");
        trainer("optimizer Adafactor", "    optimizer: {Adafactor: {}}\n", "fp32 adamw",
                "Adafactor, whose steps");
        trainer("sparsity of a trainer", "    sparsity: {sparsity: 0.75}\n", "fp32 adamw", "dense");
    }
    void readsTheRun()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, warning);
        const ConfigContents contents = recognise(text.toStdString())->read();
        QTEST(QString::fromStdString(std::string(model::toText(contents.precision)) + " " +
                                     std::string(model::toText(contents.optimizer))),
              "run");
        QCOMPARE(contents.warnings.size(), std::size_t(warning.isEmpty() ? 0 : 1));
        if (!warning.isEmpty())
            QVERIFY(QString::fromStdString(contents.warnings[0].sentence).contains(warning));
    }

    void readsSequenceLength_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<qint64>("expected");
        QTest::newRow("of the network")
            << QByteArray::fromStdString("train_input: {batch_size: 8}\nmodel: " + network + "\n")
            << qint64{64};
        QTest::newRow("of the input")
            << QByteArray::fromStdString(
                   "train_input: {batch_size: 8, max_sequence_length: 32}\nmodel: " + network + "\n")
            << qint64{32};
        QTest::newRow("of the other phase's input")
            << QByteArray::fromStdString("train_input: {batch_size: 8}\n"
                                         "eval_input: {batch_size: 8, max_sequence_length: 16}\nmodel: " +
                                         network + "\n")
            << qint64{16};
    }
    void readsSequenceLength()
    {
        QFETCH(QByteArray, text);
        QTEST(qint64{recognise(text.toStdString())->read().sequenceLength}, "expected");
    }

    void refusesASequenceThatCannotBe_data()
    {
        QTest::addColumn<QString>("length");
        QTest::addColumn<QString>("named");
        QTest::newRow("past the learned positions")
            << QStringLiteral("65") << QStringLiteral("above the 64 positions");
        QTest::newRow("zero") << QStringLiteral("0") << QStringLiteral("at least 1 token");
    }
    void refusesASequenceThatCannotBe()
    {
        QFETCH(QString, length);
        QFETCH(QString, named);
        const ReadingError error =
            errorOfReading("train_input: {batch_size: 8, max_sequence_length: " + length.toStdString() +
                           "}\nmodel: " + network + "\n");
        QVERIFY2(error.sentence.contains(named), qPrintable(error.sentence));
        QCOMPARE(error.position, (TextPosition{.line = 1, .column = 51}));
    }

    void refusesAnUnknownType()
    {
        const ReadingError error =
            errorOfReading("train_input: {batch_size: 8}\nmodel: {mixed_precision: True, "
                           "fp16_type: fp8, image_size: 4}\n");
        QVERIFY2(error.sentence.contains(QStringLiteral("write bfloat16")), qPrintable(error.sentence));
        QCOMPARE(error.position.line, 2);
    }
};

BATCHPEAK_TEST(CerebrasRunTest)
#include "tst_cerebras_run.moc"
