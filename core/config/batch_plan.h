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

/// Searches all sizes, within bounds if they are given. The config's own global batch is ignored.
struct Explore
{
    std::optional<std::int64_t> minimum;
    std::optional<std::int64_t> maximum;
    bool operator==(const Explore&) const = default;
};
/// Searches the divisors of the per-device batch.
struct Auto
{
    bool operator==(const Auto&) const = default;
};
/// Verifies this size.
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

/// The value of micro_batch_size in a config: "explore" (with or without bounds), "auto", an integer, "null".
using Setting = std::variant<Explore, Auto, Fixed, Whole>;

/// Returns the setting as a config writes it: "explore", "{explore: {min: 2, max: 64}}", "auto", "20",
/// "null".
std::string toText(const Setting& setting);

/// How samples are distributed over devices and steps in one phase, and the setting of the micro-batch size.
struct BatchPlan
{
    /// Number of samples in one optimizer step: over all devices or on each, see isOverAllDevices.
    std::int64_t globalBatchSize = 1;
    /// Number of data-parallel devices.
    std::int64_t devices = 1;
    Setting setting = Auto{};
    /// The size written in the config, if its trainer has no word that asks for a search. The user runs with
    /// that number; it does not ask to verify it.
    std::optional<std::int64_t> presentSize;
    /// Whether the config says how many devices there are. If not, the launcher decides, and the counts are
    /// those of one device.
    bool knowsDevices = true;
    /// Whether globalBatchSize is the batch of all devices together, even if their number is not known. If
    /// not, it is the batch of one device, and each device takes as much.
    bool isOverAllDevices = true;
    /// Names of the micro-batch size and the batch in the config, for messages.
    std::string microBatchKey = "micro_batch_size";
    std::string globalBatchKey = "batch_size";

    /// Whether all sizes are searched.
    bool explores() const { return std::holds_alternative<Explore>(setting); }
    /// The size written in the config. Nothing if the config asks for a search, or micro-batches are off.
    std::optional<std::int64_t> writtenSize() const;

    /// Returns ceil(globalBatchSize / devices).
    std::int64_t perDeviceBatch() const;
    /// ceil(per-device batch / microBatchSize): number of micro-batches in one optimizer step on one device.
    std::int64_t accumulationSteps(std::int64_t microBatchSize) const;
    /// The size of the larger micro-batches if the per-device batch is spread evenly over as few
    /// micro-batches as microBatchSize allows. Their sizes differ by at most one sample.
    std::int64_t evenMicroBatch(std::int64_t microBatchSize) const;
    /// Whether the older, strict Cerebras rule is kept: the global batch is a multiple of microBatchSize *
    /// devices.
    bool dividesExactly(std::int64_t microBatchSize) const;

    bool operator==(const BatchPlan&) const = default;
};

/// A group of devices that take the same number of samples in one optimizer step, and the micro-batches of
/// each device. The micro-batches with one sample more come first.
struct DeviceShare
{
    std::int64_t devices = 0;
    std::int64_t samples = 0;
    /// Samples in a micro-batch; number of micro-batches of that size; number of micro-batches with one
    /// sample more.
    std::int64_t size = 0;
    std::int64_t ofSize = 0;
    std::int64_t ofOneMore = 0;

    std::int64_t steps() const { return ofSize + ofOneMore; }
    bool operator==(const DeviceShare&) const = default;
};

/// Distributes the batch: evenly over the devices, and on each device evenly over as few micro-batches as the
/// size allows. The devices with the most samples come first; devices without a sample are left out.
/// \param microBatchSize  at least 1
std::vector<DeviceShare> sharesOf(const BatchPlan& plan, std::int64_t microBatchSize);

/// Texts for messages about a batch and a size that divides it or does not. They are the same wherever they
/// appear; which rule applies is decided elsewhere.

/// Returns the number with its noun: "1 sample", "10 samples".
std::string samplesText(std::int64_t count);

