// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "megatron_run.h"

#include "approximations.h"
#include "networks/network_readers.h"
#include "run_reader.h"
#include "sharding.h"
#include "syntax/shell_variables.h"
#include "unmodeled_features.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace batchpeak::config {

namespace {

constexpr std::array<UnmodeledFeature, 6> differences{
    {{.key = "fp8",
      .text = "The run computes in FP8; trials run in bfloat16, which takes more time and memory.",
      .approximation = approximation::narrowProducts},
     {.key = "fp4",
      .text = "The run computes in FP4; trials run in bfloat16, which takes more time and memory.",
      .approximation = approximation::narrowProducts},
     {.key = "cpu_offloading",
      .text = "The run keeps activations or weights in host memory; trials keep them on the device.",
      .approximation = approximation::hostActivations},
     {.key = "fine_grained_activation_offloading",
      .text = "The run keeps activations in host memory; trials keep them on the device.",
      .approximation = approximation::hostActivations},
     {.key = "use_precision_aware_optimizer",
      .text =
          "The run keeps the optimizer's state in types of its own; trials keep it in fp32, which may take "
          "more memory.",
      .approximation = approximation::otherOptimizer},
     {.key = "fp32_residual_connection",
      .text = "The run keeps its residual stream in fp32; trials do not.",
      .approximation = approximation::fp32Residuals}}};

std::int64_t parts(const Settings& settings, std::string_view name)
{
    const std::int64_t size = sizeOr(settings, name, 1);
    if (size > model::maxDevices)
        settings.fail(name, "is {}, more devices than any cluster has", size);
    return size;
}

std::int64_t checkedSamples(const std::string& key, std::int64_t count, TextPosition position)
{
    if (count < 1 || count > maxSamples) {
        throw errorAt(position, "The value of {} is {}; write one of 1 to {}.", key, count, maxSamples);
    }
    return count;
}

/// Returns the number of data-parallel devices; nothing if the world size is not known, or is no multiple of
/// the devices of one copy.
std::optional<std::int64_t> dataParallel(const MegatronParallelism& parallelism)
{
    const std::int64_t world = parallelism.world.value_or(0);
    if (world < 1 || world > model::maxDevices || world % parallelism.perCopy() != 0)
        return std::nullopt;
    return world / parallelism.perCopy();
}

std::string product(const MegatronParallelism& parallelism)
{
    return sentence("{} * {} * {}", parallelism.tensor, parallelism.pipeline, parallelism.context);
}

/// Warns if the run recomputes only the first layers of each pipeline stage ("block"), or keeps only the
/// inputs of groups of layers ("uniform"): _checkpointed_forward in
/// megatron/core/transformer/transformer_block.py of Megatron Core 0.20.
void warnOfLayers(const Settings& settings, std::vector<Warning>& warnings)
{
    constexpr std::string_view methodKey = "activations_checkpoint_method";
    constexpr std::string_view countKey = "activations_checkpoint_num_layers";
    const bool isBlock = settings.text(methodKey).value_or("") == "block";
    if (isBlock) {
        warnOfApproximation(
            warnings, settings.positionOf(methodKey), approximation::otherCheckpointing,
            "The run recomputes some layers in backward, trials all of them, which takes more time "
            "and less memory.");
    } else if (settings.integer(countKey).value_or(1) > 1) {
        warnOfApproximation(
            warnings, settings.positionOf(countKey), approximation::otherCheckpointing,
            "The run keeps the input of every few layers alone ({}), trials that of each, which takes "
            "more memory.",
            settings.pathOf(countKey));
    }
}

void readRecomputation(const Settings& settings, ConfigContents& contents)
{
    constexpr std::string_view key = "activations_checkpoint_granularity";
    const std::string granularity = settings.text(key).value_or("");
    contents.step.activationCheckpointing = granularity == "full";
    if (granularity == "selective") {
        warnOfApproximation(
            contents.warnings, settings.positionOf(key), approximation::otherCheckpointing,
            "The run recomputes attention in backward ({} selective); trials do so only where "
            "their attention kernel does.",
            settings.pathOf(key));
    } else if (granularity == "full") {
        warnOfLayers(settings, contents.warnings);
    }
}

void readShares(const Settings& settings, ConfigContents& contents)
{
    if (settings.isOn("fsdp"))
        readMegatronSharding(settings, "fsdp", model::Sharding::Parameters, contents);
    else if (settings.isOn("use_distributed_optimizer"))
        readMegatronSharding(settings, "use_distributed_optimizer", model::Sharding::Optimizer, contents);
    constexpr std::string_view key = "optimizer_cpu_offload";
    if (!settings.isOn(key))
        return;
    contents.step.optimizerOnHost = true;
    warnOfApproximation(
        contents.warnings, settings.positionOf(key), approximation::hostOptimizer,
        "The run keeps the optimizer's state in host memory and steps there, at the speed of the "
        "host's processor ({}).",
        settings.pathOf(key));
}

/// Warns of fused operations. Layers consist of them in every implementation that a run may choose:
/// transformer_layer.py, gpt_layer_specs.py and fusions of megatron/core in Megatron Core 0.20.
void warnOfKernels(const Settings& settings, std::vector<Warning>& warnings)
{
    constexpr std::string_view ofNemo = "transformer_engine";
    warnOfApproximation(warnings, settings.positionOf(settings.has(ofNemo) ? ofNemo : "transformer_impl"),
                        approximation::megatron,
                        "The run computes layers by kernels of TransformerEngine or Megatron; trials run "
                        "PyTorch's, which may take longer and more memory.");
}

std::string listed(const std::vector<std::int64_t>& numbers)
{
    std::string text;
    for (std::int64_t number : numbers)
        text += (text.empty() ? "" : ", ") + std::to_string(number);
    return text;
}

} // namespace

