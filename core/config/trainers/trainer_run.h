// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/config_section.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace batchpeak::config {

/// What the configs of transformers' Trainer, of the trainers built on it and of DeepSpeed say about a run
/// apart from its batches. Where a trial does otherwise than the run, a warning says so.

/// A key that, switched on, makes the run another than trials; and how, as the rest of a sentence that begins
/// with the key.
struct RunDifference
{
    std::string_view key;
    std::string_view effect;
};

/// Each that is switched on becomes a warning.
void warnOfDifferences(const ConfigSection& section, std::span<const RunDifference> differences,
                       std::vector<Warning>& warnings);

/// The first of them that is switched on, where a trial would measure something else altogether.
std::optional<UnsupportedModel> firstDifference(const ConfigSection& section,
                                                std::span<const RunDifference> differences);

/// DeepSpeed or FSDP, which share a network out over devices.
void warnOfSharding(const ConfigSection& section, std::vector<Warning>& warnings);

/// That the config which "deepspeed" names has numbers of its own: HfTrainerDeepSpeedConfig in transformers
/// 4 and 5, integrations/deepspeed.py, refuses those that differ.
void noteDeepSpeed(const ConfigSection& section, std::vector<std::string>& notes);

/// By the words of OptimizerNames in transformers 5.23, training_args.py. All but AdamW and SGD in torch's
/// own versions are run as AdamW, with a warning. AdamW where the key is absent.
model::Optimizer readTorchOptimizer(const ConfigSection& section, std::string_view key,
                                    std::vector<Warning>& warnings);

/// The norm that gradients are scaled down to; 0 where they are left as they are.
/// \throws ConfigError if it is negative
double clippingNormOr(const ConfigSection& section, std::string_view key, double otherwise);

void warnOfFloat16(TextPosition position, std::vector<Warning>& warnings);

/// Of a run whose optimizer has no fp32 copy of parameters in bf16, as it has in Precision::PureBf16.
void warnOfMissingCopies(TextPosition position, std::vector<Warning>& warnings);

/// The network whose hub id stands under a key; where none does, one from elsewhere is asked for.
std::variant<model::ModelSpec, UnsupportedModel>
readNamedModel(const ConfigSection& section, std::string_view key, std::vector<Warning>& warnings);

/// What training does beside its batches, by the keys that transformers' Trainer and axolotl share.
///
/// auto_find_batch_size is taken for halving, as accelerate had it until July 2025; since its pull request
/// 3684 it takes a tenth away at a time, and both leave the accumulation steps as they are
/// (find_executable_batch_size, utils/memory.py).
void readTrainerSettings(const ConfigSection& section, TrainingSettings& settings);

/// Lengths that the kind of network decides: there is none of an image, and a decoder's sequence has its
/// usual one. Where a config says nothing, that of a text stays 0, since its data decide it.
void settleLengths(ConfigContents& contents);

} // namespace batchpeak::config
