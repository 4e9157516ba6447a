// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "batch_schemes.h"
#include "differences.h"
#include "format.h"
#include "networks/network_readers.h"
#include "run_reader.h"
#include "syntax/yaml_scalar.h"

#include <array>

namespace batchpeak::config {

/// A training config of torchtune's recipes: batch_size is the micro-batch of one GPU, of which
/// gradient_accumulation_steps make a batch.
///
/// How many GPUs there are is for the launcher to say, so the plan is that of one. With optimizer_in_bwd
/// nothing is accumulated, so that the batch of a step is one micro-batch.
///
/// Defaults are those of recipes/full_finetune_single_device.py and full_finetune_distributed.py of torchtune
/// 0.7.
namespace {

constexpr std::string_view sizeKey = "batch_size";
constexpr std::string_view stepsKey = "gradient_accumulation_steps";
constexpr std::string_view evalKey = "batch_size_val";
constexpr std::string_view inBackwardKey = "optimizer_in_bwd";
constexpr std::string_view componentKey = "_component_";
constexpr AccumulationKeys keys{.microBatchSize = sizeKey, .accumulationSteps = stepsKey};

constexpr RunKeys runKeys{.learningRate = "optimizer.lr",
                          .checkpointing = "enable_activation_checkpointing",
                          // train() of recipes/full_finetune_single_device.py divides by num_tokens since
                          // torchtune 0.4 (pull request 1875).
                          .weighsTokens = true};

constexpr PlaceKeys placeKeys{.network = "model._component_",
                              .microBatch = sizeKey,
                              .accumulationSteps = stepsKey,
                              .evalMicroBatch = "batch_size_val batch_size",
                              .sequenceLength = "tokenizer.max_seq_len dataset.max_seq_len",
                              .precision = "dtype",
                              .optimizer = "optimizer._component_",
                              .gradientNorm = "clip_grad_norm"};

using enum Difference::When;

/// What the run does that trials do not. Keys are those of recipes/knowledge_distillation_*.py,
/// full_dpo_distributed.py, lora_dpo_*.py and qat_*.py.
constexpr std::array<Difference, 7> otherRuns{
    {{"teacher_model", "uses a second network, the teacher", There, {}, {}, reason::secondNetwork},
     {"ref_checkpointer", "uses a second network, the reference", There, {}, {}, reason::preferences},
     {"reference_checkpointer", "uses a second network, the reference", There, {}, {}, reason::preferences},
     {"quantizer",
      "rounds weights as a quantised network has them",
      There,
      {},
      {},
      reason::quantizationAware},
     {"policy_model", "trains several networks", There, {}, {}, reason::preferences},
     {"tensor_parallel_dim",
      "cuts layers or sequences over several GPUs",
      AboveOne,
      {},
      {},
      reason::overDevices},
     {"context_parallel_dim",
      "cuts layers or sequences over several GPUs",
      AboveOne,
      {},
      {},
      reason::overDevices}}};

constexpr std::array<Difference, 7> differences{
    {{"compile", "Trials run the network as it is, not compiled (compile)."},
     {"enable_activation_offloading", "Trials keep activations on the GPU, which a run with "
                                      "enable_activation_offloading moves to the host's memory."},
     {"ac_mode", "Trials checkpoint whole layers, not as ac_mode chooses."},
     {"enable_fp8_training", "Trials run products in bf16, not in 8 bits (enable_fp8_training)."},
     {"fsdp_cpu_offload", "Trials keep weights and optimizer state on the GPU, which a run with "
                          "fsdp_cpu_offload moves to the host's memory."},
     {"custom_sharded_layers",
      "FSDP spreads weights, gradients and optimizer state over GPUs; trials hold all of them on one, so "
      "larger sizes may fit in the run."},
     {"optimizer_in_bwd", "The run updates each weight within backward (optimizer_in_bwd) and drops its "
                          "gradient; trials keep all gradients until the step, which takes more memory."}}};

constexpr std::array<Difference, 1> datasetDifferences{
    {{"packed", "Samples are packed into sequences (packed); a sample of a trial is one packed sequence of "
                "full length."}}};

/// The last part of the name of what a section builds: "AdamW".
std::string componentOf(const ConfigSection& section)
{
    const std::string component = section.text(componentKey).value_or("");
    return component.substr(component.rfind('.') + 1);
}

/// What makes the run one that trials cannot stand for, though its network can be built.
void refuseOtherRuns(const ConfigSection& root)
{
    for (const Difference& row : otherRuns) {
        if (const auto found = firstOf(root, std::span(&row, 1)))
            refuseRun(found->position, sentence("{} ({})", row.text, row.key), row.why);
    }
    const ConfigSection loss = root.sectionIfAny("loss");
    const std::string name = componentOf(loss);
    for (std::string_view kind : {"DPO", "PPO", "GRPO", "RSO", "SimPO"}) {
        if (name.find(kind) != std::string::npos)
            refuseRun(loss.positionOf(componentKey),
                      sentence("learns by preferences, from more than one answer a sample ({})",
                               loss.pathOf(componentKey)),
                      reason::preferences);
    }
}

BatchPlan readTrainPlan(const ConfigSection& root)
{
    if (!root.has(sizeKey)) {
        throw errorAt(root.positionOf(sizeKey),
                      "batch_size is missing; write how many samples one GPU takes at a time.");
    }
    BatchPlan plan = readAccumulatedBatch(root, keys);
    const std::int64_t steps = countOr(root, stepsKey, 1);
    if (steps > 1 && root.boolean(inBackwardKey).value_or(false)) {
        // __init__ of recipes/full_finetune_single_device.py in torchtune 0.7.
        root.fail(stepsKey,
                  "is {}, but torchtune takes only 1 where {} is True; set one of the two otherwise", steps,
                  inBackwardKey);
    }
    return plan;
}

// get_dtype in torchtune/training/precision.py: fp32 where nothing is said, and TF32 is left off.
model::Precision readPrecision(const ConfigSection& root, std::vector<Warning>& warnings)
{
    constexpr std::string_view key = "dtype";
    const std::string type = root.text(key).value_or("fp32");
    if (type == "fp32")
        return model::Precision::Fp32;
    if (type != "bf16")
        root.fail(key, "is \"{}\", which torchtune's recipes do not train in; write bf16 or fp32", type);
    warn(warnings, root.positionOf(key),
         "torchtune keeps weights, gradients and optimizer state in bf16; trials keep fp32 copies of the "
         "weights and fp32 optimizer state beside them, which takes more memory.");
    return model::Precision::PureBf16;
}

double readClipping(const ConfigSection& root)
{
    constexpr std::string_view key = "clip_grad_norm";
    // 'inf' measures the norm and scales nothing.
    const bool isInfinite =
        root.has(key) && !asNumber(*root.value(key)) && root.text(key).value_or("").ends_with("inf");
    return isInfinite ? 0.0 : readGradientNorm(root, key, 0.0);
}

void warnOfTheLoss(const ConfigSection& root, std::vector<Warning>& warnings)
{
    const ConfigSection loss = root.sectionIfAny("loss");
    const std::string name = componentOf(loss);
    if (name != "LinearCrossEntropyLoss" && name != "CEWithChunkedOutputLoss")
        return;
    // In torchtune/modules/loss. The parts grow with the micro-batch; those of a trial have a fixed size.
    const std::int64_t parts = loss.integer("num_output_chunks").value_or(8);
    warn(warnings, loss.positionOf(componentKey),
         "The run computes the loss in {} parts; trials compute it whole, which takes more memory, unless "
         "--loss-chunk says how many tokens to take at a time.",
         parts);
}

void readLengths(const ConfigSection& root, ConfigContents& contents)
{
    constexpr std::string_view key = "max_seq_len";
    for (std::string_view name : {"tokenizer", "dataset"}) {
        if (const auto length = readLength(root.sectionIfAny(name), key)) {
            contents.sequenceLength = *length;
            return;
        }
    }
    contents.sequenceLength = usualLength(contents);
    const bool isKnown = std::holds_alternative<model::ModelSpec>(contents.model);
    warn(contents.warnings,
         root.hasSection("tokenizer") ? root.sectionIfAny("tokenizer").positionOf(key) : root.positionOf(key),
         isKnown ? "tokenizer.max_seq_len is not set, so samples are as long as the data; trials run the {} "
                   "tokens that the network takes at most. Set it, or give another length with "
                   "--sequence-length."
                 : "tokenizer.max_seq_len is not set, so samples are as long as the data; set it, or give a "
                   "length with --sequence-length.",
         contents.sequenceLength);
}

void readRunInto(const ConfigSection& root, ConfigContents& contents)
{
    contents.precision = readPrecision(root, contents.warnings);
    const ConfigSection optimizer = root.sectionIfAny("optimizer");
    if (const std::string name = componentOf(optimizer); !name.empty())
        contents.optimizer = readOptimizer(name, {}, optimizer.positionOf(componentKey), contents.warnings);
    readRun(root, runKeys, contents);
    contents.step.maxGradientNorm = readClipping(root);
    warnOfTheLoss(root, contents.warnings);
    warnOf(root.sectionIfAny("dataset"), datasetDifferences, contents.warnings);
    warnOf(root, differences, contents.warnings);
    // The keys of torchtune's RFC (pull request 2199), which stayed one: no release knows them.
    contents.training.usesMaximumBatchSize = root.boolean("use_maximum_batch_size").value_or(false);
    contents.training.batchIncreaseFunction = root.text("batch_increase_function").value_or("");
    notePlaces(root, placeKeys, contents);
}

bool namesAComponent(const ConfigSection& root, std::string_view key)
{
    const auto component = root.sectionIfAny(key).find(componentKey);
    return component && component->target->kind == NodeKind::Scalar;
}

bool fits(const ConfigText& text)
{
    const auto root = text.root(Dialect::OmegaConf);
    return root && namesAComponent(*root, "model") &&
           (root->find("dataset") || namesAComponent(*root, "optimizer"));
}

ConfigContents read(const ConfigText& text)
{
    const ConfigSection root = *text.root(Dialect::OmegaConf);
    ConfigContents contents{.train = readTrainPlan(root)};
    // That of training where nothing is said: setup() of recipes/full_finetune_distributed.py in torchtune
    // 0.7.
    if (root.has("dataset_val"))
        contents.eval = readPlainBatch(root, evalKey, *contents.train->presentSize);
    contents.model = networkOrWhyNot([&] {
        refuseOtherRuns(root);
        return readTorchtuneModel(*root.section("model"), contents.warnings);
    });
    readLengths(root, contents);
    readRunInto(root, contents);
    return contents;
}

SplicedText spliceTrain(const ConfigSection& root, const ChosenSize& chosen)
{
    const std::int64_t batch = chosen.globalBatchSize.value_or(readTrainPlan(root).globalBatchSize);
    if (root.boolean(inBackwardKey).value_or(false) && chosen.microBatchSize < batch) {
        throw errorAt(root.positionOf(inBackwardKey),
                      "A batch of {} samples in micro-batches of {} has to be accumulated, which torchtune "
                      "refuses where {} is True; set that to False, or choose a batch of {}.",
                      batch, chosen.microBatchSize, inBackwardKey, chosen.microBatchSize);
    }
    std::vector<std::string> notes;
    if (root.has("dataset_val") && !root.has(evalKey))
        notes.push_back(sentence("Validation takes this size too, because {} is not set.", evalKey));
    return withChanges(root, accumulatedBatchChanges(root, keys, chosen), notes);
}

SplicedText splice(const ConfigText& text, const ChosenSize& chosen)
{
    const ConfigSection root = *text.root(Dialect::OmegaConf);
    if (chosen.phase == model::Phase::Train)
        return spliceTrain(root, chosen);
    if (!root.has("dataset_val")) {
        throw ConfigError("The config has no dataset_val, so it does not evaluate; choose the other phase.");
    }
    return withChanges(root, {plainBatchChange(evalKey, sizeKey, chosen)});
}

} // namespace

constinit const Format torchtuneFormat{
    .name = "torchtune",
    .mark = "model._component_ with dataset or optimizer._component_",
    .neededKeys = "model._component_ dataset|optimizer._component_",
    .usualKeys = "model._component_ tokenizer._component_ dataset optimizer._component_ loss._component_ "
                 "gradient_accumulation_steps",
    .fits = fits,
    .read = read,
    .splice = splice};

} // namespace batchpeak::config
