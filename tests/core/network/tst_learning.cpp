// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Included before Qt, whose keyword "slots" is a name in libtorch.
#include <torch/csrc/jit/api/module.h>

#include "data/sample_random.h"
#include "network/optimizers/optimizer_step.h"
#include "network_comparison.h"
#include "sample_rows.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak;
using namespace batchpeak::network;

namespace {

constexpr std::int64_t steps = 40;
constexpr std::int64_t samples = 32;

model::DecoderSpec byteGpt()
{
    model::DecoderSpec spec = tinyGpt();
    spec.vocabularySize = 256;
    spec.hiddenSize = 64;
    spec.feedForwardSize = 256;
    return spec;
}

} // namespace

/// Tests that the loss visibly decreases: the data of training runs are made for that.
class LearningTest : public QObject
{
    Q_OBJECT

private:
    struct Training
    {
        explicit Training(const model::Architecture& architecture)
            : spec{.architecture = architecture},
              parameters((at::manual_seed(7), networkParameters(spec)), model::Phase::Train, at::kCPU),
              network(
                  makeNetwork(spec, parameters, {.sequenceLength = 16, .targetLength = 9, .trains = true})),
              optimizer({}, parameters)
        {}

        /// Runs a step and returns the loss before its update.
        double step(const std::vector<SampleRow>& rows)
        {
            const Batch batch = network->batchOf(rows);
            const at::Tensor loss = network->loss(batch, static_cast<double>(batch.countedTargets));
            loss.backward();
            optimizer.run();
            return loss.item<double>();
        }

        model::ModelSpec spec;
        FlatParameters parameters;
        std::unique_ptr<Network> network;
        OptimizerStep optimizer;
    };

    /// Returns the mean of the first five losses minus that of the last five [nats].
    static double descent(Training& training, const data::TokenSource* source)
    {
        double first = 0;
        double last = 0;
        const data::SampleOrder order(source ? source->samples() : 4096, 3);
        for (std::int64_t step = 0; step < steps; ++step) {
            std::vector<SampleRow> rows;
            for (std::int64_t i = 0; i < samples; ++i) {
                const std::int64_t number = order.at(0, step * samples + i);
                rows.push_back({.key = static_cast<std::uint64_t>(number) * 7919,
                                .tokens = source ? source->row(number) : std::vector<std::int64_t>()});
            }
            const double loss = training.step(rows);
            first += step < 5 ? loss / 5 : 0;
            last += step >= steps - 5 ? loss / 5 : 0;
        }
        qInfo("loss %.3f -> %.3f", first, last);
        return first - last;
    }

private slots:
    void initTestCase() { prepareLibtorch(); }

    void learnsSyntheticTokens_data()
    {
        const auto add = rows<model::Architecture, double>();
        add("GPT", {tinyGpt(), 0.3});
        add("GPT, 256 tokens", {byteGpt(), 0.5});
        model::DecoderSpec large = byteGpt();
        large.vocabularySize = 5000;
        add("GPT, 5000 tokens", {large, 0.5});
        add("LLaMA", {tinyLlama(), 0.3});
        add("Mixtral", {tinyMixtral(), 0.3});
        add("BERT", {tinyBert(), 0.15});
        add("ESM-2", {tinyEsm(), 0.2});
        add("T5", {tinyT5(), 0.04});
    }
    void learnsSyntheticTokens()
    {
        const auto& [architecture, min] = row<model::Architecture, double>();
        Training training(architecture);
        const auto source = data::syntheticTokens({.length = training.network->tokensPerRow(),
                                                   .vocabularySize = training.network->vocabularySize()},
                                                  4096, 11);
        QVERIFY(descent(training, source.get()) > min);
    }

    void learnsAText()
    {
        Training training(byteGpt());
        const auto source =
            data::textTokens({.length = training.network->tokensPerRow(), .vocabularySize = 256},
                             BATCHPEAK_SOURCE_DIR "/LICENSE");
        QVERIFY(source->samples() >= steps * samples);
        QVERIFY(descent(training, source.get()) > 0.5);
    }

    void learnsImages_data()
    {
        model::VisionTransformerSpec transformer = tinyVisionTransformer();
        transformer.classes = 10;
        model::ResNetSpec residual = tinyResNet();
        residual.classes = 10;
        rows<model::Architecture>({{"ViT", transformer}, {"ResNet", residual}});
    }
    void learnsImages()
    {
        const auto& architecture = row<model::Architecture>();
        Training training(architecture);
        QVERIFY(descent(training, nullptr) > 0.05);
    }
};

BATCHPEAK_TEST(LearningTest)
#include "tst_learning.moc"
