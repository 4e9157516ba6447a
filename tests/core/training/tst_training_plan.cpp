// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "small_config.h"
#include "support/test_main.h"
#include "training/training_plan.h"

#include <QTest>

using namespace batchpeak;
using config::ConfigContents;
using test::smallConfig;
using training::MaximumWay;
using training::TrainingOptions;
using training::TrainingPlan;

namespace {

void foldBatchNormalizationIn(ConfigContents& contents)
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
        try {
            plan();
        } catch (const config::ConfigError& error) {
            return QString::fromUtf8(error.what());
        }
        return {};
    }
};

using Change = void (*)(Case&);

} // namespace

Q_DECLARE_METATYPE(Change)

class TrainingPlanTest : public QObject
{
    Q_OBJECT

private slots:
    void choosesTheSizes_data();
    void choosesTheSizes();
    void refuses_data();
    void refuses();
    void followsTheConfigWhereTheOptionsAreSilent();
    void countsSteps();
    void looksForAMaximum();
};

void TrainingPlanTest::choosesTheSizes_data()
{
    QTest::addColumn<Change>("change");
    QTest::addColumn<QString>("sizes");
    QTest::addColumn<QString>("said");
    const auto row = [](const char* name, Change change, const char* sizes, const char* said) {
        QTest::newRow(name) << change << QString::fromUtf8(sizes) << QString::fromUtf8(said);
    };
    row(
        "explore", [](Case&) {}, "64 of 64 halves, 64 of 64", "No micro-batch size is given");
    row(
        "auto", [](Case& c) { c.contents.train->setting = config::Auto{}; }, "64 of 64 halves, 64 of 64",
        "No micro-batch size is given");
    row(
        "auto-halving", [](Case& c) { c.options.halvesAutomatically = true; }, "64 of 64 halves, 64 of 64",
        "");
    row(
        "Composer's auto", [](Case& c) { c.contents.training.halvesAutomatically = true; },
        "64 of 64 halves, 64 of 64", "");
    row(
        "a number", [](Case& c) { c.contents.train->setting = config::Fixed{16}; },
        "16 of 64 fixed, 16 of 64", "");
    row(
        "a number before Composer's auto",
        [](Case& c) {
            c.contents.training.halvesAutomatically = true;
            c.options.run.setting = config::Fixed{16};
        },
        "16 of 64 fixed, 16 of 64", "");
    row(
        "null", [](Case& c) { c.options.run.setting = config::Whole{}; }, "64 of 64 fixed, 64 of 64", "");
    row(
        "an uneven number", [](Case& c) { c.options.run.setting = config::Fixed{20}; },
        "16 of 64 fixed, 16 of 64", "run as 4 micro-batches of at most 16");
    row(
        "more than there are", [](Case& c) { c.options.run.setting = config::Fixed{100}; },
        "64 of 64 fixed, 64 of 64", "run as 1 micro-batch of 64");
    row(
        "the size that a trainer has", [](Case& c) { c.contents.train->presentSize = 8; },
        "8 of 64 fixed, 8 of 64", "");
    row(
        "auto beside that",
        [](Case& c) {
            c.contents.train->presentSize = 8;
            c.options.run.setting = config::Auto{};
        },
        "64 of 64 halves, 64 of 64", "No micro-batch size is given");
    row(
        "three devices", [](Case& c) { c.contents.train->devices = 3; }, "22 of 22 halves, 22 of 22",
        "the share of one of them is trained: 22 of 64");
    row(
        "evaluation of its own",
        [](Case& c) {
            c.contents.eval = config::BatchPlan{.globalBatchSize = 32, .setting = config::Fixed{4}};
        },
        "64 of 64 halves, 4 of 32", "");
    row(
        "an evaluation batch that is smaller",
        [](Case& c) { c.contents.eval = config::BatchPlan{.globalBatchSize = 8}; }, "64 of 64 halves, 8 of 8",
        "");
    row(
        "accumulation switched off",
        [](Case& c) {
            c.contents.training.accumulates = false;
            c.options.run.setting = config::Fixed{16};
        },
        "64 of 64 fixed, 64 of 64", "use_cs_grad_accum");
    row(
        "batch normalisation",
        [](Case& c) {
            foldBatchNormalizationIn(c.contents);
            c.contents.rules = {};
            c.options.run.setting = config::Fixed{16};
        },
        "16 of 64 fixed, 16 of 64", "depends on the micro-batch size");
    row(
        "batch normalisation, whole",
        [](Case& c) {
            foldBatchNormalizationIn(c.contents);
            c.contents.rules = {};
            c.options.run.setting = config::Whole{};
        },
        "64 of 64 fixed, 64 of 64", "");
    row(
        "batch normalisation at Cerebras",
        [](Case& c) {
            foldBatchNormalizationIn(c.contents);
            c.options.run.setting = config::Fixed{16};
        },
        "64 of 64 fixed, 64 of 64", "Gradient accumulation is switched off");
    row(
        "a network alone",
        [](Case& c) {
            c.contents.train.reset();
            c.options.run.setting = config::Fixed{24};
        },
        "24 of 24 fixed, 24 of 24", "");
    row(
        "strict, a multiple",
        [](Case& c) {
            c.options.strict = true;
            c.options.run.setting = config::Fixed{16};
        },
        "16 of 64 fixed, 16 of 64", "");
}

