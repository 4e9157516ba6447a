// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/config_section.h"
#include "syntax/entry_change.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::config {

/// The three ways in which configs write a batch. Each consists of keys, a function that reads the batch, and
/// a function that lists what changes in a config for a size.
///
/// Global: the samples of one optimizer step over all devices, and a micro-batch size beside them. If the
/// size is a setting of a search, it follows the rules that Cerebras sets for batch_size, num_csx and
/// micro_batch_size (validate_streaming_and_micro_batch_size in ModelZoo 2.10.0, common/input_utils.py).
///
/// Accumulated: the micro-batch size, and how many micro-batches make an optimizer step. The launcher decides
/// how many devices there are; the effective batch is micro * accumulation * devices. These numbers are not
/// settings of a search, so each is read as the present size of one.
///
/// Plain: a size without gradient accumulation, as for evaluation.

struct GlobalKeys
{
    std::string_view microBatchSize = "micro_batch_size";
    std::string_view batchSize = "batch_size";
    std::string_view devices = "num_csx";
};

/// Returns the number of devices under a key of a section; 1 if the key is absent.
/// \throws ConfigError unless it is a whole number of at least 1
std::int64_t readDevices(const ConfigSection& section, std::string_view key = GlobalKeys().devices);

/// Returns the batch of an input section.
/// \throws ConfigError if the batch is absent, not a whole number, or less than \p devices
std::int64_t readGlobalBatchSize(const ConfigSection& input, std::int64_t devices,
                                 const GlobalKeys& keys = {});

/// Reads the setting under a micro-batch key; Auto if the key is absent.
///
/// \param key       "micro_batch_size", or the flag that replaces it in the Trainer layout
/// \param warnings  receives what is legal here but not in Cerebras' own programs
/// \throws ConfigError on anything but auto, explore with or without bounds, null, or 1..globalBatchSize
Setting readSetting(const ConfigSection& section, std::string_view key, std::int64_t globalBatchSize,
                    std::vector<Warning>& warnings);

/// Warns about the effects of an uneven division on a run. It is legal and easily overlooked.
///
/// \param position  position of the setting
void warnOfUnevenDivision(const BatchPlan& plan, TextPosition position, std::vector<Warning>& warnings,
                          const GlobalKeys& keys = {});

/// Adds a note if releases up to 2.1 refuse what later ones accept: a batch that is no multiple of the
/// micro-batches of all devices.
void noteStrictRule(const BatchPlan& plan, std::int64_t microBatchSize, std::vector<std::string>& notes);

/// \throws ConfigError if \p microBatchSize is not 1..globalBatchSize
void checkMicroBatchSize(std::int64_t microBatchSize, std::int64_t globalBatchSize, TextPosition position);
/// Checks a size that is to be written in the same way.
/// \param plan      plan that the config has now
/// \param position  position of the batch in the text
/// \throws BatchNotKept if the size is above the plan's batch on one device, and no other batch was chosen
void checkChosenSize(const BatchPlan& plan, const ChosenSize& chosen, TextPosition position);

/// Refuses a size that is too large for the batch, with \p words as the message.
/// \throws BatchNotKept if no batch was chosen in place of the plan's
/// \throws ConfigError if one was chosen, or if the size is out of range
[[noreturn]] void refuseSizeAboveBatch(const ConfigError& words, const BatchPlan& plan,
                                       const ChosenSize& chosen);

/// Returns the changes that write a size, and the batch if one was chosen.
/// \param section  keys that lead from the root to the section of both
std::vector<EntryChange> globalBatchChanges(const std::vector<std::string>& section, const GlobalKeys& keys,
                                            const ChosenSize& chosen);

struct AccumulationKeys
{
    std::string_view microBatchSize;
    std::string_view accumulationSteps = "gradient_accumulation_steps";
    /// Micro-batch size if its key is absent. In all of these trainers, absent accumulation steps are 1.
    std::int64_t defaultMicroBatchSize = 1;
};

/// Returns a count of samples, steps or tokens.
/// \throws ConfigError if it is below 1, or above 2^31, where a product of two counts may overflow
std::int64_t countOr(const ConfigSection& section, std::string_view key, std::int64_t otherwise);

/// Reads the batch of one step on one device.
BatchPlan readAccumulatedBatch(const ConfigSection& section, const AccumulationKeys& keys);

/// Returns the changes that write a size and either keep the batch of a step or make it the chosen one.
/// \throws BatchNotKept, ConfigError as wholeBatch() does
std::vector<EntryChange> accumulatedBatchChanges(const ConfigSection& section, const AccumulationKeys& keys,
                                                 const ChosenSize& chosen);

BatchPlan readPlainBatch(const ConfigSection& section, std::string_view key, std::int64_t otherwise);
/// Returns the plan of a size that was read already; that of one sample if there is none.
BatchPlan plainBatch(std::string_view key, std::optional<std::int64_t> size);

/// Returns the change that writes a size of evaluation; if its key is absent, below the line of another key.
/// \throws ConfigError if the size is out of range
EntryChange plainBatchChange(std::string_view key, std::string_view below, const ChosenSize& chosen);

/// Returns the change that writes a count; if its key is absent, below the line of another key.
EntryChange countChange(std::string_view key, std::int64_t count, std::string_view below = {});

/// Returns the text of a section's document with \p changes, with \p notes after the notes on those changes.
SplicedText withChanges(const ConfigSection& section, const std::vector<EntryChange>& changes,
                        const std::vector<std::string>& notes = {});

} // namespace batchpeak::config
