// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "enum_names.h"

#include <cstdint>

namespace batchpeak::model {

/// Training runs the forward pass, the backward pass and the optimizer; evaluation only the forward pass.
enum class Phase { Train, Eval };

/// The arithmetic of a step: fp32, fp32 with TF32 matrix products, bf16 autocast with fp32 parameters, bf16
/// throughout with fp32 master weights in the optimizer, or bf16 throughout without master weights, including
/// the optimizer's state. The last three also exist in float16, whose loss is scaled if parameters or master
/// weights are fp32 (torch/amp/grad_scaler.py).
enum class Precision { Fp32, Tf32, Bf16, PureBf16, PlainBf16, Fp16, PureFp16, PlainFp16 };

/// The moments of the 8-bit and 4-bit optimizers have 8 or 4 bits per element and a scale for each block of
/// elements (arXiv 2110.02861, arXiv 2309.01507). AdamW32bit and Lion (arXiv 2302.06675) keep theirs in fp32
/// for any dtype of the parameters, as bitsandbytes does; Adafactor (arXiv 1804.04235) keeps means of rows
/// and columns.
enum class Optimizer { AdamW, Sgd, AdamW8bit, AdamW4bit, AdamW32bit, Lion, Lion8bit, Adafactor };

/// What the devices of a run shard (ZeRO, arXiv 1910.02054): the optimizer's state; also gradients; also
/// parameters, which are gathered one layer at a time.
enum class Sharding { None, Optimizer, Gradients, Parameters };

/// What does so in the run: fully_shard of torch.distributed.fsdp, FullyShardedDataParallel of the same
/// package, or DeepSpeed's engine.
enum class ShardingLibrary { Fsdp2, Fsdp1, DeepSpeed };

/// How AdamW steps: with one kernel; operation by operation, as torch.optim.AdamW does without `fused`; or as
/// Composer's DecoupledAdamW, always parameter by parameter (composer/optim/decoupled_weight_decay.py of
/// Composer 0.32).
enum class AdamWStep { Fused, Operations, Decoupled };

/// The `mode` with which torch.compile compiles the network (torch/__init__.py of torch 2.11); None if it is
/// not compiled.
enum class Compilation { None, Default, ReduceOverhead, MaxAutotune, MaxAutotuneNoCudagraphs };

/// Which of PyTorch's kernels computes attention: PyTorch's own choice, one of three that never hold the
/// matrix of all pairs of tokens, or plain products that do.
enum class Attention { Automatic, Flash, MemoryEfficient, Cudnn, Math };

/// Training objective other than the next token: pairs of a chosen and a rejected text, with DPO (arXiv
/// 2305.18290), ORPO (arXiv 2403.07691), SimPO (arXiv 2405.14734) or for a reward model, which classifies a
/// sequence or has a value head beside the output over the vocabulary; or texts labeled as desirable or not,
/// with KTO (arXiv 2402.01306).
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

constexpr EnumNames<ShardingLibrary, 3> wordsOf(ShardingLibrary)
{
    return {{{ShardingLibrary::Fsdp2, "fsdp2"},
             {ShardingLibrary::Fsdp1, "fsdp1"},
             {ShardingLibrary::DeepSpeed, "deepspeed"}}};
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

/// Whether the user's Python uses the loss of its trl. For a value head, for which the latest versions of trl
/// have no trainer, it uses a loss of its own (python/batchpeak_trial/value_head.py).
constexpr bool learnsByTrl(Preference preference)
{
    return preference != Preference::None && preference != Preference::ValueHead;
}

/// Returns the number of samples in the smallest micro-batch: KTO compares each text with an answer to
/// another one (KTOTrainer in trl/trainer/kto_trainer.py of trl 1.16).
constexpr std::int64_t smallestMicroBatch(Preference preference)
{
    return preference == Preference::Kto ? 2 : 1;
}

/// Whether the loss compares the network with a frozen reference network.
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

/// Whether products of fp32 parameters are computed in 16 bits.
constexpr bool isMixed(Precision precision)
{
    return precision == Precision::Bf16 || precision == Precision::Fp16;
}

/// Whether parameters have 16 bits and the optimizer has no master weights.
constexpr bool isPlain(Precision precision)
{
    return precision == Precision::PlainBf16 || precision == Precision::PlainFp16;
}

/// Whether all values of a step have 16 bits, except those that the optimizer keeps.
constexpr bool isNarrowThroughout(Precision precision)
{
    return precision == Precision::PureBf16 || precision == Precision::PureFp16 || isPlain(precision);
}

constexpr bool isFloat16(Precision precision)
{
    return precision == Precision::Fp16 || precision == Precision::PureFp16 ||
           precision == Precision::PlainFp16;
}

/// Whether the loss is scaled, since float16 cannot represent the gradients otherwise.
constexpr bool scalesLoss(Precision precision)
{
    return precision == Precision::Fp16 || precision == Precision::PureFp16;
}

/// Returns the precision with float16 instead of bf16.
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

/// Returns the number of moments of the parameters' size that the optimizer keeps: two for AdamW, one for
/// Lion and for SGD with momentum, none for Adafactor.
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

/// Returns the bits of an element of a quantized moment; 0 if moments are not quantized.
inline int momentBits(Optimizer optimizer)
{
    if (optimizer == Optimizer::AdamW8bit || optimizer == Optimizer::Lion8bit)
        return 8;
    return optimizer == Optimizer::AdamW4bit ? 4 : 0;
}

/// Whether moments are fp32 even if parameters have 16 bits and no master weights: init_state in
/// optim/optimizer.py of bitsandbytes 0.50.2.
inline bool keepsWideMoments(Optimizer optimizer)
{
    return optimizer == Optimizer::AdamW32bit || optimizer == Optimizer::Lion;
}

inline bool isLion(Optimizer optimizer)
{
    return optimizer == Optimizer::Lion || optimizer == Optimizer::Lion8bit;
}

/// Upper limits of a run, for tokens in a sample, rows in a chunk of the loss, and devices. They are beyond
/// any real run, and low enough that no count of bytes overflows.
inline constexpr std::int64_t maxTokens = std::int64_t{1} << 24;
inline constexpr std::int64_t maxLossRows = std::int64_t{1} << 31;
inline constexpr std::int64_t maxDevices = std::int64_t{1} << 20;

/// Options of a step besides its arithmetic. Each trades time for memory, or costs both.
struct StepOptions
{
    /// Whether layers keep only their inputs and are recomputed in the backward pass (arXiv 1604.06174).
    bool activationCheckpointing = false;
    /// Number of tokens for which the projection onto the vocabulary and its loss are computed at a time; 0
    /// for all at once.
    std::int64_t lossChunkRows = 0;
    /// Whether each such chunk keeps only its rows and is recomputed in the backward pass; otherwise the
    /// forward pass computes the gradients.
    bool recomputesLossChunks = false;
    /// Number of equal parts of a sample for which the projection and its loss are computed one after the
    /// other, independent of the micro-batch size. All logits are kept until the backward pass
    /// (LinearCrossEntropyLoss of torchtune 0.7). 1 for all at once.
    std::int64_t lossParts = 1;
    /// Norm to which gradients are clipped; 0 for no clipping.
    double maxGradientNorm = 0.0;
    /// Requested kernel; PyTorch's own choice replaces it if the device or a shape does not support it.
    Attention attention = Attention::Automatic;
    /// Whether cuDNN uses TF32 in fp32 convolutions, which is PyTorch's default.
    bool convolvesInTf32 = true;
    /// Whether images and the weights of convolutions use the channels-last memory format.
    bool channelsLast = false;
    /// Whether cuDNN benchmarks its algorithms for each new shape and selects the fastest
    /// (torch.backends.cudnn.benchmark).
    bool timesConvolutions = false;
    /// Requested step of AdamW; it is fused anyway if stepsByOperations() returns false.
    AdamWStep adamWStep = AdamWStep::Fused;
    /// Whether SGD has a momentum.
    bool keepsMomentum = true;
    /// Whether 8-bit optimizers keep the moments of embeddings in fp32, as transformers' Trainer requests
    /// from bitsandbytes for each nn.Embedding (create_optimizer in trainer.py of transformers 5.23).
    bool wideEmbeddingMoments = false;
    /// Whether the optimizer's state is in the host's memory.
    bool optimizerOnHost = false;
    /// Whether the backward pass updates each parameter as soon as its gradient is complete, and then frees
    /// the gradient: a micro-batch is a whole batch, and no gradients are kept (optimizer_in_bwd of
    /// torchtune).
    bool updatesInBackward = false;
    Sharding sharding = Sharding::None;
    /// Number of devices that shard; 1 for a run on one device, with any sharding.
    std::int64_t shards = 1;
    /// Only for several processes of the user's Python.
    ShardingLibrary shardingLibrary = ShardingLibrary::Fsdp2;
    /// Number of tokens in each of the texts that are packed into a sample, where a token only attends to its
    /// own text; 0 if tokens attend to the whole sample before them.
    std::int64_t packedTextLength = 0;
    /// Only for the user's Python.
    Compilation compilation = Compilation::None;
    /// Only for the user's Python.
    Preference preference = Preference::None;

    bool operator==(const StepOptions&) const = default;
};

/// Whether AdamW runs operation by operation: if requested, but not with master weights, with a state on the
/// host or in the backward pass, since these process parameters piece by piece, unlike PyTorch's loops.
inline bool stepsByOperations(Optimizer optimizer, Precision precision, const StepOptions& options)
{
    const bool hasMasters = isNarrowThroughout(precision) && !isPlain(precision);
    return options.adamWStep != AdamWStep::Fused && optimizer == Optimizer::AdamW && !hasMasters &&
           !options.optimizerOnHost && !options.updatesInBackward;
}

/// Whether the moments of embeddings are widened to fp32. False if devices shard: the optimizer's parameters
/// are then no longer those of the embeddings, which bitsandbytes looks for (check_overrides in
/// optim/optimizer.py of bitsandbytes 0.50.2).
inline bool widensEmbeddingMoments(Optimizer optimizer, const StepOptions& options)
{
    constexpr int narrow = 8;
    return options.wideEmbeddingMoments && momentBits(optimizer) == narrow &&
           (options.shards <= 1 || options.sharding == Sharding::None);
}

/// Whether samples of \p sequenceLength tokens contain several texts.
inline bool packsTexts(const StepOptions& options, std::int64_t sequenceLength)
{
    return options.packedTextLength > 0 && options.packedTextLength < sequenceLength;
}

/// Whether a mask specifies what a token attends to. The flash kernel takes no mask: trainers that request it
/// remove padding and separate packed texts before attention (flash_attn_varlen_func).
inline bool takesMasks(Attention attention)
{
    return attention != Attention::Flash;
}

} // namespace batchpeak::model
