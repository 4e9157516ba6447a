// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/config_document.h"
#include "config/networks/own_yaml.h"
#include "config_test_data.h"
#include "support/test_main.h"

#include <QByteArray>

using namespace batchpeak;
using namespace batchpeak::config;

Q_DECLARE_METATYPE(TrainingSettings)

namespace {

const QByteArray foundry = "global_train_batch_size: 8\ntrain_loader: {}\nmodel: {name: mpt_causal_lm}\n";
const QByteArray torchtune = "model: {_component_: a.b}\ndataset: {}\nbatch_size: 4\n";
const QByteArray params = "train_input: {batch_size: 8}\n";
const QByteArray trainer = "trainer:\n  fit: {train_dataloader: {batch_size: 8}}\n  init:\n    seed: 1\n";
const QByteArray own = "batchpeak: 1\nmodel: {family: resnet}\nbatch_size: 8\n";

QByteArray megatron(const QByteArray& arguments)
{
    return "#!/bin/bash\ntorchrun pretrain_gpt.py --micro-batch-size 4 " + arguments + "\n";
}

QByteArray nemo(const QByteArray& optim)
{
    return "trainer: {devices: 1}\nmodel:\n  micro_batch_size: 4\n  optim: " + optim + "\n";
}

QByteArray deepSpeed(const QByteArray& rate)
{
    return R"({"train_batch_size": 8, "optimizer": {"type": "AdamW", "params": {"lr": )" + rate + "}}}";
}

using Row = std::function<void(const char* name, const QByteArray& text, const TrainingSettings& settings)>;

void addCerebras(const Row& row)
{
    row("Cerebras params, nothing said", params, {});
    row("Cerebras params, a rate", params + "optimizer: {learning_rate: 6.0e-4}\n", {.learningRate = 6.0e-4});
    row("Cerebras params, a schedule", params + "optimizer: {learning_rate: [{scheduler: Linear}]}\n", {});
    row("accumulation off", params + "runconfig: {use_cs_grad_accum: False}\n", {.accumulates = false});
    row("accumulation on", params + "runconfig: {use_cs_grad_accum: True}\n", {.accumulates = true});
    row("Cerebras Trainer, learning_rate", trainer + "    optimizer: {AdamW: {learning_rate: 1.0e-3}}\n",
        {.learningRate = 1.0e-3});
    row("Cerebras Trainer, lr", trainer + "    optimizer: {SGD: {lr: 2e-4}}\n", {.learningRate = 2.0e-4});
    row("Cerebras Trainer, an optimizer by name alone", trainer + "    optimizer: {AdamW}\n", {});
    row("Cerebras Trainer, one constant",
        trainer + "    optimizer: {AdamW: {}}\n    schedulers: [{ConstantLR: {learning_rate: 1.0e-05}}]\n",
        {.learningRate = 1.0e-5});
    row("Cerebras Trainer, a schedule",
        trainer + "    optimizer: {AdamW: {lr: 0.1}}\n    schedulers: [{LinearLR: {total_iters: 9}}]\n", {});
    row("Cerebras Trainer, two schedules",
        trainer +
            "    optimizer: {AdamW: {}}\n    schedulers: [{ConstantLR: {learning_rate: 1.0}}, {a: b}]\n",
        {});
}

void addTransformers(const Row& row)
{
    const TrainingSettings usual{.weighsTokens = true};
    row("TrainingArguments, nothing said", "per_device_train_batch_size: 4\n", usual);
    row("TrainingArguments",
        "per_device_train_batch_size: 4\nauto_find_batch_size: true\nlearning_rate: 2e-05\n",
        {.halvesAutomatically = true, .weighsTokens = true, .learningRate = 2.0e-5});
    row("TrainingArguments, a rate in quotes", "num_train_epochs: 1\nlearning_rate: '2e-05'\n", usual);
    row("TrainingArguments, a rate twice", "num_train_epochs: 1\nlearning_rate: 1.0\nlearning_rate: 2.0\n",
        usual);
    row("LLaMA-Factory", "finetuning_type: full\nauto_find_batch_size: true\nlearning_rate: 1.0e-5\n",
        {.halvesAutomatically = true, .weighsTokens = true, .learningRate = 1.0e-5});
    row("axolotl",
        "base_model: gpt2\nmicro_batch_size: 2\ngradient_accumulation_steps: 2\nlearning_rate: 0.0002\n",
        {.weighsTokens = true, .learningRate = 0.0002});
    row("axolotl, halving",
        "base_model: gpt2\nmicro_batch_size: 2\ngradient_accumulation_steps: 2\nauto_find_batch_size: true\n",
        {.halvesAutomatically = true, .weighsTokens = true});
}

void addOthers(const Row& row)
{
    row("LLM-Foundry, nothing said", foundry, {.halvesAutomatically = true, .weighsTokens = true});
    row("LLM-Foundry, auto", foundry + "device_train_microbatch_size: auto\noptimizer: {lr: 6.0e-4}\n",
        {.halvesAutomatically = true, .weighsTokens = true, .learningRate = 6.0e-4});
    row("LLM-Foundry, a size",
        foundry + "device_train_microbatch_size: 4\naccumulate_train_batch_on_tokens: false\n",
        {.weighsTokens = false});
    row("LLM-Foundry, a rate elsewhere",
        foundry + "device_train_microbatch_size: 4\nrate: 1.0\noptimizer: {lr: "
                  "\"${rate}\"}\n",
        {.weighsTokens = true, .learningRate = 1.0});
    row("torchtune, nothing said", torchtune, {.weighsTokens = true});
    row("torchtune",
        torchtune + "use_maximum_batch_size: True\nbatch_increase_function: 'epoch < 3 ? 4 : 0'\n"
                    "optimizer: {_component_: torch.optim.AdamW, lr: 2e-5}\n",
        {.usesMaximumBatchSize = true,
         .batchIncreaseFunction = "epoch < 3 ? 4 : 0",
         .weighsTokens = true,
         .learningRate = 2.0e-5});
    row("torchtune, a file", torchtune + "batch_increase_function: grow.py\nuse_maximum_batch_size: null\n",
        {.batchIncreaseFunction = "grow.py", .weighsTokens = true});
    row("DeepSpeed", deepSpeed("0.001"), {.learningRate = 0.001});
    row("DeepSpeed, auto", deepSpeed("\"auto\""), {});
    row("NeMo", nemo("{name: adam, lr: 2e-4}"), {.learningRate = 2.0e-4});
    row("NeMo, a rate that only a run tells", nemo("{name: adam, lr: \"${oc.env:LR}\"}"), {});
    row("NeMo, no rate", nemo("{name: adam, lr: 0}"), {});
    row("Megatron-LM", megatron("--lr 6.0e-5 --lr-decay-style cosine"), {.learningRate = 6.0e-5});
    row("Megatron-LM, by tokens", megatron("--calculate-per-token-loss"), {.weighsTokens = true});
    row("Megatron-LM, a rate that only a run tells", megatron("--lr $1"), {});
    row("Megatron-LM, a word", megatron("--lr fast"), {});
    row("our own, nothing said", own, {});
    row("our own",
        own + "learning_rate: 3.0e-4\nweight_by: tokens\nuse_maximum_batch_size: true\n"
              "batch_increase_function: \"current_batch_size < 64 ? \\\"8\\\" : 0\\n\"\n",
        {.usesMaximumBatchSize = true,
         .batchIncreaseFunction = "current_batch_size < 64 ? \"8\" : 0\n",
         .weighsTokens = true,
         .learningRate = 3.0e-4});
    row("our own, by samples", own + "weight_by: samples\n", {.weighsTokens = false});
}

} // namespace

