// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "step_flops.h"

#include "parameter_table.h"

#include <algorithm>
#include <cstdint>

namespace batchpeak::model {

namespace {

using Table = std::vector<Parameter>;

// All functions below return the number of multiply-adds in the forward pass of one sample.

/// Counts the products with matrices.
/// \param outputTokens  number of tokens that the output matrix is multiplied by; 0 if there is none
/// \param tokensThrough  returns that number for any other matrix
template<typename TokensThrough>
double matrixProducts(const Table& table, bool sharesEmbedding, double outputTokens,
                      const TokensThrough& tokensThrough)
{
    double products = 0.0;
    for (const Parameter& parameter : table) {
        const bool isOutput = parameter.name == (sharesEmbedding ? "embed_tokens.weight" : "output.weight");
        // Other embeddings are only looked up. Vectors are biases and the weights of normalizations.
        const bool isMultiplied = parameter.shape.size() > 1 && (isOutput || !parameter.isEmbedding);
        if (isMultiplied)
            products += static_cast<double>(parameter.elements()) *
                        (isOutput ? outputTokens : tokensThrough(parameter));
    }
    return products;
}

/// Counts the products of attention: those of queries and keys, and those with values.
/// \param width  number of elements in all queries of a token
double pairProducts(std::int64_t layers, double tokens, double keyTokens, std::int64_t width)
{
    return 2.0 * static_cast<double>(layers * width) * tokens * keyTokens;
}

std::optional<double> productsOf(const DecoderSpec& spec, const Table& table, const StepSettings& settings)
{
    const auto tokens = static_cast<double>(settings.sequenceLength);
    const auto tokensThrough = [&](const Parameter& matrix) {
        // The matrices of all experts are one parameter, and a token takes some of them.
        if (matrix.shape.size() > 2)
            return tokens * static_cast<double>(spec.expertsPerToken) / static_cast<double>(spec.experts);
        return tokens;
    };
    // Pairs of tokens in two packed texts are not computed if the texts are separated before attention.
    const StepOptions& options = settings.options;
    const bool isCut = packsTexts(options, settings.sequenceLength) && !takesMasks(options.attention);
    const double keyTokens = isCut ? static_cast<double>(options.packedTextLength) : tokens;
    return matrixProducts(table, spec.tiedEmbeddings, tokens, tokensThrough) +
           pairProducts(spec.layers, tokens, keyTokens, spec.heads * headSizeOf(spec));
}

std::optional<double> productsOf(const EncoderSpec& spec, const Table& table, const StepSettings& settings)
{
    const auto tokens = static_cast<double>(settings.sequenceLength);
    const double predicted =
        spec.predictedTokens > 0 ? std::min(static_cast<double>(spec.predictedTokens), tokens) : tokens;
    const auto tokensThrough = [&](const Parameter& matrix) {
        if (matrix.name.starts_with("layers."))
            return tokens;
        // The pooler and the head behind it take the first token.
        return matrix.name == "head.transform.weight" ? predicted : 1.0;
    };
    const double outputTokens = spec.maskedLanguageHead ? predicted : 0.0;
    return matrixProducts(table, spec.tiedEmbeddings, outputTokens, tokensThrough) +
           pairProducts(spec.layers, tokens, tokens, spec.hiddenSize);
}

std::optional<double> productsOf(const EncoderDecoderSpec& spec, const Table& table,
                                 const StepSettings& settings)
{
    const auto tokens = static_cast<double>(settings.sequenceLength);
    const auto targets = static_cast<double>(settings.targetLength);
    const auto tokensThrough = [&](const Parameter& matrix) {
        const bool takesEncoded = matrix.name.ends_with("cross_attention.key_value.weight");
        return takesEncoded || matrix.name.starts_with("encoder.") ? tokens : targets;
    };
    const std::int64_t width = spec.heads * spec.headSize;
    return matrixProducts(table, spec.tiedEmbeddings, targets, tokensThrough) +
           pairProducts(spec.encoderLayers, tokens, tokens, width) +
           pairProducts(spec.decoderLayers, targets, targets + tokens, width);
}

std::optional<double> productsOf(const VisionTransformerSpec& spec, const Table& table, const StepSettings&)
{
    const auto positions = static_cast<double>(spec.positions());
    const auto tokensThrough = [&](const Parameter& matrix) {
        if (matrix.name.starts_with("layers."))
            return positions;
        // The class token and the positions are added, not multiplied.
        return matrix.name == "patches.weight" ? static_cast<double>(spec.patches()) : 0.0;
    };
    return matrixProducts(table, false, 1.0, tokensThrough) +
           pairProducts(spec.layers, positions, positions, spec.hiddenSize);
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

std::optional<double> productsOf(const ResNetSpec& spec, const Table&, const StepSettings&)
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

std::optional<double> productsOf(const ScriptSpec&, const Table&, const StepSettings&)
{
    return std::nullopt;
}

std::optional<double> productsOf(const TransformersSpec&, const Table&, const StepSettings&)
{
    return std::nullopt;
}

} // namespace

std::optional<double> stepFlops(const ModelSpec& spec, const std::vector<StepSettings>& samples)
{
    const Table table = parameterTable(spec);
    double flops = 0.0;
    for (const StepSettings& settings : samples) {
        const auto products =
            std::visit([&](const auto& architecture) { return productsOf(architecture, table, settings); },
                       spec.architecture);
        if (!products)
            return std::nullopt;
        constexpr double forward = 2.0;
        flops += *products * (settings.phase == Phase::Train ? 3.0 * forward : forward) /
                 static_cast<double>(samples.size());
    }
    return flops;
}

Precision productPrecision(const ModelSpec& spec, Precision precision, const StepOptions& options)
{
    const bool convolves = std::holds_alternative<ResNetSpec>(spec.architecture);
    return convolves && precision == Precision::Fp32 && options.convolvesInTf32 ? Precision::Tf32 : precision;
}

} // namespace batchpeak::model
