// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/config_document.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak;
using namespace batchpeak::config;

namespace {

const model::ModelSpec network{.family = "gpt2",
                               .architecture = model::DecoderSpec{.vocabularySize = 100,
                                                                  .hiddenSize = 16,
                                                                  .layers = 1,
                                                                  .heads = 2,
                                                                  .keyValueHeads = 2,
                                                                  .feedForwardSize = 32,
                                                                  .maxPositions = 64}};

ConfigContents trainerContents(std::int64_t length, bool isElsewhere)
{
    return {.formatName = "axolotl",
            .model = UnsupportedModel{.sentence = "It trains an adapter. Give a network.",
                                      .isElsewhere = isElsewhere},
            .train = BatchPlan{.globalBatchSize = 8},
            .sequenceLength = length};
}

} // namespace

class ModelChoiceTest : public QObject
{
    Q_OBJECT

private slots:
    void keepsTheRun()
    {
        const ConfigContents source{.formatName = "Hugging Face", .model = network, .sequenceLength = 64};
        const ConfigContents joined = withModelOf(trainerContents(32, true), source);
        QVERIFY(std::get<model::ModelSpec>(joined.model) == network);
        QCOMPARE(joined.formatName, std::string("axolotl"));
        QCOMPARE(joined.sequenceLength, std::int64_t{32});
        QCOMPARE(joined.train->globalBatchSize, std::int64_t{8});
        QVERIFY(joined.warnings.empty());
    }

    void usesTheNetworksLengthIfTheRunHasNone()
    {
        const ConfigContents source{.model = network, .sequenceLength = 48};
        QCOMPARE(withModelOf(trainerContents(0, true), source).sequenceLength, std::int64_t{48});
        const ConfigContents silent{.model = network};
        QCOMPARE(withModelOf(trainerContents(0, true), silent).sequenceLength, std::int64_t{64});
    }

    void warnsOfTheReplacedTraining()
    {
        const ConfigContents source{.model = network};
        const ConfigContents joined = withModelOf(trainerContents(32, false), source);
        QCOMPARE(joined.warnings.size(), std::size_t{1});
        QCOMPARE(joined.warnings.front().sentence,
                 std::string("It trains an adapter. The chosen network runs in its place."));
    }

    void appliesTheAdaptersOfTheConfig()
    {
        const std::string run =
            "base_model: nobody/nothing\nmicro_batch_size: 1\n"
            "gradient_accumulation_steps: 1\nsequence_len: 64\nadapter: lora\nlora_r: 4\nlora_alpha: 8\n";
        const ConfigContents source{.model = network};
        const auto joined = [&](const std::string& more) {
            return withModelOf(recognize(run + more)->read(), source);
        };
        const ConfigContents named = joined("lora_target_modules: [c_attn]\n");
        QCOMPARE(named.tuning.targets.size(), std::size_t{1});
        QCOMPARE(named.tuning.targets.front().projection, model::Projection::QueryKeyValue);
        QVERIFY_THROWS_EXCEPTION(ConfigError, joined("lora_target_modules: [q_proj]\n"));
        const ConfigContents whole = joined("lora_target_modules: [wte]\n");
        QVERIFY(trainsAll(whole.tuning));
        QCOMPARE(whole.warnings.back().approximation, std::string("full training in place of adapters"));
        QVERIFY(
            whole.warnings.back().sentence.ends_with("All of the chosen network is trained in its place."));
    }

    void warnsOfSequencesBeyondThePositions()
    {
        const ConfigContents source{.model = network};
        const ConfigContents joined = withModelOf(trainerContents(65, true), source);
        QCOMPARE(joined.warnings.size(), std::size_t{1});
        QVERIFY(joined.warnings.front().sentence.find("has 64 positions") != std::string::npos);
        QVERIFY(withModelOf(trainerContents(64, true), source).warnings.empty());
    }

    void needsANetwork()
    {
        const ConfigContents source = trainerContents(8, true);
        QVERIFY_THROWS_EXCEPTION(ConfigError, withModelOf(trainerContents(8, true), source));
    }
};

BATCHPEAK_TEST(ModelChoiceTest)
#include "tst_model_choice.moc"
