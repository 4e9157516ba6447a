// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "layer_memory.h"

#include <initializer_list>
#include <string_view>

namespace batchpeak::model {

namespace {

/// Whether adapters do not cast their inputs: with quantized matrices under autocast. Otherwise they cast
/// them to their own dtype (core/network/networks/adapters.cpp).
bool takesInputsAsTheyCome(const StepSettings& settings)
{
    return isMixed(settings.precision) && isQuantized(settings.tuning.frozenWeights);
}

/// Returns the ratio of an element's size in the products of adapters to that in other products. If it is not
/// 1, each adapter makes a copy of its input, since there is no autocast.
double widthOfAdapters(const StepSettings& settings)
{
    const ElementBytes bytes = computedBytes(settings);
    return isMixed(settings.precision) ? 1.0 : bytes.trained / bytes.product;
}

/// Whether each product keeps an input of its own although several have the same one: autocast casts a wide
/// input for each product, an adapter with another dtype casts it, and dropout is drawn anew for each
/// adapter.
bool keepsOwnInputs(const StepSettings& settings)
{
    if (hasAdapters(settings.tuning) && (settings.tuning.dropout > 0.0 || widthOfAdapters(settings) != 1.0))
        return true;
    const Widths widths = widthsOf(settings);
    return isMixed(settings.precision) &&
           !(takesInputsAsTheyCome(settings) && widths.state <= widths.product);
}

/// Returns the number of copies of an input that are kept, in elements of products. A trained matrix keeps
/// its input; a frozen one does not, unless it has 8 bits (core/network/kernels/quantized_linear.h). An
/// adapter keeps a copy of its own if autocast or the adapter itself casts the input, or if dropout changes
/// it; dropout also keeps its mask (core/network/networks/adapters.cpp).
///
/// \param width  size of an element of the input before adapters cast it, in elements of products
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
    // What dropout keeps has as many bytes as its input.
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

/// A projection and the size of its output.
struct Outputs
{
    Projection projection = Projection::Query;
    double elements = 0.0;
};

/// Returns what DoRA keeps per token in addition to its input, in elements of products: for each adapted
/// projection the outputs of the matrix and of the adapter (core/network/networks/adapters.cpp).
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

/// Returns what is kept per token for the backward pass between the products of a feed-forward layer, in
/// elements of products: relu's result, or the input of a kernel and what the next product keeps; with gates
/// also both factors. If an activation has several operations, each keeps its own
/// (core/network/networks/activations.cpp).
double keptBetweenProducts(const LayerShape& layer, const Widths& widths)
{
    using enum Activation;
    // Autocast widens pow() on a GPU, and everything computed from its result.
    const double wide = widths.product < widths.state ? floatBytes / widths.product : 1.0;
    // Input, tanh and 1 + tanh, in addition to half the input.
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
    case SwiGlu:
    case GeGlu:
        kept = 3.0 + next;
        break;
    case GeGluNew:
        // Both factors are in one tensor, which also contains the input, unless that is widened.
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

/// Returns the memory of one feed-forward layer, or of its routed experts.
PartBytes feedForward(double tokens, const LayerShape& layer, const Widths& widths)
{
    const double inner = (isGated(layer.activation) ? 2.0 : 1.0) * layer.feedForward;
    const double keptInside = keptBetweenProducts(layer, widths);
    const double taken = std::max(layer.experts, 1.0);
    // A token's state is gathered for each of its experts, whose outputs are weighted and summed.
    const double gathered =
        layer.experts * layer.hidden * (widths.product + widths.product + floatBytes + widths.state);
    // The backward pass frees what the second product has kept before it allocates the gradient of the first.
    return {.kept = tokens * (taken * keptInside * widths.product + gathered),
            .backward = tokens * taken * inner * widths.product,
            .evaluated = tokens * taken * (inner + layer.feedForward) * widths.product};
}

/// Returns the memory of the shared expert, and what its gate keeps.
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

/// Returns the memory of the matrices of all pairs as eager_attention_forward() of transformers 5.23.0 keeps
/// them (models/gemma2/modeling_gemma2.py): the results of tanh, the probabilities in fp32, and in 16 bits;
/// also queries, keys and values in the order of heads, and the result of attention.
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

/// Returns the layer with what the tuning keeps. Routed experts have no adapters, and their frozen matrices
/// keep nothing.
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

/// Returns the inputs of the branches' first products that the layer keeps per token, as multiples of the
/// hidden size in elements of products.
double keptOfInputs(const LayerShape& layer, const StepSettings& settings)
{
    const bool hasOwn = keepsOwnInputs(settings);
    const auto& [attention, feedForward, down] = layer.keptInputs;
    double kept = layer.branches == Branches::Parallel && !hasOwn ? std::max(attention, feedForward)
                                                                  : attention + feedForward;
    // Router, shared expert and its gate each cast the input for themselves.
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
        // Scaled queries and keys, probabilities, and the mask and result of dropout on them.
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
    // Inputs of the normalizations: the state before each branch; parallel branches share one.
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

double lossBytes(double rows, double choices, const Widths& widths, Phase phase)
{
    const double narrow = widths.product < floatBytes ? widths.product : 0.0;
    const double values = phase == Phase::Train ? 3.0 * floatBytes : 2.0 * floatBytes + narrow;
    return rows * choices * values;
}

double tokenLossBytes(double rows, double choices, double hidden, const Widths& widths,
                      const StepSettings& settings, bool isCapped)
{
    if (settings.options.lossChunkRows > 0) {
        // Recomputed chunks are slices of a copy of the rows that count. The backward pass adds the gradient
        // of each chunk, which is as large as the copy, to that of the previous chunks.
        const bool addsUp = settings.options.recomputesLossChunks && settings.phase == Phase::Train;
        return rows * hidden * widths.state * (addsUp ? 3.0 : 1.0);
    }
    // With parts, the log-probabilities of all are kept, and the rest of the backward pass's memory is that
    // of one part at a time. A cap keeps the results of its tanh.
    const double each = floatBytes + (isCapped ? widths.product : 0.0);
    const double kept = settings.phase == Phase::Train ? rows * choices * each : 0.0;
    const double logarithms = settings.phase == Phase::Train ? rows * choices * floatBytes : 0.0;
    const double all = lossBytes(rows, choices, widths, settings.phase);
    return kept + (all - logarithms) / static_cast<double>(settings.options.lossParts);
}

double chunkBytes(double choices, const StepSettings& settings, bool isCapped)
{
    // The recomputation also computes the entropy of the predictions.
    const double again = settings.options.recomputesLossChunks ? 1.0 : 0.0;
    const double matrices = again + (isCapped ? 4.0 : 3.0);
    return matrices * floatBytes * static_cast<double>(settings.options.lossChunkRows) * choices;
}

double chunkGradientBytes(const std::vector<Parameter>& table, const StepSettings& settings)
{
    const bool recomputes = settings.options.recomputesLossChunks;
    const bool trains = settings.phase == Phase::Train;
    if (settings.options.lossChunkRows == 0 || (!trains && !recomputes))
        return 0.0;
    const auto named = [&](std::string_view name) {
        return std::ranges::find(table, name, &Parameter::name);
    };
    auto output = named("output.weight");
    if (output == table.end())
        output = named("embed_tokens.weight");
    if (output == table.end())
        return 0.0;
    const ElementBytes widths = computedBytes(settings);
    const auto elements = static_cast<double>(output->elements());
    const double width = output->isTrained() ? widths.trained : widths.frozen;
    const bool learns = trains && output->isTrained();
    const double bytes = learns ? elements * widths.trained : 0.0;
    if (!recomputes)
        return bytes;
    // Each chunk has a gradient of its own, which is added to that of the previous chunks.
    const bool isNarrow = width < floatBytes;
    if (!isNarrow && trains)
        return 2.0 * bytes;
    if (!isNarrow && !isMixed(settings.precision))
        return 0.0;
    // The memory that chunkBytes() counts is not in use while the weights are widened and cast back to 16
    // bits for the product; the 16-bit ones are kept for the backward pass. Their gradient exists in 16 bits,
    // in fp32 and again in 16 bits.
    const auto choices = static_cast<double>(output->shape.front());
    const double ofChunk = chunkBytes(choices, settings);
    const double logits = halfBytes * static_cast<double>(settings.options.lossChunkRows) * choices;
    double max = std::max(ofChunk, elements * (isNarrow ? floatBytes + halfBytes : halfBytes) + logits);
    if (trains)
        max = std::max(max, elements * halfBytes + ofChunk);
    if (learns)
        max =
            std::max({max, elements * (2.0 * halfBytes + floatBytes), elements * 2.0 * halfBytes + ofChunk});
    return max - ofChunk - (isNarrow ? 0.0 : elements * halfBytes);
}

} // namespace batchpeak::model
