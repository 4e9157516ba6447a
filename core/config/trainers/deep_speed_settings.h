// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/config_section.h"

#include <string>
#include <string_view>

namespace batchpeak::config {

/// What DeepSpeed's settings say of a step, be they a file of their own or a section of a config of
/// transformers' Trainer. Batches are not among it: in such a section the Trainer's own config decides them.

/// The value is "auto": the Trainer fills it in.
bool isAuto(const ConfigSection& section, std::string_view key);

/// What devices share (ZeRO), what lies in the host's memory, and what else of a step trials do otherwise.
/// \param contents  whose plan of training is known
/// \throws ConfigError where a value is illegal
void readDeepSpeedStep(const ConfigSection& settings, ConfigContents& contents);

/// The precision by a file alone: parameters of sixteen bits have fp32 copies in the optimizer, and for
/// "auto" only the Trainer knows. \throws ConfigError where bf16 and fp16 are both on
void readDeepSpeedPrecision(const ConfigSection& settings, ConfigContents& contents);

/// Of a run whose Trainer has chosen one.
/// \param mixed  that of the Trainer: fp32, TF32, or 16 bits beside fp32
/// \throws ConfigError where the settings say otherwise, which the Trainer refuses
void checkDeepSpeedPrecision(const ConfigSection& settings, model::Precision mixed);

/// Beside bfloat16 parameters, gradients may be added up in fp32.
/// \param contents  whose precision is known
void warnOfDeepSpeedGradients(const ConfigSection& settings, ConfigContents& contents);

/// \param ofTrainer  what "auto" stands for
/// \throws ConfigError if it is negative
double readDeepSpeedClipping(const ConfigSection& settings, double ofTrainer);

/// \throws NotRun where layers are cut over devices
void refuseCutLayers(const ConfigSection& settings);

} // namespace batchpeak::config
