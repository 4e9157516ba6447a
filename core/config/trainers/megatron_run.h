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

/// Megatron's rule for the batch of a step, and what else of a run NeMo and Megatron-LM's arguments say
/// alike: global % (micro * dp) == 0, dp = world / (tensor * pipeline * context)
/// (ConstantNumMicroBatchesCalculator in megatron/core/num_microbatches_calculator.py and validate_args in
/// megatron/training/arguments.py of Megatron Core 0.20).

/// Over how many devices a run goes, and how many of them share one copy of the network.
struct MegatronParallelism
{
    /// Nothing where the launcher decides.
    std::optional<std::int64_t> world;
    std::int64_t tensor = 1;
    std::int64_t pipeline = 1;
    std::int64_t context = 1;
    /// Devices over which experts are spread; they are among the data-parallel ones.
    std::int64_t expert = 1;
    TextPosition position;

    std::int64_t perCopy() const { return tensor * pipeline * context; }
};

/// Processes on all nodes; nothing where either is no count that any cluster has.
std::optional<std::int64_t> worldOf(std::int64_t devices, std::int64_t nodes);

/// \throws ConfigError where a size is below 1, or beyond any cluster
MegatronParallelism readParallelism(const Settings& settings, std::optional<std::int64_t> world,
                                    TextPosition position);

/// The two numbers of a batch as a config has them, and what it calls them.
struct MegatronBatch
{
    std::optional<std::int64_t> micro;
    std::optional<std::int64_t> global;
    std::string microKey;
    std::string globalKey;
    TextPosition position;
};

/// Without a global batch it is that of one micro-batch on each device: validate_args. Without devices the
/// plan is that of one, with the whole batch.
///
/// \throws ConfigError where both are absent, or one is below 1, or above 2^31
BatchPlan megatronPlan(const MegatronBatch& batch, const MegatronParallelism& parallelism);

/// What of the batch is not known, or is refused when the run starts.
void warnOfMegatronBatch(const BatchPlan& plan, const MegatronParallelism& parallelism, TextPosition position,
                         std::vector<Warning>& warnings);

/// \throws NotRun where each device holds a part of the network: trials would hold the whole
void refuseNetworkInParts(const MegatronParallelism& parallelism);

/// What a size demands of the batch where it is not known how many devices there are.
/// \param what  "config" or "script"
std::string unknownDevicesNote(std::string_view what, const BatchPlan& plan);

/// What a batch that grows by steps demands of a size.
/// \param key  "--rampup-batch-size"
/// \param unit  micro-batch size times data-parallel devices
std::string rampNote(const std::string& key, std::int64_t start, std::int64_t increment, std::int64_t unit);

/// Batches of "0:16 2.4B:320" (_parse_schedule of StepBatchsizeNumMicroBatchesCalculator), in the order of
/// the text.
std::vector<std::int64_t> scheduledBatches(const std::string& schedule);

/// What they demand of a size.
/// \param unit  as in rampNote, at least 1
std::string scheduleNote(const std::string& key, std::vector<std::int64_t> batches, std::int64_t unit);

/// Of a run with a distributed optimizer, or with FSDP, of contents whose plan is known.
/// \param key  that says so
void readMegatronSharding(const Settings& settings, std::string_view key, model::Sharding sharding,
                          ConfigContents& contents);

/// Half precision throughout, with fp32 masters: Float16Module and the mixed-precision optimizer.
/// \param hasFullGradients  those of bfloat16 are kept in fp32, which trials do not do
model::Precision halfPrecision(bool isFp16, bool hasFullGradients, TextPosition position,
                               std::vector<Warning>& warnings);

/// The length of sequences, recomputation, and warnings of what trials do otherwise.
/// \throws ConfigError where sequences are longer than the positions that a network has learned
void readMegatronRun(const Settings& settings, ConfigContents& contents);

} // namespace batchpeak::config
