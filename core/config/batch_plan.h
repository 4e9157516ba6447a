// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/run_kind.h"
#include "syntax/config_error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace batchpeak::config {

/// Search all sizes, within bounds where given; the config's own global batch plays no part.
struct Explore
{
    std::optional<std::int64_t> minimum;
    std::optional<std::int64_t> maximum;
    bool operator==(const Explore&) const = default;
};
/// Search the divisors of the per-device batch.
struct Auto
{
    bool operator==(const Auto&) const = default;
};
/// Verify this size.
struct Fixed
{
    std::int64_t microBatchSize = 1;
    bool operator==(const Fixed&) const = default;
};
/// No micro-batching: the micro-batch is the per-device batch.
struct Whole
{
    bool operator==(const Whole&) const = default;
};

/// What a config asks for under micro_batch_size: "explore" (with or without bounds), "auto", an
/// integer, "null".
using Setting = std::variant<Explore, Auto, Fixed, Whole>;

/// As a config writes it: "explore", "{explore: {min: 2, max: 64}}", "auto", "20", "null".
std::string toText(const Setting& setting);

/// How samples are spread over devices and steps in one phase, and what is asked for the micro-batch.
struct BatchPlan
{
    /// Samples in one optimizer step: isOverAllDevices says of which devices.
    std::int64_t globalBatchSize = 1;
    /// Data-parallel devices.
    std::int64_t devices = 1;
    Setting setting = Auto{};
    /// The size that the config has, where its trainer knows no word that asks for a search: a number there
    /// is where the user stands, not what is asked for.
    std::optional<std::int64_t> presentSize;
    /// The config says how many devices there are; else the counts are those of one, and the launcher
    /// decides.
    bool knowsDevices = true;
    /// The batch is that of all devices together, also where it is not known how many there are; else it is
    /// that of one, and each of them takes as much.
    bool isOverAllDevices = true;
    /// What the config calls the micro-batch size and the batch: for people.
    std::string microBatchKey = "micro_batch_size";
    std::string globalBatchKey = "batch_size";

    /// All sizes are searched.
    bool explores() const { return std::holds_alternative<Explore>(setting); }
    /// The size that stands in the config; nothing where a search is asked for, or micro-batches are off.
    std::optional<std::int64_t> writtenSize() const;

    /// ceil(globalBatchSize / devices)
    std::int64_t perDeviceBatch() const;
    /// ceil(per-device batch / microBatchSize): micro-batches in one optimizer step on one device.
    std::int64_t accumulationSteps(std::int64_t microBatchSize) const;
    /// The size that results when the per-device batch is spread evenly over as many micro-batches
    /// as microBatchSize needs; those differ by at most one sample, and this is the larger.
    std::int64_t evenMicroBatch(std::int64_t microBatchSize) const;
    /// The older, strict Cerebras rule: global batch a multiple of microBatchSize * devices.
    bool dividesExactly(std::int64_t microBatchSize) const;

    bool operator==(const BatchPlan&) const = default;
};

/// Devices that take as many samples of one optimizer step, and the micro-batches of each: first those of one
/// sample more.
struct DeviceShare
{
    std::int64_t devices = 0;
    std::int64_t samples = 0;
    /// Samples in a micro-batch, how many have so many, and how many have one more.
    std::int64_t size = 0;
    std::int64_t ofSize = 0;
    std::int64_t ofOneMore = 0;

    std::int64_t steps() const { return ofSize + ofOneMore; }
    bool operator==(const DeviceShare&) const = default;
};

/// How the batch becomes devices, steps and micro-batches: spread evenly over the devices, and on each over
/// as few micro-batches as the size needs. Devices with most samples first; those without one are left out.
/// \param microBatchSize  at least 1
std::vector<DeviceShare> sharesOf(const BatchPlan& plan, std::int64_t microBatchSize);

/// What a person is told of a batch and a size that divides it or does not, in the same words wherever it is
/// said. Which rule counts is for others.

/// "1 sample", "10 samples"
std::string samplesText(std::int64_t count);

/// "10 samples of batch_size are no multiple of micro-batches of 4 on 2 devices": whether the strict rule is
/// kept, as a clause that a sentence can be made of.
std::string divisionText(const BatchPlan& plan, std::int64_t microBatchSize);

/// The strict rule of Cerebras' releases up to 2.1: batch_size / num_csx has to be a multiple of
/// micro_batch_size (validate_streaming_and_micro_batch_size in ModelZoo 2.1.1,
/// common/pytorch/input_utils.py).
///
/// \return why a size breaks it and what to do, as a full sentence; nothing where it is kept
std::optional<std::string> strictRuleProblem(const BatchPlan& plan, std::int64_t microBatchSize);

/// What becomes of a size that does not divide the samples of one device, by Cerebras' later rule: the
/// micro-batches are as many, and differ by at most one sample.
///
/// \return a full sentence; nothing where all micro-batches have that size
std::optional<std::string> evenSpreadText(const BatchPlan& plan, std::int64_t microBatchSize);

/// A size that goes into a config, and what goes with it.
struct ChosenSize
{
    model::Phase phase = model::Phase::Train;
    std::int64_t microBatchSize = 1;
    /// Samples in one optimizer step in place of those that the config has now; without it those are kept. In
    /// the terms of its BatchPlan: over all devices, or on each (BatchPlan::isOverAllDevices).
    std::optional<std::int64_t> globalBatchSize;

    bool operator==(const ChosenSize&) const = default;
};

/// A micro-batch size that the batch of one optimizer step has no room for, or, in a config whose trainer
/// takes nothing else, is no whole multiple of. A choice has to be made; nothing is written before.
class BatchNotKept : public ConfigError
{
public:
    /// \param plan  its globalBatchSize is what cannot be kept
    BatchNotKept(const BatchPlan& plan, const ChosenSize& chosen, TextPosition position);
    /// The same choice in other words.
    BatchNotKept(const ConfigError& words, const BatchNotKept& choice)
        : ConfigError(words),
          m_phase(choice.m_phase),
          m_unit(choice.m_unit),
          m_below(choice.m_below),
          m_above(choice.m_above)
    {}

    /// Whose batch it is.
    model::Phase phase() const { return m_phase; }

    /// The nearest batches that can be had: none below where a single micro-batch on each device is more.
    std::optional<std::int64_t> below() const { return m_below; }
    std::int64_t above() const { return m_above; }
    /// The batch of a single micro-batch on each device; it may be one of the two.
    std::int64_t single() const { return m_unit; }

private:
    model::Phase m_phase;
    std::int64_t m_unit;
    std::optional<std::int64_t> m_below;
    std::int64_t m_above;
};

/// Sizes, batches and counts of devices beyond this are none of any run, and products of two have no room.
inline constexpr std::int64_t maxSamples = std::int64_t{1} << 31;

/// \throws ConfigError where it is below 1, or above maxSamples
void checkSize(std::int64_t microBatchSize);

/// A batch that a trainer takes which knows whole micro-batches alone.
struct WholeBatch
{
    std::int64_t globalBatchSize = 0;
    std::int64_t accumulationSteps = 0;
};

/// The batch to write with a size, by the rule global % (micro * devices) == 0 (the constraint of
/// Megatron-LM, DeepSpeed and of every trainer that writes accumulation steps).
///
/// \param position  of the batch in the text
/// \throws BatchNotKept where none was chosen and the plan's own is no multiple
/// \throws ConfigError where the size is below 1, or the chosen batch is no multiple
WholeBatch wholeBatch(const BatchPlan& plan, const ChosenSize& chosen, TextPosition position);

} // namespace batchpeak::config
