// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "run_reader.h"
#include "syntax/config_section.h"

#include <string_view>

namespace batchpeak::config {

/// What all trainers share about devices that hold one network together.

inline constexpr std::string_view hostWeightsText =
    "The run keeps its parameters in the host's memory between steps; trials keep them on the device.";

/// Warns of sharding in a run whose launcher decides how many devices there are.
/// \param spreads  the beginning of a sentence: "fsdp spreads the network over devices"
void warnOfSharding(TextPosition position, std::string_view spreads, ConfigContents& contents);

/// Returns the end of a sentence on communication between devices; empty if the plan knows their number.
std::string_view uncountedDevicesText(const BatchPlan& plan);

/// Reads how the devices of a run share a network, from the keys of TrainingArguments that axolotl has too:
/// fsdp and fsdp_config, and deepspeed if it contains the settings themselves; settings in another file are
/// not known.
///
/// The launcher decides how many devices there are. An exploration takes the number of devices that run its
/// trials, unless the config sets the size of the groups that share (StepOptions::shards).
/// \param takesConfigAlone  whether fsdp_config counts without fsdp
/// \throws ConfigError if a value is illegal
void readSharding(const ConfigSection& root, bool takesConfigAlone, ConfigContents& contents);

/// Sets the types that DeepSpeed and FSDP give to parameters, whatever type they were loaded in, and the
/// maximum gradient norm from DeepSpeed. The tuning and the rest of the run must be known already.
/// \param mixed  precision of the Trainer, whatever the weights are: fp32, TF32, or 16 bits beside fp32
/// \return whether they decide the precision, which is then set in the contents
/// \throws ConfigError if settings of DeepSpeed contradict the precision
bool resolveSharedPrecision(const ConfigSection& root, bool takesConfigAlone, model::Precision mixed,
                            ConfigContents& contents);

/// Whether DeepSpeed converts all parameters to 16 bits, including frozen ones.
/// \param mixed  as resolveSharedPrecision() takes it
bool hasDeepSpeedPrecision(const ConfigSection& root, model::Precision mixed);

/// Returns the keys with the optimizer of DeepSpeed's settings, which overrides the Trainer's own.
RunKeys withSharedOptimizer(const ConfigSection& root, RunKeys ofTrainer);

/// \throws NotRun if DeepSpeed splits layers over devices, or accelerate splits layers or texts
void refuseSharedCuts(const ConfigSection& root);

} // namespace batchpeak::config