/// Returns whether the strict rule is kept, as a clause for a sentence: "10 samples of batch_size are no
/// multiple of micro-batches of 4 on 2 devices".
std::string divisionText(const BatchPlan& plan, std::int64_t microBatchSize);

/// Checks the strict rule of Cerebras' releases up to 2.1: batch_size / num_csx must be a multiple of
/// micro_batch_size (validate_streaming_and_micro_batch_size in ModelZoo 2.1.1,
/// common/pytorch/input_utils.py).
///
/// \return why a size breaks the rule and what to do, as a full sentence; nothing if the rule is kept
std::optional<std::string> strictRuleProblem(const BatchPlan& plan, std::int64_t microBatchSize);

/// Describes what happens to a size that does not divide the samples of one device, by Cerebras' later rule:
/// the number of micro-batches stays the same, and their sizes differ by at most one sample.
///
/// \return a full sentence; nothing if all micro-batches have that size
std::optional<std::string> evenSpreadText(const BatchPlan& plan, std::int64_t microBatchSize);

/// A size to write into a config, and the batch to write with it.
struct ChosenSize
{
    model::Phase phase = model::Phase::Train;
    std::int64_t microBatchSize = 1;
    /// Number of samples in one optimizer step that replaces the config's own. If absent, the config's own is
    /// kept. It counts as the config's BatchPlan does: over all devices, or on each
    /// (BatchPlan::isOverAllDevices).
    std::optional<std::int64_t> globalBatchSize;

    bool operator==(const ChosenSize&) const = default;
};

/// Thrown if a micro-batch size is larger than the batch of one optimizer step allows or, in a config whose
/// trainer requires it, if the batch is no whole multiple of the size. The user has to choose a batch;
/// nothing is written before.
class BatchNotKept : public ConfigError
{
public:
    /// \param plan  plan whose globalBatchSize cannot be kept
    BatchNotKept(const BatchPlan& plan, const ChosenSize& chosen, TextPosition position);
    /// Makes the same choice with another message.
    BatchNotKept(const ConfigError& words, const BatchNotKept& choice)
        : ConfigError(words),
          m_phase(choice.m_phase),
          m_unit(choice.m_unit),
          m_below(choice.m_below),
          m_above(choice.m_above)
    {}

    /// The phase of the batch.
    model::Phase phase() const { return m_phase; }

    /// The nearest batches that are possible. There is none below if a single micro-batch on each device is
    /// already more.
    std::optional<std::int64_t> below() const { return m_below; }
    std::int64_t above() const { return m_above; }
    /// The batch of a single micro-batch on each device; it may equal below() or above().
    std::int64_t single() const { return m_unit; }

private:
    model::Phase m_phase;
    std::int64_t m_unit;
    std::optional<std::int64_t> m_below;
    std::int64_t m_above;
};

/// Upper limit of sizes, batches and counts of devices. No run has more, and a product of two numbers above
/// it may overflow.
inline constexpr std::int64_t maxSamples = std::int64_t{1} << 31;

/// \throws ConfigError if the size is below 1, or above maxSamples
void checkSize(std::int64_t microBatchSize);

/// A batch for a trainer that takes whole micro-batches only.
struct WholeBatch
{
    std::int64_t globalBatchSize = 0;
    std::int64_t accumulationSteps = 0;
};

/// Returns the batch to write with a size, by the rule global % (micro * devices) == 0 (the constraint of
/// Megatron-LM, DeepSpeed and of every trainer that writes accumulation steps).
///
/// \param position  position of the batch in the text
/// \throws BatchNotKept if no batch was chosen and the plan's own is no multiple
/// \throws ConfigError if the size is below 1, or the chosen batch is no multiple
WholeBatch wholeBatch(const BatchPlan& plan, const ChosenSize& chosen, TextPosition position);

} // namespace batchpeak::config
