// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "step_memory.h"

#include "decoder_layer.h"
#include "held_memory.h"
#include "layer_memory.h"
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

/// Memory of the parts of a network.
struct Parts
{
    /// Bytes of a sample as the data provides it; it is kept for the whole step.
    double inputBytes = 0.0;
    /// Memory before the layers, in addition to the sample.
    PartBytes inputs;
    /// The layers in their order, and the bytes that activation checkpointing keeps for each.
    std::vector<PartBytes> layers;
    double layerInput = 0.0;
    /// Memory from the last layer to the loss.
    PartBytes head;
    /// Bytes that do not grow with the micro-batch size.
    double tables = 0.0;
};

bool keepsAttention(double dropout, const StepSettings& settings)
{
    return dropout > 0.0 || settings.options.attention == Attention::Math;
}

/// Whether a mask separates the texts of a packed sample. If the kernel takes no masks, the texts are split
/// before attention.
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

/// Returns the bytes for the tables of core/network/networks/attention_masks.cpp, and for the scores into
/// which each layer converts a boolean mask and which it keeps until the backward pass, as PyTorch's fused
/// kernels do.
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
        // Dropout inside the feed-forward layer keeps its mask and its result.
        const double dropped = 2.0 * layer.feedForward * widths.product;
        encoderLayer.kept += tokens * dropped;
        decoderLayer.kept += targets * (dropped + hidden * widths.product);
    }

    const auto choices = static_cast<double>(spec.vocabularySize);
    Parts parts{.inputBytes = (tokens + 2.0 * targets) * tokenBytes,
                .layerInput = 0.5 * (tokens + targets) * hidden * widths.state};
    parts.layers.assign(static_cast<std::size_t>(spec.encoderLayers), encoderLayer);
    parts.layers.insert(parts.layers.end(), static_cast<std::size_t>(spec.decoderLayers), decoderLayer);
    // Every layer of the decoder reads the encoder's result.
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

/// Returns the memory of a convolution with its normalization, whose result has \p elements elements. The
/// results of both are kept for the backward pass.
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
    // The pooling layer keeps the index of the input for each of its results.
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

/// Returns the bytes for the 16-bit copies of matrices that autocast makes and the backward pass reads again.
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
        // Embeddings are looked up without a cast; only one that is also the output is cast.
        if (hasOutput && parameter.name.starts_with("embed_"))
            continue;
        if (parameter.shape.size() > 1 && parameter.role != ParameterRole::Quantized && width > halfBytes)
            bytes += static_cast<double>(parameter.elements()) * halfBytes;
    }
    return bytes;
}

/// Returns the number of elements of a quantized matrix that a product dequantizes at once
/// (core/network/kernels/quantized_linear.cpp): a part that is quantized by itself; one matrix of a stack.
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

/// Returns the bytes for the dequantization of a quantized matrix, at the peak of the largest one: its
/// values, and with torchao also its codes as two tensors of 64-bit indices, and the values that are looked
/// up, scaled and combined with them (core/network/kernels/torchao_nf4.cpp).
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

