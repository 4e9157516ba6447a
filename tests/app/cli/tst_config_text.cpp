// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/words/config_text.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <vector>

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

model::DecoderSpec gemma2()
{
    model::DecoderSpec spec = std::get<model::DecoderSpec>(decoder.architecture);
    spec.layers = 4;
    spec.normalization = model::Normalization::RmsNorm;
    spec.branchOutputNormalization = true;
    spec.attentionWindow = 4096;
    spec.windowedLayers = {0, 2};
    spec.unrotatedLayers = {3};
    spec.attentionSoftCap = 50.0;
    spec.logitSoftCap = 30.0;
    return spec;
}

model::DecoderSpec mixtureOfExperts()
{
    model::DecoderSpec spec = std::get<model::DecoderSpec>(decoder.architecture);
    spec.normalizationBias = false;
    spec.branches = model::Branches::Parallel;
    spec.experts = 8;
    spec.sharedExpertSize = 5632;
    spec.denseLayers = 1;
    return spec;
}

ConfigContents networkAlone(model::DecoderSpec spec)
{
    return {.formatName = "Hugging Face config.json",
            .model = model::ModelSpec{.family = "some", .architecture = std::move(spec)}};
}

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

ConfigContents withOptimizer(model::Optimizer optimizer, const model::StepOptions& step)
{
    ConfigContents contents = withPlans("axolotl", {.globalBatchSize = 8});
    contents.optimizer = optimizer;
    contents.step = step;
    return contents;
}

ConfigContents adapted()
{
    ConfigContents contents = withPlans("axolotl", {.globalBatchSize = 8});
    contents.tuning = {.adapter = model::AdapterKind::Lora,
                       .rank = 4,
                       .targets = {{.projection = model::Projection::Query, .layers = {}},
                                   {.projection = model::Projection::Value, .layers = {}}},
                       .trainedParts = {"final_norm."},
                       .frozenWeights = model::FrozenWeights::Nf4};
    contents.warnings = {
        {.sentence = "Samples are packed.", .position = {}, .approximation = "packed samples"}};
    return contents;
}

const BatchPlan huggingFaceTrain{.globalBatchSize = 32,
                                 .setting = config::Explore{},
                                 .presentSize = 16,
                                 .knowsDevices = false,
                                 .isOverAllDevices = false,
                                 .microBatchKey = "per_device_train_batch_size",
                                 .globalBatchKey =
                                     "per_device_train_batch_size * gradient_accumulation_steps"};
const BatchPlan huggingFaceEval{.globalBatchSize = 8,
                                .setting = config::Explore{},
                                .presentSize = 8,
                                .knowsDevices = false,
                                .isOverAllDevices = false,
                                .microBatchKey = "per_device_eval_batch_size",
                                .globalBatchKey = "per_device_eval_batch_size"};

const BatchPlan llmFoundry{.globalBatchSize = 256,
                           .setting = config::Explore{},
                           .presentSize = 32,
                           .knowsDevices = false,
                           .microBatchKey = "device_train_microbatch_size",
                           .globalBatchKey = "global_train_batch_size"};

BatchPlan nemo(std::int64_t batch)
{
    return {.globalBatchSize = batch,
            .devices = 4,
            .setting = config::Explore{},
            .presentSize = 4,
            .microBatchKey = "model.micro_batch_size",
            .globalBatchKey = "model.global_batch_size"};
}

struct Said
{
    ConfigContents contents;
    /// Names and texts: "network = llama".
    std::vector<const char*> lines;
};

} // namespace

