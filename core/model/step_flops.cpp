// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "step_flops.h"

#include "decoder_layer.h"

#include <algorithm>
#include <cstdint>

namespace batchpeak::model {

namespace {

// All functions below return the number of multiply-adds in the forward pass of one sample.

/// One transformer layer.
struct LayerShape
{
    double hidden = 0.0;
    /// Number of elements in all queries of a token, and in all its keys.
    double queries = 0.0;
    double keys = 0.0;
    double feedForward = 0.0;
    bool isGated = false;
    /// Number of experts, and number of those that a token takes.
    double experts = 0.0;
    double expertsTaken = 1.0;
    /// Sizes of the shared expert's feed-forward layer and of its gate's output; every token takes both.
    double sharedExpert = 0.0;
    double expertGate = 0.0;
};

/// Counts the projections and the products of attention.
/// \param keyTokens  number of tokens that are attended to
double attention(double tokens, double keyTokens, const LayerShape& layer)
{
    const double ofQueries = tokens * 2.0 * layer.hidden * layer.queries;
    const double ofKeys = keyTokens * 2.0 * layer.hidden * layer.keys;
    const double ofPairs = 2.0 * tokens * keyTokens * layer.queries;
    return ofQueries + ofKeys + ofPairs;
}

double feedForward(double tokens, const LayerShape& layer)
{
    const double matrices = layer.isGated ? 3.0 : 2.0;
    const double router = layer.hidden * layer.experts;
    const double shared = layer.hidden * (matrices * layer.sharedExpert + layer.expertGate);
    return tokens * (layer.expertsTaken * matrices * layer.hidden * layer.feedForward + router + shared);
}

double transformerLayer(double tokens, const LayerShape& layer)
{
    return attention(tokens, tokens, layer) + feedForward(tokens, layer);
}

LayerShape layerShape(const DecoderSpec& spec, const DecoderLayer& kind)
{
    const auto headSize = static_cast<double>(headSizeOf(spec));
    LayerShape layer{.hidden = static_cast<double>(spec.hiddenSize),
                     .queries = static_cast<double>(spec.heads) * headSize,
                     .keys = static_cast<double>(spec.keyValueHeads) * headSize,
                     .feedForward = static_cast<double>(kind.feedForwardSize),
                     .isGated = isGated(spec.activation)};
    if (kind.hasExperts) {
        layer.experts = static_cast<double>(spec.experts);
        layer.expertsTaken = static_cast<double>(spec.expertsPerToken);
        layer.sharedExpert = static_cast<double>(spec.sharedExpertSize);
        layer.expertGate = spec.sharedExpertGate ? 1.0 : 0.0;
    }
    return layer;
}

/// Counts the products between packed texts, which are not computed if the texts are separated before
/// attention.
double productsBetweenTexts(const StepSettings& settings, const LayerShape& layer)
{
    const StepOptions& options = settings.options;
    if (!packsTexts(options, settings.sequenceLength) || takesMasks(options.attention))
        return 0.0;
    const auto tokens = static_cast<double>(settings.sequenceLength);
    return 2.0 * tokens * (tokens - static_cast<double>(options.packedTextLength)) * layer.queries;
}

std::optional<double> productsOf(const DecoderSpec& spec, const StepSettings& settings)
{
    const auto tokens = static_cast<double>(settings.sequenceLength);
    double products =
        tokens * static_cast<double>(spec.hiddenSize) * static_cast<double>(spec.vocabularySize);
    for (std::int64_t i = 0; i < spec.layers; ++i) {
        const LayerShape layer = layerShape(spec, decoderLayer(spec, i));
        products += transformerLayer(tokens, layer) - productsBetweenTexts(settings, layer);
    }
    return products;
}

double headProductsOf(const EncoderSpec& spec, double tokens)
{
    const auto hidden = static_cast<double>(spec.hiddenSize);
    double products = 0.0;
    if (spec.maskedLanguageHead) {
        const double predicted =
            spec.predictedTokens > 0 ? std::min(static_cast<double>(spec.predictedTokens), tokens) : tokens;
        products += predicted * hidden * (hidden + static_cast<double>(spec.vocabularySize));
    }
    if (spec.pooler)
        products += hidden * hidden;
    if (spec.nextSentenceHead)
        products += static_cast<double>(spec.sentenceClasses) * hidden;
    return products;
}

std::optional<double> productsOf(const EncoderSpec& spec, const StepSettings& settings)
{
    const auto tokens = static_cast<double>(settings.sequenceLength);
    const auto hidden = static_cast<double>(spec.hiddenSize);
    const LayerShape layer{.hidden = hidden,
                           .queries = hidden,
                           .keys = hidden,
                           .feedForward = static_cast<double>(spec.feedForwardSize),
                           .isGated = isGated(spec.activation)};
    return static_cast<double>(spec.layers) * transformerLayer(tokens, layer) + headProductsOf(spec, tokens);
}

std::optional<double> productsOf(const EncoderDecoderSpec& spec, const StepSettings& settings)
{
    const auto tokens = static_cast<double>(settings.sequenceLength);
    const auto targets = static_cast<double>(settings.targetLength);
    const auto hidden = static_cast<double>(spec.hiddenSize);
    const double inner = static_cast<double>(spec.heads) * static_cast<double>(spec.headSize);
    const LayerShape layer{.hidden = hidden,
                           .queries = inner,
                           .keys = inner,
                           .feedForward = static_cast<double>(spec.feedForwardSize),
                           .isGated = isGated(spec.activation)};
    const double decoderLayer = transformerLayer(targets, layer) + attention(targets, tokens, layer);
    return static_cast<double>(spec.encoderLayers) * transformerLayer(tokens, layer) +
           static_cast<double>(spec.decoderLayers) * decoderLayer +
           targets * hidden * static_cast<double>(spec.vocabularySize);
}

std::optional<double> productsOf(const VisionTransformerSpec& spec, const StepSettings&)
{
    const auto hidden = static_cast<double>(spec.hiddenSize);
    const LayerShape layer{.hidden = hidden,
                           .queries = hidden,
                           .keys = hidden,
                           .feedForward = static_cast<double>(spec.feedForwardSize),
                           .isGated = isGated(spec.activation)};
    const auto pixels = static_cast<double>(spec.channels * spec.patchSize * spec.patchSize);
    return static_cast<double>(spec.patches()) * pixels * hidden +
           static_cast<double>(spec.layers) * transformerLayer(static_cast<double>(spec.positions()), layer) +
           hidden * static_cast<double>(spec.classes);
}

/// Counts the multiply-adds of a convolution with square images and kernels, and with \p pixels output
/// pixels.
double convolution(std::int64_t inputs, std::int64_t outputs, std::int64_t kernel, double pixels)
{
    return static_cast<double>(inputs * outputs * kernel * kernel) * pixels;
}

double residualBlock(const ResNetBlock& block, double pixelsBefore, double pixels)
{
    double products = 0.0;
    if (block.isBottleneck) {
        products += convolution(block.inputs, block.inner, 1, pixelsBefore);
        products += convolution(block.inner, block.inner, 3, pixels);
        products += convolution(block.inner, block.outputs, 1, pixels);
    } else {
        products += convolution(block.inputs, block.inner, 3, pixels);
        products += convolution(block.inner, block.outputs, 3, pixels);
    }
    if (block.hasShortcut)
        products += convolution(block.inputs, block.outputs, 1, pixels);
    return products;
}

std::optional<double> productsOf(const ResNetSpec& spec, const StepSettings&)
{
    const auto strided = [](std::int64_t size, std::int64_t stride) { return (size + stride - 1) / stride; };
    const auto pixelsOf = [](std::int64_t size) { return static_cast<double>(size * size); };
    std::int64_t size = strided(spec.imageSize, 2);
    double products = convolution(spec.channels, spec.width, 7, pixelsOf(size));
    size = strided(size, 2);
    std::int64_t channels = spec.width;
    for (const ResNetBlock& block : blocksOf(spec)) {
        const double before = pixelsOf(size);
        size = strided(size, block.stride);
        products += residualBlock(block, before, pixelsOf(size));
        channels = block.outputs;
    }
    return products + static_cast<double>(channels * spec.classes);
}

std::optional<double> productsOf(const ScriptSpec&, const StepSettings&)
{
    return std::nullopt;
}

std::optional<double> productsOf(const TransformersSpec&, const StepSettings&)
{
    return std::nullopt;
}

} // namespace

std::optional<double> stepFlops(const ModelSpec& spec, const StepSettings& settings)
{
    const auto products = std::visit(
        [&](const auto& architecture) { return productsOf(architecture, settings); }, spec.architecture);
    if (!products)
        return std::nullopt;
    constexpr double forward = 2.0;
    return *products * (settings.phase == Phase::Train ? 3.0 * forward : forward);
}

Precision productPrecision(const ModelSpec& spec, Precision precision, const StepOptions& options)
{
    const bool convolves = std::holds_alternative<ResNetSpec>(spec.architecture);
    return convolves && precision == Precision::Fp32 && options.convolvesInTf32 ? Precision::Tf32 : precision;
}

} // namespace batchpeak::model
