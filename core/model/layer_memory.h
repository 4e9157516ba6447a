// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "held_memory.h"
#include "layer_kind.h"
#include "parameter.h"
#include "step_memory.h"

#include <algorithm>
#include <vector>

namespace batchpeak::model {

/// Memory that transformer layers take in a step: the part of stepMemory() that all transformers share.

ElementBytes computedBytes(const StepSettings& settings);

/// Sizes of elements [bytes].
struct Widths
{
    /// Size for the hidden state between layers, which has the dtype of the embedding: autocast does not cast
    /// it.
    double state = 4.0;
    /// Size for operands and results of products.
    double product = 4.0;
};

Widths widthsOf(const StepSettings& settings);

/// Bytes that a sample takes in a part of the network.
struct PartBytes
{
    /// Kept until the backward pass of the part is done.
    double kept = 0.0;
    /// Additional bytes at the peak of the part's backward pass.
    double backward = 0.0;
    /// Total at the peak of its forward pass in evaluation, which keeps nothing.
    double evaluated = 0.0;

    PartBytes& operator+=(const PartBytes& other)
    {
        kept += other.kept;
        backward = std::max(backward, other.backward);
        evaluated = std::max(evaluated, other.evaluated);
        return *this;
    }
};

/// Number of copies of the inputs of a layer's products that are kept for gradients, in elements of products.
struct KeptInputs
{
    double attention = 1.0;
    double feedForward = 1.0;
    double down = 1.0;
};

/// One transformer layer.
struct LayerShape
{
    double hidden = 0.0;
    double heads = 0.0;
    /// Number of elements in all queries of a token, and in all its keys.
    double queries = 0.0;
    double keys = 0.0;
    double feedForward = 0.0;
    Activation activation = Activation::Gelu;
    /// Number of copies of queries and keys that rotation and normalization of heads make.
    double headCopies = 0.0;
    /// Whether attention keeps its matrices: plain products were requested, or no fused kernel supports what
    /// it computes, such as a bias that is trained, or dropout on the CPU.
    bool keepsAttention = false;
    /// Whether scores are capped, which only plain products support.
    bool isCapped = false;
    bool dropsAttention = false;
    /// Whether key heads are repeated to match the number of query heads, as happens with a mask.
    bool repeatsKeys = false;
    /// Number of experts that a token takes; 0 if there are none. Size of the shared expert, which all tokens
    /// take.
    double experts = 0.0;
    double sharedExpert = 0.0;
    bool hasExpertGate = false;
    Branches branches = Branches::Sequential;
    bool normalizesOutputs = false;
    double dropout = 0.0;
    KeptInputs keptInputs = {};
    /// Outputs that DoRA keeps per token, in elements of products.
    double keptOutputs = 0.0;
};

PartBytes transformerLayer(double tokens, const LayerShape& shape, const StepSettings& settings);

/// \param keyTokens  number of tokens that are attended to: the same tokens, or those of another sequence
PartBytes attentionBytes(double tokens, double keyTokens, const LayerShape& layer, const Widths& widths);

/// Returns the bytes for input and result of a normalization before a product.
double normalizationBytes(double tokens, double hidden, const Widths& widths);

// Memory of the projection onto classes or a vocabulary ("choices") and of its loss, after
// core/network/networks/token_loss.cpp.

/// Returns the bytes for the projection of \p rows rows onto a vocabulary or onto classes, and for its cross
/// entropy. The backward pass holds the log-probabilities, their gradient and that of the logits at once,
/// each in fp32.
double lossBytes(double rows, double choices, const Widths& widths, Phase phase);

/// Returns the bytes for the loss of a token network. Its rows may be computed in chunks, whose memory does
/// not grow with the number of samples; but the gradient of the hidden state exists for all rows at once.
double tokenLossBytes(double rows, double choices, double hidden, const Widths& widths,
                      const StepSettings& settings, bool isCapped = false);

/// Returns the bytes for the logits of a chunk with their probabilities and gradient.
double chunkBytes(double choices, const StepSettings& settings, bool isCapped = false);

/// Returns the bytes for the gradient of a trained output, to which all chunks add before it is added to the
/// gradient of the step.
double chunkGradientBytes(const std::vector<Parameter>& table, const StepSettings& settings);

} // namespace batchpeak::model
