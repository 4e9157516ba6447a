// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/approximations.h"
#include "exploration_harness.h"
#include "plan/exploration_plan.h"
#include "support/error_of.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "text/fidelity_text.h"

#include <QTest>

using namespace batchpeak;
using engine::ExplorationOptions;

using Change = std::function<void(config::ConfigContents&, ExplorationOptions&)>;

namespace {

model::Tuning lora()
{
    return {.adapter = model::AdapterKind::Lora,
            .rank = 4,
            .targets = {{.projection = model::Projection::Query, .layers = {}}}};
}

config::Warning reasonOf(std::string_view approximation)
{
    return {.sentence = "", .position = {}, .approximation = std::string(approximation)};
}

config::Fidelity labelOf(const Change& change)
{
    config::ConfigContents contents = test::smallConfig();
    ExplorationOptions options;
    change(contents, options);
    return engine::planExploration(QStringLiteral("c.yaml"), contents, options).run.fidelity;
}

/// Returns a change of the options only.
template<typename Set>
Change option(Set set)
{
    return [set](config::ConfigContents&, ExplorationOptions& options) { set(options); };
}

} // namespace

/// Tests the fidelity of a config after a run of it is planned.
class RunFidelityTest : public QObject
{
    Q_OBJECT

private slots:
    void labelsARun_data()
    {
        using Options = ExplorationOptions;
        rows<Change, Text>({
            {"nothing asked", {[](auto&, auto&) {}, "as configured"}},
            {"what the config has, asked again",
             {option([](Options& o) {
                  o.precision = model::Precision::Fp32;
                  o.optimizer = model::Optimizer::AdamW;
                  o.sequenceLength = 16;
                  o.activationCheckpointing = false;
                  o.attention = model::Attention::Automatic;
                  o.adapter = model::AdapterKind::None;
              }),
              "as configured"}},
            {"options that do not change the run",
             {option([](Options& o) {
                  o.devices = {QStringLiteral("cpu")};
                  o.memoryLimitBytes = 1000000;
                  o.maximum = 8;
                  o.seed = 3;
                  o.places = {QStringLiteral("ssh host")};
              }),
              "as configured"}},
            {"precision",
             {option([](Options& o) { o.precision = model::Precision::Bf16; }),
              "another run, with another precision"}},
            {"optimizer",
             {option([](Options& o) { o.optimizer = model::Optimizer::Sgd; }),
              "another run, with another optimizer"}},
            {"options of the optimizer in evaluation",
             {[](config::ConfigContents& contents, Options& o) {
                  contents.eval = contents.train;
                  o.phase = model::Phase::Eval;
                  o.optimizer = model::Optimizer::Sgd;
                  o.activationCheckpointing = true;
                  o.maxGradientNorm = 1.0;
              },
              "as configured"}},
            {"steps",
             {option([](Options& o) {
                  o.activationCheckpointing = true;
                  o.maxGradientNorm = 1.0;
                  o.lossChunkRows = 8;
                  o.attention = model::Attention::Math;
              }),
              "another run, with another activation checkpointing, another gradient clipping, other chunks "
              "of the "
              "loss and another attention kernel"}},
            {"sequence length",
             {option([](Options& o) { o.sequenceLength = 8; }), "another run, with another sequence length"}},
            {"lengths of samples",
             {option([](Options& o) {
                  o.sampleLengths = {2, 4};
              }),
              "another run, with other lengths of samples"}},
            {"a length that the config leaves open",
             {[](config::ConfigContents& contents, Options&) { contents.sequenceLength = 0; },
              "as configured, for samples of 32 tokens"}},
            {"an open length that reading has chosen",
             {[](config::ConfigContents& contents, Options&) { contents.lengthIsOpen = true; },
              "as configured, for samples of 16 tokens"}},
            {"an open length that the user sets",
             {[](config::ConfigContents& contents, Options& o) {
                  contents.lengthIsOpen = true;
                  o.sequenceLength = 8;
              },
              "as configured"}},
            {"texts whose length the config leaves open",
             {[](config::ConfigContents& contents, Options&) {
                  contents.step.packedTextLength = 4;
                  contents.textLengthIsOpen = true;
              },
              "as configured, for packed texts of 4 tokens"}},
            {"an open length of packed texts that the user sets",
             {[](config::ConfigContents& contents, Options& o) {
                  contents.step.packedTextLength = 4;
                  contents.textLengthIsOpen = true;
                  o.packedTextLength = 8;
              },
              "as configured"}},
            {"open texts that fill a sample",
             {[](config::ConfigContents& contents, Options&) {
                  contents.step.packedTextLength = 512;
                  contents.textLengthIsOpen = true;
              },
              "as configured"}},
            {"the config's own packed texts",
             {[](config::ConfigContents& contents, Options&) { contents.step.packedTextLength = 4; },
              "as configured"}},
            {"other packed texts",
             {[](config::ConfigContents& contents, Options& o) {
                  contents.step.packedTextLength = 4;
                  o.packedTextLength = 8;
              },
              "another run, with other lengths of packed texts"}},
            {"packed texts where there are none",
             {option([](Options& o) { o.packedTextLength = 8; }), "another run, with packed texts"}},
            {"none where there are",
             {[](config::ConfigContents& contents, Options& o) {
                  contents.step.packedTextLength = 4;
                  o.packedTextLength = 0;
              },
              "another run, with one text in each sample"}},
            {"a smaller network, and nothing that is smaller with it",
             {[](config::ConfigContents& contents, Options& o) {
                  contents.sequenceLength = 32;
                  contents.tuning = lora();
                  contents.tuning.rank = 64;
                  o.shrinks = true;
              },
              "another run, with a smaller network"}},
            {"another program",
             {option([](Options& o) { o.workerCommand = QStringLiteral("trainer"); }),
              "another run, with another worker program"}},
            {"adapters where the config has none",
             {option([](Options& o) { o.adapter = model::AdapterKind::Lora; }),
              "another run, with another adapter"}},
            {"another rank",
             {[](config::ConfigContents& contents, Options& o) {
                  contents.tuning = lora();
                  o.adapterRank = 16;
              },
              "another run, with another adapter rank"}},
            {"other frozen weights",
             {[](config::ConfigContents& contents, Options& o) {
                  contents.tuning = lora();
                  o.frozenWeights = model::FrozenWeights::Nf4;
              },
              "another run, with other frozen weights"}},
            {"the config's own adapters",
             {[](config::ConfigContents& contents, Options& o) {
                  contents.tuning = lora();
                  o.adapter = model::AdapterKind::Lora;
                  o.adapterRank = 4;
              },
              "as configured"}},
            {"layers rounded that the config leaves as they are",
             {[](config::ConfigContents& contents, Options& o) {
                  contents.tuning = lora();
                  contents.tuning.fakeQuantization = {
                      .weights = model::FakeQuantizedWeights::Int4, .groupSize = 2, .adaptedLayers = true};
                  o.adapter = model::AdapterKind::None;
              },
              "another run, with another adapter and another rounding of weights and activations"}},
            {"the step of a narrow optimizer",
             {[](config::ConfigContents& contents, Options&) {
                  contents.warnings.push_back(reasonOf(config::approximation::step8bit));
                  contents.warnings.push_back(reasonOf(config::approximation::pagedOptimizer));
              },
              "approximate because of the step of an 8-bit optimizer and a paged optimizer"}},
            {"the same of a few adapters",
             {[](config::ConfigContents& contents, Options&) {
                  contents.tuning = lora();
                  contents.tuning.rank = 1;
                  contents.warnings.push_back(reasonOf(config::approximation::step8bit));
                  contents.warnings.push_back(reasonOf(config::approximation::pagedOptimizer));
              },
              "as configured"}},
            {"the same of adapters that are much of the network",
             {[](config::ConfigContents& contents, Options&) {
                  contents.tuning = lora();
                  contents.tuning.rank = 8;
                  contents.warnings.push_back(reasonOf(config::approximation::step8bit));
              },
              "memory as configured, speed approximate because of the step of an 8-bit optimizer"}},
            {"sharding over devices that the config counts",
             {[](config::ConfigContents& contents, Options&) {
                  contents.step.sharding = model::Sharding::Parameters;
                  contents.train->devices = 8;
              },
              "approximate because of sharding over several devices"}},
            {"sharding on one device is none",
             {[](config::ConfigContents& contents, Options&) {
                  contents.step.sharding = model::Sharding::Parameters;
                  contents.warnings.push_back(
                      {.sentence = "",
                       .position = {},
                       .approximation = std::string(config::approximation::sharding)});
              },
              "as configured"}},
            {"sharding over an unknown number of devices",
             {[](config::ConfigContents& contents, Options&) {
                  contents.step.sharding = model::Sharding::Optimizer;
                  contents.train->knowsDevices = false;
              },
              "approximate because of sharding over several devices"}},
            {"an optimizer, in evaluation",
             {[](config::ConfigContents& contents, Options& o) {
                  contents.warnings.push_back(reasonOf(config::approximation::step8bit));
                  contents.warnings.push_back(reasonOf(config::approximation::otherKernels));
                  contents.eval = contents.train;
                  o.phase = model::Phase::Eval;
              },
              "approximate because of kernels that are not run here"}},
            {"what evaluation has alone, in training",
             {[](config::ConfigContents& contents, Options&) {
                  contents.warnings.push_back(reasonOf(config::approximation::writtenTexts));
                  contents.warnings.push_back(reasonOf(config::approximation::unpackedEvaluation));
              },
              "as configured"}},
            {"what evaluation has alone, in evaluation",
             {[](config::ConfigContents& contents, Options& o) {
                  contents.warnings.push_back(reasonOf(config::approximation::writtenTexts));
                  contents.eval = contents.train;
                  o.phase = model::Phase::Eval;
              },
              "approximate because of texts that evaluation writes"}},
            {"the step of an unfused optimizer, of a few adapters",
             {[](config::ConfigContents& contents, Options&) {
                  contents.tuning = lora();
                  contents.tuning.rank = 1;
                  contents.warnings.push_back(reasonOf(config::approximation::unfusedStep));
              },
              "as configured"}},
            {"AdamW without a fused kernel",
             {[](config::ConfigContents& contents, Options&) {
                  contents.step.adamWStep = model::AdamWStep::Operations;
              },
              "as configured"}},
            {"AdamW of masters without a fused kernel",
             {[](config::ConfigContents& contents, Options&) {
                  contents.step.adamWStep = model::AdamWStep::Operations;
                  contents.precision = model::Precision::PureBf16;
              },
              "approximate because of the step of an optimizer without a fused kernel"}},
            {"another optimizer than one without a fused kernel",
             {[](config::ConfigContents& contents, Options& o) {
                  contents.step.adamWStep = model::AdamWStep::Operations;
                  contents.precision = model::Precision::PureBf16;
                  o.optimizer = model::Optimizer::Sgd;
              },
              "another run, with another optimizer"}},
            {"SGD without momentum",
             {[](config::ConfigContents& contents, Options&) {
                  contents.optimizer = model::Optimizer::Sgd;
                  contents.step.keepsMomentum = false;
              },
              "as configured"}},
            {"updates in backward",
             {[](config::ConfigContents& contents, Options&) { contents.step.updatesInBackward = true; },
              "as configured"}},
            {"updates in backward of shared parameters",
             {[](config::ConfigContents& contents, Options&) {
                  contents.step.updatesInBackward = true;
                  contents.step.sharding = model::Sharding::Parameters;
                  contents.train->devices = 8;
              },
              "approximate because of sharding over several devices and weights that are updated within "
              "backward"}},
            {"both",
             {[](config::ConfigContents& contents, Options& o) {
                  contents.warnings.push_back(
                      {.sentence = "", .position = {}, .approximation = "packed samples"});
                  o.precision = model::Precision::Bf16;
              },
              "another run, with another precision; approximate because of packed samples"}},
        });
    }
    void labelsARun()
    {
        const auto& [change, text] = row<Change, Text>();
        QCOMPARE(engine::fidelityText(labelOf(change)), text);
    }