std::optional<std::int64_t> worldOf(std::int64_t devices, std::int64_t nodes)
{
    const bool isKnown =
        devices >= 1 && devices <= model::maxDevices && nodes >= 1 && nodes <= model::maxDevices;
    return isKnown ? std::optional(devices * nodes) : std::nullopt;
}

MegatronParallelism readParallelism(const Settings& settings, std::optional<std::int64_t> world,
                                    TextPosition position)
{
    return {.world = world,
            .tensor = parts(settings, "tensor_model_parallel_size"),
            .pipeline = parts(settings, "pipeline_model_parallel_size"),
            .context = parts(settings, "context_parallel_size"),
            .expert = parts(settings, "expert_model_parallel_size"),
            .position = position};
}

BatchPlan megatronPlan(const MegatronBatch& batch, const MegatronParallelism& parallelism)
{
    const auto devices = dataParallel(parallelism);
    BatchPlan plan{.devices = devices.value_or(1),
                   .setting = Explore{},
                   .presentSize = batch.micro,
                   .knowsDevices = devices.has_value(),
                   .isOverAllDevices = devices.has_value() || batch.global.has_value(),
                   .microBatchKey = batch.microKey,
                   .globalBatchKey = batch.globalKey};
    if (batch.micro)
        checkedSamples(batch.microKey, *batch.micro, batch.position);
    if (!batch.micro && !batch.global) {
        throw errorAt(batch.position, "Neither {} nor {} is a number; write the batch of a step as {}.",
                      batch.microKey, batch.globalKey, batch.globalKey);
    }
    plan.globalBatchSize = batch.global ? checkedSamples(batch.globalKey, *batch.global, batch.position)
                                        : *batch.micro * plan.devices;
    return plan;
}

void warnOfMegatronBatch(const BatchPlan& plan, const MegatronParallelism& parallelism, TextPosition position,
                         std::vector<Warning>& warnings)
{
    if (!plan.knowsDevices && parallelism.world) {
        warn(warnings, parallelism.position,
             "The config's {} devices are no multiple of {} = {} (tensor * pipeline * context parallel), so "
             "it "
             "is unknown how many share {}; figures here are for one.",
             *parallelism.world, product(parallelism), parallelism.perCopy(), plan.globalBatchKey);
    } else if (!plan.knowsDevices) {
        warn(warnings, parallelism.position,
             "The launcher decides how many devices share {}; figures here are for one.",
             plan.globalBatchKey);
    }
    if (!plan.presentSize) {
        warn(warnings, position, "{} is no number; the run needs one.", plan.microBatchKey);
    } else if (!plan.dividesExactly(*plan.presentSize)) {
        warn(warnings, position, "The {}, which Megatron refuses when the run starts.",
             divisionText(plan, *plan.presentSize));
    }
}

