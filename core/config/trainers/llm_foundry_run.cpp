// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "llm_foundry_run.h"

#include "cerebras/cerebras_run.h"
#include "learning_rate.h"

#include <string>

namespace batchpeak::config {

namespace {

model::Precision readPrecision(const ConfigSection& root, std::vector<Warning>& warnings)
{
    constexpr std::string_view key = "precision";
    const std::string word = root.text(key).value_or("amp_bf16");
    // Composer switches TF32 on: DeviceGPU in composer/devices/device_gpu.py of Composer 0.32.
    if (word == "fp32")
        return model::Precision::Tf32;
    if (word == "amp_fp16" || word == "amp_fp8") {
        warnings.push_back({"Trials run in bfloat16 (amp_bf16) in place of " + word + ", whose " +
                                (word == "amp_fp16" ? "loss scaling" : "8-bit products") +
                                " are not run here.",
                            root.positionOf(key)});
    } else if (word != "amp_bf16") {
        root.fail(key, "is \"" + word + "\"; write amp_bf16, amp_fp16, amp_fp8 or fp32");
    }
    return model::Precision::Bf16;
}

/// build_composer_model in llmfoundry/utils/builders.py turns the weights themselves into this type.
bool keepsWeightsIn16Bits(const ConfigSection& root, std::vector<Warning>& warnings)
{
    constexpr std::string_view key = "master_weights_dtype";
    const auto model = root.section("model");
    const std::string type = model ? model->text(key).value_or("fp32") : "fp32";
    if (type == "fp32" || type == "float32")
        return false;
    warnings.push_back({"Trials keep fp32 copies of the weights in the optimizer, which a run with " +
                            std::string(key) + " " + type + " does not; it takes less memory.",
                        model->positionOf(key)});
    return true;
}

void readOptimizerInto(const ConfigSection& root, ConfigContents& contents)
{
    const auto optimizer = root.section("optimizer");
    const auto name = optimizer ? optimizer->text("name") : std::nullopt;
    // Two moments a parameter, as AdamW: DecoupledAdamW in composer/optim/decoupled_weight_decay.py.
    if (name && *name != "decoupled_adamw")
        contents.optimizer = readOptimizer(*name, optimizer->positionOf("name"), contents.warnings);
}

void readClipping(const ConfigSection& clipping, ConfigContents& contents)
{
    constexpr std::string_view typeKey = "clipping_type";
    const std::string type = clipping.text(typeKey).value_or("");
    if (type != "norm" && type != "value" && type != "adaptive")
        clipping.fail(typeKey, "is \"" + type + "\"; write norm, value or adaptive");
    if (type != "norm") {
        contents.warnings.push_back(
            {"Trials do not clip gradients by " + type + "; that takes little of a step.",
             clipping.positionOf(typeKey)});
        return;
    }
    constexpr std::string_view key = "clipping_threshold";
    contents.step.maxGradientNorm = clipping.number(key).value_or(0.0);
    if (!(contents.step.maxGradientNorm >= 0))
        clipping.fail(key, "must be at least 0, as in 1.0");
}

void readAlgorithms(const ConfigSection& root, ConfigContents& contents)
{
    const auto algorithms = root.section("algorithms");
    if (!algorithms)
        return;
    for (std::string_view name : algorithms->keys()) {
        const auto section = algorithms->hasSection(name) ? algorithms->section(name) : std::nullopt;
        if (name == "gradient_clipping" && section) {
            readClipping(*section, contents);
        } else {
            contents.warnings.push_back(
                {"Trials leave out the algorithm " + std::string(name) + ".", algorithms->positionOf(name)});
        }
    }
}

void readSharding(const ConfigSection& root, ConfigContents& contents)
{
    const auto fsdp = root.section("fsdp_config");
    if (!fsdp)
        return;
    contents.step.activationCheckpointing = fsdp->boolean("activation_checkpointing").value_or(false);
    if (fsdp->boolean("activation_cpu_offload").value_or(false)) {
        contents.warnings.push_back({"Trials keep activations on the GPU, which a run with "
                                     "activation_cpu_offload moves to the host's memory.",
                                     fsdp->positionOf("activation_cpu_offload")});
    }
    // FULL_SHARD where nothing is said: FSDPConfig in composer/utils/parallelism.py of Composer 0.32.
    constexpr std::string_view key = "sharding_strategy";
    if (fsdp->text(key).value_or("FULL_SHARD") != "NO_SHARD") {
        contents.warnings.push_back(
            {"FSDP spreads weights, gradients and optimizer state over the GPUs of a run; trials hold all of "
             "them on one GPU, so that a run on several has room for more.",
             root.positionOf("fsdp_config")});
    }
}

void warnOfTheRest(const ConfigSection& root, std::vector<Warning>& warnings)
{
    if (root.has("compile_config")) {
        warnings.push_back({"Trials run the network as it is, not compiled (compile_config).",
                            root.positionOf("compile_config")});
    }
    const auto loader = root.hasSection("train_loader") ? root.section("train_loader") : std::nullopt;
    const auto dataset = loader && loader->hasSection("dataset") ? loader->section("dataset") : std::nullopt;
    if (dataset && dataset->has("packing_ratio")) {
        warnings.push_back({"Samples are packed into sequences (packing_ratio); a sample of a trial is one "
                            "packed sequence of full length.",
                            dataset->positionOf("packing_ratio")});
    }
    if (root.has("device_train_grad_accum")) {
        // update_config_with_batch_size_info in llmfoundry/utils/config_utils.py.
        warnings.push_back({"LLM-Foundry computes device_train_grad_accum itself and passes over the value "
                            "here.",
                            root.positionOf("device_train_grad_accum")});
    }
}

} // namespace

void readLlmFoundryRun(const ConfigSection& root, ConfigContents& contents)
{
    contents.precision = readPrecision(root, contents.warnings);
    if (keepsWeightsIn16Bits(root, contents.warnings))
        contents.precision = model::Precision::PureBf16;
    readOptimizerInto(root, contents);
    readAlgorithms(root, contents);
    readSharding(root, contents);
    warnOfTheRest(root, contents.warnings);
    // True since LLM-Foundry 0.14 (pull request 1618).
    contents.training.weighsTokens = root.boolean("accumulate_train_batch_on_tokens").value_or(true);
    contents.training.learningRate = readLearningRate(root, "optimizer.lr");
}

void readLlmFoundryLength(const ConfigSection& root, ConfigContents& contents)
{
    constexpr std::string_view key = "max_seq_len";
    const auto* spec = std::get_if<model::ModelSpec>(&contents.model);
    const auto length = root.integer(key);
    const auto longest = spec ? model::longestSequence(*spec) : std::nullopt;
    if (length && *length < 1)
        root.fail(key, "is " + std::to_string(*length) + ", but a sequence has at least 1 token");
    if (length && longest && *length > *longest) {
        root.fail(key, "is " + std::to_string(*length) + ", above the " + std::to_string(*longest) +
                           " positions that the network learns; lower it, or raise those of the network");
    }
    contents.sequenceLength = length.value_or(spec ? model::usualSequenceLength(*spec) : 0);
    // Targets are padded to the same length: _process_and_batch_encoder_decoder in
    // llmfoundry/data/finetuning/collator.py.
    if (spec && model::usualTargetLength(*spec))
        contents.targetLength = contents.sequenceLength;
}

} // namespace batchpeak::config
