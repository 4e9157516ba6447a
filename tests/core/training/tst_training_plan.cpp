// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "small_config.h"
#include "support/error_of.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "training/training_plan.h"

#include <QTest>

using namespace batchpeak;
using config::ConfigContents;
using test::smallConfig;
using training::MaximumWay;
using training::TrainingOptions;
using training::TrainingPlan;

namespace {

void useBatchNormalization(ConfigContents& contents)
{
    contents.model = model::ModelSpec{.family = "resnet18", .architecture = model::ResNetSpec{}};
}

struct Case
{
    ConfigContents contents = smallConfig();
    TrainingOptions options;

    TrainingPlan plan() const
    {
        return training::planTraining(QStringLiteral("/configs/c.yaml"), contents, options);
    }

    QString error() const
    {
        return test::errorOf([this] { plan(); });
    }
};

using Change = void (*)(Case&);

} // namespace

class TrainingPlanTest : public QObject
{
    Q_OBJECT

private slots:
    // The fidelity of a training's numbers lists each difference from the config.
    void packsNoTexts()
    {
        Case asked;
        asked.contents.step.packedTextLength = 4;
        asked.contents.textLengthIsOpen = true;
        const TrainingPlan plan = asked.plan();
        QCOMPARE(plan.load.step.packedTextLength, 0);
        QCOMPARE(plan.description.run.fidelity.reasons.size(), std::size_t{1});
        QVERIFY(plan.description.run.fidelity.assumed.empty());
    }

    void shardsNothing()
    {
        Case asked;
        asked.contents.step.sharding = model::Sharding::Parameters;
        asked.contents.warnings.push_back(
            {.sentence = "", .position = {}, .approximation = "sharding over several devices"});
        asked.contents.train->knowsDevices = false;
        QVERIFY(asked.plan().description.run.fidelity.reasons.empty());
        asked.contents.train->knowsDevices = true;
        asked.contents.train->devices = 2;
        const TrainingPlan plan = asked.plan();
        QVERIFY(plan.load.step.sharding == model::Sharding::None);
        QCOMPARE(plan.description.run.fidelity.reasons.size(), std::size_t{1});
    }

    void updatesAfterBackward()
    {
        Case asked;
        QVERIFY(asked.plan().description.run.fidelity.reasons.empty());
        asked.contents.step.updatesInBackward = true;
        const TrainingPlan plan = asked.plan();
        QVERIFY(!plan.load.step.updatesInBackward);
        QCOMPARE(plan.description.run.fidelity.reasons.size(), std::size_t{1});
    }

