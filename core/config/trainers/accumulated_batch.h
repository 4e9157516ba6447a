// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "batch_choice.h"
#include "batch_plan.h"
#include "config_document.h"
#include "syntax/config_section.h"
#include "syntax/entry_change.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::config {

/// Batches of trainers that write the micro-batch and how many of them make an optimizer step, and leave it
/// to the launcher how many devices there are: the effective batch is micro * accumulation * devices. Their
/// numbers are not settings of a search, so each is read as the present size of one.

/// What such a trainer calls the two numbers.
struct AccumulationKeys
{
    std::string microBatchSize;
    std::string accumulationSteps = "gradient_accumulation_steps";
    /// Where its key is absent. Accumulation steps are 1 then, in all of these trainers.
    std::int64_t usualMicroBatchSize = 1;
};

/// A count of samples, steps or tokens.
/// \throws ConfigError where it is below 1, or above 2^31, beyond which products of two have no room
std::int64_t countOr(const ConfigSection& section, std::string_view key, std::int64_t otherwise);

/// The batch of one step on one device.
BatchPlan readAccumulatedBatch(const ConfigSection& section, const AccumulationKeys& keys);

/// A size that nothing is accumulated of: that of evaluation.
BatchPlan readPlainBatch(const ConfigSection& section, std::string_view key, std::int64_t otherwise);

/// What writes a size and keeps the batch of a step, or makes it the chosen one.
/// \throws BatchNotKept, ConfigError as wholeBatch() does
std::vector<EntryChange> accumulatedBatchChanges(const ConfigSection& section, const AccumulationKeys& keys,
                                                 const ChosenSize& chosen);

/// What writes a size of evaluation, below the line of another key where its own is absent.
/// \throws ConfigError where it is no size
EntryChange plainBatchChange(std::string_view key, std::string_view below, const ChosenSize& chosen);

/// auto_find_batch_size of transformers' Trainer (find_executable_batch_size in accelerate 1.x,
/// utils/memory.py): on running out of memory it starts again with less, and leaves the accumulation steps as
/// they are, so that the effective batch shrinks without a word.

bool findsBatchSize(const ConfigSection& section);

void warnOfBatchFinder(const ConfigSection& section, std::vector<Warning>& warnings);

/// Adds what switches it off where it is on, and a note that says so.
void switchOffBatchFinder(const ConfigSection& section, std::vector<EntryChange>& changes,
                          std::vector<std::string>& notes);

} // namespace batchpeak::config
