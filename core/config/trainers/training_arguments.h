// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "accumulated_batch.h"
#include "config_document.h"
#include "syntax/config_section.h"
#include "syntax/entry_change.h"

#include <memory>

namespace batchpeak::config {

/// The keys of TrainingArguments (transformers 4 and 5, training_args.py), which its own scripts,
/// alignment-handbook and LLaMA-Factory have at the root of their configs.

/// Both sizes are 8 where nothing is said: per_device_train_batch_size and per_device_eval_batch_size of
/// TrainingArguments in transformers 5.23.
AccumulationKeys trainingArgumentsKeys();

/// Batches, optimizer, clipping, and what is to be warned of; evaluation has a plan where the config asks for
/// it or has a size for it.
/// \throws ConfigError where a value is illegal
void readTrainingArguments(const ConfigSection& root, ConfigContents& contents);

/// fp32, bf16 by autocast, or TF32, by the keys bf16, fp16 and tf32.
/// \param bf16  where neither bf16 nor fp16 is there
/// \throws ConfigError where bf16 and fp16 are both on: TrainingArguments refuses it
model::Precision readMixedPrecision(const ConfigSection& root, bool bf16, std::vector<Warning>& warnings);

/// \throws ConfigError where the config has no evaluation and \p chosen is for it
SplicedText withSizeInTrainingArguments(const ConfigSection& root, const ChosenSize& chosen);

} // namespace batchpeak::config
