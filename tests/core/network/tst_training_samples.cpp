// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Included before Qt, whose keyword "slots" is a name in libtorch.
#include <torch/csrc/jit/api/module.h>

#include "network/budget_allocator.h"
#include "network_comparison.h"
#include "sample_rows.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <ATen/core/grad_mode.h>

#include <QTest>

#include <cmath>
#include <span>

using namespace batchpeak;
using namespace batchpeak::network;

namespace {

std::vector<at::Tensor> tensorsOf(const Batch& batch)
{
    std::vector<at::Tensor> all = batch.inputs;
    all.push_back(batch.targets);
    return all;
}

std::int64_t bytesOf(const Batch& batch)
{
    std::int64_t bytes = 0;
    for (const at::Tensor& tensor : tensorsOf(batch))
        bytes += static_cast<std::int64_t>(tensor.nbytes());
    return bytes;
}

} // namespace

/// Tests how networks convert samples of training data, and how they are switched between training and
/// evaluation.
class TrainingSamplesTest : public QObject
{
    Q_OBJECT

private:
    QTemporaryDir m_folder;

    void addNetworks() const
    {
        const auto add = rows<model::Architecture>();
        for (const NamedNetwork& network : everyTinyNetwork(m_folder))
            add(network.name, network.architecture);
    }

    static void compareWithParts(const Network& network, const std::vector<SampleRow>& rows)
    {
        const std::span<const SampleRow> all(rows);
        const std::vector<at::Tensor> whole = tensorsOf(network.batchOf(all));
        for (std::size_t first = 0; first < rows.size(); ++first) {
            for (std::size_t samples = 1; samples <= rows.size() - first; ++samples) {
                const std::vector<at::Tensor> part = tensorsOf(network.batchOf(all.subspan(first, samples)));
                QCOMPARE(part.size(), whole.size());
                for (std::size_t i = 0; i < part.size(); ++i)
                    QVERIFY(at::equal(part[i], whole[i].narrow(0, static_cast<std::int64_t>(first),
                                                               static_cast<std::int64_t>(samples))));
            }
        }
    }

    static double lossOf(const TinyTraining& training, std::span<const SampleRow> rows)
    {
        const at::NoGradGuard noGradients;
        return training.network->loss(training.network->batchOf(rows), 1.0).item<double>();
    }

private slots:
    void initTestCase() { prepareLibtorch(); }

    void makesEqualSamplesInAnyMicroBatch_data() { addNetworks(); }
    void makesEqualSamplesInAnyMicroBatch()
    {
        const auto& architecture = row<model::Architecture>();
        const TinyTraining training(architecture);
        compareWithParts(*training.network, sampleRows(*training.network, 5));
        compareWithParts(*training.network, sampleRows(*training.network, 5, true));
    }

    void makesDifferentSamplesForDifferentKeys_data() { addNetworks(); }
    void makesDifferentSamplesForDifferentKeys()
    {
        const auto& architecture = row<model::Architecture>();
        const TinyTraining training(architecture);
        const std::vector<SampleRow> rows = sampleRows(*training.network, 2);
        const Batch batch = training.network->batchOf(rows);
        QVERIFY(!at::equal(batch.inputs.front()[0], batch.inputs.front()[1]));
    }

