// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "run_reader.h"
#include "syntax/config_section.h"

#include <string_view>

namespace batchpeak::config {

/// What all trainers say of devices that share a network.

inline constexpr std::string_view hostWeightsText =
    "The run keeps its parameters in the host's memory between steps; trials keep them on the device.";

/// Of a run that leaves it to its launcher how many devices there are.
/// \param spreads  the beginning of a sentence: "fsdp spreads the network over devices"
void warnOfSharding(TextPosition position, std::string_view spreads, ConfigContents& contents);

/// Goes on with a sentence on devices that send each other something; empty where the plan knows how many
/// they are.
std::string_view uncountedDevicesText(const BatchPlan& plan);

/// How the devices of a run share a network, by the keys of TrainingArguments that axolotl has too: fsdp and
/// fsdp_config, and deepspeed where it holds the settings themselves; those of another file are not known.
///
/// How many devices there are is for the launcher to say; who plans an exploration takes those that run its
/// trials, unless the config has them share in groups of a size of its own (StepOptions::shards).
/// \param takesConfigAlone  fsdp_config counts without fsdp
/// \throws ConfigError where a value is illegal
void readSharding(const ConfigSection& root, bool takesConfigAlone, ConfigContents& contents);

/// What DeepSpeed and FSDP make of the types of parameters, whatever they were loaded as, and DeepSpeed of
/// the gradients' norm. What is trained and the rest of the run are known by then. \param mixed  of the
/// Trainer, whatever the weights are: fp32, TF32, or 16 bits beside fp32 \return whether they decide the
/// precision, which the contents then have \throws ConfigError where settings of DeepSpeed are at odds with
/// it
bool resolveSharedPrecision(const ConfigSection& root, bool takesConfigAlone, model::Precision mixed,
                            ConfigContents& contents);

/// DeepSpeed turns all parameters into 16 bits, frozen ones too.
/// \param mixed  as resolveSharedPrecision() takes it
bool hasDeepSpeedPrecision(const ConfigSection& root, model::Precision mixed);

/// The optimizer of DeepSpeed's settings comes before the Trainer's own.
RunKeys withSharedOptimizer(const ConfigSection& root, RunKeys ofTrainer);

/// \throws NotRun where DeepSpeed cuts layers over devices, or accelerate layers or texts
void refuseSharedCuts(const ConfigSection& root);

} // namespace batchpeak::config
