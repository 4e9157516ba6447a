// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "enum_names.h"

#include <cstdint>

namespace batchpeak::model {

/// Training runs forward, backward and optimizer; evaluation forward alone.
enum class Phase { Train, Eval };

/// The arithmetic of a step: fp32, fp32 with TF32 matrix products, bf16 by autocast with fp32
/// parameters, bf16 throughout with fp32 master weights in the optimizer, or bf16 throughout without, the
/// optimizer's state too. The same in float16, whose loss is scaled where parameters or masters are fp32
/// (torch/amp/grad_scaler.py).
enum class Precision { Fp32, Tf32, Bf16, PureBf16, PlainBf16, Fp16, PureFp16, PlainFp16 };

/// Of the narrow kinds the moments have 8 or 4 bits an element and a scale for each block of them
/// (arXiv 2110.02861, arXiv 2309.01507). AdamW32bit and Lion (arXiv 2302.06675) have theirs in fp32 whatever
/// the parameters have, as bitsandbytes does; Adafactor (arXiv 1804.04235) has means of rows and columns.
enum class Optimizer { AdamW, Sgd, AdamW8bit, AdamW4bit, AdamW32bit, Lion, Lion8bit, Adafactor };

/// What the devices of a run hold together, each its share (ZeRO, arXiv 1910.02054): the optimizer's state;
/// gradients too; parameters too, of which a layer at a time is gathered.
enum class Sharding { None, Optimizer, Gradients, Parameters };

/// How AdamW steps: by one kernel; operation by operation, as torch.optim.AdamW does for who does not ask for
/// `fused`; or as Composer's DecoupledAdamW, always parameter by parameter (composer/optim/
/// decoupled_weight_decay.py of Composer 0.32).
enum class AdamWStep { Fused, Operations, Decoupled };

/// How torch.compile compiles the network, by its `mode` (torch/__init__.py of torch 2.11), or that it does
/// not.
enum class Compilation { None, Default, ReduceOverhead, MaxAutotune, MaxAutotuneNoCudagraphs };

/// Which of PyTorch's kernels computes attention: its own choice, one of three that never hold the matrix of
/// all pairs of tokens, or plain products that do.
enum class Attention { Automatic, Flash, MemoryEfficient, Cudnn, Math };

/// What a step learns from beside texts to go on with: pairs of a chosen and a rejected text, by DPO (arXiv
/// 2305.18290), ORPO (arXiv 2403.07691), SimPO (arXiv 2405.14734) or as a reward model, which classifies a
/// sequence or has a value head beside the output over the vocabulary; or texts that are liked or not, by KTO
/// (arXiv 2402.01306).
enum class Preference { None, Dpo, Orpo, Simpo, Kto, Reward, ValueHead };

constexpr EnumNames<Phase, 2> wordsOf(Phase)
{
    return {{{Phase::Train, "train"}, {Phase::Eval, "eval"}}};
}

constexpr EnumNames<Precision, 8> wordsOf(Precision)
{
    return {{{Precision::Fp32, "fp32"},
             {Precision::Tf32, "tf32"},
             {Precision::Bf16, "bf16"},
             {Precision::PureBf16, "pure-bf16"},
             {Precision::PlainBf16, "plain-bf16"},
             {Precision::Fp16, "fp16"},
             {Precision::PureFp16, "pure-fp16"},
             {Precision::PlainFp16, "plain-fp16"}}};
}

constexpr EnumNames<Optimizer, 8> wordsOf(Optimizer)
{
    return {{{Optimizer::AdamW, "adamw"},
             {Optimizer::Sgd, "sgd"},
             {Optimizer::AdamW8bit, "adamw-8bit"},
             {Optimizer::AdamW4bit, "adamw-4bit"},
             {Optimizer::AdamW32bit, "adamw-32bit"},
             {Optimizer::Lion, "lion"},
             {Optimizer::Lion8bit, "lion-8bit"},
             {Optimizer::Adafactor, "adafactor"}}};
}

constexpr EnumNames<Sharding, 4> wordsOf(Sharding)
{
    return {{{Sharding::None, "none"},
             {Sharding::Optimizer, "optimizer"},
             {Sharding::Gradients, "gradients"},
             {Sharding::Parameters, "parameters"}}};
}

constexpr EnumNames<AdamWStep, 3> wordsOf(AdamWStep)
{
    return {{{AdamWStep::Fused, "fused"},
             {AdamWStep::Operations, "operations"},
             {AdamWStep::Decoupled, "decoupled"}}};
}

constexpr EnumNames<Compilation, 5> wordsOf(Compilation)
{
    return {{{Compilation::None, "none"},
             {Compilation::Default, "default"},
             {Compilation::ReduceOverhead, "reduce-overhead"},
             {Compilation::MaxAutotune, "max-autotune"},
             {Compilation::MaxAutotuneNoCudagraphs, "max-autotune-no-cudagraphs"}}};
}

constexpr EnumNames<Preference, 7> wordsOf(Preference)
{
    return {{{Preference::None, "none"},
             {Preference::Dpo, "dpo"},
             {Preference::Orpo, "orpo"},
             {Preference::Simpo, "simpo"},
             {Preference::Kto, "kto"},
             {Preference::Reward, "reward"},
             {Preference::ValueHead, "value-head"}}};
}

/// The user's Python takes the loss of its trl; of a value head, which its last versions have no trainer of,
/// it has one of its own (python/batchpeak_trial/value_head.py).
constexpr bool learnsByTrl(Preference preference)
{
    return preference != Preference::None && preference != Preference::ValueHead;
}

/// Samples of the smallest micro-batch: KTO compares each text with an answer to another one (KTOTrainer in
/// trl/trainer/kto_trainer.py of trl 1.16).
constexpr std::int64_t smallestMicroBatch(Preference preference)
{
    return preference == Preference::Kto ? 2 : 1;
}

/// What is learned is told from a second network that stays as it is.
constexpr bool hasReference(Preference preference)
{
    return preference == Preference::Dpo || preference == Preference::Kto;
}

constexpr EnumNames<Attention, 5> wordsOf(Attention)
{
    return {{{Attention::Automatic, "auto"},
             {Attention::Flash, "flash"},
             {Attention::MemoryEfficient, "memory-efficient"},
             {Attention::Cudnn, "cudnn"},
             {Attention::Math, "math"}}};
}

/// Products of fp32 parameters have 16 bits.
constexpr bool isMixed(Precision precision)
{
    return precision == Precision::Bf16 || precision == Precision::Fp16;
}

/// The optimizer has no wider copy of parameters.
constexpr bool isPlain(Precision precision)
{
    return precision == Precision::PlainBf16 || precision == Precision::PlainFp16;
}

/// All numbers of a step have 16 bits but what the optimizer keeps.
constexpr bool isNarrowThroughout(Precision precision)
{
    return precision == Precision::PureBf16 || precision == Precision::PureFp16 || isPlain(precision);
}

constexpr bool isFloat16(Precision precision)
{
    return precision == Precision::Fp16 || precision == Precision::PureFp16 ||
           precision == Precision::PlainFp16;
}

/// Of gradients that float16 cannot hold.
constexpr bool scalesLoss(Precision precision)
{
    return precision == Precision::Fp16 || precision == Precision::PureFp16;
}

/// With float16 in the place of bf16.
constexpr Precision inFloat16(Precision precision)
{
    switch (precision) {
    case Precision::Bf16:
        return Precision::Fp16;
    case Precision::PureBf16:
        return Precision::PureFp16;
    case Precision::PlainBf16:
        return Precision::PlainFp16;
    default:
        return precision;
    }
}

/// Moments as long as the parameters that the optimizer keeps: AdamW's two, the one of Lion and of SGD where
/// that has a momentum, none of Adafactor.
inline int optimizerStateCopies(Optimizer optimizer, bool keepsMomentum)
{
    switch (optimizer) {
    case Optimizer::AdamW:
    case Optimizer::AdamW8bit:
    case Optimizer::AdamW4bit:
    case Optimizer::AdamW32bit:
        break;
    case Optimizer::Sgd:
        return keepsMomentum ? 1 : 0;
    case Optimizer::Lion:
    case Optimizer::Lion8bit:
        return 1;
    case Optimizer::Adafactor:
        return 0;
    }
    return 2;
}

/// Of an element of a moment; 0 where it has all bits of its type.
inline int momentBits(Optimizer optimizer)
{
    if (optimizer == Optimizer::AdamW8bit || optimizer == Optimizer::Lion8bit)
        return 8;
    return optimizer == Optimizer::AdamW4bit ? 4 : 0;
}

/// Moments have fp32 also beside parameters of 16 bits without masters: init_state in optim/optimizer.py of
/// bitsandbytes 0.50.2.
inline bool keepsWideMoments(Optimizer optimizer)
{
    return optimizer == Optimizer::AdamW32bit || optimizer == Optimizer::Lion;
}

inline bool isLion(Optimizer optimizer)
{
    return optimizer == Optimizer::Lion || optimizer == Optimizer::Lion8bit;
}

/// Bounds of a run beyond what there is, and so low that no count of bytes overflows: tokens of a sample,
/// rows of a chunk of the loss, and devices.
inline constexpr std::int64_t maxTokens = std::int64_t{1} << 24;
inline constexpr std::int64_t maxLossRows = std::int64_t{1} << 31;
inline constexpr std::int64_t maxDevices = std::int64_t{1} << 20;

/// What a step does beside its arithmetic: each trades time for memory, or costs both.
struct StepOptions
{
    /// Layers keep their inputs alone and run again in backward (arXiv 1604.06174).
    bool activationCheckpointing = false;
    /// The projection onto the vocabulary and its loss take so many tokens at a time; 0: all together.
    std::int64_t lossChunkRows = 0;
    /// Of such chunks: each keeps its rows alone and runs again in backward; otherwise forward makes the
    /// gradients.
    bool recomputesLossChunks = false;
    /// The same in so many equal parts of a sample, whatever the size, whose logits all stay until backward
    /// (LinearCrossEntropyLoss of torchtune 0.7); 1: all together.
    std::int64_t lossParts = 1;
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
    /// Of AdamW; where stepsByOperations() says no, it is fused all the same.
    AdamWStep adamWStep = AdamWStep::Fused;
    /// Of SGD.
    bool keepsMomentum = true;
    /// Of 8-bit optimizers: moments of embeddings have fp32 all the same, which transformers' Trainer asks of
    /// bitsandbytes for each nn.Embedding (create_optimizer in trainer.py of transformers 5.23).
    bool wideEmbeddingMoments = false;
    /// The optimizer's state lies in the host's memory.
    bool optimizerOnHost = false;
    /// Backward steps on each parameter as soon as it has the gradient, and drops that: a micro-batch is a
    /// whole batch, and no gradients are kept (optimizer_in_bwd of torchtune).
    bool updatesInBackward = false;
    Sharding sharding = Sharding::None;
    /// Devices that share; 1 for a run on one, whatever the sharding.
    std::int64_t shards = 1;
    /// Tokens of each of the texts that a sample is packed of, which attend to themselves alone; 0: all of a
    /// sample attends to what is before it.
    std::int64_t packedTextLength = 0;
    /// Of the user's Python alone.
    Compilation compilation = Compilation::None;
    /// Of the user's Python alone.
    Preference preference = Preference::None;

