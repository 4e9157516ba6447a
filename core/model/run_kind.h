// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "word_table.h"

#include <cstdint>

namespace batchpeak::model {

/// Training runs forward, backward and optimizer; evaluation forward alone.
enum class Phase { Train, Eval };

/// The arithmetic of a step: fp32, fp32 with TF32 matrix products, bf16 by autocast with fp32
/// parameters, or bf16 throughout with fp32 master weights in the optimizer.
enum class Precision { Fp32, Tf32, Bf16, PureBf16 };

enum class Optimizer { AdamW, Sgd };

/// Which of PyTorch's kernels computes attention: its own choice, one of three that never hold the matrix of
/// all pairs of tokens, or plain products that do.
enum class Attention { Automatic, Flash, MemoryEfficient, Cudnn, Math };

constexpr WordTable<Phase, 2> wordsOf(Phase)
{
    return {{{Phase::Train, "train"}, {Phase::Eval, "eval"}}};
}

constexpr WordTable<Precision, 4> wordsOf(Precision)
{
    return {{{Precision::Fp32, "fp32"},
             {Precision::Tf32, "tf32"},
             {Precision::Bf16, "bf16"},
             {Precision::PureBf16, "pure-bf16"}}};
}

constexpr WordTable<Optimizer, 2> wordsOf(Optimizer)
{
    return {{{Optimizer::AdamW, "adamw"}, {Optimizer::Sgd, "sgd"}}};
}

constexpr WordTable<Attention, 5> wordsOf(Attention)
{
    return {{{Attention::Automatic, "auto"},
             {Attention::Flash, "flash"},
             {Attention::MemoryEfficient, "memory-efficient"},
             {Attention::Cudnn, "cudnn"},
             {Attention::Math, "math"}}};
}

/// Copies of every parameter that the optimizer keeps: AdamW's two moments, SGD's momentum.
inline int optimizerStateCopies(Optimizer optimizer)
{
    return optimizer == Optimizer::AdamW ? 2 : 1;
}

/// What a step does beside its arithmetic: each trades time for memory, or costs both.
struct StepOptions
{
    /// Layers keep their inputs alone and run again in backward (arXiv 1604.06174).
    bool activationCheckpointing = false;
    /// The projection onto the vocabulary and its loss take so many tokens at a time; 0: all together.
    std::int64_t lossChunkRows = 0;
    /// Gradients are scaled down to this norm where theirs is above it; 0: they are left as they are.
    double maxGradientNorm = 0.0;
    /// Asked for; where a device or a shape does not allow it, PyTorch's own choice takes its place.
    Attention attention = Attention::Automatic;
    /// cuDNN takes TF32 in fp32 convolutions, as PyTorch has it for who says nothing.
    bool convolvesInTf32 = true;
    /// Images and the weights of convolutions lie in memory channel by channel of a pixel.
    bool channelsLast = false;
    /// cuDNN times its algorithms for each new shape and keeps the fastest (torch.backends.cudnn.benchmark).
    bool timesConvolutions = false;

    bool operator==(const StepOptions&) const = default;
};

} // namespace batchpeak::model
