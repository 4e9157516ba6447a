// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/config_section.h"

namespace batchpeak::config {

/// How the devices of a run share a network, by the keys of TrainingArguments that axolotl has too: fsdp and
/// fsdp_config, and deepspeed where it holds the settings themselves; those of another file are not known.
///
/// How many devices there are is for the launcher to say; who plans an exploration takes those that run its
/// trials.
/// \throws ConfigError where a value is illegal
void readSharding(const ConfigSection& root, ConfigContents& contents);

} // namespace batchpeak::config
