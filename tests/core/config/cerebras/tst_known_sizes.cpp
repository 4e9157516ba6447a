// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/cerebras/known_sizes.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak;
using namespace batchpeak::config;

namespace {

model::ModelSpec decoder(std::int64_t hidden, std::int64_t layers, std::int64_t experts)
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
        rows<std::int64_t, std::int64_t, std::int64_t, std::string, std::int64_t>({
            {"1.3B", {2048, 24, 0, "GPT-3 1.3B", 253}},
            {"6.7B", {4096, 32, 0, "GPT-3 6.7B", 121}},
            {"8B, near to it", {4096, 40, 0, "GPT-3 6.7B", 121}},
            {"13B", {5120, 40, 0, "GPT-3 13B", 99}},
            {"175B", {12288, 96, 0, "GPT-3 175B", 35}},
            {"125M, far from all", {768, 12, 0, "", 0}},
            {"experts", {4096, 32, 8, "", 0}},
        });
    }
    void findsTheNearest()
    {
        const auto& [hidden, layers, experts, network, size] =
            row<std::int64_t, std::int64_t, std::int64_t, std::string, std::int64_t>();
        const auto known = knownSizeFor(decoder(hidden, layers, experts));
        QCOMPARE(known ? known->network : "", network);
        QCOMPARE(known ? known->microBatchSize : 0, size);
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

    void returnsNothingForImages()
    {
        QVERIFY(!knownSizeFor({.family = "vit",
                               .architecture = model::VisionTransformerSpec{
                                   .hiddenSize = 8, .layers = 1, .heads = 1, .feedForwardSize = 8}}));
    }
};

BATCHPEAK_TEST(KnownSizesTest)
#include "tst_known_sizes.moc"