    void choosesTheSizes_data()
    {
        const auto add = rows<Change, Text, Text>();
        add("explore", {[](Case&) {}, "64 of 64 halves, 64 of 64", "No micro-batch size is given"});
        add("auto", {[](Case& c) { c.contents.train->setting = config::Auto{}; }, "64 of 64 halves, 64 of 64",
                     "No micro-batch size is given"});
        add("auto-halving",
            {[](Case& c) { c.options.halvesAutomatically = true; }, "64 of 64 halves, 64 of 64", ""});
        add("Composer's auto", {[](Case& c) { c.contents.training.halvesAutomatically = true; },
                                "64 of 64 halves, 64 of 64", ""});
        add("a number",
            {[](Case& c) { c.contents.train->setting = config::Fixed{16}; }, "16 of 64 fixed, 16 of 64", ""});
        add("a number before Composer's auto", {[](Case& c) {
                                                    c.contents.training.halvesAutomatically = true;
                                                    c.options.run.setting = config::Fixed{16};
                                                },
                                                "16 of 64 fixed, 16 of 64", ""});
        add("null",
            {[](Case& c) { c.options.run.setting = config::Whole{}; }, "64 of 64 fixed, 64 of 64", ""});
        add("an uneven number", {[](Case& c) { c.options.run.setting = config::Fixed{20}; },
                                 "16 of 64 fixed, 16 of 64", "run as 4 micro-batches of at most 16"});
        add("more than there are", {[](Case& c) { c.options.run.setting = config::Fixed{100}; },
                                    "64 of 64 fixed, 64 of 64", "run as 1 micro-batch of 64"});
        add("the size that a trainer has",
            {[](Case& c) { c.contents.train->presentSize = 8; }, "8 of 64 fixed, 8 of 64", ""});
        add("auto beside that", {[](Case& c) {
                                     c.contents.train->presentSize = 8;
                                     c.options.run.setting = config::Auto{};
                                 },
                                 "64 of 64 halves, 64 of 64", "No micro-batch size is given"});
        add("three devices", {[](Case& c) { c.contents.train->devices = 3; }, "22 of 22 halves, 22 of 22",
                              "the share of one of them is trained: 22 of 64"});
        add("evaluation of its own", {[](Case& c) {
                                          c.contents.eval = config::BatchPlan{.globalBatchSize = 32,
                                                                              .setting = config::Fixed{4}};
                                      },
                                      "64 of 64 halves, 4 of 32", ""});
        add("an evaluation batch that is smaller",
            {[](Case& c) { c.contents.eval = config::BatchPlan{.globalBatchSize = 8}; },
             "64 of 64 halves, 8 of 8", ""});
        add("accumulation switched off", {[](Case& c) {
                                              c.contents.training.accumulates = false;
                                              c.options.run.setting = config::Fixed{16};
                                          },
                                          "64 of 64 fixed, 64 of 64", "use_cs_grad_accum"});
        add("batch normalization", {[](Case& c) {
                                        useBatchNormalization(c.contents);
                                        c.contents.rules = {};
                                        c.options.run.setting = config::Fixed{16};
                                    },
                                    "16 of 64 fixed, 16 of 64", "depends on the micro-batch size"});
        add("batch normalization, whole", {[](Case& c) {
                                               useBatchNormalization(c.contents);
                                               c.contents.rules = {};
                                               c.options.run.setting = config::Whole{};
                                           },
                                           "64 of 64 fixed, 64 of 64", ""});
        add("batch normalization at Cerebras",
            {[](Case& c) {
                 useBatchNormalization(c.contents);
                 c.options.run.setting = config::Fixed{16};
             },
             "64 of 64 fixed, 64 of 64", "Gradient accumulation is switched off"});
        add("a network alone", {[](Case& c) {
                                    c.contents.train.reset();
                                    c.options.run.setting = config::Fixed{24};
                                },
                                "24 of 24 fixed, 24 of 24", ""});
        add("strict, a multiple", {[](Case& c) {
                                       c.options.strict = true;
                                       c.options.run.setting = config::Fixed{16};
                                   },
                                   "16 of 64 fixed, 16 of 64", ""});
    }
    void choosesTheSizes()
    {
        const auto& [change, sizes, said] = row<Change, Text, Text>();
        Case asked;
        change(asked);
        const TrainingPlan plan = asked.plan();
        QCOMPARE(QStringLiteral("%1 of %2 %3, %4 of %5")
                     .arg(plan.sizes.training)
                     .arg(plan.description.batchSize)
                     .arg(plan.sizes.halves ? QStringLiteral("halves") : QStringLiteral("fixed"))
                     .arg(plan.sizes.evaluation)
                     .arg(plan.evaluationBatchSize),
                 sizes);
        const QString notes = plan.notes.join(QLatin1Char('\n'));
        VERIFY_CONTAINS(notes, said);
        if (said.isEmpty() && !sizes.contains(QLatin1String("halves")))
            QCOMPARE(notes, QString());
    }

