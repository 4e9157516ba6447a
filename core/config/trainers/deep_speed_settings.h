// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/config_section.h"

#include <string>
#include <string_view>

namespace batchpeak::config {

/// Readers of what DeepSpeed's settings say about a step, in a file of their own or in a section of a config
/// of transformers' Trainer. They do not read batches: in such a section the Trainer's own config decides
/// them.

/// Whether the value is "auto": the Trainer fills it in.
bool isAuto(const ConfigSection& section, std::string_view key);

/// Reads what devices share (ZeRO), what is kept in the host's memory, and what else trials do differently in
/// a step.
/// \param contents  contents whose training plan is known
/// \throws ConfigError if a value is illegal
void readDeepSpeedStep(const ConfigSection& settings, ConfigContents& contents);

/// Reads the precision from a file alone: parameters in 16 bits have fp32 copies in the optimizer, and only
/// the Trainer knows what "auto" means.
/// \throws ConfigError if bf16 and fp16 are both on
void readDeepSpeedPrecision(const ConfigSection& settings, ConfigContents& contents);

/// Checks the settings against the precision that the Trainer has chosen.
/// \param mixed  precision of the Trainer: fp32, TF32, or 16 bits beside fp32
/// \throws ConfigError if the settings contradict it, which the Trainer refuses
void checkDeepSpeedPrecision(const ConfigSection& settings, model::Precision mixed);

/// Warns that gradients may be accumulated in fp32 although the parameters are bfloat16.
/// \param contents  contents whose precision is known
void warnOfDeepSpeedGradients(const ConfigSection& settings, ConfigContents& contents);

/// \param ofTrainer  value that "auto" stands for
/// \throws ConfigError if the norm is negative
double readDeepSpeedClipping(const ConfigSection& settings, double ofTrainer);

/// \throws NotRun if layers are split over devices
void refuseCutLayers(const ConfigSection& settings);

} // namespace batchpeak::config
