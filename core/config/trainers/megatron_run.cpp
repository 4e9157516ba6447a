// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "megatron_run.h"

#include "differences.h"
#include "networks/network_sizes.h"
#include "run_reader.h"
#include "syntax/shell_arithmetic.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace batchpeak::config {

namespace {

// Of samples and of devices; products of them have room.
constexpr std::int64_t maxSamples = std::int64_t{1} << 31;
constexpr std::int64_t maxDevices = std::int64_t{1} << 20;

constexpr std::array<Difference, 7> differences{
    {{"fp8", "The run computes in FP8, and trials in bfloat16, which takes more time and memory."},
     {"fp4", "The run computes in FP4, and trials in bfloat16, which takes more time and memory."},
     {"fsdp", "The run spreads parameters over its devices (FSDP), and trials hold all of them on one, so "
              "that the run has memory for larger sizes."},
     {"use_distributed_optimizer", "The run spreads the optimizer's state over its devices, and trials hold "
                                   "all of it on one, so that the run may have memory for larger sizes."},
     {"cpu_offloading", "The run keeps activations or weights in the memory of the host, and trials do not."},
     {"optimizer_cpu_offload",
      "The run keeps the optimizer's state in the memory of the host, and trials do not."},
     {"fp32_residual_connection", "The run keeps its residual stream in fp32, and trials do not."}}};

std::int64_t parts(const Settings& settings, std::string_view name)
{
    const std::int64_t size = sizeOr(settings, name, 1);
    if (size > maxDevices)
        settings.fail(name, "is " + std::to_string(size) + ", more devices than any cluster has");
    return size;
}

std::int64_t checkedSamples(const std::string& key, std::int64_t count, TextPosition position)
{
    if (count < 1 || count > maxSamples) {
        throw ConfigError("The value of " + key + " is " + std::to_string(count) + "; write one of 1 to " +
                              std::to_string(maxSamples) + ".",
                          position);
    }
    return count;
}

/// Nothing where the world is not known, or no multiple of the devices of one copy.
std::optional<std::int64_t> dataParallel(const MegatronParallelism& parallelism)
{
    const std::int64_t world = parallelism.world.value_or(0);
    if (world < 1 || world > maxDevices || world % parallelism.perCopy() != 0)
        return std::nullopt;
    return world / parallelism.perCopy();
}

std::string product(const MegatronParallelism& parallelism)
{
    return std::to_string(parallelism.tensor) + " * " + std::to_string(parallelism.pipeline) + " * " +
           std::to_string(parallelism.context);
}

void readRecomputation(const Settings& settings, ConfigContents& contents)
{
    constexpr std::string_view key = "activations_checkpoint_granularity";
    const std::string granularity = settings.text(key).value_or("");
    contents.step.activationCheckpointing = granularity == "full";
    if (granularity == "selective") {
        contents.warnings.push_back({"The run computes attention again in its backward pass (" +
                                         settings.pathOf(key) +
                                         " selective); trials do so only where their attention kernel does.",
                                     settings.positionOf(key)});
    } else if (granularity == "full" &&
               settings.text("activations_checkpoint_method").value_or("") == "block") {
        contents.warnings.push_back(
            {"The run computes some layers again in its backward pass, and trials all of them, "
             "so that they take more time and less memory.",
             settings.positionOf(key)});
    }
}

std::string listed(const std::vector<std::int64_t>& numbers)
{
    std::string text;
    for (std::int64_t number : numbers)
        text += (text.empty() ? "" : ", ") + std::to_string(number);
    return text;
}

} // namespace

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
                   .microBatchKey = batch.microKey,
                   .globalBatchKey = batch.globalKey};
    if (batch.micro)
        checkedSamples(batch.microKey, *batch.micro, batch.position);
    if (!batch.micro && !batch.global) {
        throw ConfigError("Neither " + batch.microKey + " nor " + batch.globalKey +
                              " is there as a number; write the batch of a step as " + batch.globalKey + ".",
                          batch.position);
    }
    plan.globalBatchSize = batch.global ? checkedSamples(batch.globalKey, *batch.global, batch.position)
                                        : *batch.micro * plan.devices;
    return plan;
}

