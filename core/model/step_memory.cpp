// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "step_memory.h"

#include "parameter_table.h"

#include <algorithm>
#include <vector>

namespace batchpeak::model {

namespace {

constexpr double floatBytes = 4.0;
constexpr double halfBytes = 2.0;
constexpr double tokenBytes = 8.0;

/// Bytes of an element.
struct Widths
{
    /// Of parameters, and of the hidden state between layers: autocast narrows neither.
    double state = floatBytes;
    /// Of operands and results of products.
    double product = floatBytes;
};

Widths widthsOf(Precision precision)
{
    switch (precision) {
    case Precision::Fp32:
    case Precision::Tf32:
        break;
    case Precision::Bf16:
        return {.state = floatBytes, .product = halfBytes};
    case Precision::PureBf16:
    case Precision::PlainBf16:
        return {.state = halfBytes, .product = halfBytes};
    }
    return {};
}

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

/// A network's parts, as memory has them.
struct Parts
{
    /// Of a sample as it comes from the data, which stays for the whole step.
    double inputBytes = 0.0;
    /// Before the layers, beside the sample.
    PartBytes inputs;
    /// In their order, and what activation checkpointing keeps of each.
    std::vector<PartBytes> layers;
    double layerInput = 0.0;
    /// From the last layer to the loss.
    PartBytes head;
    /// Bytes that do not grow with the size.
    double tables = 0.0;
};

/// The projection onto a vocabulary or onto classes, and its cross entropy, of so many rows. Backward holds
/// logarithms of chances, their gradient and that of the logits at once, each in fp32.
double lossBytes(double rows, double choices, const Widths& widths, Phase phase)
{
    const double narrow = widths.product < floatBytes ? widths.product : 0.0;
    const double values = phase == Phase::Train ? 3.0 * floatBytes : 2.0 * floatBytes + narrow;
    return rows * choices * values;
}

/// The same of a network of tokens, whose rows may be taken in chunks, which need no more for more samples;
/// but the hidden state gets its gradient at once.
double tokenLossBytes(double rows, double choices, double hidden, const Widths& widths,
                      const StepSettings& settings)
{
    if (settings.options.lossChunkRows > 0)
        return rows * hidden * widths.state;
    return lossBytes(rows, choices, widths, settings.phase);
}

/// Logits of a chunk with their chances and gradient, and the weight's gradient, which all chunks add to.
double chunkBytes(double choices, double hidden, const StepSettings& settings)
{
    if (settings.options.lossChunkRows == 0)
        return 0.0;
    const double weight = settings.phase == Phase::Train ? choices * hidden * floatBytes : 0.0;
    return 3.0 * floatBytes * static_cast<double>(settings.options.lossChunkRows) * choices + weight;
}

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
    /// Copies of queries and keys that rotation and normalisation of heads make.
    double headCopies = 0.0;
    /// Attention keeps its matrices: plain products were asked for, or no fused kernel takes what it
    /// computes, a bias that learns, or dropout on the CPU.
    bool keepsAttention = false;
    /// Experts that a token takes; 0 where there are none.
    double experts = 0.0;
    double dropout = 0.0;
};

PartBytes feedForward(double tokens, const LayerShape& layer, const Widths& widths)
{
    const bool isGatedLayer = isGated(layer.activation);
    const double inner = (isGatedLayer ? 2.0 : 1.0) * layer.feedForward;
    // What an activation's backward needs: relu its result, others their input, gated ones both factors.
    const double keptInside = layer.activation == Activation::Relu ? layer.feedForward
                              : isGatedLayer                       ? inner + 2.0 * layer.feedForward
                                                                   : inner + layer.feedForward;
    const double taken = std::max(layer.experts, 1.0);
    // A token's state is gathered for each of its experts, and what they say is weighted and added up.
    const double gathered =
        layer.experts * layer.hidden * (widths.product + widths.product + floatBytes + widths.state);
    // Backward gives back what the second product has kept before it takes the gradient of the first.
    return {.kept = tokens * (taken * keptInside * widths.product + gathered),
            .backward = tokens * taken * inner * widths.product,
            .evaluated = tokens * taken * (inner + layer.feedForward) * widths.product};
}

/// \param keyTokens  that the tokens attend to: their own, or those of another sequence
PartBytes attention(double tokens, double keyTokens, const LayerShape& layer, const Widths& widths)
{
    const double copies = layer.headCopies * (layer.queries + layer.keys);
    PartBytes bytes{.kept = tokens * (2.0 * layer.queries + copies) * widths.product +
                            keyTokens * 2.0 * layer.keys * widths.product,
                    .backward = tokens * layer.queries * widths.product,
                    .evaluated =
                        (2.0 * tokens * layer.queries + 2.0 * keyTokens * layer.keys) * widths.product};
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

/// Input and result of a normalisation before a product.
double normalizationBytes(double tokens, double hidden, const Widths& widths)
{
    return tokens * hidden * (widths.state + widths.product);
}

PartBytes transformerLayer(double tokens, const LayerShape& layer, const Widths& widths)
{
    PartBytes bytes = attention(tokens, tokens, layer, widths);
    bytes += feedForward(tokens, layer, widths);
    bytes.kept += 2.0 * normalizationBytes(tokens, layer.hidden, widths);
    if (layer.dropout > 0.0)
        bytes.kept += 2.0 * tokens * layer.hidden * widths.product;
    bytes.backward += tokens * layer.hidden * widths.state;
    bytes.evaluated += tokens * layer.hidden * (3.0 * widths.state + widths.product);
    return bytes;
}

bool keepsAttention(double dropout, const StepSettings& settings)
{
    return dropout > 0.0 || settings.options.attention == Attention::Math;
}

Parts partsOf(const DecoderSpec& spec, const StepSettings& settings)
{
    const Widths widths = widthsOf(settings.precision);
    const auto tokens = static_cast<double>(settings.sequenceLength);
    const auto hidden = static_cast<double>(spec.hiddenSize);
    const auto heads = static_cast<double>(spec.heads);
    const auto headSize = static_cast<double>(headSizeOf(spec));
    const bool isRotary = spec.positionEmbedding == PositionEmbedding::Rotary;
    const LayerShape layer{.hidden = hidden,
                           .heads = heads,
                           .queries = heads * headSize,
                           .keys = static_cast<double>(spec.keyValueHeads) * headSize,
                           .feedForward = static_cast<double>(spec.feedForwardSize),
                           .activation = spec.activation,
                           .headCopies = (isRotary ? 1.0 : 0.0) + (spec.queryKeyNormalization ? 1.0 : 0.0),
                           .keepsAttention = keepsAttention(spec.attentionDropout, settings),
                           .experts = hasExperts(spec) ? static_cast<double>(spec.expertsPerToken) : 0.0,
                           .dropout = spec.dropout};
    const auto choices = static_cast<double>(spec.vocabularySize);
    Parts parts{.inputBytes = tokens * 2.0 * tokenBytes, .layerInput = tokens * hidden * widths.state};
    if (spec.embeddingNormalization)
        parts.inputs.kept += tokens * hidden * widths.state;
    parts.layers.assign(static_cast<std::size_t>(spec.layers), transformerLayer(tokens, layer, widths));
    parts.head = {.kept = normalizationBytes(tokens, hidden, widths),
                  .backward = tokenLossBytes(tokens, choices, hidden, widths, settings)};
    parts.tables = chunkBytes(choices, hidden, settings);
    if (isRotary)
        parts.tables += tokens * static_cast<double>(rotaryDimensionsOf(spec)) * widths.product;
    if (spec.positionEmbedding == PositionEmbedding::Alibi)
        parts.tables += heads * tokens * tokens * widths.product;
    return parts;
}

Parts partsOf(const EncoderSpec& spec, const StepSettings& settings)
{
    const Widths widths = widthsOf(settings.precision);
    const auto tokens = static_cast<double>(settings.sequenceLength);
    const auto hidden = static_cast<double>(spec.hiddenSize);
    const LayerShape layer{.hidden = hidden,
                           .heads = static_cast<double>(spec.heads),
                           .queries = hidden,
                           .keys = hidden,
                           .feedForward = static_cast<double>(spec.feedForwardSize),
                           .activation = spec.activation,
                           .headCopies = spec.positionEmbedding == PositionEmbedding::Rotary ? 1.0 : 0.0,
                           .keepsAttention = keepsAttention(spec.attentionDropout, settings),
                           .dropout = spec.dropout};
    const auto choices = static_cast<double>(spec.vocabularySize);
    const double predicted =
        spec.predictedTokens > 0 ? std::min(static_cast<double>(spec.predictedTokens), tokens) : tokens;
    Parts parts{.inputBytes = tokens * 3.0 * tokenBytes, .layerInput = tokens * hidden * widths.state};
    if (spec.embeddingNormalization)
        parts.inputs.kept += tokens * hidden * widths.state;
    parts.layers.assign(static_cast<std::size_t>(spec.layers), transformerLayer(tokens, layer, widths));
    parts.head.kept =
        spec.finalNormalization ? normalizationBytes(tokens, hidden, widths) : tokens * hidden * widths.state;
    if (spec.maskedLanguageHead) {
        parts.head.kept +=
            predicted * hidden * widths.product + normalizationBytes(predicted, hidden, widths);
        parts.head.backward = tokenLossBytes(predicted, choices, hidden, widths, settings);
        parts.tables = chunkBytes(choices, hidden, settings);
    }
    return parts;
}

Parts partsOf(const EncoderDecoderSpec& spec, const StepSettings& settings)
{
    const Widths widths = widthsOf(settings.precision);
    const auto tokens = static_cast<double>(settings.sequenceLength);
    const auto targets = static_cast<double>(settings.targetLength);
    const auto hidden = static_cast<double>(spec.hiddenSize);
    const auto heads = static_cast<double>(spec.heads);
    const LayerShape layer{.hidden = hidden,
                           .heads = heads,
                           .queries = heads * static_cast<double>(spec.headSize),
                           .keys = heads * static_cast<double>(spec.headSize),
                           .feedForward = static_cast<double>(spec.feedForwardSize),
                           .activation = spec.activation,
                           .keepsAttention = settings.phase == Phase::Train,
                           .dropout = spec.dropout};
    LayerShape cross = layer;
    cross.keepsAttention = settings.phase == Phase::Train && keepsAttention(spec.dropout, settings);
    PartBytes encoderLayer = transformerLayer(tokens, layer, widths);
    PartBytes decoderLayer = transformerLayer(targets, layer, widths);
    decoderLayer += attention(targets, tokens, cross, widths);
    decoderLayer.kept += normalizationBytes(targets, hidden, widths);
    if (spec.dropout > 0.0) {
        // Inside the feed-forward layer, too: what it drops by, and what is left.
        const double dropped = 2.0 * layer.feedForward * widths.product;
        encoderLayer.kept += tokens * dropped;
        decoderLayer.kept += targets * (dropped + hidden * widths.product);
    }

    const auto choices = static_cast<double>(spec.vocabularySize);
    Parts parts{.inputBytes = (tokens + 2.0 * targets) * tokenBytes,
                .layerInput = 0.5 * (tokens + targets) * hidden * widths.state};
    parts.layers.assign(static_cast<std::size_t>(spec.encoderLayers), encoderLayer);
    parts.layers.insert(parts.layers.end(), static_cast<std::size_t>(spec.decoderLayers), decoderLayer);
    // The encoder's result is read by every layer of the decoder.
    parts.head = {.kept = normalizationBytes(tokens, hidden, widths) +
                          normalizationBytes(targets, hidden, widths) + targets * hidden * widths.product,
                  .backward = tokenLossBytes(targets, choices, hidden, widths, settings)};
    parts.tables = chunkBytes(choices, hidden, settings) +
                   heads * (tokens * tokens + targets * targets) * 2.0 * widths.product;
    return parts;
}

Parts partsOf(const VisionTransformerSpec& spec, const StepSettings& settings)
{
    const Widths widths = widthsOf(settings.precision);
    const auto tokens = static_cast<double>(spec.positions());
    const auto hidden = static_cast<double>(spec.hiddenSize);
    const LayerShape layer{.hidden = hidden,
                           .heads = static_cast<double>(spec.heads),
                           .queries = hidden,
                           .keys = hidden,
                           .feedForward = static_cast<double>(spec.feedForwardSize),
                           .activation = spec.activation,
                           .keepsAttention = keepsAttention(spec.attentionDropout, settings),
                           .dropout = spec.dropout};
    Parts parts{.inputBytes =
                    static_cast<double>(spec.channels * spec.imageSize * spec.imageSize) * widths.state,
                .layerInput = tokens * hidden * widths.state};
    parts.layers.assign(static_cast<std::size_t>(spec.layers), transformerLayer(tokens, layer, widths));
    parts.head = {.kept = normalizationBytes(tokens, hidden, widths),
                  .backward = lossBytes(1.0, static_cast<double>(spec.classes), widths, settings.phase)};
    return parts;
}

/// A convolution with its normalisation, whose result has so many elements: backward keeps what both have
/// made.
PartBytes convolution(double elements, const Widths& widths)
{
    return {.kept = 2.0 * elements * widths.product,
            .backward = elements * widths.product,
            .evaluated = 2.0 * elements * widths.product};
}

PartBytes residualBlock(const ResNetBlock& block, double pixels, const Widths& widths)
{
    const double inner = static_cast<double>(block.inner) * pixels;
    const double before = inner * static_cast<double>(block.stride * block.stride);
    const double outputs = static_cast<double>(block.outputs) * pixels;
    PartBytes bytes = convolution(outputs, widths);
    if (block.isBottleneck)
        bytes += convolution(before, widths);
    bytes += convolution(inner, widths);
    // The shortcut's result is added to the block's at once.
    if (block.hasShortcut)
        bytes.kept += outputs * widths.product;
    return bytes;
}

Parts partsOf(const ResNetSpec& spec, const StepSettings& settings)
{
    const Widths widths = widthsOf(settings.precision);
    const auto half = [](std::int64_t size) { return (size + 1) / 2; };
    std::int64_t size = half(spec.imageSize);
    const auto elements = [&](std::int64_t channels) { return static_cast<double>(channels * size * size); };
    Parts parts{.inputBytes =
                    static_cast<double>(spec.channels * spec.imageSize * spec.imageSize) * widths.state};
    parts.inputs += convolution(elements(spec.width), widths);
    size = half(size);
    // The pool remembers where each of its results comes from.
    constexpr double indexBytes = 8.0;
    parts.inputs.kept += elements(spec.width) * (widths.product + indexBytes);
    double blockInputs = 0.0;
    for (const ResNetBlock& block : blocksOf(spec)) {
        blockInputs += elements(block.inputs) * widths.product;
        for (std::int64_t stride = block.stride; stride > 1; stride /= 2)
            size = half(size);
        parts.layers.push_back(residualBlock(block, static_cast<double>(size * size), widths));
    }
    parts.layerInput = blockInputs / static_cast<double>(parts.layers.size());
    parts.head.backward = lossBytes(1.0, static_cast<double>(spec.classes), widths, settings.phase);
    return parts;
}

/// Elements of all parameters as core/network holds them: each starts at a multiple of 256 bytes.
double heldElements(const std::vector<Parameter>& parameters, double width)
{
    constexpr std::int64_t alignment = 256;
    const std::int64_t step = alignment / static_cast<std::int64_t>(width);
    std::int64_t count = 0;
    for (const Parameter& parameter : parameters)
        count += (parameter.elements() + step - 1) / step * step;
    return static_cast<double>(count);
}

/// Parameters, gradients and optimizer state; of a step nothing else.
StepMemory heldMemory(const std::vector<Parameter>& parameters, const StepSettings& settings)
{
    const double width = widthsOf(settings.precision).state;
    const double elements = heldElements(parameters, width);
    StepMemory held{.parameterBytes = elements * width};
    if (settings.phase == Phase::Train) {
        held.gradientBytes = elements * width;
        held.optimizerBytes = elements * optimizerStateCopies(settings.optimizer) * floatBytes;
        if (width < floatBytes)
            held.optimizerBytes += elements * floatBytes;
    }
    held.constantBytes = held.parameterBytes + held.gradientBytes + held.optimizerBytes;
    return held;
}

/// Gradients of narrow parameters are widened part by part for their masters.
double wideningBytes(const std::vector<Parameter>& parameters, const StepSettings& settings)
{
    constexpr double mostWidened = 1 << 24;
    const double width = widthsOf(settings.precision).state;
    if (settings.phase == Phase::Eval || width >= floatBytes)
        return 0.0;
    return std::min(heldElements(parameters, width), mostWidened) * floatBytes;
}

/// The narrow copies of matrices that autocast makes once a step and backward reads again.
double castBytes(const std::vector<Parameter>& parameters, Precision precision)
{
    double bytes = 0.0;
    for (const Parameter& parameter : parameters) {
        if (precision == Precision::Bf16 && parameter.shape.size() > 1)
            bytes += static_cast<double>(parameter.elements()) * halfBytes;
    }
    return bytes;
}

/// What a sample takes at the worst moment of a step. Backward gives back what a part has kept before it
/// comes to the part below.
double sampleBytes(const Parts& parts, const StepSettings& settings)
{
    const bool checkpoints = settings.options.activationCheckpointing;
    double kept = parts.inputBytes + parts.inputs.kept;
    double most = kept + parts.inputs.backward;
    for (const PartBytes& layer : parts.layers) {
        kept += checkpoints ? parts.layerInput : layer.kept;
        most = std::max(most, kept + layer.backward + (checkpoints ? layer.kept : 0.0));
    }
    return std::max(most, kept + parts.head.kept + parts.head.backward);
}

/// The same in evaluation, which keeps nothing but the inputs.
double evaluatedSampleBytes(const Parts& parts)
{
    double most = std::max(parts.inputs.evaluated, parts.head.evaluated + parts.head.backward);
    for (const PartBytes& layer : parts.layers)
        most = std::max(most, layer.evaluated);
    return parts.inputBytes + most;
}

/// Found on the networks of tests/core/network/tst_step_memory.cpp.
constexpr double deviationOfCounted = 0.1;
/// Where the device decides which kernel attends, and so whether matrices of attention are kept.
constexpr double deviationOfKernels = 0.3;
/// Convolutions that keep nothing: single results decide, and the library's own formats.
constexpr double deviationOfConvolutions = 0.4;
/// Convolutions of two bytes: processors without AVX-512 unfold the images, which takes three times as much.
constexpr double deviationOfUnfolding = 0.7;

double deviationFor(const DecoderSpec& spec, const StepSettings& settings)
{
    const bool isPlain = spec.keyValueHeads == spec.heads &&
                         !keepsAttention(spec.attentionDropout, settings) &&
                         spec.positionEmbedding != PositionEmbedding::Alibi && !hasExperts(spec);
    return isPlain ? deviationOfCounted : deviationOfKernels;
}

double deviationFor(const EncoderSpec& spec, const StepSettings& settings)
{
    return keepsAttention(spec.attentionDropout, settings) ? deviationOfKernels : deviationOfCounted;
}

double deviationFor(const EncoderDecoderSpec&, const StepSettings&)
{
    return deviationOfKernels;
}

double deviationFor(const VisionTransformerSpec& spec, const StepSettings& settings)
{
    return keepsAttention(spec.attentionDropout, settings) ? deviationOfKernels : deviationOfCounted;
}

double deviationFor(const ResNetSpec&, const StepSettings& settings)
{
    if (settings.precision == Precision::Bf16 || isBf16Throughout(settings.precision))
        return deviationOfUnfolding;
    return settings.phase == Phase::Train ? deviationOfCounted : deviationOfConvolutions;
}

template<typename Spec>
std::optional<StepMemory> memoryOf(const Spec& spec, const std::vector<Parameter>& parameters,
                                   const StepSettings& settings)
{
    const Parts parts = partsOf(spec, settings);
    StepMemory memory = heldMemory(parameters, settings);
    memory.constantBytes +=
        wideningBytes(parameters, settings) + castBytes(parameters, settings.precision) + parts.tables;
    memory.bytesPerSample =
        settings.phase == Phase::Train ? sampleBytes(parts, settings) : evaluatedSampleBytes(parts);
    memory.deviation = deviationFor(spec, settings);
    return memory;
}

std::optional<StepMemory> memoryOf(const ScriptSpec&, const std::vector<Parameter>&, const StepSettings&)
{
    return std::nullopt;
}

} // namespace

std::optional<StepMemory> stepMemory(const ModelSpec& spec, const StepSettings& settings)
{
    return std::visit(
        [&](const auto& architecture) { return memoryOf(architecture, parameterTable(spec), settings); },
        spec.architecture);
}

} // namespace batchpeak::model
