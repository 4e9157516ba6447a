// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/config_text.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak;
using config::BatchPlan;
using config::ConfigContents;

namespace {

const model::ModelSpec decoder{.family = "llama",
                               .architecture = model::DecoderSpec{.vocabularySize = 64,
                                                                  .hiddenSize = 8,
                                                                  .layers = 1,
                                                                  .heads = 2,
                                                                  .keyValueHeads = 2,
                                                                  .feedForwardSize = 16,
                                                                  .maxPositions = 32}};

ConfigContents withPlans(const char* format, const BatchPlan& train,
                         const std::optional<BatchPlan>& eval = {})
{
    return {.formatName = format, .model = decoder, .train = train, .eval = eval, .sequenceLength = 32};
}

ConfigContents evenlySpread(ConfigContents contents)
{
    contents.rules.spreadsUnevenBatches = true;
    return contents;
}

const BatchPlan huggingFaceTrain{.globalBatchSize = 32,
                                 .setting = config::Explore{},
                                 .presentSize = 16,
                                 .knowsDevices = false,
                                 .microBatchKey = "per_device_train_batch_size",
                                 .globalBatchKey =
                                     "per_device_train_batch_size * gradient_accumulation_steps"};
const BatchPlan huggingFaceEval{.globalBatchSize = 8,
                                .setting = config::Explore{},
                                .presentSize = 8,
                                .knowsDevices = false,
                                .microBatchKey = "per_device_eval_batch_size",
                                .globalBatchKey = "per_device_eval_batch_size"};

BatchPlan nemo(std::int64_t batch)
{
    return {.globalBatchSize = batch,
            .devices = 4,
            .setting = config::Explore{},
            .presentSize = 4,
            .microBatchKey = "model.micro_batch_size",
            .globalBatchKey = "model.global_batch_size"};
}

} // namespace

class ConfigTextTest : public QObject
{
    Q_OBJECT

private slots:
    void saysWhatIsInAConfig_data()
    {
        QTest::addColumn<ConfigContents>("contents");
        QTest::addColumn<QStringList>("lines");
        const auto row = [](const char* name, const ConfigContents& contents, const QStringList& lines) {
            QTest::newRow(name) << contents << lines;
        };
        row("accumulation written out",
            withPlans("Hugging Face TrainingArguments", huggingFaceTrain, huggingFaceEval),
            {QStringLiteral("train batch = per_device_train_batch_size * gradient_accumulation_steps = 32 on "
                            "one device; the launcher decides how many there are"),
             QStringLiteral("train micro-batch = per_device_train_batch_size: 16 now"),
             QStringLiteral("train accumulation = 2 steps, of at most 16 samples"),
             QStringLiteral("eval batch = per_device_eval_batch_size: 8 now")});
        row("a rule that is kept", withPlans("NeMo", nemo(32)),
            {QStringLiteral("train batch = model.global_batch_size 32 on 4 devices, 8 on each"),
             QStringLiteral("train micro-batch = model.micro_batch_size: 4 now"),
             QStringLiteral("train accumulation = 2 steps, of at most 4 samples"),
             QStringLiteral("train rule = satisfied: 32 samples of model.global_batch_size are a multiple of "
                            "micro-batches of 4 on 4 devices")});
        row("a rule that is broken", withPlans("NeMo", nemo(36)),
            {QStringLiteral(
                "train rule = not satisfied: 36 samples of model.global_batch_size are no multiple "
                "of micro-batches of 4 on 4 devices")});
        row("Cerebras' strict rule",
            evenlySpread(withPlans("Cerebras params",
                                   {.globalBatchSize = 10, .devices = 2, .setting = config::Fixed{4}})),
            {QStringLiteral("train micro-batch = micro_batch_size: 4"),
             QStringLiteral("train accumulation = 2 steps, of at most 3 samples"),
             QStringLiteral("train strict rule = not satisfied: 10 samples of batch_size are no multiple of "
                            "micro-batches of 4 on 2 devices, so samples are spread unevenly")});
        row("our own rule",
            evenlySpread(withPlans("Batchpeak", {.globalBatchSize = 8, .setting = config::Whole{}})),
            {QStringLiteral("train accumulation = 1 step, of at most 8 samples"),
             QStringLiteral("train strict rule = satisfied: 8 samples of batch_size are a multiple of "
                            "micro-batches of 8")});
        row("a network alone", {.formatName = "Hugging Face config.json", .model = decoder},
            {QStringLiteral("network = llama"),
             QStringLiteral("batch = none: the config holds a network alone"),
             QStringLiteral("run = fp32, adamw, sequence length 32 (usual for it)")});
        ConfigContents wishing = withPlans("torchtune", huggingFaceTrain);
        wishing.training = {.halvesAutomatically = true,
                            .usesMaximumBatchSize = true,
                            .batchIncreaseFunction = "epoch < 3 ? 4 : 0",
                            .weighsTokens = true,
                            .accumulates = false,
                            .learningRate = 2e-5};
        row("what training is to do", wishing,
            {QStringLiteral("learning rate = 2e-05"),
             QStringLiteral("micro-batches weigh = by tokens that the loss counts"),
             QStringLiteral("accumulation = off: the whole batch at once"),
             QStringLiteral("size in training = smaller whenever memory runs out"),
             QStringLiteral("size in training = the largest that fits, found first"),
             QStringLiteral("batch grows by = epoch < 3 ? 4 : 0")});
        wishing.training = {.weighsTokens = false, .accumulates = true};
        row("weighing by samples", wishing, {QStringLiteral("micro-batches weigh = by samples")});
        ConfigContents chosen = withPlans("axolotl", huggingFaceTrain);
        chosen.modelSource = "gpt2";
        row("a chosen network", chosen, {QStringLiteral("network from = gpt2")});
        row("a network that is elsewhere",
            {.formatName = "DeepSpeed",
             .model =
                 config::UnsupportedModel{.sentence = "The config names no network; give one with --model.",
                                          .isElsewhere = true},
             .train = huggingFaceTrain},
            {QStringLiteral("network = The config names no network; give one with --model."),
             QStringLiteral("run = fp32, adamw")});
    }
    void saysWhatIsInAConfig()
    {
        QFETCH(ConfigContents, contents);
        QFETCH(QStringList, lines);
        QStringList said;
        for (const QString& line : cli::contentsLines(QStringLiteral("c.yaml"), contents)) {
            const auto gap = line.indexOf(QStringLiteral("  "));
            said << line.left(gap) + QStringLiteral(" = ") + line.mid(gap).trimmed();
        }
        for (const QString& line : lines)
            QVERIFY2(said.contains(line),
                     qPrintable(line + QLatin1String(" is not in\n") + said.join(QLatin1Char('\n'))));
    }

    void saysNothingOfWhatTrainingIsNotAsked()
    {
        const QString said =
            cli::contentsLines(QStringLiteral("c.yaml"), withPlans("torchtune", huggingFaceTrain))
                .join(QLatin1Char('\n'));
        for (const char* name : {"learning rate", "weigh", "accumulation  off", "size in training", "grows"})
            QVERIFY2(!said.contains(QLatin1String(name)), name);
    }

    void namesNoRuleThatATrainerHasNot()
    {
        const QString said =
            cli::contentsLines(QStringLiteral("c.yaml"), withPlans("torchtune", huggingFaceTrain))
                .join(QLatin1Char('\n'));
        QVERIFY2(!said.contains(QStringLiteral("rule")), qPrintable(said));
    }
};

BATCHPEAK_TEST(ConfigTextTest)
#include "tst_config_text.moc"
