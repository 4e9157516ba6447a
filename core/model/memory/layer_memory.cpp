// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "layer_memory.h"

#include <initializer_list>

namespace batchpeak::model {

namespace {

/// Adapters take their inputs in their own type, but beside quantized matrices under autocast, where each
/// takes them as they come (core/network/networks/adapters.cpp).
bool takesInputsAsTheyCome(const StepSettings& settings)
{
    return isMixed(settings.precision) && isQuantized(settings.tuning.frozenWeights);
}

/// Bytes of an element of what adapters compute, over those of other products. Where there is no autocast
/// each of them makes a copy of its input for that.
double widthOfAdapters(const StepSettings& settings)
{
    const ElementBytes bytes = computedBytes(settings);
    return isMixed(settings.precision) ? 1.0 : bytes.trained / bytes.product;
}

/// Each product keeps an input of its own, though several have the same: autocast narrows it for each where
/// it is wide, an adapter of another type casts it, and dropout drops for each adapter anew.
bool keepsOwnInputs(const StepSettings& settings)
{
    if (hasAdapters(settings.tuning) && (settings.tuning.dropout > 0.0 || widthOfAdapters(settings) != 1.0))
        return true;
    const Widths widths = widthsOf(settings);
    return isMixed(settings.precision) &&
           !(takesInputsAsTheyCome(settings) && widths.state <= widths.product);
}

/// A matrix that is trained keeps its input, and one that is frozen does not, but for those in 8 bits
/// (core/network/kernels/quantized_linear.h). An adapter keeps a copy of its
/// own where autocast narrows it or its own type differs, and where dropout changes it with what it dropped
/// (core/network/networks/adapters.cpp).
///
/// \param width  of its elements before adapters take them, in elements of products
double keptCopies(const StepSettings& settings, double width, std::initializer_list<Projection> projections)
{
    const Tuning& tuning = settings.tuning;
    if (!hasAdapters(tuning))
        return 1.0;
    double adapters = 0.0;
    for (const Projection projection : projections) {
        adapters += isTarget(tuning, projection) ? 1.0 : 0.0;
    }
    const double ofMatrix = tuning.frozenWeights == FrozenWeights::Int8 ? 1.0 : 0.0;
    const double taken = widthOfAdapters(settings);
    const double copies =
        keepsOwnInputs(settings) ? taken * adapters + ofMatrix : std::min(adapters + ofMatrix, 1.0);
    // What dropout keeps is as wide as what it drops from.
    const double wide = isMixed(settings.precision) && !takesInputsAsTheyCome(settings) ? 2.0
                        : taken != 1.0                                                  ? taken
                                                                                        : width;
    const double masks = tuning.dropout > 0.0 ? wide * adapters : 0.0;
    return copies + masks;
}

KeptInputs keptInputs(const StepSettings& settings)
{
    using enum Projection;
    const Widths widths = widthsOf(settings);
    const double normalized = widths.state / widths.product;
    return {.attention = keptCopies(settings, normalized, {Query, Key, Value, QueryKeyValue}),
            .feedForward = keptCopies(settings, normalized, {Gate, Up, GateUp}),
            .down = keptCopies(settings, 1.0, {Down})};
}

/// A projection and its outputs.
struct Outputs
{
    Projection projection = Projection::Query;
    double elements = 0.0;
};

/// What DoRA keeps of a token beside its input: of each adapted projection what the matrix and what the
/// adapter say (core/network/networks/adapters.cpp). Elements of products.
double keptOutputs(const StepSettings& settings, std::initializer_list<Outputs> outputs)
{
    const Tuning& tuning = settings.tuning;
    double kept = 0.0;
    for (const auto& [projection, elements] : outputs) {
        if (tuning.adapter == AdapterKind::Dora && isTarget(tuning, projection))
            kept += (1.0 + widthOfAdapters(settings)) * elements;
    }
    return kept;
}

/// What backward needs of a token between the products of a feed-forward layer, in elements of products:
/// relu's result, or the input of a kernel and what the next product keeps, of gated ones both factors too.
/// Of several operations each keeps its own (core/network/networks/activations.cpp).
double keptBetweenProducts(const LayerShape& layer, const Widths& widths)
{
    using enum Activation;
    // Autocast widens pow() on a GPU, and what comes of it.
    const double wide = widths.product < widths.state ? floatBytes / widths.product : 1.0;
    // Input, tanh and 1 + tanh, beside half the input.
    const double ofNew = 1.0 + 3.0 * wide;
    const double next = layer.keptInputs.down;
    double kept = 1.0 + next;
    switch (layer.activation) {
    case Relu:
        kept = 1.0;
        break;
    case GeluNew:
        kept = ofNew + next;
        break;
    case GeluFast:
        kept = 7.0 + next;
        break;
    case GeluPython:
        kept = 3.0 + next;
        break;
    case SwiGlu:
    case GeGlu:
        kept = 3.0 + next;
        break;
    case GeGluNew:
        // Both factors lie in one tensor, of which the input is a part, unless it is widened.
        kept = 2.0 + ofNew + (wide > 1.0 ? wide : 0.0) + next;
        break;
    case Gelu:
    case GeluTanh:
    case BloomGelu:
    case ReluSquared:
        break;
    }
    return kept * layer.feedForward;
}

/// One feed-forward layer, or the routed experts of one.
PartBytes feedForward(double tokens, const LayerShape& layer, const Widths& widths)
{
    const double inner = (isGated(layer.activation) ? 2.0 : 1.0) * layer.feedForward;
    const double keptInside = keptBetweenProducts(layer, widths);
    const double taken = std::max(layer.experts, 1.0);
    // A token's state is gathered for each of its experts, and what they say is weighted and added up.
    const double gathered =
        layer.experts * layer.hidden * (widths.product + widths.product + floatBytes + widths.state);
    // Backward gives back what the second product has kept before it takes the gradient of the first.
    return {.kept = tokens * (taken * keptInside * widths.product + gathered),
            .backward = tokens * taken * inner * widths.product,
            .evaluated = tokens * taken * (inner + layer.feedForward) * widths.product};
}

/// The expert that every token takes, and what its gate keeps of it.
PartBytes sharedExpert(double tokens, const LayerShape& layer, const Widths& widths)
{
    LayerShape shared = layer;
    shared.feedForward = layer.sharedExpert;
    shared.experts = 0.0;
    PartBytes bytes = feedForward(tokens, shared, widths);
    if (layer.hasExpertGate)
        bytes.kept += tokens * layer.hidden * widths.product;
    bytes.evaluated += tokens * layer.hidden * widths.product;
    return bytes;
}

/// Matrices of all pairs as eager_attention_forward() of transformers 5.23.0 keeps them
/// (models/gemma2/modeling_gemma2.py): what the tangent has made, chances in fp32, and narrow ones; queries,
/// keys and values in the order of heads, and what is attended to.
PartBytes cappedAttention(double tokens, const LayerShape& layer, const Widths& widths)
{
    const double pairs = layer.heads * tokens * tokens;
    const double narrow = widths.product < floatBytes ? widths.product : 0.0;
    const double dropped = layer.dropsAttention ? widths.product + 1.0 : 0.0;
    return {.kept = tokens * 4.0 * layer.queries * widths.product +
                    pairs * (widths.product + floatBytes + narrow + dropped),
            .backward = pairs * 2.0 * floatBytes,
            .evaluated = tokens * 4.0 * layer.queries * widths.product + pairs * 2.0 * floatBytes};
}

/// With what a tuning keeps of it. Routed experts have no adapters, and their frozen matrices keep nothing.
LayerShape tuned(LayerShape layer, const StepSettings& settings)
{
    using enum Projection;
    layer.keptInputs = keptInputs(settings);
    const bool isRouted = layer.experts > 0.0;
    const bool isAdaptable = !isRouted || layer.sharedExpert > 0.0;
    if (!isAdaptable && hasAdapters(settings.tuning))
        layer.keptInputs.feedForward = layer.keptInputs.down = 0.0;
    const double size = isRouted ? layer.sharedExpert : layer.feedForward;
    const double gated = isGated(layer.activation) ? size : 0.0;
    layer.keptOutputs = keptOutputs(settings, {{Query, layer.queries},
                                               {Key, layer.keys},
                                               {Value, layer.keys},
                                               {QueryKeyValue, layer.queries + 2.0 * layer.keys},
                                               {AttentionOutput, layer.hidden},
                                               {Gate, gated},
                                               {Up, size},
                                               {GateUp, gated + size},
                                               {Down, isAdaptable ? layer.hidden : 0.0}});
    return layer;
}

/// Inputs of products that the layer keeps of a token, in elements of its state: the branches' first ones.
double keptOfInputs(const LayerShape& layer, const StepSettings& settings)
{
    const bool hasOwn = keepsOwnInputs(settings);
    const auto& [attention, feedForward, down] = layer.keptInputs;
    double kept = layer.branches == Branches::Parallel && !hasOwn ? std::max(attention, feedForward)
                                                                  : attention + feedForward;
    // Router, shared expert and its gate narrow it each for itself.
    if (layer.sharedExpert > 0.0 && isMixed(settings.precision) && !hasAdapters(settings.tuning))
        kept += layer.hasExpertGate ? 2.0 : 1.0;
    return kept;
}

} // namespace

ElementBytes computedBytes(const StepSettings& settings)
{
    return gatheredBytes(settings.precision, settings.tuning, settings.phase, settings.options);
}

Widths widthsOf(const StepSettings& settings)
{
    const ElementBytes bytes = computedBytes(settings);
    return {.state = trainsAll(settings.tuning) ? bytes.trained : bytes.frozen, .product = bytes.product};
}

PartBytes attentionBytes(double tokens, double keyTokens, const LayerShape& layer, const Widths& widths)
{
    if (layer.isCapped)
        return cappedAttention(tokens, layer, widths);
    const double copies = layer.headCopies * (layer.queries + layer.keys);
    const double keys = layer.repeatsKeys ? layer.queries : layer.keys;
    PartBytes bytes{.kept = tokens * (2.0 * layer.queries + copies) * widths.product +
                            keyTokens * 2.0 * keys * widths.product,
                    .backward = tokens * layer.queries * widths.product,
                    .evaluated = (2.0 * tokens * layer.queries + 2.0 * keyTokens * keys) * widths.product};
    if (layer.keepsAttention) {
        const double matrix = layer.heads * tokens * keyTokens * floatBytes;
        // Scaled queries and keys, chances, and what dropout makes of them.
        bytes.kept += (tokens * layer.queries + keyTokens * layer.keys) * widths.product +
                      (layer.dropout > 0.0 ? 3.0 : 1.0) * matrix;
        bytes.backward += matrix;
    } else {
        bytes.kept += tokens * layer.heads * floatBytes;
    }
    return bytes;
}

double normalizationBytes(double tokens, double hidden, const Widths& widths)
{
    return tokens * hidden * (widths.state + widths.product);
}

PartBytes transformerLayer(double tokens, const LayerShape& shape, const StepSettings& settings)
{
    const Widths widths = widthsOf(settings);
    const LayerShape layer = tuned(shape, settings);
    PartBytes bytes = attentionBytes(tokens, tokens, layer, widths);
    LayerShape routed = layer;
    if (layer.experts > 0.0 && hasAdapters(settings.tuning))
        routed.keptInputs.down = 0.0;
    bytes += feedForward(tokens, routed, widths);
    if (layer.sharedExpert > 0.0)
        bytes += sharedExpert(tokens, layer, widths);
    // Inputs of the norms: the state before each branch, where they do not start from the same one.
    const double states = layer.branches == Branches::Sequential ? 2.0 : 1.0;
    bytes.kept +=
        tokens * layer.hidden * (states * widths.state + keptOfInputs(layer, settings) * widths.product) +
        tokens * layer.keptOutputs * widths.product;
    if (layer.normalizesOutputs)
        bytes.kept += 2.0 * tokens * layer.hidden * widths.product;
    if (layer.dropout > 0.0)
        bytes.kept += 2.0 * tokens * layer.hidden * widths.product;
    bytes.backward += tokens * layer.hidden * widths.state;
    bytes.evaluated += tokens * layer.hidden * (3.0 * widths.state + widths.product);
    return bytes;
}

} // namespace batchpeak::model