void warnOfMegatronBatch(const BatchPlan& plan, const MegatronParallelism& parallelism, TextPosition position,
                         std::vector<Warning>& warnings)
{
    if (!plan.knowsDevices && parallelism.world) {
        warnings.push_back({"The config's world of " + std::to_string(*parallelism.world) +
                                " is no multiple of the " + product(parallelism) + " = " +
                                std::to_string(parallelism.perCopy()) +
                                " devices of one copy of the network (tensor * pipeline * context parallel), "
                                "so it is not known "
                                "how many share " +
                                plan.globalBatchKey + "; the plan is that of one.",
                            parallelism.position});
    } else if (!plan.knowsDevices) {
        warnings.push_back({"How many devices share " + plan.globalBatchKey +
                                " is for the launcher to say; the plan is that of one.",
                            parallelism.position});
    }
    if (!plan.presentSize) {
        warnings.push_back({plan.microBatchKey + " is not there as a number; the run needs one.", position});
    } else if (!plan.dividesExactly(*plan.presentSize)) {
        warnings.push_back(
            {"The " + divisionText(plan, *plan.presentSize) + ", which Megatron refuses when the run starts.",
             position});
    }
}

std::optional<UnsupportedModel> networkInParts(const MegatronParallelism& parallelism)
{
    if (parallelism.perCopy() == 1 && parallelism.expert == 1)
        return std::nullopt;
    const std::string how =
        parallelism.perCopy() > 1
            ? "over " + product(parallelism) + " devices (tensor * pipeline * context parallel)"
            : "with its experts over " + std::to_string(parallelism.expert) + " devices";
    return UnsupportedModel{
        "The run spreads one copy of the network " + how +
            ", and trials would hold the whole of it on one device, so that they would measure "
            "another run. Its batch sizes can be read and written all the same.",
        parallelism.position};
}

std::string rampNote(const std::string& key, std::int64_t start, std::int64_t increment, std::int64_t unit)
{
    const std::string batches = "Every batch of " + key + " (" + std::to_string(start) + ", and " +
                                std::to_string(increment) + " more at each step)";
    const std::string multiple =
        "a multiple of " + std::to_string(unit) + ", the micro-batch size times the data-parallel devices";
    if (unit > 0 && start % unit == 0 && increment % unit == 0)
        return batches + " is " + multiple + ", as Megatron demands.";
    return batches + " must be " + multiple + ", and they are not; change " + key +
           ", or choose another size.";
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
    return "Every batch of " + key + " has to be a multiple of " + std::to_string(unit) +
           ", the micro-batch size times the data-parallel devices" +
           (batches.empty() ? ", and is one." : "; these are not: " + listed(batches) + ".");
}

model::Precision halfPrecision(bool isFp16, bool hasFullGradients, TextPosition position,
                               std::vector<Warning>& warnings)
{
    if (isFp16) {
        warnOfFloat16(position, warnings);
    } else if (hasFullGradients) {
        warnings.push_back(
            {"The run keeps its gradients in fp32, which takes 2 bytes a parameter more than trials "
             "show; leave memory free for them.",
             position});
    }
    return model::Precision::PureBf16;
}

void readMegatronRun(const Settings& settings, ConfigContents& contents)
{
    contents.sequenceLength = sizeOr(settings, "encoder_seq_length", 1);
    if (!settings.integer("encoder_seq_length"))
        contents.sequenceLength = 0;
    const auto longest = longestLength(contents);
    if (longest && contents.sequenceLength > *longest) {
        settings.fail("encoder_seq_length", "is " + std::to_string(contents.sequenceLength) +
                                                ", but the network has learned " + std::to_string(*longest) +
                                                " positions; write at most that");
    }
    if (contents.sequenceLength == 0)
        contents.sequenceLength = usualLength(contents);
    readRecomputation(settings, contents);
    warnOf(settings, differences, contents.warnings);
}

} // namespace batchpeak::config
