// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration_harness.h"
#include "plan/exploration_plan.h"
#include "support/error_of.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <QTest>

using namespace batchpeak;
using engine::ExplorationOptions;
using engine::ExplorationPlan;

using Sizes = std::vector<std::int64_t>;
using Change = std::function<void(config::ConfigContents&, ExplorationOptions&)>;

namespace {

model::ModelSpec resNet()
{
    return {.family = "resnet", .architecture = model::ResNetSpec{}};
}

Change byKto(const config::Setting& value)
{
    return [value](config::ConfigContents& contents, ExplorationOptions&) {
        contents.train->setting = value;
        contents.step.preference = model::Preference::Kto;
    };
}

/// Returns the plan of a trainer whose config can contain only a number, not a request for a search.
config::BatchPlan numbered(std::int64_t batch, std::int64_t size)
{
    return {.globalBatchSize = batch, .setting = config::Explore{}, .presentSize = size};
}

config::BatchPlan evaluationOf(std::int64_t size)
{
    config::BatchPlan plan = numbered(size, size);
    plan.microBatchKey = plan.globalBatchKey = "per_device_eval_batch_size";
    return plan;
}

Change setting(const config::Setting& value)
{
    return
        [value](config::ConfigContents& contents, ExplorationOptions&) { contents.train->setting = value; };
}

} // namespace

class ExplorationPlanTest : public QObject
{
    Q_OBJECT

private slots:
    void passesAMemoryPriorToTheSearch()
    {
        const config::ConfigContents contents = test::smallConfig();
        const auto prior = engine::planExploration({}, contents, {}).space.memoryPrior;
        QVERIFY(prior && prior->bytesPerSample > 0.0 && prior->constantBytes > 0.0 && prior->deviation > 0.0);
        const auto shorter = engine::planExploration({}, contents, {.sampleLengths = {1, 4}});
        QVERIFY(shorter.space.memoryPrior->bytesPerSample < prior->bytesPerSample);
        // Another program may run another network.
        ExplorationOptions other;
        other.workerCommand = QStringLiteral("trainer");
        QVERIFY(!engine::planExploration({}, contents, other).space.memoryPrior);
    }

    void describesASample()
    {
        config::ConfigContents contents = test::smallConfig();
        contents.eval = contents.train;
        const auto plan = engine::planExploration({}, contents, {});
        QCOMPARE(plan.run.tokensPerSample, static_cast<double>(plan.run.sequenceLength));
        QVERIFY(plan.run.flopsPerSample.value_or(0.0) > 0.0);
        QCOMPARE(plan.run.productPrecision, plan.run.precision);
        const auto evaluated = engine::planExploration({}, contents, {.phase = model::Phase::Eval});
        QCOMPARE(*evaluated.run.flopsPerSample, *plan.run.flopsPerSample / 3.0);
        // Longer samples are cut at the sequence length.
        const auto varied = engine::planExploration({}, contents, {.sampleLengths = {2, 4, 1'000'000}});
        QCOMPARE(varied.run.tokensPerSample, (6.0 + plan.run.tokensPerSample) / 3.0);
        QVERIFY(*varied.run.flopsPerSample < *plan.run.flopsPerSample);
        ExplorationOptions other;
        other.workerCommand = QStringLiteral("trainer");
        QVERIFY(!engine::planExploration({}, contents, other).run.flopsPerSample);
    }

