// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/cerebras/known_sizes.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak;
using namespace batchpeak::config;

namespace {

model::ModelSpec decoder(qint64 hidden, qint64 layers, qint64 experts)
{
    return {.family = "gpt3",
            .architecture = model::DecoderSpec{.vocabularySize = 50257,
                                               .hiddenSize = hidden,
                                               .layers = layers,
                                               .heads = hidden / 128,
                                               .keyValueHeads = hidden / 128,
                                               .feedForwardSize = 4 * hidden,
                                               .maxPositions = 2048,
                                               .experts = experts}};
}

} // namespace

class KnownSizesTest : public QObject
{
    Q_OBJECT

private slots:
    void findsTheNearest_data()
    {
        QTest::addColumn<qint64>("hidden");
        QTest::addColumn<qint64>("layers");
        QTest::addColumn<qint64>("experts");
        QTest::addColumn<QString>("network");
        QTest::addColumn<qint64>("size");
        const auto row = [](const char* name, qint64 hidden, qint64 layers, qint64 experts,
                            const QString& network, qint64 size) {
            QTest::newRow(name) << hidden << layers << experts << network << size;
        };
        row("1.3B", 2048, 24, 0, QStringLiteral("GPT-3 1.3B"), 253);
        row("6.7B", 4096, 32, 0, QStringLiteral("GPT-3 6.7B"), 121);
        row("8B, near to it", 4096, 40, 0, QStringLiteral("GPT-3 6.7B"), 121);
        row("13B", 5120, 40, 0, QStringLiteral("GPT-3 13B"), 99);
        row("175B", 12288, 96, 0, QStringLiteral("GPT-3 175B"), 35);
        row("125M, far from all", 768, 12, 0, QString(), 0);
        row("experts", 4096, 32, 8, QString(), 0);
    }
    void findsTheNearest()
    {
        QFETCH(qint64, hidden);
        QFETCH(qint64, layers);
        QFETCH(qint64, experts);
        const auto known = knownSizeFor(decoder(hidden, layers, experts));
        QTEST(known ? QString::fromStdString(known->network) : QString(), "network");
        QTEST(known ? qint64{known->microBatchSize} : 0, "size");
    }

    void knowsT5()
    {
        const model::EncoderDecoderSpec spec{.vocabularySize = 32128,
                                             .hiddenSize = 1024,
                                             .encoderLayers = 24,
                                             .decoderLayers = 24,
                                             .heads = 32,
                                             .headSize = 128,
                                             .feedForwardSize = 16384};
        QCOMPARE(knownSizeFor({.family = "t5", .architecture = spec}),
                 std::optional(KnownSize{.network = "T5 3B", .microBatchSize = 256}));
    }

    void knowsNoImages()
    {
        QVERIFY(!knownSizeFor({.family = "vit",
                               .architecture = model::VisionTransformerSpec{
                                   .hiddenSize = 8, .layers = 1, .heads = 1, .feedForwardSize = 8}}));
    }
};

BATCHPEAK_TEST(KnownSizesTest)
#include "tst_known_sizes.moc"