    void requestsTheShareOfADevice_data()
    {
        rows<Change, qint64>({{"no sharding", {[](auto&, auto&) {}, 1}},
                              {"the config's devices",
                               {[](config::ConfigContents& contents, ExplorationOptions&) {
                                    contents.step.sharding = model::Sharding::Gradients;
                                    contents.train->devices = 8;
                                },
                                8}},
                              {"groups of the config's devices",
                               {[](config::ConfigContents& contents, ExplorationOptions&) {
                                    contents.step.sharding = model::Sharding::Gradients;
                                    contents.step.shards = 4;
                                    contents.train->devices = 8;
                                },
                                4}},
                              {"groups of one device",
                               {[](config::ConfigContents& contents, ExplorationOptions&) {
                                    contents.step.sharding = model::Sharding::Gradients;
                                    contents.step.shards = 4;
                                    contents.train->devices = 1;
                                },
                                1}},
                              {"devices of this computer, which are counted later",
                               {[](config::ConfigContents& contents, ExplorationOptions& options) {
                                    contents.step.sharding = model::Sharding::Gradients;
                                    contents.train->knowsDevices = false;
                                    options.devices = {QStringLiteral("cuda"), QStringLiteral("cpu")};
                                },
                                1}},
                              {"the named devices of another computer",
                               {[](config::ConfigContents& contents, ExplorationOptions& options) {
                                    options.places = {QStringLiteral("ssh host")};
                                    contents.step.sharding = model::Sharding::Gradients;
                                    contents.train->knowsDevices = false;
                                    options.devices = {QStringLiteral("cuda:0"), QStringLiteral("cuda:1")};
                                },
                                2}}});
    }
    void requestsTheShareOfADevice()
    {
        const auto& [change, shards] = row<Change, qint64>();
        config::ConfigContents contents = test::smallConfig();
        ExplorationOptions options;
        change(contents, options);
        QCOMPARE(engine::planNetwork(QStringLiteral("c.yaml"), contents, options).load.step.shards, shards);
    }