void refuseNetworkInParts(const MegatronParallelism& parallelism)
{
    if (parallelism.perCopy() == 1 && parallelism.expert == 1)
        return;
    const std::string how =
        parallelism.perCopy() > 1
            ? sentence("over {} devices (tensor * pipeline * context parallel)", product(parallelism))
            : sentence("with its experts over {} devices", parallelism.expert);
    refuseRun(parallelism.position, sentence("spreads one copy of the network {}", how), reason::overDevices);
}

std::string unknownDevicesNote(std::string_view what, const BatchPlan& plan)
{
    return sentence("The {} does not say how many data-parallel devices there are; {} must be a multiple of "
                    "the size times their number.",
                    what, plan.globalBatchKey);
}

std::string rampNote(const std::string& key, std::int64_t start, std::int64_t increment, std::int64_t unit)
{
    const bool isMultiple = unit > 0 && start % unit == 0 && increment % unit == 0;
    return sentence("Every batch of {} ({}, and {} more at each step) {} a multiple of {}, the micro-batch "
                    "size times the data-parallel devices, {}.",
                    key, start, increment, isMultiple ? "is" : "must be", unit,
                    isMultiple ? "as Megatron demands"
                               : sentence("and they are not; change {}, or choose another size", key));
}

std::vector<std::int64_t> scheduledBatches(const std::string& schedule)
{
    std::vector<std::int64_t> batches;
    for (std::size_t at = schedule.find(':'); at != std::string::npos; at = schedule.find(':', at + 1)) {
        const std::size_t end = std::min(schedule.find_first_of(" ,", at), schedule.size());
        if (const auto batch = shellNumber(schedule.substr(at + 1, end - at - 1)))
            batches.push_back(*batch);
    }
    return batches;
}

std::string scheduleNote(const std::string& key, std::vector<std::int64_t> batches, std::int64_t unit)
{
    std::erase_if(batches, [unit](std::int64_t size) { return size % unit == 0; });
    return sentence("Every batch of {} must be a multiple of {}, the micro-batch size times the "
                    "data-parallel devices{}",
                    key, unit,
                    batches.empty() ? ", and is one." : sentence("; these are not: {}.", listed(batches)));
}

model::Precision halfPrecision(bool isFp16, bool hasFullGradients, TextPosition position,
                               std::vector<Warning>& warnings)
{
    if (isFp16)
        return model::Precision::PureFp16;
    if (hasFullGradients) {
        warnOfApproximation(
            warnings, position, approximation::fp32Gradients,
            "The run keeps gradients in fp32, 2 bytes a parameter more than in trials; leave memory free for "
            "them.");
    }
    return model::Precision::PureBf16;
}

void readMegatronSharding(const Settings& settings, std::string_view key, model::Sharding sharding,
                          ConfigContents& contents)
{
    contents.step.sharding = sharding;
    const BatchPlan& plan = *contents.train;
    if (plan.knowsDevices && plan.devices == 1)
        return;
    warnOfApproximation(contents.warnings, settings.positionOf(key), approximation::sharding,
                        "The run spreads {} over its data-parallel devices; what they send each other is not "
                        "measured{}.",
                        sharding == model::Sharding::Optimizer ? "the optimizer's state"
                                                               : "parameters, gradients and optimizer state",
                        uncountedDevicesText(plan));
}

void readMegatronRun(const Settings& settings, ConfigContents& contents)
{
    contents.sequenceLength = sizeOr(settings, "encoder_seq_length", 1);
    if (!settings.integer("encoder_seq_length"))
        contents.sequenceLength = 0;
    const auto longest = longestLength(contents);
    if (longest && contents.sequenceLength > *longest) {
        settings.fail("encoder_seq_length",
                      "is {}, but the network has learned {} positions; write at most that",
                      contents.sequenceLength, *longest);
    }
    if (contents.sequenceLength == 0)
        contents.sequenceLength = defaultLength(contents);
    readRecomputation(settings, contents);
    readShares(settings, contents);
    warnOf(settings, differences, contents.warnings);
    warnOfKernels(settings, contents.warnings);
}

} // namespace batchpeak::config
