// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Included before Qt, whose keyword "slots" is a name in libtorch.
#include <torch/csrc/jit/api/module.h>

#include "accumulation/micro_batches.h"
#include "network_comparison.h"
#include "sample_rows.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "trial/training.h"

#include <QTest>

#include <span>

using namespace batchpeak;
using namespace batchpeak::network;

namespace {

// The same numbers are added in another order. A gradient is a sum over some hundred tokens; each addition,
// also within matrix products, has an error of at most 2^-24 of the sum so far. The largest measured
// difference is 8e-7 of a parameter's largest gradient (BERT, torch 2.11.0 on a CPU).
constexpr double tolerance = 5e-6;
// Smallest difference that wrong weights cause, several orders of magnitude above rounding.
constexpr double clearlyWrong = 1e-2;

struct Accumulated
{
    std::vector<at::Tensor> gradients;
    double loss = 0.0;
};

} // namespace

/// Tests that a batch in micro-batches trains like the batch in one piece: Cerebras promises that of gradient
/// accumulation for networks without batch normalization.
class AccumulationTest : public QObject
{
    Q_OBJECT

private:
    QTemporaryDir m_folder;

    void addNetworks(bool normalizeOverBatch = false) const
    {
        const auto add = rows<model::Architecture>();
        for (const NamedNetwork& network : everyTinyNetwork(m_folder)) {
            if (model::normalizesOverBatch({.architecture = network.architecture}) == normalizeOverBatch)
                add(network.name, network.architecture);
        }
    }

    /// Returns the divisor of a chunk's loss that gives the chunk its weight.
    static double normalizerOf(const Batch& batch, const accumulation::Chunk& chunk, std::int64_t allTargets,
                               trial::LossWeighting weighting)
    {
        return weighting == trial::LossWeighting::Tokens
                   ? static_cast<double>(allTargets)
                   : static_cast<double>(batch.countedTargets) / chunk.weight;
    }

    static Accumulated accumulated(TinyTraining& training, std::span<const SampleRow> rows,
                                   std::int64_t microBatchSize, trial::LossWeighting weighting)
    {
        training.parameters.clearGradients();
        Accumulated result;
        const std::int64_t allTargets = training.network->countedTargets(rows);
        accumulation::forEachChunk(
            static_cast<std::int64_t>(rows.size()), microBatchSize, [&](const accumulation::Chunk& chunk) {
                const Batch batch = training.network->batchOf(rows.subspan(
                    static_cast<std::size_t>(chunk.first), static_cast<std::size_t>(chunk.samples)));
                const at::Tensor loss =
                    training.network->loss(batch, normalizerOf(batch, chunk, allTargets, weighting));
                loss.backward();
                result.loss += loss.item<double>();
            });
        training.parameters.completeGradients();
        result.gradients = gradientsOf(training.parameters, training.table);
        return result;
    }

    static double differenceOf(TinyTraining& training, std::span<const SampleRow> rows,
                               std::int64_t microBatchSize, trial::LossWeighting weighting)
    {
        const auto all = static_cast<std::int64_t>(rows.size());
        const Accumulated whole = accumulated(training, rows, all, trial::LossWeighting::Tokens);
        const Accumulated parts = accumulated(training, rows, microBatchSize, weighting);
        const WorstDifference worst = worstDifference(parts.gradients, whole.gradients, training.table);
        return std::max(worst.relative, std::abs(parts.loss / whole.loss - 1));
    }

    static void compareAllSizes(const model::Architecture& architecture, bool padded,
                                trial::LossWeighting weighting)
    {
        TinyTraining training(architecture);
        constexpr std::int64_t samples = 7;
        const std::vector<SampleRow> rows = sampleRows(*training.network, samples, padded);
        for (const std::int64_t size : {1, 2, 3, 4, 5, 6}) {
            const double difference = differenceOf(training, rows, size, weighting);
            QVERIFY2(
                difference < tolerance,
                qPrintable(QStringLiteral("in micro-batches of at most %1: %2").arg(size).arg(difference)));
        }
    }

private slots:
    void initTestCase() { prepareLibtorch(); }

    // Of these sizes, only 1 divides 7 samples evenly.
    void weighsSamples_data() { addNetworks(); }
    void weighsSamples()
    {
        const auto& architecture = row<model::Architecture>();
        compareAllSizes(architecture, false, trial::LossWeighting::Samples);
    }

    void weighsTokensOfPaddedSamples_data() { addNetworks(); }
    void weighsTokensOfPaddedSamples()
    {
        const auto& architecture = row<model::Architecture>();
        compareAllSizes(architecture, true, trial::LossWeighting::Tokens);
    }

    // Shows why the weighting can be chosen: Composer's weights by samples give tokens of short samples more
    // weight.
    void differsIfShortSamplesAreWeightedBySamples_data()
    {
        const auto add = rows<model::Architecture>();
        for (const NamedNetwork& network : tinyNetworks()) {
            if (TinyTraining(network.architecture).network->tokensPerRow() > 0)
                add(network.name, network.architecture);
        }
    }
    void differsIfShortSamplesAreWeightedBySamples()
    {
        const auto& architecture = row<model::Architecture>();
        TinyTraining training(architecture);
        const std::vector<SampleRow> rows = sampleRows(*training.network, 7, true);
        QVERIFY(differenceOf(training, rows, 3, trial::LossWeighting::Samples) > clearlyWrong);
    }

    // Shows why accumulation is disabled or causes a warning here: each micro-batch is normalized by its own
    // statistics.
    void differsWithBatchNormalization_data() { addNetworks(true); }
    void differsWithBatchNormalization()
    {
        const auto& architecture = row<model::Architecture>();
        TinyTraining training(architecture);
        const std::vector<SampleRow> rows = sampleRows(*training.network, 8);
        QVERIFY(differenceOf(training, rows, 4, trial::LossWeighting::Samples) > clearlyWrong);
        QVERIFY(differenceOf(training, rows, 8, trial::LossWeighting::Samples) < tolerance);
    }
};

BATCHPEAK_TEST(AccumulationTest)
#include "tst_accumulation.moc"