class ConfigTextTest : public QObject
{
    Q_OBJECT

private slots:
    void describesAConfig_data()
    {
        ConfigContents training = withPlans("torchtune", huggingFaceTrain);
        training.training = {.halvesAutomatically = true,
                             .usesMaximumBatchSize = true,
                             .batchIncreaseFunction = "epoch < 3 ? 4 : 0",
                             .weighsTokens = true,
                             .accumulates = false,
                             .learningRate = 2e-5};
        ConfigContents weighing = training;
        weighing.training = {.weighsTokens = false, .accumulates = true};
        ConfigContents chosen = withPlans("axolotl", huggingFaceTrain);
        chosen.modelSource = "gpt2";
        ConfigContents placed = chosen;
        placed.places = {.network = config::SourceLocation{"model", {.line = 2}, true},
                         .train = {.globalBatch = config::SourceLocation{"batch_size", {.line = 12}}},
                         .eval = {.globalBatch = config::SourceLocation{"batch_size", {.line = 12}}},
                         .sequenceLength = config::SourceLocation{"max_seq_len", {.line = 3}}};
        rows<Said>({
            {"accumulation written out",
             {withPlans("Hugging Face TrainingArguments", huggingFaceTrain, huggingFaceEval),
              {"train batch = per_device_train_batch_size * gradient_accumulation_steps = 32 on one device; "
               "the "
               "launcher decides how many there are",
               "train micro-batch = per_device_train_batch_size: 16 now",
               "train accumulation = 2 steps, of at most 16 samples",
               "eval batch = per_device_eval_batch_size: 8 now"}}},
            {"a batch over devices that the launcher counts",
             {withPlans("LLM-Foundry", llmFoundry),
              {"train batch = global_train_batch_size 256 over all devices; the launcher decides how many "
               "there are",
               "train accumulation = 8 steps, of at most 32 samples, on one device"}}},
            {"a rule that is kept",
             {withPlans("NeMo", nemo(32)),
              {"train batch = model.global_batch_size 32 on 4 devices, 8 on each",
               "train micro-batch = model.micro_batch_size: 4 now",
               "train accumulation = 2 steps, of at most 4 samples",
               "train rule = satisfied: 32 samples of model.global_batch_size are a multiple of "
               "micro-batches of 4 on 4 devices"}}},
            {"a rule that is broken",
             {withPlans("NeMo", nemo(36)),
              {"train rule = not satisfied: 36 samples of model.global_batch_size are no multiple "
               "of micro-batches of 4 on 4 devices"}}},
            {"Cerebras' strict rule",
             {evenlySpread(withPlans("Cerebras params",
                                     {.globalBatchSize = 10, .devices = 2, .setting = config::Fixed{4}})),
              {"train micro-batch = micro_batch_size: 4",
               "train accumulation = 2 steps, of at most 3 samples",
               "train strict rule = not satisfied: 10 samples of batch_size are no multiple of "
               "micro-batches of 4 on 2 devices, so samples are spread unevenly"}}},
            {"our own rule",
             {evenlySpread(withPlans("Batchpeak", {.globalBatchSize = 8, .setting = config::Whole{}})),
              {"train accumulation = 1 step, of at most 8 samples",
               "train strict rule = satisfied: 8 samples of batch_size are a multiple of micro-batches of "
               "8"}}},
            {"a network alone",
             {{.formatName = "Hugging Face config.json", .model = decoder},
              {"network = llama", "batch = none: the config describes only a network",
               "run = fp32, adamw, sequence length 32 (usual for it)"}}},
            {"an optimizer by operations",
             {withOptimizer(model::Optimizer::AdamW, {.adamWStep = model::AdamWStep::Operations}),
              {"run = fp32, adamw operation by operation, sequence length 32"}}},
            {"an optimizer of Composer",
             {withOptimizer(model::Optimizer::AdamW, {.adamWStep = model::AdamWStep::Decoupled}),
              {"run = fp32, adamw operation by operation, as Composer's DecoupledAdamW, sequence length "
               "32"}}},
            {"an optimizer without momentum",
             {withOptimizer(model::Optimizer::Sgd, {.keepsMomentum = false}),
              {"run = fp32, sgd without momentum, sequence length 32"}}},
            {"an optimizer of 8 bits",
             {withOptimizer(model::Optimizer::AdamW8bit, {.wideEmbeddingMoments = true}),
              {"run = fp32, adamw-8bit with moments of embeddings in fp32, sequence length 32"}}},
            {"a network with windows and caps",
             {networkAlone(gemma2()),
              {"parts = learned positions, rmsnorm before and after branches, gelu, tied embeddings",
               "details = window of 4,096 tokens in 2 of 4 layers, no rotation in 1 of 4 layers, scores "
               "capped "
               "at 50, logits capped at 30"}}},
            {"a network with a shared expert",
             {networkAlone(mixtureOfExperts()),
              {"shape = 1 layers, hidden size 8, 2 heads, 2 of 8 experts of feed-forward 16 plus a shared "
               "expert of 5,632 (first 1 layers: one dense feed-forward of 16), vocabulary 64, positions 32",
               "parts = learned positions, layernorm without biases, gelu, parallel branches, tied "
               "embeddings"}}},
            {"what training is to do",
             {training,
              {"learning rate = 2e-05", "micro-batches weighted = by tokens that the loss counts",
               "accumulation = off: the whole batch at once",
               "size in training = smaller whenever memory runs out",
               "size in training = the largest that fits, found first",
               "batch grows by = epoch < 3 ? 4 : 0"}}},
            {"weighing by samples", {weighing, {"micro-batches weighted = by samples"}}},
            {"a chosen network", {chosen, {"network from = gpt2"}}},
            {"lines of the keys",
             {placed,
              {"read from = line 3, max_seq_len", " = line 12, batch_size", " = line 2, model of gpt2"}}},
            {"what is trained",
             {adapted(),
              {"parameters = trainable 144 of 1,528 parameters, 9.42 %",
               "adapter = LoRA of rank 4, alpha 8, on query and value", "trained in full = final_norm",
               "frozen weights = nf4 with double quantization",
               "measured = approximate because of packed samples"}}},
            {"a network that is elsewhere",
             {{.formatName = "DeepSpeed",
               .model =
                   config::UnsupportedModel{.sentence = "The config names no network; give one with --model.",
                                            .isElsewhere = true},
               .train = huggingFaceTrain},
              {"network = The config names no network; give one with --model.", "run = fp32, adamw"}}},
        });
    }
    void describesAConfig()
    {
        const auto& [contents, lines] = row<Said>();
        QStringList said;
        for (const QString& line : cli::contentsLines(QStringLiteral("c.yaml"), contents)) {
            const auto gap = line.indexOf(QStringLiteral("  "));
            said << line.left(gap) + QStringLiteral(" = ") + line.mid(gap).trimmed();
        }
        for (const char* line : lines)
            QVERIFY2(said.contains(QString::fromUtf8(line)),
                     qPrintable(QString::fromUtf8(line) + QLatin1String(" is not in\n") +
                                said.join(QLatin1Char('\n'))));
    }

    // The text contains no setting that the config lacks, and no rule that its trainer lacks.
    void omitsWhatTheConfigLacks()
    {
        const QString said =
            cli::contentsLines(QStringLiteral("c.yaml"), withPlans("torchtune", huggingFaceTrain))
                .join(QLatin1Char('\n'));
        for (const char* name : {"learning rate", "micro-batches weighted", "accumulation  off",
                                 "size in training", "grows", "rule"})
            QVERIFY2(!said.contains(QLatin1String(name)), qPrintable(said));
    }
};

BATCHPEAK_TEST(ConfigTextTest)
#include "tst_config_text.moc"
