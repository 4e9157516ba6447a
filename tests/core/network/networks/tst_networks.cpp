// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/parameter_table.h"
#include "network/budget_allocator.h"
#include "network/networks/network_factory.h"
#include "network/optimizers/flat_parameters.h"
#include "network_comparison.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "tiny_networks.h"

#include <ATen/ATen.h>

#include <QTest>

#include <vector>

using namespace batchpeak;
using namespace batchpeak::network;

namespace {

constexpr std::int64_t samples = 13;
constexpr std::int64_t length = 12;

NetworkOptions trainingOptions()
{
    return {.sequenceLength = length, .targetLength = 7, .trains = true};
}

/// A network with its parameters and their accumulated gradients.
struct Trained
{
    Trained(const model::Architecture& architecture, const NetworkOptions& options)
        : parameters((at::manual_seed(7), model::parameterTable({.architecture = architecture})),
                     model::Phase::Train, at::kCPU),
          network(makeNetwork({.architecture = architecture}, parameters, options))
    {
        for (const auto& segment : parameters.segments())
            at::Tensor(segment.values).normal_(0.0, 0.1);
    }

    Batch batch() const
    {
        at::manual_seed(8);
        return network->makeBatch(samples, length);
    }

    /// Returns the gradients and the loss of a whole step.
    std::pair<at::Tensor, double> backward(const Batch& batch, const std::vector<std::int64_t>& parts,
                                           bool meanOfMeans = false)
    {
        parameters.clearGradients();
        at::manual_seed(9);
        double sum = 0;
        std::int64_t first = 0;
        for (const std::int64_t size : parts) {
            const Batch part = batch.slice(first, size);
            const auto normalizer = static_cast<double>(
                meanOfMeans ? part.countedTargets * static_cast<std::int64_t>(parts.size())
                            : batch.countedTargets);
            const at::Tensor loss = network->loss(part, normalizer);
            loss.backward();
            sum += loss.item<double>();
            first += size;
        }
        return {parameters.gradients().clone(), sum};
    }

    FlatParameters parameters;
    std::unique_ptr<Network> network;
};

double relativeDistance(const at::Tensor& a, const at::Tensor& b)
{
    return ((a - b).norm() / b.norm()).item<double>();
}

} // namespace

/// Tests properties that all networks share.
class NetworksTest : public QObject
{
    Q_OBJECT

private:
    static void addNetworks()
    {
        const auto add = rows<model::Architecture>();
        for (const NamedNetwork& network : tinyNetworks())
            add(network.name, network.architecture);
    }

private slots:
    void initTestCase() { prepareLibtorch(); }

    void givesEveryParameterAGradient_data() { addNetworks(); }
    void givesEveryParameterAGradient()
    {
        const auto& architecture = row<model::Architecture>();
        Trained trained(architecture, trainingOptions());
        trained.backward(trained.batch(), {samples});
        for (const auto& parameter : model::parameterTable({.architecture = architecture})) {
            const at::Tensor gradient = trained.parameters.at(parameter.name).grad();
            QVERIFY2(gradient.isfinite().all().item<bool>(), parameter.name.c_str());
            QVERIFY2(gradient.abs().sum().item<double>() > 0, parameter.name.c_str());
        }
    }

    void checkpointsToTheSameBits_data() { addNetworks(); }
    void checkpointsToTheSameBits()
    {
        auto architecture = row<model::Architecture>();
        std::visit(
            [](auto& spec) {
                if constexpr (requires { spec.dropout; })
                    spec.dropout = 0.2;
            },
            architecture);
        NetworkOptions options = trainingOptions();
        Trained plain(architecture, options);
        options.checkpoints = true;
        Trained checkpointed(architecture, options);
        const auto [gradients, loss] = plain.backward(plain.batch(), {samples});
        const auto [gradientsAgain, lossAgain] = checkpointed.backward(checkpointed.batch(), {samples});
        QCOMPARE(lossAgain, loss);
        QVERIFY(at::equal(gradientsAgain, gradients));
    }

    void addsUpUnevenMicroBatches_data() { addNetworks(); }
    void addsUpUnevenMicroBatches()
    {
        const auto& architecture = row<model::Architecture>();
        if (model::normalizesOverBatch({.architecture = architecture}))
            QSKIP("It computes over the samples of a micro-batch together.");
        Trained trained(architecture, trainingOptions());
        const Batch batch = trained.batch();
        const auto [whole, loss] = trained.backward(batch, {samples});
        for (const std::vector<std::int64_t>& parts :
             {std::vector<std::int64_t>{4, 4, 4, 1}, {1, 2, 3, 7}, std::vector<std::int64_t>(samples, 1)}) {
            const auto [gradients, sum] = trained.backward(batch, parts);
            VERIFY_BELOW(relativeDistance(gradients, whole), 2e-6);
            QVERIFY(std::abs(sum / loss - 1) < 2e-6);
        }
    }

    // The usual mistake gives each micro-batch the same weight, even if it has fewer samples. Shows that
    // addsUpUnevenMicroBatches() detects it.
    void detectsAMeanOfMeans_data() { addNetworks(); }
    void detectsAMeanOfMeans()
    {
        const auto& architecture = row<model::Architecture>();
        if (model::normalizesOverBatch({.architecture = architecture}))
            QSKIP("It computes over the samples of a micro-batch together.");
        Trained trained(architecture, trainingOptions());
        const Batch batch = trained.batch();
        const at::Tensor whole = trained.backward(batch, {samples}).first;
        const at::Tensor uneven = trained.backward(batch, {4, 4, 4, 1}, true).first;
        QVERIFY(relativeDistance(uneven, whole) > 0.05);
    }

    void countsItsBuffers_data() { addNetworks(); }
    void countsItsBuffers()
    {
        const auto& architecture = row<model::Architecture>();
        const model::ModelSpec spec{.architecture = architecture};
        const FlatParameters parameters(model::parameterTable(spec), model::Phase::Eval, at::kCPU);
        const std::int64_t before = BudgetAllocator::installed().counters().allocated;
        const auto network = makeNetwork(spec, parameters, trainingOptions());
        std::int64_t expected = 0;
        for (const std::int64_t bytes : networkBufferBytes(spec, trainingOptions()))
            expected += (bytes + 511) / 512 * 512;
        QCOMPARE(BudgetAllocator::installed().counters().allocated - before, expected);
    }
};

BATCHPEAK_TEST(NetworksTest)
#include "tst_networks.moc"