void TrainingPlanTest::choosesTheSizes()
{
    QFETCH(Change, change);
    QFETCH(QString, sizes);
    QFETCH(QString, said);
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
    QVERIFY2(notes.contains(said), qPrintable(notes));
    if (said.isEmpty() && !sizes.contains(QLatin1String("halves")))
        QCOMPARE(notes, QString());
}

void TrainingPlanTest::refuses_data()
{
    QTest::addColumn<Change>("change");
    QTest::addColumn<QString>("said");
    const auto row = [](const char* name, Change change, const char* said) {
        QTest::newRow(name) << change << QString::fromUtf8(said);
    };
    row(
        "no training batch",
        [](Case& c) {
            c.contents.train.reset();
            c.contents.eval = config::BatchPlan{};
        },
        "holds no training batch");
    row(
        "a network alone", [](Case& c) { c.contents.train.reset(); }, "with --setting N");
    row(
        "evaluation", [](Case& c) { c.options.run.phase = model::Phase::Eval; }, "no other phase than train");
    row(
        "no step", [](Case& c) { c.options.steps = 0; }, "--steps is 0");
    row(
        "no epoch", [](Case& c) { c.options.epochs = -1; }, "--epochs is -1");
    row(
        "strict",
        [](Case& c) {
            c.options.strict = true;
            c.options.run.setting = config::Fixed{20};
        },
        "64 samples of batch_size are no multiple of micro-batches of 20, which the strict rule refuses");
    row(
        "strict over devices",
        [](Case& c) {
            c.options.strict = true;
            c.contents.train->devices = 3;
        },
        "are no multiple of micro-batches of 22 on 3 devices, which the strict rule refuses");
    row(
        "no network",
        [](Case& c) { c.contents.model = config::UnsupportedModel{.sentence = "No such network."}; },
        "No such network.");
}

void TrainingPlanTest::refuses()
{
    QFETCH(Change, change);
    QFETCH(QString, said);
    Case asked;
    change(asked);
    const QString error = asked.error();
    QVERIFY2(error.contains(said), qPrintable(error));
}

void TrainingPlanTest::followsTheConfigWhereTheOptionsAreSilent()
{
    Case asked;
    QCOMPARE(asked.plan().request.learningRate, 3e-4);
    QVERIFY(asked.plan().request.weighting == trial::LossWeighting::Samples);
    asked.contents.training = {.batchIncreaseFunction = "grow.py", .weighsTokens = true, .learningRate = 0.1};
    QCOMPARE(asked.plan().request.learningRate, 0.1);
    QVERIFY(asked.plan().request.weighting == trial::LossWeighting::Tokens);
    QCOMPARE(asked.plan().description.growth, QStringLiteral("/configs/grow.py"));
    asked.options.learningRate = 0.2;
    asked.options.weighting = trial::LossWeighting::Samples;
    asked.options.growth = QStringLiteral("epoch");
    QCOMPARE(asked.plan().request.learningRate, 0.2);
    QVERIFY(asked.plan().request.weighting == trial::LossWeighting::Samples);
    QCOMPARE(asked.plan().description.growth, QStringLiteral("epoch"));
}

void TrainingPlanTest::countsSteps()
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
    // How many samples a file has is not known yet.
    asked.options.data = {.kind = trial::DataKind::Text, .path = "/data/shakespeare.txt"};
    asked.options.steps.reset();
    QCOMPARE(asked.plan().description.steps, 0);
    QCOMPARE(asked.plan().description.data, QStringLiteral("shakespeare.txt as bytes"));
}

void TrainingPlanTest::looksForAMaximum()
{
    Case asked;
    QVERIFY(!asked.plan().description.maximum);
    asked.contents.training.usesMaximumBatchSize = true;
    QVERIFY(asked.plan().description.maximum == MaximumWay::Binary);
    QVERIFY(!asked.plan().description.halvesAutomatically);
    asked.options.maximum = MaximumWay::Predict;
    QVERIFY(asked.plan().description.maximum == MaximumWay::Predict);
    // Where nothing may be cut there is no size to choose, but one that grows needs a bound.
    asked.contents.training.accumulates = false;
    QVERIFY(!asked.plan().description.maximum);
    asked.options.growth = QStringLiteral("4");
    QVERIFY(asked.plan().description.maximum == MaximumWay::Predict);
}

BATCHPEAK_TEST(TrainingPlanTest)
#include "tst_training_plan.moc"