    void distinguishesTrainedAndFrozenParameters()
    {
        config::ConfigContents contents = test::smallConfig();
        const auto all = engine::planNetwork(QStringLiteral("c.yaml"), contents, {}).run;
        QCOMPARE(all.frozenParameters, 0);
        contents.tuning = lora();
        const engine::NetworkPlan plan = engine::planNetwork(QStringLiteral("c.yaml"), contents, {});
        // The original network has adapters of {4, 8} and {8, 4} for the query of its only layer.
        QCOMPARE(plan.run.frozenParameters, all.parameters);
        QCOMPARE(plan.run.parameters, all.parameters + 64);
        QVERIFY(plan.load.tuning == contents.tuning);
        QVERIFY(plan.run.tuning == contents.tuning);
        QVERIFY(!plan.run.flopsPerSample);
    }

    void choosesAdaptersForAllLinearLayers()
    {
        const config::ConfigContents contents = test::smallConfig();
        const auto tuning =
            engine::planNetwork({}, contents, {.adapter = model::AdapterKind::Dora, .adapterRank = 2})
                .load.tuning;
        QVERIFY(tuning.adapter == model::AdapterKind::Dora);
        QCOMPARE(tuning.rank, 2);
        std::vector<model::Projection> projections;
        for (const model::AdapterTarget& target : tuning.targets)
            projections.push_back(target.projection);
        using enum model::Projection;
        QVERIFY(projections == (std::vector{Query, Key, Value, AttentionOutput, Up, Down}));
    }

