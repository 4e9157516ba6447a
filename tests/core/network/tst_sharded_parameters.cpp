// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/parameter_shares.h"
#include "network/budget_allocator.h"
#include "network/decoder_network.h"
#include "network/flat_parameters.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "tiny_networks.h"

#include <ATen/ATen.h>

#include <QTest>

#include <vector>

using namespace batchpeak;
using namespace batchpeak::network;
using model::Sharding;

namespace {

constexpr std::int64_t devices = 3;

model::DecoderSpec deepGpt()
{
    model::DecoderSpec spec = tinyGpt();
    spec.layers = 5;
    return spec;
}

FlatParameters sharedParameters(Sharding sharding)
{
    return {
        model::parameterTable(deepGpt()),
        model::Phase::Train,
        at::kCPU,
        {.sharing = ParameterSharing{.devices = devices, .takesTurns = sharding == Sharding::Parameters}}};
}

/// A network on one device with the values that layers of the shared one compute with.
FlatParameters wholeParameters(FlatParameters& shared)
{
    FlatParameters whole(shared.table(), model::Phase::Train, at::kCPU);
    shared.gatherOutside();
    for (const model::Parameter& parameter : shared.table()) {
        if (const auto layer = model::layerOf(parameter.name))
            shared.enterLayer(static_cast<std::size_t>(*layer));
        whole.set(parameter.name, shared.at(parameter.name).detach());
    }
    return whole;
}

double trainOnce(FlatParameters& parameters, bool checkpoints)
{
    DecoderNetwork network(deepGpt(), parameters,
                           {.sequenceLength = 16, .trains = true, .checkpoints = checkpoints});
    network.setBetweenLayers([&](LayerSeam seam) {
        if (seam.layer && seam.isBackward)
            parameters.leaveLayer(*seam.layer);
        else if (seam.layer)
            parameters.enterLayer(*seam.layer);
    });
    parameters.gatherOutside();
    const at::Tensor tokens = at::arange(48, at::kLong).remainder(67).view({3, 16});
    const at::Tensor loss = network.loss({.inputs = {tokens}, .targets = tokens.roll(-1, 1)}, 48.0);
    loss.backward();
    parameters.reduceGradients();
    return loss.item<double>();
}

/// What this device's share of the whole gradients is.
at::Tensor shareOfGradients(const FlatParameters& whole, const model::ParameterShares& shares)
{
    at::Tensor expected = at::zeros({shares.trainedShare()});
    for (const model::ParameterUnit& unit : shares.units) {
        at::Tensor full = at::zeros({unit.trainedElements()});
        for (const auto& [row, first] : unit.trained) {
            const model::Parameter& parameter = whole.table()[row];
            full.narrow(0, first, parameter.elements()).copy_(whole.at(parameter.name).grad().flatten());
        }
        for (const model::UnitStretch& stretch : {unit.decaying, unit.undecayed}) {
            expected.narrow(0, stretch.firstOfShare, stretch.own())
                .copy_(full.narrow(0, stretch.first, stretch.own()));
        }
    }
    return expected;
}

} // namespace

/// Parameters of which one device holds a share.
class ShardedParametersTest : public QObject
{
    Q_OBJECT

private:
    static void addShardings()
    {
        rows<Sharding, bool>({{"gradients", {Sharding::Gradients, false}},
                              {"gradients, checkpointing", {Sharding::Gradients, true}},
                              {"parameters", {Sharding::Parameters, false}},
                              {"parameters, checkpointing", {Sharding::Parameters, true}}});
    }

private slots:
    void initTestCase() { BudgetAllocator::installed(); }

    // Forward and backward each find the values of their layer, though five of them share two buffers.
    void learnsAsTheWholeNetwork_data() { addShardings(); }
    void learnsAsTheWholeNetwork()
    {
        const auto& [sharding, checkpoints] = row<Sharding, bool>();
        FlatParameters shared = sharedParameters(sharding);
        FlatParameters whole = wholeParameters(shared);
        const double loss = trainOnce(shared, checkpoints);
        QCOMPARE(loss, trainOnce(whole, checkpoints));
        const auto shares = model::parameterShares(shared.table(), sharding, devices);
        const at::Tensor expected = shareOfGradients(whole, shares);
        QVERIFY(expected.abs().sum().item<double>() > 0.0);
        QVERIFY(at::allclose(shared.gradients(), expected, 1e-4, 1e-7));
    }

    void addsGradientsUntilTheyAreCleared_data() { addShardings(); }
    void addsGradientsUntilTheyAreCleared()
    {
        const auto& [sharding, checkpoints] = row<Sharding, bool>();
        FlatParameters shared = sharedParameters(sharding);
        trainOnce(shared, checkpoints);
        const at::Tensor once = shared.gradients().clone();
        trainOnce(shared, checkpoints);
        QVERIFY(at::allclose(shared.gradients(), 2 * once, 1e-4, 1e-7));
        shared.clearGradients();
        trainOnce(shared, checkpoints);
        QVERIFY(at::equal(shared.gradients(), once));
    }

    void holdsNoFullGradientsBehindAPass()
    {
        FlatParameters shared = sharedParameters(Sharding::Parameters);
        const auto allocated = [] { return BudgetAllocator::installed().counters().allocated; };
        const auto before = allocated();
        trainOnce(shared, false);
        QCOMPARE(allocated(), before);
        for (const model::Parameter& parameter : shared.table())
            QVERIFY(!shared.at(parameter.name).grad().defined());
    }

    // What an optimizer changes is what the next pass computes with.
    void gathersWhatHasChanged_data() { addShardings(); }
    void gathersWhatHasChanged()
    {
        const auto& [sharding, checkpoints] = row<Sharding, bool>();
        FlatParameters shared = sharedParameters(sharding);
        const double before = trainOnce(shared, checkpoints);
        for (const auto& segment : shared.segments())
            at::Tensor(segment.values).sub_(segment.gradients);
        QVERIFY(trainOnce(shared, checkpoints) < before);
    }

    void refusesOtherValues()
    {
        FlatParameters shared = sharedParameters(Sharding::Parameters);
        QVERIFY_THROWS_EXCEPTION(std::logic_error, shared.set("embed_tokens.weight", at::zeros({67, 32})));
    }
};

BATCHPEAK_TEST(ShardedParametersTest)
#include "tst_sharded_parameters.moc"