/// Returns the bytes that DoRA takes while it computes the norms of rows, at the peak of the largest matrix:
/// an identity matrix of its inputs, which is kept until the adapter has computed its output, the adapter's
/// product with it, that product scaled, and its sum with the matrix (core/network/networks/adapters.cpp).
double rowLengthBytes(const std::vector<Parameter>& table, const StepSettings& settings)
{
    if (settings.tuning.adapter != AdapterKind::Dora)
        return 0.0;
    const ElementBytes widths = computedBytes(settings);
    const bool casts = isMixed(settings.precision);
    const bool isNarrow = isQuantized(settings.tuning.frozenWeights);
    const double taken = casts && isNarrow ? widths.frozen : widths.trained;
    // Rows are cast to the dtype of the adapter, and autocast widens the input of norms.
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

/// Returns the bytes per element that are kept to pass a gradient through the rounding, in addition to the
/// rounded value: integers before they are clamped to their range; for nvfp4 what the gradient of its scales
/// needs (core/network/kernels/fake_quantized_matrix.cpp).
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

/// Bytes that quantization-aware training keeps for one matrix.
struct RoundedMatrix
{
    /// Bytes for all its weights.
    double weightBytes = 0.0;
    /// Bytes per token, in addition to those kept without rounding.
    double tokenBytes = 0.0;
};

/// \param times  number of times that its weights are rounded in a step
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
        // The rounded weights replace the 16-bit copy of autocast, which castBytes() counts.
        const bool isCast = isMixed(settings.precision) && width > halfBytes;
        const double passed = isTrained ? keptByRounding(rounding, width) : 0.0;
        bytes.weightBytes =
            rows * inputs * (times * (passed + widths.product) - (isCast ? widths.product : 0.0));
    }
    if (rounding.activations != FakeQuantizedActivations::None) {
        const bool isNarrowFloat = rounding.activations == FakeQuantizedActivations::Nvfp4;
        // A trained matrix keeps the rounded inputs, separately for each part, instead of one copy for all.
        const double result = isTrained ? widths.product : 0.0;
        const bool keepsInputs = !isTrained || count < static_cast<double>(parts.size()) ||
                                 (isNarrowFloat && widths.product == floatBytes);
        bytes.tokenBytes = inputs * (count * (keptByRounding(isNarrowFloat, widths.product) + result) -
                                     (keepsInputs ? 0.0 : widths.product));
    }
    return bytes;
}

/// Calls \p take for each parameter whose products are rounded, with its parts; also for an output that
/// shares the embedding's matrix.
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

/// Returns the bytes that the rounding of embeddings keeps; their rounded rows themselves are not kept.
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

/// Adds the bytes that rounding keeps for \p tokens tokens of a sample to the parts.
/// \return bytes of rounded weights, which do not grow with the micro-batch size
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
            // Losses in chunks do not round the output's weights (core/network/networks/token_loss.cpp).
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

/// Returns the first of \p layers layers in which something is trained; the layers before it keep nothing for
/// the backward pass. Returns \p layers if only the head is trained.
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

/// Returns the bytes that a sample takes at the peak of a step. The backward pass frees what a part has kept
/// before it reaches the previous part.
double sampleBytes(const Parts& parts, const StepSettings& settings)
{
    const bool checkpoints = settings.options.activationCheckpointing;
    // With adapters the first layer's inputs require a gradient, so that checkpointing takes effect at all.
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

/// Returns the same for evaluation, which keeps only the inputs.
double evaluatedSampleBytes(const Parts& parts)
{
    double max = std::max(parts.inputs.evaluated, parts.head.evaluated + parts.head.backward);
    for (const PartBytes& layer : parts.layers)
        max = std::max(max, layer.evaluated);
    return parts.inputBytes + max;
}

/// Measured on the networks of tests/core/network/tst_step_memory.cpp.
constexpr double deviationOfCounted = 0.1;
/// For a network that is mostly frozen, whose parts keep what a few adapters need: measured on the networks
/// of tst_tuned_sample_memory.cpp in the same folder.
constexpr double deviationOfTuned = 0.2;
/// For networks where the device determines the attention kernel, and so whether attention matrices are kept.
constexpr double deviationOfKernels = 0.3;
/// For convolutions in evaluation, which keep nothing: single results and the library's own formats determine
/// the peak.
constexpr double deviationOfConvolutions = 0.4;
/// For 16-bit convolutions: processors without AVX-512 unfold the images, which takes three times as much.
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

/// Returns StepMemory::packedBytesPerThread. oneDNN 3.10 splits a product so that the packed blocks of a
/// thread fit into its core's L2 cache (cpu/x64/matmul/amx_blocking_heuristics.cpp), which has 2 MiB in
/// processors with the unit; the fp32 sums of a block come in addition. The largest measured total for one
/// thread is 4.2 MB more than without the unit.
double packedBytesPerThread(const std::vector<Parameter>& table, const StepSettings& settings)
{
    constexpr double secondCacheBytes = 2.0 * 1024.0 * 1024.0;
    constexpr std::int64_t block = 64;
    const ElementBytes widths = computedBytes(settings);
    if (widths.product == floatBytes && widths.frozen == floatBytes)
        return 0.0;
    const auto padded = [](std::int64_t rows) {
        const std::int64_t blocks = (rows + block - 1) / block;
        return static_cast<double>(blocks * block);
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
