// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "batch_schemes.h"
#include "config_document.h"
#include "syntax/config_section.h"

#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::config {

/// What configs of transformers' Trainer (TrainingArguments in transformers 4 and 5, training_args.py) and of
/// the trainers built on it share: the Trainer's own scripts, alignment-handbook and LLaMA-Factory have all
/// of its keys at their root, axolotl has some.

/// Whether one of these keys is present in the section, with any value.
bool hasOneOf(const ConfigSection& section, std::string_view keys);

/// Reads batches, optimizer, clipping, other settings of training, and warnings. Evaluation gets a plan if
/// the config asks for evaluation or sets a size for it.
/// \throws ConfigError if a value is illegal
void readTrainingArguments(const ConfigSection& root, ConfigContents& contents);

/// Returns fp32, bf16 by autocast, or TF32, by the keys bf16, fp16 and tf32.
/// \param bf16  whether bf16 is on if neither bf16 nor fp16 is present
/// \throws ConfigError if bf16 and fp16 are both on: TrainingArguments refuses it
model::Precision readMixedPrecision(const ConfigSection& root, bool bf16);

/// \throws ConfigError if the config has no evaluation and \p chosen is for it
SplicedText withSizeInTrainingArguments(const ConfigSection& root, const ChosenSize& chosen);

/// Names in OptimizerNames of transformers 5.23, training_args.py, for torch's own versions of AdamW.
inline constexpr std::string_view torchAdamW =
    "adamw_torch adamw_torch_fused adamw_torch_xla adamw_hf adamw_apex_fused";

/// Words of torchAdamW that run operation by operation: _get_adamw_torch in trainer_optimizer.py of
/// transformers 5.23 asks for "fused" only for the name that says so.
inline constexpr std::string_view unfusedTorchAdamW = "adamw_torch adamw_hf";

/// Texts of rows of UnmodeledFeature.
inline constexpr std::string_view ligerText =
    "{} runs kernels of Liger; trials run PyTorch's own, which take longer and more memory.";
inline constexpr std::string_view fp8Text =
    "{} runs matrix products in fp8; trials run them in bfloat16, which takes longer.";
inline constexpr std::string_view hostActivationsText =
    "{} moves activations to the host; trials keep them on the device, which takes more memory.";
inline constexpr std::string_view weighedTokensText =
    "{} weighs tokens by the entropy of their chances; trials do not, which takes less time.";
inline constexpr std::string_view writtenTextsText =
    "{} makes evaluation write texts, token by token; trials evaluate the texts that are there.";
inline constexpr std::string_view unpackedEvaluationText =
    "{} leaves the texts of evaluation unpacked; trials pack them as those of training.";
inline constexpr std::string_view cutOverDevices = "cuts the network or its texts over several devices ({})";

/// Warns that the file of the weights decides their type.
/// \param trialsTake  "bfloat16, as most files have it"
void warnOfTypeOfFile(TextPosition position, std::string_view trialsTake, ConfigContents& contents);
inline constexpr std::string_view asMostFiles = "bfloat16, as most files have it";

/// Warns of autocast beside weights in 16 bits, if the precision has such weights: layer_norm is one of the
/// operations that autocast computes in fp32 on a GPU (kCUDA in aten/src/ATen/autocast_mode.h of torch 2.11).
void warnOfWideNormalizations(TextPosition position, ConfigContents& contents);

/// Warns of fp32 adapters, because trials cannot compute the products of the network in another type than
/// those of its adapters.
/// \param since  why the run has them: "neither bf16 nor fp16 is on"
void warnOfFp32Adapters(TextPosition position, std::string_view since, std::vector<Warning>& warnings);

/// Sets a loss in chunks for kernels that compute the loss together with the projection onto the vocabulary
/// and never hold all logits.
void takeLossInChunks(ConfigContents& contents, TextPosition position);

/// Notes that the config under "deepspeed" has batch numbers of its own: HfTrainerDeepSpeedConfig in
/// transformers 4 and 5, integrations/deepspeed.py, refuses numbers that differ.
void noteDeepSpeed(const ConfigSection& section, std::vector<std::string>& notes);

/// auto_find_batch_size: when the Trainer runs out of memory, it restarts with a smaller size but keeps the
/// number of accumulation steps, so the effective batch shrinks silently (find_executable_batch_size in
/// accelerate 1.x, utils/memory.py). It is treated as halving, as in accelerate until July 2025; since its
/// pull request 3684 it reduces the size by a tenth at a time.

bool findsBatchSize(const ConfigSection& section);

void warnOfBatchFinder(const ConfigSection& section, std::vector<Warning>& warnings);

/// If it is on, adds the change that turns it off, and a note about that.
void switchOffBatchFinder(const ConfigSection& section, std::vector<EntryChange>& changes,
                          std::vector<std::string>& notes);

} // namespace batchpeak::config