    // A sample has 16 x 16 pairs of tokens, of which 4 texts have 4 x 4 each. For each of the other 192, a
    // kernel that takes no masks leaves out 2 products of 8 elements, of 2 operations each, in forward and
    // twice in backward.
    void leavesOutPairsBetweenPackedTexts_data()
    {
        rows<model::Attention, double>({{"no masks", {model::Attention::Flash, 18'432.0}},
                                        {"masks", {model::Attention::MemoryEfficient, 0.0}}});
    }
    void leavesOutPairsBetweenPackedTexts()
    {
        const auto& [attention, leftOut] = row<model::Attention, double>();
        config::ConfigContents contents = test::smallConfig();
        const auto whole = engine::planExploration({}, contents, {}).run.flopsPerSample;
        contents.step = {.attention = attention, .packedTextLength = 4};
        const auto packed = engine::planExploration({}, contents, {}).run.flopsPerSample;
        QVERIFY(whole && packed);
        QCOMPARE(*whole - *packed, leftOut);
    }

    void startsAtASizeThatCerebrasFoundGood()
    {
        config::ConfigContents contents = test::smallConfig();
        QVERIFY(!engine::planExploration({}, contents, {}).space.startingHint);
        contents.model = model::ModelSpec{.family = "gpt3",
                                          .architecture = model::DecoderSpec{.vocabularySize = 50257,
                                                                             .hiddenSize = 4096,
                                                                             .layers = 32,
                                                                             .heads = 32,
                                                                             .keyValueHeads = 32,
                                                                             .feedForwardSize = 16384,
                                                                             .maxPositions = 2048}};
        QCOMPARE(engine::planExploration({}, contents, {}).space.startingHint,
                 std::optional<std::int64_t>(121));
        contents.eval = contents.train;
        QVERIFY(!engine::planExploration({}, contents, {.phase = model::Phase::Eval}).space.startingHint);
    }

    void turnsASettingIntoSizes_data()
    {
        rows<Change, qint64, qint64, Sizes, bool>(
            {{"explore", {setting(config::Explore{}), 1, 65535, {}, false}},
             {"explore within bounds",
              {setting(config::Explore{.minimum = 2, .maximum = 40}), 2, 40, {}, false}},
             {"bounds of the command line hold",
              {[](auto& contents, auto& options) {
                   contents.train->setting = config::Explore{.minimum = 2, .maximum = 40};
                   options.minimum = 4;
                   options.maximum = 100;
               },
               4,
               100,
               {},
               false}},
             {"auto", {setting(config::Auto{}), 1, 64, {1, 2, 4, 8, 16, 32, 64}, true}},
             {"auto on several devices, within bounds",
              {[](auto& contents, auto& options) {
                   contents.train = config::BatchPlan{.globalBatchSize = 23, .devices = 2};
                   options.minimum = 2;
                   options.maximum = 11;
               },
               2,
               6,
               {2, 3, 4, 6},
               true}},
             {"one size", {setting(config::Fixed{20}), 20, 20, {20}, false}},
             {"no micro-batching", {setting(config::Whole{}), 64, 64, {64}, false}},
             {"KTO", {byKto(config::Explore{}), 2, 65535, {}, false}},
             {"KTO above its smallest", {byKto(config::Explore{.minimum = 5}), 5, 65535, {}, false}},
             {"KTO by divisors", {byKto(config::Auto{}), 2, 64, {2, 4, 8, 16, 32, 64}, true}},
             {"KTO of the smallest size", {byKto(config::Fixed{2}), 2, 2, {2}, false}},
             {"the command line's setting wins",
              {[](auto&, auto& options) { options.setting = config::Fixed{3}; }, 3, 3, {3}, false}}});
    }
    void turnsASettingIntoSizes()
    {
        const auto& [change, minimum, maximum, candidates, isEffective] =
            row<Change, qint64, qint64, Sizes, bool>();
        config::ConfigContents contents = test::smallConfig();
        ExplorationOptions options;
        change(contents, options);
        const ExplorationPlan plan = planExploration(QStringLiteral("c.yaml"), contents, options);
        QCOMPARE(plan.space.minimum, minimum);
        QCOMPARE(plan.space.maximum, maximum);
        QCOMPARE(plan.space.candidates, candidates);
        QCOMPARE(plan.run.objective == search::Objective::Effective, isEffective);
    }

    void keepsTheBatchIfTheConfigHasANumber_data()
    {
        using config::BatchPlan;
        rows<BatchPlan, ExplorationOptions, config::Setting>(
            {{"unasked", {numbered(16, 2), {}, config::Auto{}}},
             {"asked for all", {numbered(16, 2), {.setting = config::Explore{}}, config::Explore{}}},
             {"a bound within the batch", {numbered(16, 2), {.maximum = 5}, config::Auto{}}},
             {"a bound beyond the batch", {numbered(16, 2), {.maximum = 64}, config::Explore{}}},
             {"bounds without a divisor", {numbered(16, 2), {.minimum = 5, .maximum = 7}, config::Explore{}}},
             {"a batch of one sample", {numbered(1, 1), {}, config::Explore{}}},
             {"a size that is the batch", {evaluationOf(16), {}, config::Explore{}}},
             {"a config that asks for all",
              {BatchPlan{.globalBatchSize = 16, .setting = config::Explore{}}, {}, config::Explore{}}},
             {"a config that asks for one",
              {BatchPlan{.globalBatchSize = 16, .setting = config::Fixed{4}}, {}, config::Fixed{4}}}});
    }
    void keepsTheBatchIfTheConfigHasANumber()
    {
        const auto& [plan, options, setting] = row<config::BatchPlan, ExplorationOptions, config::Setting>();
        QVERIFY(engine::settingAsked(plan, options) == setting);
        config::ConfigContents contents = test::smallConfig();
        contents.train = plan;
        QVERIFY(engine::planExploration({}, contents, options).run.plan.setting == setting);
    }

    void refusesContradictions_data()
    {
        const auto add = rows<Change, Text>();
        add("bounds exchanged",
            {setting(config::Explore{.minimum = 9, .maximum = 3}), "(9) is above the largest (3)"});
        add("below one", {setting(config::Explore{.minimum = 0}), "at least 1"});
        add("one size, with bounds", {[](auto& contents, auto& options) {
                                          contents.train->setting = config::Fixed{20};
                                          options.maximum = 40;
                                      },
                                      "--min and --max have no effect"});
        add("KTO of one text", {byKto(config::Fixed{1}), "at least 2 texts"});
        add("KTO up to one text", {byKto(config::Explore{.maximum = 1}), "at least 2 texts"});
        add("KTO of a batch of one", {[](auto& contents, auto& options) {
                                          byKto(config::Whole{})(contents, options);
                                          contents.train->globalBatchSize = 1;
                                      },
                                      "at least 2 texts"});
        add("no divisor", {[](auto& contents, auto& options) {
                               contents.train->setting = config::Auto{};
                               options.minimum = 33;
                               options.maximum = 63;
                           },
                           "No divisor"});
        add("no such phase",
            {[](auto&, auto& options) { options.phase = model::Phase::Eval; }, "no evaluation batch"});
        add("too long for learned positions",
            {[](auto&, auto& options) { options.sequenceLength = 33; },
             "A sequence length of 33 is more than the 32 positions of this network"});
        add("batch normalization explored for Cerebras",
            {[](auto& contents, auto&) { contents.model = resNet(); },
             "c.yaml: Cerebras does not explore a network with batch normalization"});
        add("unknown network", {[](auto& contents, auto&) {
                                    contents.model =
                                        config::UnsupportedModel{.sentence = "The network mamba is unknown.",
                                                                 .position = {.line = 4, .column = 7}};
                                },
                                "c.yaml:4:7: The network mamba"});
    }
    void refusesContradictions()
    {
        const auto& [change, sentence] = row<Change, Text>();
        config::ConfigContents contents = test::smallConfig();
        ExplorationOptions options;
        change(contents, options);
        VERIFY_CONTAINS(test::errorOf([&] { planExploration(QStringLiteral("c.yaml"), contents, options); }),
                        sentence);
    }

    // transformers 5.23 computes the tables of rotary positions for any length, whatever
    // max_position_embeddings says (modeling_rope_utils.py).
    void exceedsPositionsThatAreComputed()
    {
        config::ConfigContents contents = test::smallConfig();
        auto& spec = std::get<model::ModelSpec>(contents.model);
        std::get<model::DecoderSpec>(spec.architecture).positionEmbedding = model::PositionEmbedding::Rotary;
        contents.sequenceLength = 33;
        QCOMPARE(engine::planExploration(QStringLiteral("c.yaml"), contents, {}).load.sequenceLength,
                 std::int64_t{33});
    }

    void letsTheCommandLineChangeTheStep()
    {
        config::ConfigContents contents = test::smallConfig();
        contents.step = {.activationCheckpointing = true, .maxGradientNorm = 1.0};
        const auto stepWith = [&](const ExplorationOptions& options) {
            return engine::planExploration(QStringLiteral("c.yaml"), contents, options).load.step;
        };
        QVERIFY(stepWith({}) == contents.step);
        const model::StepOptions changed =
            stepWith({.activationCheckpointing = false, .lossChunkRows = 512, .maxGradientNorm = 0.0});
        QVERIFY(changed == (model::StepOptions{.lossChunkRows = 512}));
    }

    void shortensADecodersSequenceInProportion_data()
    {
        rows<std::optional<std::int64_t>, qint64>({{"the config's", {std::nullopt, 114}},
                                                   {"a quarter", {128, 29}},
                                                   {"one token at least", {1, 1}}});
    }
    void shortensADecodersSequenceInProportion()
    {
        const auto& [length, target] = row<std::optional<std::int64_t>, qint64>();
        config::ConfigContents contents = test::smallConfig();
        contents.model = model::ModelSpec{.family = "t5",
                                          .architecture = model::EncoderDecoderSpec{.vocabularySize = 16,
                                                                                    .hiddenSize = 8,
                                                                                    .encoderLayers = 1,
                                                                                    .decoderLayers = 1,
                                                                                    .heads = 2,
                                                                                    .headSize = 4,
                                                                                    .feedForwardSize = 16}};
        contents.sequenceLength = 512;
        contents.targetLength = 114;
        const ExplorationPlan plan =
            engine::planExploration(QStringLiteral("c.yaml"), contents, {.sequenceLength = length});
        QCOMPARE(plan.load.sequenceLength, length.value_or(512));
        QVERIFY(plan.load.targetLength);
        QCOMPARE(qint64{*plan.load.targetLength}, target);
    }

    void exploresBatchNormalizationElsewhere_data()
    {
        rows<Change>(
            {{"in a config of another trainer", [](auto& contents, auto&) { contents.rules = {}; }},
             {"one size for Cerebras", [](auto&, auto& options) { options.setting = config::Fixed{8}; }},
             {"no micro-batches for Cerebras",
              [](auto& contents, auto&) { contents.train->setting = config::Whole{}; }}});
    }
    void exploresBatchNormalizationElsewhere()
    {
        const auto& change = row<Change>();
        config::ConfigContents contents = test::smallConfig();
        contents.model = resNet();
        contents.sequenceLength = 1;
        ExplorationOptions options;
        change(contents, options);
        const ExplorationPlan plan = engine::planExploration(QStringLiteral("c.yaml"), contents, options);
        QCOMPARE(plan.run.family, QStringLiteral("resnet"));
    }

    void exploresANetworkAlone_data()
    {
        rows<model::Phase, std::optional<std::int64_t>, qint64, qint64>(
            {{"training", {model::Phase::Train, std::nullopt, 65535, 1}},
             {"evaluation", {model::Phase::Eval, std::nullopt, 65535, 1}},
             {"one size", {model::Phase::Train, 32, 32, 32}}});
    }
    void exploresANetworkAlone()
    {
        const auto& [phase, size, maximum, batch] =
            row<model::Phase, std::optional<std::int64_t>, qint64, qint64>();
        config::ConfigContents contents = test::smallConfig();
        contents.train.reset();
        ExplorationOptions options{.phase = phase};
        if (size)
            options.setting = config::Fixed{*size};
        const ExplorationPlan plan =
            engine::planExploration(QStringLiteral("config.json"), contents, options);
        QCOMPARE(qint64{plan.space.maximum}, maximum);
        QCOMPARE(qint64{plan.run.plan.globalBatchSize}, batch);
        QCOMPARE(plan.run.plan.devices, 1);
        QCOMPARE(plan.load.phase, phase);
        QCOMPARE(plan.notes.size(), 1);
        VERIFY_CONTAINS(plan.notes.front(), "only a network");
    }

    void assumesALengthIfNoneIsGiven()
    {
        config::ConfigContents contents = test::smallConfig();
        contents.sequenceLength = 0;
        const ExplorationPlan assumed = engine::planExploration(QStringLiteral("c.yaml"), contents, {});
        QCOMPARE(assumed.load.sequenceLength, 32);
        QCOMPARE(assumed.notes.size(), 1);
        VERIFY_CONTAINS(assumed.notes.front(), "samples have 32 tokens");
        const ExplorationPlan given =
            engine::planExploration(QStringLiteral("c.yaml"), contents, {.sequenceLength = 8});
        QCOMPARE(given.load.sequenceLength, 8);
        QVERIFY(given.notes.isEmpty());

        contents.model = resNet();
        contents.rules = {};
        const ExplorationPlan images = engine::planExploration(QStringLiteral("c.yaml"), contents, {});
        QCOMPARE(images.load.sequenceLength, 1);
        QVERIFY(images.notes.isEmpty());
    }

    void reportsTheSourceOfTheNetwork()
    {
        config::ConfigContents contents = test::smallConfig();
        contents.modelSource = "gpt2";
        QCOMPARE(engine::planExploration(QStringLiteral("c.yaml"), contents, {}).run.modelSource,
                 QStringLiteral("gpt2"));
    }

    void explainsAnUnevenSize()
    {
        config::ConfigContents contents = test::smallConfig();
        contents.train->setting = config::Fixed{20};
        const auto notes = engine::planExploration(QStringLiteral("c.yaml"), contents, {}).notes;
        QCOMPARE(notes.size(), 1);
        VERIFY_CONTAINS(notes.front(), "run as 4 micro-batches of at most 16");
    }
};

BATCHPEAK_TEST(ExplorationPlanTest)
#include "tst_exploration_plan.moc"
