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

/// The three ways in which configs write a batch. Each is keys; how one is read; and what in a config changes
/// for a size.
///
/// Global: the samples of one optimizer step over all devices, and a micro-batch size beside them. Where that
/// is a setting of a search, it is by the rules that Cerebras sets for batch_size, num_csx and
/// micro_batch_size (validate_streaming_and_micro_batch_size in ModelZoo 2.10.0, common/input_utils.py).
///
/// Accumulated: the micro-batch, and how many of them make an optimizer step; how many devices there are is
/// for the launcher to say: the effective batch is micro * accumulation * devices. Their numbers are not
/// settings of a search, so each is read as the present size of one.
///
/// Plain: a size that nothing is accumulated of, that of evaluation.

struct GlobalKeys
{
    std::string_view microBatchSize = "micro_batch_size";
    std::string_view batchSize = "batch_size";
    std::string_view devices = "num_csx";
};

/// The number of devices under a key of a section, 1 without one.
/// \throws ConfigError unless it is a whole number of at least 1
std::int64_t readDevices(const ConfigSection& section, std::string_view key = GlobalKeys().devices);

/// The batch of an input section.
/// \throws ConfigError if it is absent, not a whole number, or less than \p devices
std::int64_t readGlobalBatchSize(const ConfigSection& input, std::int64_t devices,
                                 const GlobalKeys& keys = {});

/// What a micro-batch key asks for; auto where the key is absent.
///
/// \param key       "micro_batch_size", or the flag that stands for it in the Trainer layout
/// \param warnings  receives what is legal here and not in Cerebras' own programs
/// \throws ConfigError on anything but auto, explore with or without bounds, null, or 1..globalBatchSize
Setting readSetting(const ConfigSection& section, std::string_view key, std::int64_t globalBatchSize,
                    std::vector<Warning>& warnings);

/// What an uneven division means for a run, which is legal and easily overlooked.
///
/// \param position  of the setting
void warnOfUnevenDivision(const BatchPlan& plan, TextPosition position, std::vector<Warning>& warnings,
                          const GlobalKeys& keys = {});

/// Says where releases up to 2.1 refuse what later ones take: a batch that is no multiple of the
/// micro-batches of all devices.
void noteStrictRule(const BatchPlan& plan, std::int64_t microBatchSize, std::vector<std::string>& notes);

/// \throws ConfigError if \p microBatchSize is not 1..globalBatchSize
void checkMicroBatchSize(std::int64_t microBatchSize, std::int64_t globalBatchSize, TextPosition position);
/// The same of a size that is to be written.
/// \param plan      as the config has it
/// \param position  of the batch in the text
/// \throws BatchNotKept where the size is above the plan's batch on one device, and none was chosen in its
///         place
void checkChosenSize(const BatchPlan& plan, const ChosenSize& chosen, TextPosition position);

/// Refuses a size that the batch has no room for.
/// \throws BatchNotKept in these words where no batch was chosen in place of the plan's
/// \throws ConfigError in these words where one was, and where it is no size
[[noreturn]] void refuseSizeAboveBatch(const ConfigError& words, const BatchPlan& plan,
                                       const ChosenSize& chosen);

/// What writes a size, and with it the batch where one was chosen.
/// \param section  keys that lead from the root to both
std::vector<EntryChange> globalBatchChanges(const std::vector<std::string>& section, const GlobalKeys& keys,
                                            const ChosenSize& chosen);

struct AccumulationKeys
{
    std::string_view microBatchSize;
    std::string_view accumulationSteps = "gradient_accumulation_steps";
    /// Where its key is absent. Accumulation steps are 1 then, in all of these trainers.
    std::int64_t defaultMicroBatchSize = 1;
};

/// A count of samples, steps or tokens.
/// \throws ConfigError where it is below 1, or above 2^31, beyond which products of two have no room
std::int64_t countOr(const ConfigSection& section, std::string_view key, std::int64_t otherwise);

/// The batch of one step on one device.
BatchPlan readAccumulatedBatch(const ConfigSection& section, const AccumulationKeys& keys);

/// What writes a size and keeps the batch of a step, or makes it the chosen one.
/// \throws BatchNotKept, ConfigError as wholeBatch() does
std::vector<EntryChange> accumulatedBatchChanges(const ConfigSection& section, const AccumulationKeys& keys,
                                                 const ChosenSize& chosen);

BatchPlan readPlainBatch(const ConfigSection& section, std::string_view key, std::int64_t otherwise);
/// The plan of a size that was read already; of one sample where there is none.
BatchPlan plainBatch(std::string_view key, std::optional<std::int64_t> size);

/// What writes a size of evaluation, below the line of another key where its own is absent.
/// \throws ConfigError where it is no size
EntryChange plainBatchChange(std::string_view key, std::string_view below, const ChosenSize& chosen);

/// One count as it is to stand in the text, below the line of another key where its own is absent.
EntryChange countChange(std::string_view key, std::int64_t count, std::string_view below = {});

/// The text of a section's document with \p changes, and with \p notes behind what is said of them.
SplicedText withChanges(const ConfigSection& section, const std::vector<EntryChange>& changes,
                        const std::vector<std::string>& notes = {});

} // namespace batchpeak::config