    void removesAdapters()
    {
        config::ConfigContents contents = test::smallConfig();
        contents.tuning = lora();
        const auto plan = engine::planNetwork({}, contents, {.adapter = model::AdapterKind::None});
        QVERIFY(model::trainsAll(plan.load.tuning));
        QCOMPARE(plan.run.frozenParameters, 0);
    }

    void refusesContradictions_data()
    {
        rows<Change, Text>(
            {{"a rank without an adapter",
              {option([](ExplorationOptions& o) { o.adapterRank = 8; }), "Add --adapter lora"}},
             {"frozen weights where nothing is frozen",
              {option([](ExplorationOptions& o) { o.frozenWeights = model::FrozenWeights::Nf4; }),
               "no weights are frozen"}},
             {"torchao's frozen weights in the user's Python",
              {[](config::ConfigContents& contents, ExplorationOptions& options) {
                   contents.tuning = lora();
                   contents.tuning.frozenWeights = model::FrozenWeights::TorchaoNf4;
                   options.python = QStringLiteral("python3");
               },
               "--frozen-weights nf4"}},
             {"an adapter of a network that has no place for it",
              {[](config::ConfigContents& contents, ExplorationOptions&) {
                   contents.model = model::ModelSpec{.family = "resnet", .architecture = model::ResNetSpec{}};
                   contents.tuning = lora();
               },
               "c.yaml: The network has none of the projections"}}});
    }
    void refusesContradictions()
    {
        const auto& [change, sentence] = row<Change, Text>();
        VERIFY_CONTAINS(test::errorOf([&change = change] { labelOf(change); }), sentence);
    }
};

BATCHPEAK_TEST(RunFidelityTest)
#include "tst_run_fidelity.moc"
