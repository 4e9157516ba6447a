// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "held_memory.h"
#include "layer_kind.h"
#include "step_memory.h"

#include <algorithm>

namespace batchpeak::model {

/// What the layers of transformers take of a step's memory: the part of stepMemory() that all of them share.

ElementBytes computedBytes(const StepSettings& settings);

/// Bytes of an element.
struct Widths
{
    /// Of the hidden state between layers, which has the type of the embedding: autocast narrows it not.
    double state = 4.0;
    /// Of operands and results of products.
    double product = 4.0;
};

Widths widthsOf(const StepSettings& settings);

/// Bytes that a sample takes in a part of the network.
struct PartBytes
{
    /// Until backward has passed the part.
    double kept = 0.0;
    /// Beside it at the worst moment of the part's backward.
    double backward = 0.0;
    /// In all at the worst moment of its forward, where nothing is kept.
    double evaluated = 0.0;

    PartBytes& operator+=(const PartBytes& other)
    {
        kept += other.kept;
        backward = std::max(backward, other.backward);
        evaluated = std::max(evaluated, other.evaluated);
        return *this;
    }
};

/// Copies of the inputs of a layer's products that backward keeps for what is learned from them, in elements
/// of products.
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
    /// Elements of all queries of a token, and of all its keys.
    double queries = 0.0;
    double keys = 0.0;
    double feedForward = 0.0;
    Activation activation = Activation::Gelu;
    /// Copies of queries and keys that rotation and normalization of heads make.
    double headCopies = 0.0;
    /// Attention keeps its matrices: plain products were asked for, or no fused kernel takes what it
    /// computes, a bias that learns, or dropout on the CPU.
    bool keepsAttention = false;
    /// Scores are capped, which plain products alone can.
    bool isCapped = false;
    bool dropsAttention = false;
    /// Heads of keys are repeated until they are as many as those of queries, as beside a mask.
    bool repeatsKeys = false;
    /// Experts that a token takes; 0 where there are none. Of one that all tokens take, its size.
    double experts = 0.0;
    double sharedExpert = 0.0;
    bool hasExpertGate = false;
    Branches branches = Branches::Sequential;
    bool normalizesOutputs = false;
    double dropout = 0.0;
    KeptInputs keptInputs = {};
    /// Of a token, what DoRA keeps of outputs, in elements of products.
    double keptOutputs = 0.0;
};

PartBytes transformerLayer(double tokens, const LayerShape& shape, const StepSettings& settings);

/// \param keyTokens  that the tokens attend to: their own, or those of another sequence
PartBytes attentionBytes(double tokens, double keyTokens, const LayerShape& layer, const Widths& widths);

/// Input and result of a normalization before a product.
double normalizationBytes(double tokens, double hidden, const Widths& widths);

} // namespace batchpeak::model