/// What configs of all formats ask of a training run.
class TrainingSettingsTest : public QObject
{
    Q_OBJECT

private slots:
    void readsTrainingSettings_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<TrainingSettings>("settings");
        const Row row = [](const char* name, const QByteArray& text, const TrainingSettings& settings) {
            QTest::newRow(name) << text << settings;
        };
        addCerebras(row);
        addTransformers(row);
        addOthers(row);
    }
    void readsTrainingSettings()
    {
        QFETCH(QByteArray, text);
        QFETCH(TrainingSettings, settings);
        const TrainingSettings read = recognise(text.toStdString())->read().training;
        QCOMPARE(read.halvesAutomatically, settings.halvesAutomatically);
        QCOMPARE(read.usesMaximumBatchSize, settings.usesMaximumBatchSize);
        QCOMPARE(read.batchIncreaseFunction, settings.batchIncreaseFunction);
        QCOMPARE(read.weighsTokens, settings.weighsTokens);
        QCOMPARE(read.accumulates, settings.accumulates);
        QCOMPARE(read.learningRate, settings.learningRate);
        QVERIFY(read == settings);
    }

    void writesThemAsOurOwn()
    {
        const ConfigContents contents =
            recognise((own + "learning_rate: 1e-05\nweight_by: tokens\nuse_maximum_batch_size: true\n"
                             "batch_increase_function: \"a\\nb \\\\ \\\"c\\\"\"\n")
                          .toStdString())
                ->read();
        QCOMPARE(contents.training.batchIncreaseFunction, std::string("a\nb \\ \"c\""));
        const std::string yaml = toOwnYaml(contents);
        QVERIFY2(recognise(yaml)->read().training == contents.training, yaml.c_str());
    }

    void refusesIllegalTrainingSettings_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("named");
        const auto row = [](const char* name, const QByteArray& text, const char* named) {
            QTest::newRow(name) << text << QString::fromLatin1(named);
        };
        row("no rate", own + "learning_rate: 0\n", "learning_rate must be above 0");
        row("a rate in words", own + "learning_rate: fast\n", "learning_rate must be a number");
        row("a weight of another kind", own + "weight_by: bytes\n", "none of samples and tokens");
        row("a growth of several parts", own + "batch_increase_function: [a, b]\n", "must be a word");
        row("a maximum in words", torchtune + "use_maximum_batch_size: most\n", "must be True or False");
    }
    void refusesIllegalTrainingSettings()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, named);
        const ReadingError error = errorOfReading(text.toStdString());
        QVERIFY2(error.sentence.contains(named), qPrintable(error.sentence));
        QCOMPARE(error.position.line, 4);
    }
};

BATCHPEAK_TEST(TrainingSettingsTest)
#include "tst_training_settings.moc"
