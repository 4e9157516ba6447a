// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/parameter_shares.h"
#include "model/parameter_table.h"
#include "sample_decoders.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <algorithm>
#include <vector>

using namespace batchpeak::model;

namespace {

DecoderSpec llama()
{
    DecoderSpec spec = batchpeak::model::llama(1000, 2, 128);
    spec.hiddenSize = 64;
    spec.layers = 6;
    spec.heads = 4;
    spec.maxPositions = 64;
    return spec;
}

/// Returns the index of the unit whose memory each layer uses.
std::vector<std::size_t> lenders(const Architecture& architecture, Sharding sharding)
{
    const ParameterShares shares =
        parameterShares(parameterTable({.family = "test", .architecture = architecture}), sharding, 4);
    std::vector<std::size_t> lenders;
    for (std::size_t i = 0; i < shares.layers; ++i)
        lenders.push_back(shares.units[i].lender);
    return lenders;
}

} // namespace

class ParameterSharesTest : public QObject
{
    Q_OBJECT

private slots:
    void sharesMemoryBetweenEqualLayers_data()
    {
        DecoderSpec experts = llama();
        experts.experts = 4;
        experts.expertsPerToken = 2;
        experts.denseLayers = 1;
        experts.denseFeedForwardSize = 96;
        const EncoderDecoderSpec t5{.vocabularySize = 100,
                                    .hiddenSize = 32,
                                    .encoderLayers = 3,
                                    .decoderLayers = 3,
                                    .heads = 4,
                                    .headSize = 8,
                                    .feedForwardSize = 64};
        const ResNetSpec resNet{.depth = 50, .classes = 10, .imageSize = 32, .width = 8};
        using Lenders = std::vector<std::size_t>;
        const auto add = rows<Architecture, Sharding, Lenders>();
        add("decoder", {llama(), Sharding::Parameters, Lenders{0, 1, 0, 1, 0, 1}});
        add("gradients alone", {llama(), Sharding::Gradients, Lenders{0, 1, 2, 3, 4, 5}});
        add("a dense layer before experts", {experts, Sharding::Parameters, Lenders{0, 1, 2, 1, 2, 1}});
        add("two stacks", {t5, Sharding::Parameters, Lenders{0, 1, 0, 3, 4, 3}});
        add("residual blocks",
            {resNet, Sharding::Parameters, Lenders{0, 1, 2, 3, 4, 5, 4, 7, 8, 9, 8, 9, 8, 13, 14, 15}});
    }
    void sharesMemoryBetweenEqualLayers()
    {
        const auto& [architecture, sharding, expected] =
            row<Architecture, Sharding, std::vector<std::size_t>>();
        QCOMPARE(lenders(architecture, sharding), expected);
    }

    void holdsEveryParameterOnce()
    {
        Tuning tuning{.adapter = AdapterKind::Lora,
                      .targets = {{.projection = Projection::Query, .layers = {1, 3}}},
                      .trainedParts = {"layers.2."},
                      .frozenWeights = FrozenWeights::Nf4};
        const auto table = parameterTable({.family = "test", .architecture = llama()}, tuning);
        const ParameterShares shares = parameterShares(table, Sharding::Parameters, 4);
        std::vector<int> times(table.size());
        for (const ParameterUnit& unit : shares.units) {
            for (const auto& place : unit.trained)
                times[place.row] += table[place.row].role == ParameterRole::Trained ? 1 : 100;
            for (const auto& place : unit.frozen)
                times[place.row] += table[place.row].role == ParameterRole::Frozen ? 1 : 100;
            for (const std::size_t row : unit.quantized)
                times[row] += table[row].role == ParameterRole::Quantized ? 1 : 100;
        }
        QVERIFY(std::ranges::all_of(times, [](int count) { return count == 1; }));
        // A trained layer also has its quantized originals, so no other layer has its shapes.
        QCOMPARE(shares.layers, std::size_t{6});
        QCOMPARE(shares.units[2].lender, std::size_t{2});
        QVERIFY(!shares.units[2].quantized.empty() && !shares.units[2].trained.empty());
    }

    void dividesByDevices()
    {
        const auto table = parameterTable({.family = "test", .architecture = llama()});
        const ParameterShares two = parameterShares(table, Sharding::Parameters, 2);
        const ParameterShares eight = parameterShares(table, Sharding::Parameters, 8);
        const auto elements = static_cast<double>(parameterCounts(table).all());
        // Padding makes the shares approximate.
        QVERIFY(std::abs(static_cast<double>(two.trainedShare()) * 2.0 / elements - 1.0) < 0.1);
        QVERIFY(std::abs(static_cast<double>(eight.trainedShare()) * 8.0 / elements - 1.0) < 0.2);
        QCOMPARE(two.gathered, eight.gathered);
        QVERIFY(two.gathered < parameterShares(table, Sharding::Gradients, 2).gathered);
    }

    void ignoresShardingWithoutEffect_data()
    {
        rows<Phase, StepOptions, Sharding>(
            {{"one device", {Phase::Train, {.sharding = Sharding::Parameters}, Sharding::None}},
             {"several", {Phase::Train, {.sharding = Sharding::Gradients, .shards = 2}, Sharding::Gradients}},
             {"evaluation has no gradients",
              {Phase::Eval, {.sharding = Sharding::Gradients, .shards = 2}, Sharding::None}},
             {"evaluation has parameters",
              {Phase::Eval, {.sharding = Sharding::Parameters, .shards = 2}, Sharding::Parameters}}});
    }
    void ignoresShardingWithoutEffect()
    {
        const auto& [phase, options, expected] = row<Phase, StepOptions, Sharding>();
        QCOMPARE(sharingIn(phase, options), expected);
    }
};

BATCHPEAK_TEST(ParameterSharesTest)
#include "tst_parameter_shares.moc"
