// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "torchtune_run.h"

#include "cerebras/cerebras_keys.h"
#include "cerebras/cerebras_run.h"
#include "learning_rate.h"

#include <array>
#include <string>
#include <utility>

namespace batchpeak::config {

namespace {

constexpr std::string_view componentKey = "_component_";

std::optional<ConfigSection> sectionOf(const ConfigSection& root, std::string_view key)
{
    return root.hasSection(key) ? root.section(key) : std::nullopt;
}

/// The last part of the name of what a section builds: "AdamW".
std::string componentOf(const std::optional<ConfigSection>& section)
{
    const std::string component = section ? section->text(componentKey).value_or("") : "";
    return component.substr(component.rfind('.') + 1);
}

// get_dtype in torchtune/training/precision.py: fp32 where nothing is said, and TF32 is left off.
model::Precision readPrecision(const ConfigSection& root, std::vector<Warning>& warnings)
{
    constexpr std::string_view key = "dtype";
    const std::string type = root.text(key).value_or("fp32");
    if (type == "fp32")
        return model::Precision::Fp32;
    if (type != "bf16")
        root.fail(key, "is \"" + type + "\", which torchtune's recipes do not train in; write bf16 or fp32");
    warnings.push_back(
        {"torchtune keeps weights, gradients and optimizer state in bf16; trials keep fp32 copies "
         "of the weights and fp32 optimizer state beside them, which takes more memory.",
         root.positionOf(key)});
    return model::Precision::PureBf16;
}

void readClipping(const ConfigSection& root, ConfigContents& contents)
{
    constexpr std::string_view key = "clip_grad_norm";
    // 'inf' measures the norm and scales nothing.
    const bool isInfinite = root.has(key) && !asNumber(root.find(key)->resolvedValue()) &&
                            root.text(key).value_or("").ends_with("inf");
    contents.step.maxGradientNorm = isInfinite ? 0.0 : root.number(key).value_or(0.0);
    if (!(contents.step.maxGradientNorm >= 0))
        root.fail(key, "must be at least 0, as in 1.0");
}

void warnWhereOn(const ConfigSection& root, std::vector<Warning>& warnings)
{
    constexpr std::array<std::pair<std::string_view, const char*>, 7> switches{
        {{"compile", "Trials run the network as it is, not compiled (compile)."},
         {"enable_activation_offloading",
          "Trials keep activations on the GPU, which a run with enable_activation_offloading moves to the "
          "host's memory."},
         {"ac_mode", "Trials checkpoint whole layers, not as ac_mode chooses."},
         {"enable_fp8_training", "Trials run products in bf16, not in 8 bits (enable_fp8_training)."},
         {"fsdp_cpu_offload", "Trials keep weights and optimizer state on the GPU, which a run with "
                              "fsdp_cpu_offload moves to the "
                              "host's memory."},
         {"custom_sharded_layers", "FSDP spreads weights, gradients and optimizer state over the GPUs of a "
                                   "run; trials hold all of them "
                                   "on one GPU, so that a run on several has room for more."},
         {"optimizer_in_bwd", "The run updates each weight within backward (optimizer_in_bwd) and drops its "
                              "gradient; trials keep "
                              "all gradients until the step, which takes more memory."}}};
    for (const auto& [key, sentence] : switches) {
        if (isSwitchedOn(root, key))
            warnings.push_back({sentence, root.positionOf(key)});
    }
}

void warnOfTheLoss(const ConfigSection& root, std::vector<Warning>& warnings)
{
    const auto loss = sectionOf(root, "loss");
    const std::string name = componentOf(loss);
    if (name != "LinearCrossEntropyLoss" && name != "CEWithChunkedOutputLoss")
        return;
    // In torchtune/modules/loss. The parts grow with the micro-batch; those of a trial have a fixed size.
    const std::int64_t parts = loss->integer("num_output_chunks").value_or(8);
    warnings.push_back(
        {"The run computes the loss of a micro-batch in " + std::to_string(parts) +
             " parts; trials compute it whole, which takes more memory, unless they are told to "
             "take so many tokens at a time (--loss-chunk).",
         loss->positionOf(componentKey)});
}

void warnOfPacking(const ConfigSection& root, std::vector<Warning>& warnings)
{
    const auto dataset = sectionOf(root, "dataset");
    if (dataset && isSwitchedOn(*dataset, "packed")) {
        warnings.push_back({"Samples are packed into sequences (packed); a sample of a trial is one packed "
                            "sequence of full length.",
                            dataset->positionOf("packed")});
    }
}

void readLength(const ConfigSection& root, ConfigContents& contents)
{
    constexpr std::string_view key = "max_seq_len";
    const auto* spec = std::get_if<model::ModelSpec>(&contents.model);
    for (std::string_view name : {"tokenizer", "dataset"}) {
        const auto section = sectionOf(root, name);
        const auto length = section ? section->integer(key) : std::nullopt;
        if (length && *length < 1)
            section->fail(key, "is " + std::to_string(*length) + ", but a sequence has at least 1 token");
        if (length) {
            contents.sequenceLength = *length;
            return;
        }
    }
    contents.sequenceLength = spec ? model::usualSequenceLength(*spec) : 0;
    const auto tokenizer = sectionOf(root, "tokenizer");
    const std::string asLong =
        "tokenizer.max_seq_len is not set, so samples are as long as the data have them";
    contents.warnings.push_back(
        {asLong + (spec ? "; trials run the " + std::to_string(contents.sequenceLength) +
                              " tokens that the network takes at most. Set it, or give another length "
                              "(--sequence-length)."
                        : "; set it, or give a length (--sequence-length)."),
         tokenizer ? tokenizer->positionOf(key) : root.positionOf(key)});
}

/// The keys of torchtune's RFC (pull request 2199), which stayed one: no release knows them.
void readTrainingSettings(const ConfigSection& root, TrainingSettings& settings)
{
    settings.usesMaximumBatchSize = root.boolean("use_maximum_batch_size").value_or(false);
    settings.batchIncreaseFunction = root.text("batch_increase_function").value_or("");
    // train() of recipes/full_finetune_single_device.py divides by num_tokens since torchtune 0.4 (pull
    // request 1875).
    settings.weighsTokens = true;
    settings.learningRate = readLearningRate(root, "optimizer.lr");
}

UnsupportedModel otherRun(const ConfigSection& section, std::string_view key, const std::string& what)
{
    return {"The run " + what + " (" + section.pathOf(key) +
                "), which trials do not, so that they would measure another run. Its batch sizes can be read "
                "and written all the same.",
            section.positionOf(key)};
}

} // namespace

void readTorchtuneRun(const ConfigSection& root, ConfigContents& contents)
{
    readLength(root, contents);
    contents.precision = readPrecision(root, contents.warnings);
    const auto optimizer = sectionOf(root, "optimizer");
    if (const std::string name = componentOf(optimizer); !name.empty())
        contents.optimizer = readOptimizer(name, optimizer->positionOf(componentKey), contents.warnings);
    readClipping(root, contents);
    contents.step.activationCheckpointing = root.boolean("enable_activation_checkpointing").value_or(false);
    warnOfTheLoss(root, contents.warnings);
    warnOfPacking(root, contents.warnings);
    warnWhereOn(root, contents.warnings);
    readTrainingSettings(root, contents.training);
}

std::optional<UnsupportedModel> unsupportedTorchtuneRun(const ConfigSection& root)
{
    // Of recipes/knowledge_distillation_*.py, full_dpo_distributed.py, lora_dpo_*.py and qat_*.py.
    constexpr std::array<std::pair<std::string_view, const char*>, 5> signs{
        {{"teacher_model", "uses a second network, the teacher"},
         {"ref_checkpointer", "uses a second network, the reference"},
         {"reference_checkpointer", "uses a second network, the reference"},
         {"quantizer", "rounds weights as a quantised network has them"},
         {"policy_model", "trains several networks"}}};
    for (const auto& [key, what] : signs) {
        if (root.has(key))
            return otherRun(root, key, what);
    }
    for (std::string_view key : {"tensor_parallel_dim", "context_parallel_dim"}) {
        if (root.integer(key).value_or(1) > 1)
            return otherRun(root, key, "cuts layers or sequences over several GPUs");
    }
    const auto loss = sectionOf(root, "loss");
    const std::string name = componentOf(loss);
    for (std::string_view kind : {"DPO", "PPO", "GRPO", "RSO", "SimPO"}) {
        if (name.find(kind) != std::string::npos)
            return otherRun(*loss, componentKey, "learns by preferences, from more than one answer a sample");
    }
    return std::nullopt;
}

} // namespace batchpeak::config
