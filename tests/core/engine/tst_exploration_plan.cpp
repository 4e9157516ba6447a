// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/exploration_plan.h"
#include "exploration_harness.h"
#include "support/test_main.h"

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
    void startsWhereCerebrasFoundItGood()
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
        QTest::addColumn<Change>("change");
        QTest::addColumn<qint64>("minimum");
        QTest::addColumn<qint64>("maximum");
        QTest::addColumn<Sizes>("candidates");
        QTest::addColumn<bool>("isEffective");
        QTest::newRow("explore") << setting(config::Explore{}) << qint64{1} << qint64{65535} << Sizes{}
                                 << false;
        QTest::newRow("explore within bounds") << setting(config::Explore{.minimum = 2, .maximum = 40})
                                               << qint64{2} << qint64{40} << Sizes{} << false;
        QTest::newRow("bounds of the command line hold") << Change([](auto& contents, auto& options) {
            contents.train->setting = config::Explore{.minimum = 2, .maximum = 40};
            options.minimum = 4;
            options.maximum = 100;
        }) << qint64{4} << qint64{100} << Sizes{} << false;
        QTest::newRow("auto") << setting(config::Auto{}) << qint64{1} << qint64{64}
                              << Sizes{1, 2, 4, 8, 16, 32, 64} << true;
        QTest::newRow("auto on several devices, within bounds") << Change([](auto& contents, auto& options) {
            contents.train = config::BatchPlan{.globalBatchSize = 23, .devices = 2};
            options.minimum = 2;
            options.maximum = 11;
        }) << qint64{2} << qint64{6} << Sizes{2, 3, 4, 6} << true;
        QTest::newRow("one size") << setting(config::Fixed{20}) << qint64{20} << qint64{20} << Sizes{20}
                                  << false;
        QTest::newRow("no micro-batching")
            << setting(config::Whole{}) << qint64{64} << qint64{64} << Sizes{64} << false;
        QTest::newRow("the command line's setting wins")
            << Change([](auto&, auto& options) { options.setting = config::Fixed{3}; }) << qint64{3}
            << qint64{3} << Sizes{3} << false;
    }
    void turnsASettingIntoSizes()
    {
        QFETCH(Change, change);
        QFETCH(qint64, minimum);
        QFETCH(qint64, maximum);
        QFETCH(Sizes, candidates);
        QFETCH(bool, isEffective);
        config::ConfigContents contents = test::smallConfig();
        ExplorationOptions options;
        change(contents, options);
        const ExplorationPlan plan = planExploration(QStringLiteral("c.yaml"), contents, options);
        QCOMPARE(plan.space.minimum, minimum);
        QCOMPARE(plan.space.maximum, maximum);
        QCOMPARE(plan.space.candidates, candidates);
        QCOMPARE(plan.run.objective == search::Objective::Effective, isEffective);
    }

    void refusesContradictions_data()
    {
        QTest::addColumn<Change>("change");
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char* name, const Change& change, const char* sentence) {
            QTest::newRow(name) << change << QString::fromUtf8(sentence);
        };
        row("bounds exchanged", setting(config::Explore{.minimum = 9, .maximum = 3}),
            "9, is above the largest, 3");
        row("below one", setting(config::Explore{.minimum = 0}), "at least 1");
        row("one size, with bounds", Change([](auto& contents, auto& options) {
                contents.train->setting = config::Fixed{20};
                options.maximum = 40;
            }),
            "leave out --min and --max");
        row("no divisor", Change([](auto& contents, auto& options) {
                contents.train->setting = config::Auto{};
                options.minimum = 33;
                options.maximum = 63;
            }),
            "No divisor");
        row("no such phase", Change([](auto&, auto& options) { options.phase = model::Phase::Eval; }),
            "no evaluation batch");
        row("too long for learned positions",
            Change([](auto&, auto& options) { options.sequenceLength = 33; }), "32 positions");
        row("batch normalisation explored for Cerebras",
            Change([](auto& contents, auto&) { contents.model = resNet(); }),
            "c.yaml: Cerebras does not explore micro-batches of a network with batch normalisation");
        row("unknown network", Change([](auto& contents, auto&) {
                contents.model = config::UnsupportedModel{.sentence = "The network mamba is unknown.",
                                                          .position = {.line = 4, .column = 7}};
            }),
            "c.yaml:4:7: The network mamba");
    }
    void refusesContradictions()
    {
        QFETCH(Change, change);
        QFETCH(QString, sentence);
        config::ConfigContents contents = test::smallConfig();
        ExplorationOptions options;
        change(contents, options);
        try {
            planExploration(QStringLiteral("c.yaml"), contents, options);
            QFAIL("nothing was thrown");
        } catch (const config::ConfigError& error) {
            QVERIFY2(QString::fromUtf8(error.what()).contains(sentence), error.what());
        }
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
        QTest::addColumn<std::optional<std::int64_t>>("length");
        QTest::addColumn<qint64>("target");
        QTest::newRow("the config's") << std::optional<std::int64_t>() << qint64{114};
        QTest::newRow("a quarter") << std::optional<std::int64_t>(128) << qint64{29};
        QTest::newRow("one token at least") << std::optional<std::int64_t>(1) << qint64{1};
    }
    void shortensADecodersSequenceInProportion()
    {
        QFETCH(std::optional<std::int64_t>, length);
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
        QTEST(qint64{*plan.load.targetLength}, "target");
    }

    void exploresBatchNormalizationElsewhere_data()
    {
        QTest::addColumn<Change>("change");
        QTest::newRow("in a config of another trainer")
            << Change([](auto& contents, auto&) { contents.rules = {}; });
        QTest::newRow("one size for Cerebras")
            << Change([](auto&, auto& options) { options.setting = config::Fixed{8}; });
        QTest::newRow("no micro-batches for Cerebras")
            << Change([](auto& contents, auto&) { contents.train->setting = config::Whole{}; });
    }
    void exploresBatchNormalizationElsewhere()
    {
        QFETCH(Change, change);
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
        using Size = std::optional<std::int64_t>;
        QTest::addColumn<model::Phase>("phase");
        QTest::addColumn<Size>("size");
        QTest::addColumn<qint64>("maximum");
        QTest::addColumn<qint64>("batch");
        QTest::newRow("training") << model::Phase::Train << Size() << qint64{65535} << qint64{1};
        QTest::newRow("evaluation") << model::Phase::Eval << Size() << qint64{65535} << qint64{1};
        QTest::newRow("one size") << model::Phase::Train << Size(32) << qint64{32} << qint64{32};
    }
    void exploresANetworkAlone()
    {
        QFETCH(model::Phase, phase);
        QFETCH(std::optional<std::int64_t>, size);
        config::ConfigContents contents = test::smallConfig();
        contents.train.reset();
        ExplorationOptions options{.phase = phase};
        if (size)
            options.setting = config::Fixed{*size};
        const ExplorationPlan plan =
            engine::planExploration(QStringLiteral("config.json"), contents, options);
        QTEST(qint64{plan.space.maximum}, "maximum");
        QTEST(qint64{plan.run.plan.globalBatchSize}, "batch");
        QCOMPARE(plan.run.plan.devices, 1);
        QCOMPARE(plan.load.phase, phase);
        QCOMPARE(plan.notes.size(), 1);
        QVERIFY2(plan.notes.front().contains(QStringLiteral("a network alone")),
                 qPrintable(plan.notes.front()));
    }

    void takesTheUsualLengthWhereNoneIsGiven()
    {
        config::ConfigContents contents = test::smallConfig();
        contents.sequenceLength = 0;
        const ExplorationPlan assumed = engine::planExploration(QStringLiteral("c.yaml"), contents, {});
        QCOMPARE(assumed.load.sequenceLength, 32);
        QCOMPARE(assumed.notes.size(), 1);
        QVERIFY2(assumed.notes.front().contains(QStringLiteral("32 tokens are taken")),
                 qPrintable(assumed.notes.front()));
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

    void saysWhereTheNetworkIsFrom()
    {
        config::ConfigContents contents = test::smallConfig();
        contents.modelSource = "gpt2";
        QCOMPARE(engine::planExploration(QStringLiteral("c.yaml"), contents, {}).run.modelSource,
                 QStringLiteral("gpt2"));
    }

    void saysWhatBecomesOfAnUnevenSize()
    {
        config::ConfigContents contents = test::smallConfig();
        contents.train->setting = config::Fixed{20};
        const auto notes = engine::planExploration(QStringLiteral("c.yaml"), contents, {}).notes;
        QCOMPARE(notes.size(), 1);
        QVERIFY2(notes.front().contains(QStringLiteral("run as 4 micro-batches of at most 16")),
                 qPrintable(notes.front()));
    }
};

BATCHPEAK_TEST(ExplorationPlanTest)
#include "tst_exploration_plan.moc"
