// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "step_memory.h"

#include "decoder_layer.h"
#include "held_memory.h"
#include "memory/layer_memory.h"
#include "memory/loss_memory.h"
#include "parameter_table.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::model {

namespace {

constexpr double tokenBytes = 8.0;

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

bool keepsAttention(double dropout, const StepSettings& settings)
{
    return dropout > 0.0 || settings.options.attention == Attention::Math;
}

/// Texts that a sample is packed of are kept apart by a mask; where the kernel takes none, they are cut
/// apart.
bool masksTexts(const StepSettings& settings)
{
    return packsTexts(settings.options, settings.sequenceLength) && takesMasks(settings.options.attention);
}

LayerShape layerShape(const DecoderSpec& spec, const DecoderLayer& layer, const StepSettings& settings)
{
    const auto headSize = static_cast<double>(headSizeOf(spec));
    const bool isMasked = spec.positionEmbedding == PositionEmbedding::Alibi ||
                          (layer.isWindowed && isCutByWindow(spec, settings.sequenceLength)) ||
                          masksTexts(settings);
    return {.hidden = static_cast<double>(spec.hiddenSize),
            .heads = static_cast<double>(spec.heads),
            .queries = static_cast<double>(spec.heads) * headSize,
            .keys = static_cast<double>(spec.keyValueHeads) * headSize,
            .feedForward = static_cast<double>(layer.feedForwardSize),
            .activation = spec.activation,
            .headCopies = (layer.isRotated ? 1.0 : 0.0) + (spec.queryKeyNormalization ? 1.0 : 0.0),
            .keepsAttention = keepsAttention(spec.attentionDropout, settings),
            .isCapped = spec.attentionSoftCap > 0.0,
            .dropsAttention = spec.attentionDropout > 0.0,
            .repeatsKeys = isMasked,
            .experts = layer.hasExperts ? static_cast<double>(spec.expertsPerToken) : 0.0,
            .sharedExpert = layer.hasExperts ? static_cast<double>(spec.sharedExpertSize) : 0.0,
            .hasExpertGate = spec.sharedExpertGate,
            .branches = spec.branches,
            .normalizesOutputs = spec.branchOutputNormalization,
            .dropout = spec.dropout};
}

/// Tables of core/network/networks/attention_masks.cpp, and the scores that each layer makes of a mask of yes
/// and no, and keeps until backward, as PyTorch's fused kernels do.
double maskBytes(const DecoderSpec& spec, const StepSettings& settings)
{
    const double width = widthsOf(settings).product;
    const auto tokens = static_cast<double>(settings.sequenceLength);
    const double pairs = tokens * tokens;
    const bool isCapped = spec.attentionSoftCap > 0.0;
    const bool isCut = isCutByWindow(spec, settings.sequenceLength);
    if (spec.positionEmbedding == PositionEmbedding::Alibi)
        return static_cast<double>(spec.heads) * pairs * width;
    if (isCapped)
        return (isCut ? 2.0 : 1.0) * pairs * width;
    const bool isPacked = masksTexts(settings);
    if (!isCut && !isPacked)
        return 0.0;
    const auto windowed =
        spec.windowedLayers.empty() ? spec.layers : static_cast<std::int64_t>(spec.windowedLayers.size());
    const bool keepsAll = settings.phase == Phase::Train && !settings.options.activationCheckpointing;
    const auto masked = static_cast<double>(isPacked ? spec.layers : windowed);
    const double tables = isCut && isPacked ? 2.0 : 1.0;
    return tables * pairs + (keepsAll ? masked : 1.0) * pairs * width;
}

Parts partsOf(const DecoderSpec& spec, const StepSettings& settings)
{
    const Widths widths = widthsOf(settings);
    const auto tokens = static_cast<double>(settings.sequenceLength);
    const auto hidden = static_cast<double>(spec.hiddenSize);
    const auto choices = static_cast<double>(spec.vocabularySize);
    const bool isCapped = spec.logitSoftCap > 0.0;
    Parts parts{.inputBytes = tokens * 2.0 * tokenBytes, .layerInput = tokens * hidden * widths.state};
    if (spec.embeddingNormalization)
        parts.inputs.kept += tokens * hidden * widths.state;
    for (std::int64_t i = 0; i < spec.layers; ++i) {
        parts.layers.push_back(
            transformerLayer(tokens, layerShape(spec, decoderLayer(spec, i), settings), settings));
    }
    parts.head = {.kept = normalizationBytes(tokens, hidden, widths),
                  .backward = tokenLossBytes(tokens, choices, hidden, widths, settings, isCapped)};
    parts.tables = chunkBytes(choices, settings, isCapped) + maskBytes(spec, settings);
    if (spec.positionEmbedding == PositionEmbedding::Rotary)
        parts.tables += tokens * static_cast<double>(rotaryDimensionsOf(spec)) * widths.product;
    return parts;
}

Parts partsOf(const EncoderSpec& spec, const StepSettings& settings)
{
    const Widths widths = widthsOf(settings);
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
    parts.layers.assign(static_cast<std::size_t>(spec.layers), transformerLayer(tokens, layer, settings));
    parts.head.kept =
        spec.finalNormalization ? normalizationBytes(tokens, hidden, widths) : tokens * hidden * widths.state;
    if (spec.maskedLanguageHead) {
        parts.head.kept +=
            predicted * hidden * widths.product + normalizationBytes(predicted, hidden, widths);
        parts.head.backward = tokenLossBytes(predicted, choices, hidden, widths, settings);
        parts.tables = chunkBytes(choices, settings);
    }
    return parts;
}

Parts partsOf(const EncoderDecoderSpec& spec, const StepSettings& settings)
{
    const Widths widths = widthsOf(settings);
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
    PartBytes encoderLayer = transformerLayer(tokens, layer, settings);
    PartBytes decoderLayer = transformerLayer(targets, layer, settings);
    decoderLayer += attentionBytes(targets, tokens, cross, widths);
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
    parts.tables =
        chunkBytes(choices, settings) + heads * (tokens * tokens + targets * targets) * 2.0 * widths.product;
    return parts;
}

Parts partsOf(const VisionTransformerSpec& spec, const StepSettings& settings)
{
    const Widths widths = widthsOf(settings);
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
    parts.layers.assign(static_cast<std::size_t>(spec.layers), transformerLayer(tokens, layer, settings));
    parts.head = {.kept = normalizationBytes(tokens, hidden, widths),
                  .backward = lossBytes(1.0, static_cast<double>(spec.classes), widths, settings.phase)};
    return parts;
}

/// A convolution with its normalization, whose result has so many elements: backward keeps what both have
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
    const Widths widths = widthsOf(settings);
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

/// The narrow copies of matrices that autocast makes and backward reads again.
double castBytes(const std::vector<Parameter>& parameters, const StepSettings& settings)
{
    if (!isMixed(settings.precision))
        return 0.0;
    const ElementBytes widths = computedBytes(settings);
    const bool hasOutput =
        std::ranges::find(parameters, "output.weight", &Parameter::name) != parameters.end();
    double bytes = 0.0;
    for (const Parameter& parameter : parameters) {
        const double width = parameter.isTrained() ? widths.trained : widths.frozen;
        // Rows of embeddings are taken as they are, but of those that are the output too.
        if (hasOutput && parameter.name.starts_with("embed_"))
            continue;
        if (parameter.shape.size() > 1 && parameter.role != ParameterRole::Quantized && width > halfBytes)
            bytes += static_cast<double>(parameter.elements()) * halfBytes;
    }
    return bytes;
}

/// Elements of what a product brings back of a quantized matrix at once
/// (core/network/kernels/quantized_linear.cpp): what is quantized by itself; of stacked ones, one.
std::int64_t elementsBroughtBack(const Parameter& matrix)
{
    constexpr std::size_t dimensionsOfStack = 3;
    if (matrix.shape.size() == dimensionsOfStack)
        return matrix.elements() / matrix.shape.front();
    const std::vector<std::int64_t> rows = separateRows(matrix);
    if (rows.empty())
        return matrix.elements();
    return std::ranges::max(rows) * matrix.shape.back();
}

/// What a quantized matrix takes while it is brought back, of which there is the largest at the worst: its
/// values, and of torchao's its codes as two tensors of 64-bit indices beside what is looked up, scaled and
/// put together by them (core/network/kernels/torchao_nf4.cpp).
double expansionBytes(const std::vector<Parameter>& parameters, const StepSettings& settings)
{
    std::int64_t max = 0;
    for (const Parameter& parameter : parameters) {
        if (parameter.role == ParameterRole::Quantized)
            max = std::max(max, elementsBroughtBack(parameter));
    }
    constexpr double indexBytes = 8.0;
    const double width = elementBytes(settings.precision, settings.tuning).frozen;
    const bool isTorchaos = settings.tuning.frozenWeights == FrozenWeights::TorchaoNf4;
    return static_cast<double>(max) * (isTorchaos ? indexBytes + 3.0 * width : width);
}

/// What DoRA takes while it finds the lengths of rows, of which there is the widest matrix at the worst: an
/// identity matrix of its inputs, which stays until the adapter has spoken, and what the adapter makes of it,
/// that scaled, and its sum with the matrix (core/network/networks/adapters.cpp).
double rowLengthBytes(const std::vector<Parameter>& table, const StepSettings& settings)
{
    if (settings.tuning.adapter != AdapterKind::Dora)
        return 0.0;
    const ElementBytes widths = computedBytes(settings);
    const bool casts = isMixed(settings.precision);
    const bool isNarrow = isQuantized(settings.tuning.frozenWeights);
    const double taken = casts && isNarrow ? widths.frozen : widths.trained;
    // Rows come in the type of the adapter, and autocast widens what norms are taken of.
    const double copied = (isNarrow                 ? widths.product
                           : widths.frozen != taken ? taken
                                                    : 0.0) +
                          (casts && taken < floatBytes ? floatBytes : 0.0);
    double max = 0.0;
    for (std::size_t i = 0; i + 1 < table.size(); ++i) {
        if (!table[i].name.ends_with(".lora_a"))
            continue;
        const auto inputs = static_cast<double>(table[i].shape.back());
        const double matrix = static_cast<double>(table[i + 1].shape.front()) * inputs;
        const double computed = casts ? widths.product : widths.trained;
        const double identity = inputs * inputs * computed;
        const double wide = casts ? inputs * inputs * widths.trained : 0.0;
        max =
            std::max({max, identity + wide + matrix * computed, identity + matrix * (3.0 * taken + copied)});
    }
    return max;
}

/// Bytes of an element that backward keeps to pass a gradient on through its rounding, beside the rounded
/// value: integers before they are cut to their range; of nvfp4 what its scales learn by
/// (core/network/kernels/fake_quantized_matrix.cpp).
double keptByRounding(bool isNarrowFloat, double width)
{
    if (!isNarrowFloat)
        return floatBytes;
    return 2.0 * floatBytes + width + (width < floatBytes ? floatBytes : 0.0);
}

double keptByRounding(const FakeQuantization& rounding, double width)
{
    if (rounding.weights == FakeQuantizedWeights::None)
        return 0.0;
    if (rounding.weights == FakeQuantizedWeights::Uint4)
        return width;
    return keptByRounding(rounding.weights == FakeQuantizedWeights::Nvfp4, width);
}

/// What quantization-aware training keeps of one matrix.
struct RoundedMatrix
{
    /// Of all its weights.
    double weightBytes = 0.0;
    /// Of a token, beside what is kept without rounding.
    double tokenBytes = 0.0;
};

/// \param times  that its weights are rounded in a step
RoundedMatrix roundedMatrix(const Parameter& matrix, const std::vector<FakeQuantizedRows>& parts,
                            double times, const StepSettings& settings)
{
    const ElementBytes widths = computedBytes(settings);
    const FakeQuantization& rounding = settings.tuning.fakeQuantization;
    const auto inputs = static_cast<double>(matrix.shape.back());
    const bool isTrained = matrix.isTrained();
    const double width = isTrained ? widths.trained : widths.frozen;
    double rows = 0.0;
    double count = 0.0;
    for (const FakeQuantizedRows& part : parts) {
        rows += part.isRounded ? static_cast<double>(part.rows) : 0.0;
        count += part.isRounded ? 1.0 : 0.0;
    }

    RoundedMatrix bytes;
    if (rounding.weights != FakeQuantizedWeights::None) {
        // The narrow copy of autocast stands where the weights' own would: castBytes().
        const bool isCast = isMixed(settings.precision) && width > halfBytes;
        const double passed = isTrained ? keptByRounding(rounding, width) : 0.0;
        bytes.weightBytes =
            rows * inputs * (times * (passed + widths.product) - (isCast ? widths.product : 0.0));
    }
    if (rounding.activations != FakeQuantizedActivations::None) {
        const bool isNarrowFloat = rounding.activations == FakeQuantizedActivations::Nvfp4;
        // A matrix that learns keeps the rounded inputs, each part its own, in the place of those of all.
        const double result = isTrained ? widths.product : 0.0;
        const bool keepsInputs = !isTrained || count < static_cast<double>(parts.size()) ||
                                 (isNarrowFloat && widths.product == floatBytes);
        bytes.tokenBytes = inputs * (count * (keptByRounding(isNarrowFloat, widths.product) + result) -
                                     (keepsInputs ? 0.0 : widths.product));
    }
    return bytes;
}

/// The parameters whose products are rounded, with their parts; among them an output that is the embedding's.
template<typename Take>
void forEachRounded(const std::vector<Parameter>& table, const Tuning& tuning, const Take& take)
{
    const Parameter* embedding = nullptr;
    bool hasOutput = false;
    for (const Parameter& parameter : table) {
        if (parameter.name == "embed_tokens.weight")
            embedding = &parameter;
        hasOutput = hasOutput || parameter.name == "output.weight";
        if (const auto parts = fakeQuantizedRows(parameter, tuning); !parts.empty())
            take(parameter, parts);
    }
    if (embedding && !hasOutput && tuning.fakeQuantization.sharedOutput)
        take(*embedding,
             std::vector<FakeQuantizedRows>{{.rows = embedding->shape.front(), .isRounded = true}});
}

/// Of embeddings, whose rounded rows nothing keeps.
double roundedEmbeddings(const std::vector<Parameter>& table, const StepSettings& settings)
{
    const FakeQuantization& rounding = settings.tuning.fakeQuantization;
    const double width = computedBytes(settings).trained;
    double bytes = 0.0;
    for (const Parameter& parameter : table) {
        if (rounding.embeddings && parameter.name.starts_with("embed_") && parameter.shape.size() == 2 &&
            parameter.isTrained())
            bytes += static_cast<double>(parameter.elements()) * keptByRounding(rounding, width);
    }
    return bytes;
}

/// Adds what rounding keeps of so many tokens of a sample to the parts.
/// \return bytes that do not grow with the size: of rounded weights
double addRounding(const std::vector<Parameter>& table, const StepSettings& settings, double tokens,
                   Parts& parts)
{
    if (!roundsAnything(settings.tuning.fakeQuantization) || settings.phase == Phase::Eval)
        return 0.0;
    std::vector<double> weights(parts.layers.size());
    double outside = roundedEmbeddings(table, settings);
    std::int64_t encoderLayers = 0;
    forEachRounded(table, settings.tuning, [&](const Parameter& matrix, const auto& rows) {
        const auto layer = layerOf(matrix.name);
        if (!layer) {
            // Losses in chunks take the output's weights as they are (core/network/networks/token_loss.cpp).
            if (settings.options.lossChunkRows > 0)
                return;
            const RoundedMatrix bytes =
                roundedMatrix(matrix, rows, static_cast<double>(settings.options.lossParts), settings);
            outside += bytes.weightBytes;
            parts.head.kept += tokens * bytes.tokenBytes;
            return;
        }
        if (matrix.name.starts_with("encoder."))
            encoderLayers = std::max(encoderLayers, *layer + 1);
        const bool isBehind = matrix.name.starts_with("decoder.");
        const auto index = static_cast<std::size_t>(*layer + (isBehind ? encoderLayers : 0));
        const RoundedMatrix bytes = roundedMatrix(matrix, rows, 1.0, settings);
        weights[index] += bytes.weightBytes;
        parts.layers[index].kept += tokens * bytes.tokenBytes;
    });
    // With activation checkpointing one layer's weights are rounded at a time.
    const double layers = weights.empty() ? 0.0
                          : settings.options.activationCheckpointing
                              ? std::ranges::max(weights)
                              : std::reduce(weights.begin(), weights.end());
    return layers + outside;
}

/// The first of so many layers that something is learned in; all before it keep nothing for backward. As many
/// as there are where the head learns alone.
std::int64_t firstLearningLayer(const Tuning& tuning, std::int64_t layers)
{
    if (trainsAll(tuning))
        return 0;
    std::int64_t first = layers;
    for (const AdapterTarget& target : tuning.targets) {
        if (target.projection == Projection::Output || target.projection == Projection::Dense)
            continue;
        first = std::min(first, target.layers.empty() ? 0 : std::ranges::min(target.layers));
    }
    for (const std::string& part : tuning.trainedParts) {
        if (part.starts_with("embed"))
            return 0;
        for (const std::string_view word : {"layers.", "blocks."}) {
            if (const auto layer = numberedLayer(part, word))
                first = std::min(first, layer->number);
        }
    }
    return first;
}

/// What a sample takes at the worst moment of a step. Backward gives back what a part has kept before it
/// comes to the part below.
double sampleBytes(const Parts& parts, const StepSettings& settings)
{
    const bool checkpoints = settings.options.activationCheckpointing;
    // With adapters the first layer's inputs get a gradient so that checkpoints are made at all.
    const bool reachesAll = checkpoints && hasAdapters(settings.tuning);
    const auto layers = static_cast<std::int64_t>(parts.layers.size());
    const auto first = static_cast<std::size_t>(reachesAll ? 0 : firstLearningLayer(settings.tuning, layers));
    double kept = parts.inputBytes + (first == 0 ? parts.inputs.kept : 0.0);
    double max = kept + parts.inputs.backward;
    for (const PartBytes& layer : std::span(parts.layers).subspan(first)) {
        kept += checkpoints ? parts.layerInput : layer.kept;
        max = std::max(max, kept + layer.backward + (checkpoints ? layer.kept : 0.0));
    }
    return std::max(max, kept + parts.head.kept + parts.head.backward);
}

/// The same in evaluation, which keeps nothing but the inputs.
double evaluatedSampleBytes(const Parts& parts)
{
    double max = std::max(parts.inputs.evaluated, parts.head.evaluated + parts.head.backward);
    for (const PartBytes& layer : parts.layers)
        max = std::max(max, layer.evaluated);
    return parts.inputBytes + max;
}

/// Found on the networks of tests/core/network/tst_step_memory.cpp.
constexpr double deviationOfCounted = 0.1;
/// A network that is frozen for the most part, whose parts keep what a few adapters ask for: those of
/// tst_tuned_sample_memory.cpp beside it.
constexpr double deviationOfTuned = 0.2;
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
                         spec.positionEmbedding != PositionEmbedding::Alibi && !hasExperts(spec) &&
                         spec.attentionSoftCap == 0.0 && !isCutByWindow(spec, settings.sequenceLength);
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
    if (isMixed(settings.precision) || isNarrowThroughout(settings.precision))
        return deviationOfUnfolding;
    return settings.phase == Phase::Train ? deviationOfCounted : deviationOfConvolutions;
}