    // Compares inputs and targets of a full row and of a padded one.
    void splitsRowsIntoInputsAndTargets()
    {
        const TinyTraining gpt(tinyGpt());
        const TinyTraining t5(tinyT5());
        std::vector<SampleRow> rows(2);
        for (std::int64_t token = 1; token <= 25; ++token) {
            rows[0].tokens.push_back(token);
            rows[1].tokens.push_back(token <= 15 ? token : data::noToken);
        }
        const at::Tensor counted = at::arange(1, 26, at::kLong);
        const Batch both = t5.network->batchOf(rows);
        QVERIFY(at::equal(both.inputs[0][0], counted.slice(0, 0, 16)));
        QVERIFY(at::equal(both.targets[0], counted.slice(0, 16, 25)));
        QVERIFY(at::equal(both.inputs[1][0].slice(0, 1), counted.slice(0, 16, 24)));
        QCOMPARE(both.inputs[1][0][0].item<std::int64_t>(), 0);
        // 15 tokens are split in the ratio 16 to 9.
        QVERIFY(at::equal(both.inputs[0][1].slice(0, 0, 9), counted.slice(0, 0, 9)));
        QVERIFY(at::equal(both.targets[1].slice(0, 0, 6), counted.slice(0, 9, 15)));
        QVERIFY(both.targets[1].slice(0, 6).eq(ignoredTarget).all().item<bool>());

        for (SampleRow& row : rows)
            row.tokens.resize(17);
        const Batch following = gpt.network->batchOf(rows);
        QVERIFY(at::equal(following.inputs[0][0], counted.slice(0, 0, 16)));
        QVERIFY(at::equal(following.targets[0], counted.slice(0, 1, 17)));
        QVERIFY(at::equal(following.targets[1].slice(0, 0, 14), counted.slice(0, 1, 15)));
        QVERIFY(following.targets[1].slice(0, 14).eq(ignoredTarget).all().item<bool>());
    }

