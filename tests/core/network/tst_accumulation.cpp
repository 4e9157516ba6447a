// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Before Qt, whose keyword "slots" libtorch uses as a name.
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

// The same numbers are added in another order: a gradient is a sum over some hundred tokens, each addition of
// which is off by at most 2^-24 of the sum so far, and so are those within the products that it goes through.
// The most that is met here is 8e-7 of a parameter's largest gradient (BERT, torch 2.11.0 on a CPU).
constexpr double tolerance = 5e-6;
// Of those who weigh wrongly, several orders of magnitude away from rounding.
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

    /// What a mean loss of a chunk is divided by, so that it counts as its weighting says.
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

    // Of 7 samples, no size but 1 divides them evenly.
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

    // Why there is a choice: Composer's weights of samples give the tokens of short samples more.
    void differsWhereSamplesWeighAndAreShort_data()
    {
        const auto add = rows<model::Architecture>();
        for (const NamedNetwork& network : tinyNetworks()) {
            if (TinyTraining(network.architecture).network->tokensPerRow() > 0)
                add(network.name, network.architecture);
        }
    }
    void differsWhereSamplesWeighAndAreShort()
    {
        const auto& architecture = row<model::Architecture>();
        TinyTraining training(architecture);
        const std::vector<SampleRow> rows = sampleRows(*training.network, 7, true);
        QVERIFY(differenceOf(training, rows, 3, trial::LossWeighting::Samples) > clearlyWrong);
    }

    // Why accumulation is switched off or warned of: each micro-batch is normalized by its own statistics.
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