/// oneDNN 3.10 cuts a product so that the packed blocks of a thread stay in its core's second cache
/// (cpu/x64/matmul/amx_blocking_heuristics.cpp), which has 2 MiB in processors with the unit; beside them are
/// sums of a block in fp32. In all 4.2 MB more than without the unit is the most that was measured of a
/// thread.
double packedBytesPerThread(const std::vector<Parameter>& table, const StepSettings& settings)
{
    constexpr double secondCacheBytes = 2.0 * 1024.0 * 1024.0;
    constexpr std::int64_t block = 64;
    const ElementBytes widths = computedBytes(settings);
    if (widths.product == floatBytes && widths.frozen == floatBytes)
        return 0.0;
    const auto padded = [](std::int64_t rows) {
        return static_cast<double>((rows + block - 1) / block * block);
    };
    double max = 0.0;
    for (const Parameter& parameter : table) {
        if (parameter.shape.size() < 2)
            continue;
        const std::int64_t rows = parameter.shape.front();
        max = std::max(max, padded(rows) * padded(parameter.elements() / rows));
    }
    return 2.0 * std::min(max * halfBytes, secondCacheBytes);
}

template<typename Spec>
double tokensOf(const Spec& spec, const StepSettings& settings)
{
    if constexpr (requires { spec.positions(); })
        return static_cast<double>(spec.positions());
    return static_cast<double>(settings.sequenceLength);
}

