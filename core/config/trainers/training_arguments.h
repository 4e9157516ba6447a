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
/// the trainers built on it have alike: its own scripts, alignment-handbook and LLaMA-Factory have all of its
/// keys at their root, axolotl some.

/// One of these keys stands in the section, whatever its value.
bool hasOneOf(const ConfigSection& section, std::string_view keys);

/// Batches, optimizer, clipping, what training does beside them, and what is to be warned of; evaluation has
/// a plan where the config asks for it or has a size for it. \throws ConfigError where a value is illegal
void readTrainingArguments(const ConfigSection& root, ConfigContents& contents);

/// fp32, bf16 by autocast, or TF32, by the keys bf16, fp16 and tf32.
/// \param bf16  where neither bf16 nor fp16 is there
/// \throws ConfigError where bf16 and fp16 are both on: TrainingArguments refuses it
model::Precision readMixedPrecision(const ConfigSection& root, bool bf16);

/// \throws ConfigError where the config has no evaluation and \p chosen is for it
SplicedText withSizeInTrainingArguments(const ConfigSection& root, const ChosenSize& chosen);

/// Words of OptimizerNames in transformers 5.23, training_args.py, for AdamW in torch's own versions.
inline constexpr std::string_view torchAdamW =
    "adamw_torch adamw_torch_fused adamw_torch_xla adamw_hf adamw_apex_fused";

/// Of those, the ones that go operation by operation: "fused" is what _get_adamw_torch in
/// trainer_optimizer.py of transformers 5.23 asks for, and only for the word that says so.
inline constexpr std::string_view unfusedTorchAdamW = "adamw_torch adamw_hf";

/// Texts of Difference.
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

/// Of weights whose type a config leaves to their file.
/// \param trialsTake  "bfloat16, as most files have it"
void warnOfTypeOfFile(TextPosition position, std::string_view trialsTake, std::vector<Warning>& warnings);
inline constexpr std::string_view asMostFiles = "bfloat16, as most files have it";

/// Of autocast beside weights in 16 bits, where the precision is known to be such: layer_norm is one of the
/// operations that it has computed in fp32 on a GPU (kCUDA in aten/src/ATen/autocast_mode.h of torch 2.11).
void warnOfWideNormalizations(TextPosition position, ConfigContents& contents);

/// Of adapters beside a network whose products trials cannot have in another type than theirs.
/// \param since  why the run has them: "neither bf16 nor fp16 is on"
void warnOfFp32Adapters(TextPosition position, std::string_view since, std::vector<Warning>& warnings);

/// Of kernels that compute the loss beside the projection onto the vocabulary, and never hold all logits.
void takeLossInChunks(ConfigContents& contents, TextPosition position);

/// That the config which "deepspeed" names has numbers of its own: HfTrainerDeepSpeedConfig in transformers
/// 4 and 5, integrations/deepspeed.py, refuses those that differ.
void noteDeepSpeed(const ConfigSection& section, std::vector<std::string>& notes);

/// auto_find_batch_size: on running out of memory the Trainer starts again with less, and leaves the
/// accumulation steps as they are, so that the effective batch shrinks without a word
/// (find_executable_batch_size in accelerate 1.x, utils/memory.py). It is taken for halving, as accelerate
/// had it until July 2025; since its pull request 3684 it takes a tenth away at a time.

bool findsBatchSize(const ConfigSection& section);

void warnOfBatchFinder(const ConfigSection& section, std::vector<Warning>& warnings);

/// Adds what switches it off where it is on, and a note that says so.
void switchOffBatchFinder(const ConfigSection& section, std::vector<EntryChange>& changes,
                          std::vector<std::string>& notes);

} // namespace batchpeak::config
