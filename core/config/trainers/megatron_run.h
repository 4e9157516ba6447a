// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/settings.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::config {

/// Megatron's rule for the batch of a step, and the other settings of a run that NeMo and the arguments of
/// Megatron-LM share. The rule is global % (micro * dp) == 0, dp = world / (tensor * pipeline * context)
/// (ConstantNumMicroBatchesCalculator in megatron/core/num_microbatches_calculator.py and validate_args in
/// megatron/training/arguments.py of Megatron Core 0.20).

/// The number of devices of a run, and how many of them share one copy of the network.
struct MegatronParallelism
{
    /// Number of all devices; nothing if the launcher decides it.
    std::optional<std::int64_t> world;
    std::int64_t tensor = 1;
    std::int64_t pipeline = 1;
    std::int64_t context = 1;
    /// Number of devices over which experts are distributed; they are among the data-parallel ones.
    std::int64_t expert = 1;
    TextPosition position;

    std::int64_t perCopy() const { return tensor * pipeline * context; }
};

/// Returns the number of processes on all nodes; nothing if either number is out of range for any cluster.
std::optional<std::int64_t> worldOf(std::int64_t devices, std::int64_t nodes);

/// \throws ConfigError if a size is below 1, or beyond any cluster
MegatronParallelism readParallelism(const Settings& settings, std::optional<std::int64_t> world,
                                    TextPosition position);

/// The two numbers of a batch in a config, and their keys.
struct MegatronBatch
{
    std::optional<std::int64_t> micro;
    std::optional<std::int64_t> global;
    std::string microKey;
    std::string globalKey;
    TextPosition position;
};

/// Returns the plan of a batch. If the global batch is absent, it is one micro-batch on each device:
/// validate_args. If the number of devices is not known, the plan is that of one device with the whole batch.
///
/// \throws ConfigError if both numbers are absent, or one is below 1, or above 2^31
BatchPlan megatronPlan(const MegatronBatch& batch, const MegatronParallelism& parallelism);

/// Warns of what is not known of the batch, or is refused when the run starts.
void warnOfMegatronBatch(const BatchPlan& plan, const MegatronParallelism& parallelism, TextPosition position,
                         std::vector<Warning>& warnings);

/// \throws NotRun if each device holds a part of the network, because trials would hold all of it
void refuseNetworkInParts(const MegatronParallelism& parallelism);

/// Returns a note on the rule that a size must keep if the number of devices is not known.
/// \param what  "config" or "script"
std::string unknownDevicesNote(std::string_view what, const BatchPlan& plan);

/// Returns a note on the rule that a size must keep if the batch grows in steps.
/// \param key   "--rampup-batch-size"
/// \param unit  micro-batch size times data-parallel devices
std::string rampNote(const std::string& key, std::int64_t start, std::int64_t increment, std::int64_t unit);

/// Returns the batches of a schedule "0:16 2.4B:320" (_parse_schedule of
/// StepBatchsizeNumMicroBatchesCalculator), in the order of the text.
std::vector<std::int64_t> scheduledBatches(const std::string& schedule);

/// Returns a note on the rule that a size must keep for these batches.
/// \param unit  as in rampNote(), at least 1
std::string scheduleNote(const std::string& key, std::vector<std::int64_t> batches, std::int64_t unit);

/// Reads the sharding of a run with a distributed optimizer or with FSDP. The training plan must be known
/// already.
/// \param key  key that turns the sharding on
void readMegatronSharding(const Settings& settings, std::string_view key, model::Sharding sharding,
                          ConfigContents& contents);

/// Returns the precision of a run in half precision throughout, with fp32 master weights: Float16Module and
/// the mixed-precision optimizer.
/// \param hasFullGradients  whether bfloat16 gradients are kept in fp32, which trials do not do
model::Precision halfPrecision(bool isFp16, bool hasFullGradients, TextPosition position,
                               std::vector<Warning>& warnings);

/// Reads the sequence length and recomputation, and warns of what trials do differently.
/// \throws ConfigError if sequences are longer than the learned positions of the network
void readMegatronRun(const Settings& settings, ConfigContents& contents);

} // namespace batchpeak::config