    // Targets are the original tokens, and most of them are masked in the inputs.
    void masksPredictedTokens()
    {
        const TinyTraining bert(tinyBert());
        const std::vector<SampleRow> rows = sampleRows(*bert.network, 50);
        const Batch batch = bert.network->batchOf(rows);
        std::int64_t hidden = 0;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const auto sample = static_cast<std::int64_t>(i);
            for (std::int64_t place = 0; place < 16; ++place) {
                const std::int64_t token = rows[i].tokens[static_cast<std::size_t>(place)];
                const auto target = batch.targets[sample][place].item<std::int64_t>();
                const auto input = batch.inputs[0][sample][place].item<std::int64_t>();
                QVERIFY(target == token || target == ignoredTarget);
                QVERIFY(input == token || (target != ignoredTarget && input == tinyBert().maskToken));
                hidden += input != token ? 1 : 0;
            }
        }
        QCOMPARE(batch.countedTargets, 50 * 2);
        QVERIFY(hidden >= 40 && hidden <= 50);
    }

    // Trials measure the worst case, so padded samples must have the same shapes.
    void makesMicroBatchesOfTheShapesInTrials_data() { addNetworks(); }
    void makesMicroBatchesOfTheShapesInTrials()
    {
        const auto& architecture = row<model::Architecture>();
        const TinyTraining training(architecture);
        const Batch expected = training.network->makeBatch(6, 16);
        for (const bool padded : {false, true}) {
            const Batch batch = training.network->batchOf(sampleRows(*training.network, 6, padded));
            QCOMPARE(batch.inputs.size(), expected.inputs.size());
            for (std::size_t i = 0; i < batch.inputs.size(); ++i) {
                QCOMPARE(batch.inputs[i].sizes().vec(), expected.inputs[i].sizes().vec());
                QCOMPARE(batch.inputs[i].scalar_type(), expected.inputs[i].scalar_type());
            }
            QCOMPARE(batch.targets.sizes().vec(), expected.targets.sizes().vec());
            if (!padded)
                QCOMPARE(batch.countedTargets, expected.countedTargets);
        }
    }

    void countsTargets_data() { addNetworks(); }
    void countsTargets()
    {
        const auto& architecture = row<model::Architecture>();
        const TinyTraining training(architecture);
        for (const bool padded : {false, true}) {
            const std::vector<SampleRow> rows = sampleRows(*training.network, 6, padded);
            const Batch batch = training.network->batchOf(rows);
            QCOMPARE(training.network->countedTargets(rows), batch.countedTargets);
            // A module that returns its loss has no targets: it is weighted by samples.
            const std::int64_t counted = batch.targets.ne(ignoredTarget).sum().item<std::int64_t>();
            QCOMPARE(batch.countedTargets, batch.targets.numel() > 0 ? counted : 6);
            for (const SampleRow& row : rows)
                QVERIFY(training.network->countedTargets({&row, 1}) > 0);
        }
    }

    // Memory of the host counts as memory of the device if both are one.
    void needsNoMoreMemoryThanTheBatch_data() { addNetworks(); }
    void needsNoMoreMemoryThanTheBatch()
    {
        const auto& architecture = row<model::Architecture>();
        const TinyTraining training(architecture);
        constexpr std::int64_t samples = 400;
        const std::vector<SampleRow> rows = sampleRows(*training.network, samples);
        BudgetAllocator& allocator = BudgetAllocator::installed();
        const std::int64_t before = allocator.counters().allocated;
        allocator.resetPeak();
        const Batch batch = training.network->batchOf(rows);
        const std::int64_t held = allocator.counters().allocated - before;
        // For images, the waves from which the classes are made.
        const auto patterns = batch.inputs.front().dim() == 4 ? bytesOf(batch) / 10 : 0;
        QVERIFY(held >= bytesOf(batch) && held < bytesOf(batch) + 4096);
        QVERIFY(allocator.counters().peakAllocated - before <= held + patterns);
    }

    void switchesBetweenTrainingAndEvaluation_data()
    {
        const auto add = rows<model::Architecture>();
        for (NamedNetwork network : tinyNetworks()) {
            std::visit(
                [](auto& spec) {
                    if constexpr (requires { spec.dropout; })
                        spec.dropout = 0.5;
                },
                network.architecture);
            add(network.name, network.architecture);
        }
    }
    void switchesBetweenTrainingAndEvaluation()
    {
        const auto& architecture = row<model::Architecture>();
        const TinyTraining training(architecture);
        const std::vector<SampleRow> rows = sampleRows(*training.network, 4);
        const double trained = lossOf(training, rows);
        training.network->setTrains(false);
        const double evaluated = lossOf(training, rows);
        QVERIFY(evaluated != trained);
        QCOMPARE(lossOf(training, rows), evaluated);
        training.network->setTrains(true);
        const double again = lossOf(training, rows);
        QVERIFY(again != evaluated);
    }

    void switchesModules()
    {
        const std::string file = m_folder.filePath(QStringLiteral("switches.pt")).toStdString();
        saveScript(file,
                   "def forward(self, x):\n    if self.training:\n        self.steps.add_(1.0)\n"
                   "        return self.bias.sum() + 1.0\n    return self.bias.sum() + 2.0\n",
                   5);
        const TinyTraining training(scriptSpec(file));
        const std::vector<SampleRow> rows = sampleRows(*training.network, 3);
        const double bias = training.parameters.at("bias").sum().item<double>();
        const auto verifyBranch = [&](double expected) {
            // One sample and two samples use separate specialized copies of the module.
            for (const std::size_t samples : {1, 2}) {
                const double loss = lossOf(training, std::span(rows).first(samples));
                QVERIFY(std::abs(loss / static_cast<double>(samples) - bias - expected) < 1e-5);
            }
        };
        for (const bool trains : {true, false, true, false}) {
            training.network->setTrains(trains);
            verifyBranch(trains ? 1.0 : 2.0);
        }
        const std::vector<at::Tensor> statistics = training.network->statistics();
        QCOMPARE(statistics.size(), std::size_t{1});
        QCOMPARE(statistics.front().item<float>(), 4.0f);
    }

    // Each normalization has three tensors, which only training changes.
    void reportsItsStatistics()
    {
        const TinyTraining training(tinyResNet());
        const std::vector<SampleRow> rows = sampleRows(*training.network, 4);
        std::vector<at::Tensor> before;
        const auto differ = [&] {
            int count = 0;
            const std::vector<at::Tensor> now = training.network->statistics();
            for (std::size_t i = 0; i < now.size(); ++i)
                count += at::equal(now[i], before[i]) ? 0 : 1;
            return count;
        };
        for (const at::Tensor& tensor : training.network->statistics())
            before.push_back(tensor.clone());
        QCOMPARE(before.size(), std::size_t{3 * 20});
        training.network->setTrains(false);
        lossOf(training, rows);
        QCOMPARE(differ(), 0);
        training.network->setTrains(true);
        lossOf(training, rows);
        QCOMPARE(differ(), 3 * 20);
        for (const NamedNetwork& network : tinyNetworks())
            QCOMPARE(TinyTraining(network.architecture).network->statistics().empty(),
                     !model::normalizesOverBatch({.architecture = network.architecture}));
    }
};

BATCHPEAK_TEST(TrainingSamplesTest)
#include "tst_training_samples.moc"