    void refuses_data()
    {
        const auto add = rows<Change, Text>();
        add("no training batch", {[](Case& c) {
                                      c.contents.train.reset();
                                      c.contents.eval = config::BatchPlan{};
                                  },
                                  "holds no training batch"});
        add("a network alone", {[](Case& c) { c.contents.train.reset(); }, "with --setting N"});
        add("evaluation",
            {[](Case& c) { c.options.run.phase = model::Phase::Eval; }, "no other phase than train"});
        add("no step", {[](Case& c) { c.options.steps = 0; }, "--steps is 0"});
        add("no epoch", {[](Case& c) { c.options.epochs = -1; }, "--epochs is -1"});
        add("strict", {[](Case& c) {
                           c.options.strict = true;
                           c.options.run.setting = config::Fixed{20};
                       },
                       "64 samples of batch_size are no multiple of micro-batches of 20, which the strict "
                       "rule refuses"});
        add("strict over devices",
            {[](Case& c) {
                 c.options.strict = true;
                 c.contents.train->devices = 3;
             },
             "are no multiple of micro-batches of 22 on 3 devices, which the strict rule refuses"});
        add("no network",
            {[](Case& c) { c.contents.model = config::UnsupportedModel{.sentence = "No such network."}; },
             "No such network."});
    }
    void refuses()
    {
        const auto& [change, said] = row<Change, Text>();
        Case asked;
        change(asked);
        const QString error = asked.error();
        VERIFY_CONTAINS(error, said);
    }

    void usesTheConfigIfThereAreNoOptions()
    {
        Case asked;
        QCOMPARE(asked.plan().request.learningRate, 3e-4);
        QVERIFY(asked.plan().request.weighting == trial::LossWeighting::Samples);
        asked.contents.training = {
            .batchIncreaseFunction = "grow.py", .weighsTokens = true, .learningRate = 0.1};
        QCOMPARE(asked.plan().request.learningRate, 0.1);
        QVERIFY(asked.plan().request.weighting == trial::LossWeighting::Tokens);
        QCOMPARE(asked.plan().description.growth, QStringLiteral("/configs/grow.py"));
        // Blanks are removed, so that every later reader opens the same file.
        for (const char* written : {"grow.py ", " grow.py", "\tgrow.py\n"}) {
            asked.contents.training.batchIncreaseFunction = written;
            QCOMPARE(asked.plan().description.growth, QStringLiteral("/configs/grow.py"));
        }
        asked.options.learningRate = 0.2;
        asked.options.weighting = trial::LossWeighting::Samples;
        asked.options.growth = QStringLiteral("epoch");
        QCOMPARE(asked.plan().request.learningRate, 0.2);
        QVERIFY(asked.plan().request.weighting == trial::LossWeighting::Samples);
        QCOMPARE(asked.plan().description.growth, QStringLiteral("epoch"));
    }

    void countsSteps()
    {
        Case asked;
        // One epoch of 16 batches of synthetic data.
        QCOMPARE(asked.plan().request.data.samples, 1024);
        QCOMPARE(asked.plan().description.steps, 16);
        asked.options.epochs = 2;
        asked.options.data.samples = 200;
        QCOMPARE(asked.plan().description.steps, 6);
        asked.options.steps = 5;
        QCOMPARE(asked.plan().description.steps, 5);
        // The number of samples in a file is not known yet.
        asked.options.data = {.kind = trial::DataKind::Text, .path = "/data/shakespeare.txt"};
        asked.options.steps.reset();
        QCOMPARE(asked.plan().description.steps, 0);
        QCOMPARE(asked.plan().description.data, QStringLiteral("shakespeare.txt as bytes"));
    }

    void searchesForAMaximum()
    {
        Case asked;
        QVERIFY(!asked.plan().description.maximum);
        asked.contents.training.usesMaximumBatchSize = true;
        QVERIFY(asked.plan().description.maximum == MaximumWay::Binary);
        QVERIFY(!asked.plan().description.halvesAutomatically);
        asked.options.maximum = MaximumWay::Predict;
        QVERIFY(asked.plan().description.maximum == MaximumWay::Predict);
        // Without accumulation there is no size to choose, but a size that grows needs a bound.
        asked.contents.training.accumulates = false;
        QVERIFY(!asked.plan().description.maximum);
        asked.options.growth = QStringLiteral("4");
        QVERIFY(asked.plan().description.maximum == MaximumWay::Predict);
    }
};

BATCHPEAK_TEST(TrainingPlanTest)
#include "tst_training_plan.moc"
