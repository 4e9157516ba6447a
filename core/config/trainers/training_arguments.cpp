// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_arguments.h"

#include "approximations.h"
#include "run_reader.h"
#include "sharding.h"
#include "syntax/words.h"
#include "unmodeled_features.h"

#include <algorithm>
#include <array>

namespace batchpeak::config {

namespace {

// The default of both sizes is 8: TrainingArguments in transformers 5.23.
constexpr AccumulationKeys keys{.microBatchSize = "per_device_train_batch_size", .defaultMicroBatchSize = 8};
constexpr std::string_view evalKey = "per_device_eval_batch_size";
constexpr std::int64_t defaultEvalSize = 8;
constexpr std::string_view finderKey = "auto_find_batch_size";

constexpr RunKeys runKeys{.optimizer = "optim",
                          .adamW = torchAdamW,
                          .unfusedAdamW = unfusedTorchAdamW,
                          // Default of TrainingArguments.max_grad_norm in transformers 5.23.
                          .gradientNorm = "max_grad_norm",
                          .defaultGradientNorm = 1.0,
                          .learningRate = "learning_rate",
                          // ModelConfig of TRL.
                          .attention = "attn_implementation",
                          // Weighted by num_items_in_batch: Trainer.get_batch_samples since transformers
                          // 4.46, trainer.py.
                          .weighsTokens = true,
                          .isOfTransformers = true};

constexpr PlaceKeys placeKeys{.network = "model_name_or_path",
                              .microBatch = "per_device_train_batch_size",
                              .accumulationSteps = "gradient_accumulation_steps",
                              .evalMicroBatch = evalKey};

constexpr std::array<UnmodeledFeature, 1> batchFinder{
    {{finderKey, "{} is on: the trainer shrinks the size when memory runs out, and the effective batch with "
                 "it. Writing a size switches it off."}}};

/// The key AcceleratorConfig.split_batches in transformers 5.23, trainer_pt_utils.py.
constexpr std::array<UnmodeledFeature, 1> splitBatches{
    {{"split_batches",
      "{} makes the sizes here those of all devices together, of which each takes its share."}}};

constexpr std::string_view compiledText =
    "{} compiles the network; trials run it as it is, which takes longer.";
constexpr std::string_view narrowEvaluationText =
    "{} evaluates with all weights in 16 bits; trials have those of training.";

constexpr std::string_view compileModeKey = "torch_compile_mode";
constexpr std::string_view compileBackendKey = "torch_compile_backend";

/// Each of these keys turns compilation on: __post_init__ of TrainingArguments in transformers 5.23.
constexpr std::array<UnmodeledFeature, 3> compiling{
    {{.key = "torch_compile", .text = compiledText, .approximation = approximation::compiled},
     {.key = compileBackendKey, .text = compiledText, .approximation = approximation::compiled},
     {.key = compileModeKey, .text = compiledText, .approximation = approximation::compiled}}};

/// Keys of TrainingArguments in transformers 5.23, training_args.py.
constexpr std::array<UnmodeledFeature, 6> stepFeatures{
    {{.key = "label_smoothing_factor",
      .text =
          "{} takes the logarithms of all chances for the loss once more; trials do not, which takes less "
          "time and memory.",
      .approximation = approximation::otherLoss},
     {.key = "bf16_full_eval",
      .text = narrowEvaluationText,
      .approximation = approximation::narrowEvaluation},
     {.key = "fp16_full_eval",
      .text = narrowEvaluationText,
      .approximation = approximation::narrowEvaluation},
     // From Seq2SeqTrainingArguments, training_args_seq2seq.py.
     {.key = "predict_with_generate", .text = writtenTextsText, .approximation = approximation::writtenTexts},
     {.key = "use_liger_kernel", .text = ligerText, .approximation = approximation::otherKernels},
     {.key = "fp8", .text = fp8Text, .approximation = approximation::narrowProducts}}};

/// Whether the value is a strategy. The word of IntervalStrategy for never is "no", and a plain no is False
/// to a YAML reader.
bool isStrategy(const ConfigSection& root, std::string_view key)
{
    return root.isOn(key) && root.value(key)->value != "no";
}

/// Whether the run evaluates. TrainingArguments.__post_init__ in transformers 5.23 turns do_eval on if there
/// is a strategy; the older name of the key is evaluation_strategy.
bool evaluates(const ConfigSection& root)
{
    return root.has(evalKey) || isStrategy(root, "eval_strategy") ||
           isStrategy(root, "evaluation_strategy") || root.isOn("do_eval") || root.isOn("eval_steps");
}

} // namespace

bool hasOneOf(const ConfigSection& section, std::string_view keys)
{
    return std::ranges::any_of(splitWords(keys),
                               [&](std::string_view key) { return section.find(key).has_value(); });
}

void readTrainingArguments(const ConfigSection& root, ConfigContents& contents)
{
    contents.train = readAccumulatedBatch(root, keys);
    if (evaluates(root))
        contents.eval = readPlainBatch(root, evalKey, defaultEvalSize);
    warnOfBatchFinder(root, contents.warnings);
    warnOf(root.sectionIfAny("accelerator_config"), splitBatches, contents.warnings);
    warnOf(root, stepFeatures, contents.warnings);
    if (const auto compiled = firstOf(root, compiling)) {
        contents.warnings.push_back(*compiled);
        readCompilation(root, compileModeKey, compileBackendKey, contents);
    }
    // Without fsdp its settings have no effect (__post_init__ of TrainingArguments in transformers 5.23).
    readSharding(root, /*takesConfigAlone=*/false, contents);
    RunKeys keysOfRun = withSharedOptimizer(root, runKeys);
    if (!root.has(keysOfRun.attention) && root.sectionIfAny("model_init_kwargs").has(keysOfRun.attention))
        keysOfRun.attention = "model_init_kwargs.attn_implementation";
    readRun(root, keysOfRun, contents);
    // The key sets torch.backends.cudnn.allow_tf32 too: TrainingArguments.__post_init__ in transformers 5.23.
    contents.step.convolvesInTf32 = root.boolean("tf32").value_or(true);
    contents.training.halvesAutomatically = findsBatchSize(root);
    notePlaces(root, placeKeys, contents);
}

model::Precision readMixedPrecision(const ConfigSection& root, bool bf16)
{
    const auto isBf16 = root.boolean("bf16");
    const bool isFp16 = root.boolean("fp16").value_or(false);
    // Options of `accelerate launch` stand beside those of the program: training_args.py takes its precision
    // from them.
    const bool isOfLauncher = root.document().origin() && !isBf16 && !root.has("fp16");
    const std::string ofLauncher = isOfLauncher ? root.text("mixed_precision").value_or("") : std::string();
    if (ofLauncher == "bf16" || ofLauncher == "fp16")
        return ofLauncher == "bf16" ? model::Precision::Bf16 : model::Precision::Fp16;
    if (isBf16.value_or(false) && isFp16)
        root.fail("fp16", "is True beside bf16, of which a run can have one; remove either");
    if (isFp16)
        return model::Precision::Fp16;
    if (isBf16.value_or(bf16))
        return model::Precision::Bf16;
    return root.boolean("tf32").value_or(false) ? model::Precision::Tf32 : model::Precision::Fp32;
}

SplicedText withSizeInTrainingArguments(const ConfigSection& root, const ChosenSize& chosen)
{
    if (chosen.phase == model::Phase::Eval) {
        if (!evaluates(root)) {
            throw ConfigError(
                "The config asks for no evaluation; choose the other phase, or write eval_strategy.");
        }
        return withChanges(root, {plainBatchChange(evalKey, keys.microBatchSize, chosen)});
    }
    std::vector<EntryChange> changes = accumulatedBatchChanges(root, keys, chosen);
    std::vector<std::string> notes;
    switchOffBatchFinder(root, changes, notes);
    noteDeepSpeed(root, notes);
    return withChanges(root, changes, notes);
}

void warnOfTypeOfFile(TextPosition position, std::string_view trialsTake, ConfigContents& contents)
{
    const std::string type = contents.typeOfWeights == "float32" ? "fp32" : contents.typeOfWeights;
    if (!type.empty() && trialsTake.starts_with(type))
        return;
    warnOfApproximation(contents.warnings, position, approximation::typeOfFile,
                        "The file of the network decides the type of its weights; trials take {}.",
                        trialsTake);
}

namespace {

bool isLayerNorm(const model::ModelSpec& spec)
{
    if (const auto* decoder = std::get_if<model::DecoderSpec>(&spec.architecture)) {
        // CohereLayerNorm and OlmoLayerNorm always compute in fp32: models/{cohere,olmo}/modeling_*.py of
        // transformers 5.23.
        return decoder->normalization == model::Normalization::LayerNorm &&
               !isAmong(spec.family, "cohere cohere2 olmo");
    }
    return std::holds_alternative<model::EncoderSpec>(spec.architecture) ||
           std::holds_alternative<model::VisionTransformerSpec>(spec.architecture);
}

} // namespace

void warnOfWideNormalizations(TextPosition position, ConfigContents& contents)
{
    const auto* spec = std::get_if<model::ModelSpec>(&contents.model);
    if (!spec || !model::isPlain(contents.precision) || !isLayerNorm(*spec))
        return;
    warnOfApproximation(contents.warnings, position, approximation::fp32Norms,
                        "Autocast computes normalizations in fp32 beside weights in 16 bits; trials compute "
                        "them in 16 bits, which takes less memory.");
}

void warnOfFp32Adapters(TextPosition position, std::string_view since, std::vector<Warning>& warnings)
{
    warnOfApproximation(warnings, position, approximation::fp32Adapters,
                        "The run computes adapters in fp32, since {}; trials compute them in bfloat16.",
                        since);
}

void takeLossInChunks(ConfigContents& contents, TextPosition position)
{
    // The number of rows that Liger takes of 8192 tokens of Llama-3.1-8B (fused_linear_cross_entropy_forward
    // in liger_kernel/ops/fused_linear_cross_entropy.py of Liger 0.6): the logits are as large as all hidden
    // states. Products of fewer rows would not fill a device.
    constexpr std::int64_t rows = 256;
    contents.step.lossChunkRows = rows;
    warnOfApproximation(contents.warnings, position, approximation::chunkedLoss,
                        "The run computes its loss without holding all logits; trials take it {} tokens at a "
                        "time, by other kernels.",
                        rows);
}

void noteDeepSpeed(const ConfigSection& section, std::vector<std::string>& notes)
{
    if (!section.isOn("deepspeed"))
        return;
    notes.emplace_back(
        "The DeepSpeed config of this run (deepspeed) must agree: its train_micro_batch_size_per_gpu, "
        "gradient_accumulation_steps and train_batch_size have to be \"auto\" or say the same.");
}

bool findsBatchSize(const ConfigSection& section)
{
    return section.isOn(finderKey);
}

void warnOfBatchFinder(const ConfigSection& section, std::vector<Warning>& warnings)
{
    warnOf(section, batchFinder, warnings);
}

void switchOffBatchFinder(const ConfigSection& section, std::vector<EntryChange>& changes,
                          std::vector<std::string>& notes)
{
    if (!findsBatchSize(section))
        return;
    changes.push_back({.key = std::string(finderKey), .value = "false"});
    notes.emplace_back("auto_find_batch_size is false now: it would shrink the size when memory runs out but "
                       "not raise the accumulation steps, so the effective batch would shrink silently.");
}

} // namespace batchpeak::config
