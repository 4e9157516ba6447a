// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

/// Phrases of Warning::approximation: each names something that decides speed or memory and that trials do
/// differently from the run. The same reason has the same phrase for every trainer. Each phrase reads well
/// after "approximate because of", and events and the history identify the reason by it.
namespace batchpeak::config::approximation {

// Where data is stored.
/// Communication between devices is not measured, since each device runs its trials by itself.
inline constexpr std::string_view sharding = "sharding over several devices";
inline constexpr std::string_view hostOptimizer = "an optimizer in the host's memory";
inline constexpr std::string_view hostWeights = "weights in the host's memory";
inline constexpr std::string_view hostActivations = "activations in the host's memory";

// Optimizers.
inline constexpr std::string_view otherOptimizer = "an optimizer that is not run here";
inline constexpr std::string_view pagedOptimizer = "a paged optimizer";
inline constexpr std::string_view step8bit = "the step of an 8-bit optimizer";
inline constexpr std::string_view torchaoStep8bit = "the step of torchao's 8-bit optimizer";
inline constexpr std::string_view step4bit = "the step of a 4-bit optimizer";
inline constexpr std::string_view unfusedStep = "the step of an optimizer without a fused kernel";
inline constexpr std::string_view moreMoments = "a moment more than trials keep";
inline constexpr std::string_view updatesInBackward = "weights that are updated within backward";

// Numeric types.
inline constexpr std::string_view float16 = "float16";
inline constexpr std::string_view tf32OnCpu = "tf32, which has no effect on a CPU";
inline constexpr std::string_view narrowProducts = "products in 8 bits or fewer";
inline constexpr std::string_view fp32Gradients = "gradients in fp32";
inline constexpr std::string_view fp32Residuals = "a residual stream in fp32";
inline constexpr std::string_view kernel4bit = "another kernel for 4-bit weights";
inline constexpr std::string_view kernel8bit = "another kernel for 8-bit weights";
inline constexpr std::string_view lionByOperations = "a step of Lion in several operations";
inline constexpr std::string_view integerProducts = "another kernel for 8-bit products";
inline constexpr std::string_view narrowedLayers = "weights that are narrowed layer by layer";
inline constexpr std::string_view fp32Embeddings = "embeddings and normalizations in fp32";
inline constexpr std::string_view fp32Norms = "normalizations in fp32";
inline constexpr std::string_view fp32Products = "products of quantized weights in fp32";
inline constexpr std::string_view fp32Adapters = "adapters that are computed in fp32";
inline constexpr std::string_view bf16Copies = "modules that the run trains in bfloat16";
inline constexpr std::string_view otherQuantization = "a base quantized by another method";
/// Used if the name of the method is known.
inline constexpr std::string_view namedQuantization = "a base quantized by {}";
inline constexpr std::string_view typeOfFile = "a type of weights that their file decides";
inline constexpr std::string_view wideWeights = "frozen weights that the run has wider";

// What the config leaves open.
inline constexpr std::string_view otherFile = "DeepSpeed settings in another file";
inline constexpr std::string_view otherPrecision = "a precision that another config decides";
inline constexpr std::string_view otherVocabulary = "a vocabulary that is not known";

// What a step computes.
inline constexpr std::string_view compiled = "a compiled network";
inline constexpr std::string_view otherCompiler = "a network that is compiled otherwise";
inline constexpr std::string_view chunkedLoss = "a loss in chunks";
inline constexpr std::string_view otherLoss = "a loss that is computed otherwise";
inline constexpr std::string_view otherCheckpointing = "selective checkpointing";
inline constexpr std::string_view sparseWeights = "sparse weights";
inline constexpr std::string_view sparseAttention = "sparse attention";
inline constexpr std::string_view droppedLayers = "layers that are left out at random";
inline constexpr std::string_view clippedQueries = "clipped queries, keys and values";
inline constexpr std::string_view algorithms = "algorithms that are not run here";
inline constexpr std::string_view singleExperts = "experts that are run one by one";
inline constexpr std::string_view megatron = "Megatron's own kernels";
/// Applies to trials in the user's Python only.
inline constexpr std::string_view otherModules = "modules of transformers in place of the trainer's own";
inline constexpr std::string_view otherKernels = "kernels that are not run here";
inline constexpr std::string_view otherAttention = "attention that is not run here";
inline constexpr std::string_view packedTexts = "packed texts";

// What is trained.
inline constexpr std::string_view partsOfMatrices = "parts of a fused matrix that stay frozen";
inline constexpr std::string_view adapterOfFile = "an adapter that another file describes";
inline constexpr std::string_view frozenAdapter = "an adapter that the run freezes too";
inline constexpr std::string_view fullTraining = "full training in place of adapters";

// What evaluation does differently from training.
inline constexpr std::string_view unpackedEvaluation = "texts that evaluation does not pack";
inline constexpr std::string_view writtenTexts = "texts that evaluation writes";
inline constexpr std::string_view narrowEvaluation = "weights that evaluation has in 16 bits";

/// For numbers recorded by an older program, which knew no label: a number must not look as configured unless
/// it is known to be.
inline constexpr std::string_view olderRecord = "an older record, which does not tell";

/// Properties of an approximation. Only approximations with at least one property have a row in the table.
struct Traits
{
    std::string_view phrase;
    /// Whether the approximation does not affect evaluation.
    bool isOfTrainingAlone = false;
    /// Whether the approximation does not affect training.
    bool isOfEvaluationAlone = false;
    /// Whether trials hold the same bytes as the run, so that only the speed differs.
    bool isOfSpeedAlone = false;
    /// Whether the approximation holds in batchpeak-worker only, because the user's Python takes the same
    /// library's step or kernel as the run: those of bitsandbytes, those of torchao for 4 bits, and torch's
    /// compiler (python/batchpeak_trial/optimizers.py, adapters.py and workload.py).
    bool isOfWorkerAlone = false;
};

inline constexpr std::array table{
    Traits{.phrase = hostOptimizer, .isOfTrainingAlone = true},
    Traits{.phrase = hostActivations, .isOfTrainingAlone = true},
    Traits{.phrase = otherOptimizer, .isOfTrainingAlone = true},
    Traits{.phrase = pagedOptimizer, .isOfTrainingAlone = true},
    Traits{.phrase = step8bit, .isOfTrainingAlone = true, .isOfSpeedAlone = true, .isOfWorkerAlone = true},
    Traits{.phrase = torchaoStep8bit, .isOfTrainingAlone = true, .isOfSpeedAlone = true},
    Traits{.phrase = step4bit, .isOfTrainingAlone = true, .isOfSpeedAlone = true, .isOfWorkerAlone = true},
    Traits{.phrase = unfusedStep, .isOfTrainingAlone = true},
    Traits{.phrase = lionByOperations,
           .isOfTrainingAlone = true,
           .isOfSpeedAlone = true,
           .isOfWorkerAlone = true},
    Traits{.phrase = moreMoments, .isOfTrainingAlone = true},
    Traits{.phrase = updatesInBackward, .isOfTrainingAlone = true},
    Traits{.phrase = fp32Gradients, .isOfTrainingAlone = true},
    Traits{.phrase = droppedLayers, .isOfTrainingAlone = true},
    Traits{.phrase = bf16Copies, .isOfTrainingAlone = true},
    Traits{.phrase = otherCheckpointing, .isOfTrainingAlone = true},
    Traits{.phrase = fullTraining, .isOfTrainingAlone = true},
    Traits{.phrase = unpackedEvaluation, .isOfEvaluationAlone = true},
    Traits{.phrase = writtenTexts, .isOfEvaluationAlone = true},
    Traits{.phrase = narrowEvaluation, .isOfEvaluationAlone = true},
    Traits{.phrase = kernel4bit, .isOfSpeedAlone = true, .isOfWorkerAlone = true},
    Traits{.phrase = kernel8bit, .isOfSpeedAlone = true, .isOfWorkerAlone = true},
    Traits{.phrase = integerProducts, .isOfSpeedAlone = true, .isOfWorkerAlone = true},
    Traits{.phrase = singleExperts, .isOfSpeedAlone = true},
    Traits{.phrase = tf32OnCpu, .isOfSpeedAlone = true},
    Traits{.phrase = compiled, .isOfWorkerAlone = true}};

inline Traits traitsOf(std::string_view phrase)
{
    const auto row = std::ranges::find(table, phrase, &Traits::phrase);
    return row == table.end() ? Traits{.phrase = phrase} : *row;
}

} // namespace batchpeak::config::approximation