template<typename Spec>
std::optional<StepMemory> memoryOf(const Spec& spec, const std::vector<Parameter>& parameters,
                                   const StepSettings& settings)
{
    Parts parts = partsOf(spec, settings);
    const double roundedWeights = addRounding(parameters, settings, tokensOf(spec, settings), parts);
    const HeldMemory held = heldMemory(parameters, settings.tuning, settings.phase, settings.precision,
                                       settings.optimizer, settings.options);
    StepMemory memory{.parameterBytes = held.parameterBytes,
                      .gradientBytes = held.gradientBytes + held.fullGradientBytes,
                      .optimizerBytes = held.optimizerBytes};
    memory.constantBytes = memory.parameterBytes + memory.gradientBytes + memory.optimizerBytes +
                           castBytes(parameters, settings) + expansionBytes(parameters, settings) +
                           rowLengthBytes(parameters, settings) + chunkGradientBytes(parameters, settings) +
                           parts.tables + roundedWeights;
    if (settings.phase == Phase::Train) {
        memory.optimizerStepBytes =
            held.parameterBytes + held.gradientBytes + held.optimizerBytes + held.optimizerRoomBytes;
    }
    memory.bytesPerSample =
        settings.phase == Phase::Train ? sampleBytes(parts, settings) : evaluatedSampleBytes(parts);
    memory.deviation = trainsAll(settings.tuning) ? deviationFor(spec, settings)
                                                  : std::max(deviationFor(spec, settings), deviationOfTuned);
    memory.packedBytesPerThread = packedBytesPerThread(parameters, settings);
    return memory;
}

std::optional<StepMemory> memoryOf(const ScriptSpec&, const std::vector<Parameter>&, const StepSettings&)
{
    return std::nullopt;
}

std::optional<StepMemory> memoryOf(const TransformersSpec&, const std::vector<Parameter>&,
                                   const StepSettings&)
{
    return std::nullopt;
}

} // namespace

std::optional<StepMemory> stepMemory(const ModelSpec& spec, const StepSettings& settings)
{
    return std::visit(
        [&](const auto& architecture) {
            return memoryOf(architecture, parameterTable(spec, settings.tuning), settings);
        },
        spec.architecture);
}

} // namespace batchpeak::model
