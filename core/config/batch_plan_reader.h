// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "batch_plan.h"
#include "config_document.h"
#include "syntax/config_section.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace batchpeak::config {

/// The rules that Cerebras sets for batch_size, num_csx and micro_batch_size, whatever the layout that
/// holds them (validate_streaming_and_micro_batch_size in ModelZoo 2.10.0, common/input_utils.py).

/// What a layout calls the numbers that make up a batch.
struct BatchKeys
{
    std::string_view batchSize = "batch_size";
    std::string_view devices = "num_csx";
};

/// The number of devices under \p key of a section, 1 without one.
/// \throws ConfigError unless it is a whole number of at least 1
std::int64_t readDevices(const std::optional<ConfigSection>& section,
                         std::string_view key = BatchKeys().devices);

/// The global batch of an input section.
/// \throws ConfigError if it is absent, not a whole number, or less than \p devices
std::int64_t readGlobalBatchSize(const ConfigSection& input, std::int64_t devices,
                                 const BatchKeys& keys = {});

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
                          const BatchKeys& keys = {});

/// Says where releases up to 2.1 refuse what later ones take: a batch that is no multiple of the
/// micro-batches of all devices (peers.md has both rules).
void noteStrictRule(const BatchPlan& plan, std::int64_t microBatchSize, std::vector<std::string>& notes);

/// \throws ConfigError if \p microBatchSize is not 1..globalBatchSize
void checkMicroBatchSize(std::int64_t microBatchSize, std::int64_t globalBatchSize, TextPosition position);

} // namespace batchpeak::config
