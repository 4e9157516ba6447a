// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/parameter_shares.h"
#include "model/parameter_table.h"
#include "network/budget_allocator.h"
#include "network/networks/network_factory.h"
#include "network/optimizers/flat_parameters.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "tiny_networks.h"

#include <ATen/ATen.h>

#include <QTest>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

using namespace batchpeak;
using namespace batchpeak::network;
using model::Sharding;

namespace {

constexpr std::int64_t devices = 3;

/// Returns a network with more layers than are gathered at a time.
model::ModelSpec deep(model::Architecture architecture)
{
    std::visit(
        [](auto& spec) {
            if constexpr (requires { spec.layers; })
                spec.layers = 5;
            if constexpr (requires { spec.encoderLayers; })
                spec.encoderLayers = spec.decoderLayers = 4;
        },
        architecture);
    return {.family = "tiny", .architecture = architecture};
}

struct Shared
{
    Shared(const model::Architecture& architecture, Sharding kind, bool checkpoints = false)
        : spec(deep(architecture)),
          sharding(kind),
          options({.sequenceLength = 16, .targetLength = 9, .trains = true, .checkpoints = checkpoints}),
          shares(model::parameterShares(model::parameterTable(spec), sharding, devices)),
          parameters(model::parameterTable(spec), model::Phase::Train, at::kCPU,
                     {.sharing = ParameterSharing{.devices = devices,
                                                  .takesTurns = sharding == Sharding::Parameters}})
    {}

    double trainOnce() { return trainOnce(parameters); }
    double trainOnce(FlatParameters& of) const;
    FlatParameters whole();

    model::ModelSpec spec;
    Sharding sharding;
    NetworkOptions options;
    model::ParameterShares shares;
    FlatParameters parameters;
};

double Shared::trainOnce(FlatParameters& of) const
{
    const auto network = makeNetwork(spec, of, options);
    network->setBetweenLayers([&](LayerSeam seam) {
        if (seam.layer && seam.isBackward)
            of.leaveLayer(*seam.layer);
        else if (seam.layer)
            of.enterLayer(*seam.layer);
    });
    of.gatherOutside();
    at::manual_seed(8);
    const Batch batch = network->makeBatch(3, 16);
    const at::Tensor loss = network->loss(batch, static_cast<double>(batch.countedTargets));
    loss.backward();
    of.reduceGradients();
    return loss.item<double>();
}

/// Returns the network of one device, with the values that the layers of the sharded one use.
FlatParameters Shared::whole()
{
    FlatParameters all(parameters.table(), model::Phase::Train, at::kCPU);
    parameters.gatherOutside();
    for (std::size_t i = 0; i < shares.units.size(); ++i) {
        parameters.enterLayer(i);
        for (const auto& place : shares.units[i].trained) {
            const std::string& name = parameters.table()[place.row].name;
            all.set(name, parameters.at(name).detach());
        }
    }
    return all;
}

/// Returns this device's share of the whole gradients.
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

/// Tests parameters that are sharded over devices.
class ShardedParametersTest : public QObject
{
    Q_OBJECT

private:
    static void addNetworks()
    {
        const auto add = rows<model::Architecture, Sharding, bool>();
        for (const NamedNetwork& network : tinyNetworks()) {
            for (const Sharding sharding : {Sharding::Gradients, Sharding::Parameters}) {
                const std::string name = std::string(network.name) + ", " + std::string(toText(sharding));
                add(name, {network.architecture, sharding, false});
                add(name + ", checkpointing", {network.architecture, sharding, true});
            }
        }
    }

private slots:
    void initTestCase() { BudgetAllocator::installed(); }

    // Forward and backward must find the values of their layer, although many layers share two buffers.
    void hasTheGradientsOfTheWholeNetwork_data() { addNetworks(); }
    void hasTheGradientsOfTheWholeNetwork()
    {
        const auto& [architecture, sharding, checkpoints] = row<model::Architecture, Sharding, bool>();
        Shared shared(architecture, sharding, checkpoints);
        FlatParameters whole = shared.whole();
        const double loss = shared.trainOnce();
        QVERIFY(std::abs(loss / shared.trainOnce(whole) - 1.0) < 1e-6);
        whole.completeGradients();
        const at::Tensor expected = shareOfGradients(whole, shared.shares);
        QVERIFY(expected.abs().sum().item<double>() > 0.0);
        QVERIFY(at::allclose(shared.parameters.gradients(), expected, 1e-4, 1e-6));
    }

    void reportsTheLayersOfItsTable_data()
    {
        const auto add = rows<model::Architecture>();
        for (const NamedNetwork& network : tinyNetworks())
            add(network.name, network.architecture);
    }
    void reportsTheLayersOfItsTable()
    {
        Shared shared(row<model::Architecture>(), Sharding::Gradients);
        std::vector<std::size_t> layers(shared.shares.layers);
        std::iota(layers.begin(), layers.end(), std::size_t{0});
        const auto network = makeNetwork(shared.spec, shared.parameters, shared.options);
        std::vector<std::size_t> forward;
        std::vector<std::size_t> backward;
        network->setBetweenLayers([&](LayerSeam seam) {
            if (seam.layer)
                (seam.isBackward ? backward : forward).push_back(*seam.layer);
        });
        const Batch batch = network->makeBatch(3, 16);
        network->loss(batch, 1.0).backward();
        QCOMPARE(forward, layers);
        std::ranges::reverse(layers);
        QCOMPARE(backward, layers);
    }

    void accumulatesGradientsUntilTheyAreCleared()
    {
        Shared shared(tinyGpt(), Sharding::Parameters);
        shared.trainOnce();
        const at::Tensor once = shared.parameters.gradients().clone();
        shared.trainOnce();
        QVERIFY(at::allclose(shared.parameters.gradients(), 2 * once, 1e-4, 1e-7));
        shared.parameters.clearGradients();
        shared.trainOnce();
        QVERIFY(at::equal(shared.parameters.gradients(), once));
    }

    void holdsNoFullGradientsAfterAPass()
    {
        Shared shared(tinyGpt(), Sharding::Parameters);
        const auto allocated = [] { return BudgetAllocator::installed().counters().allocated; };
        const auto before = allocated();
        shared.trainOnce();
        QCOMPARE(allocated(), before);
        for (const model::Parameter& parameter : shared.parameters.table())
            QVERIFY(!shared.parameters.at(parameter.name).grad().defined());
    }

    // The next pass must compute with the values that the optimizer has changed.
    void gathersChangedValues_data()
    {
        rows<Sharding>({{"gradients", Sharding::Gradients}, {"parameters", Sharding::Parameters}});
    }
    void gathersChangedValues()
    {
        Shared shared(tinyGpt(), row<Sharding>());
        const double before = shared.trainOnce();
        for (const auto& segment : shared.parameters.segments())
            at::Tensor(segment.values).sub_(segment.gradients);
        QVERIFY(shared.trainOnce() < before);
    }

    void refusesToSetValues()
    {
        Shared shared(tinyGpt(), Sharding::Parameters);
        QVERIFY_THROWS_EXCEPTION(std::logic_error,
                                 shared.parameters.set("embed_tokens.weight", at::zeros({67, 32})));
    }
};

BATCHPEAK_TEST(ShardedParametersTest)
#include "tst_sharded_parameters.moc"
