// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace batchpeak::model {

/// Training runs forward, backward and optimizer; evaluation forward alone.
enum class Phase { Train, Eval };

/// The arithmetic of a step: fp32, fp32 with TF32 matrix products, bf16 by autocast with fp32
/// parameters, or bf16 throughout with fp32 master weights in the optimizer.
enum class Precision { Fp32, Tf32, Bf16, PureBf16 };

enum class Optimizer { AdamW, Sgd };

/// Copies of every parameter that the optimizer keeps: AdamW's two moments, SGD's momentum.
int optimizerStateCopies(Optimizer optimizer);

/// The words of the command line, of the trial protocol and of the events: "train", "bf16", "adamw".
std::string_view toText(Phase value);
std::string_view toText(Precision value);
std::string_view toText(Optimizer value);

/// Nothing for a word that is not one of them.
std::optional<Phase> phaseFromText(std::string_view text);
std::optional<Precision> precisionFromText(std::string_view text);
std::optional<Optimizer> optimizerFromText(std::string_view text);

/// What a training step does beside its arithmetic: each trades time for memory, or costs both.
struct StepOptions
{
    /// Layers keep their inputs alone and run again in backward (arXiv 1604.06174).
    bool activationCheckpointing = false;
    /// The projection onto the vocabulary and its loss take so many tokens at a time; 0: all together.
    std::int64_t lossChunkRows = 0;
    /// Gradients are scaled down to this norm where theirs is above it; 0: they are left as they are.
    double maxGradientNorm = 0.0;

    bool operator==(const StepOptions&) const = default;
};

} // namespace batchpeak::model