    bool operator==(const StepOptions&) const = default;
};

/// AdamW is run operation by operation where that is asked for: not of master weights, of a state on the host
/// or within backward, which take parameters piece by piece otherwise than PyTorch's loops do.
inline bool stepsByOperations(Optimizer optimizer, Precision precision, const StepOptions& options)
{
    const bool hasMasters = isNarrowThroughout(precision) && !isPlain(precision);
    return options.adamWStep != AdamWStep::Fused && optimizer == Optimizer::AdamW && !hasMasters &&
           !options.optimizerOnHost && !options.updatesInBackward;
}

/// Where devices share it, an optimizer's parameters are no longer those of embeddings, which bitsandbytes
/// looks for (check_overrides in optim/optimizer.py of bitsandbytes 0.50.2).
inline bool widensEmbeddingMoments(Optimizer optimizer, const StepOptions& options)
{
    constexpr int narrow = 8;
    return options.wideEmbeddingMoments && momentBits(optimizer) == narrow &&
           (options.shards <= 1 || options.sharding == Sharding::None);
}

/// Samples of so many tokens hold several texts.
inline bool packsTexts(const StepOptions& options, std::int64_t sequenceLength)
{
    return options.packedTextLength > 0 && options.packedTextLength < sequenceLength;
}

/// The flash kernel takes no mask: trainers that ask for it cut padding away and packed texts apart before
/// attention (flash_attn_varlen_func). For others a mask says what a token attends to.
inline bool takesMasks(Attention attention)
{
    return attention != Attention::Flash;
}

} // namespace batchpeak::model
