// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "step_flops.h"

#include "parameter_table.h"

#include <algorithm>
#include <cstdint>
#include <functional>

namespace batchpeak::model {

namespace {

using Table = std::vector<Parameter>;

/// Returns the number of multiply-adds in the forward pass of one sample with these settings. Empty if the
/// description does not contain the layers. A plan calls it for up to 1,000 lengths, so it must not search
/// the table.
using Products = std::function<double(const StepSettings& settings)>;

/// Counts the products with matrices.
/// \param outputTokens  number of tokens that the output matrix is multiplied by
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

Products productsOf(const DecoderSpec& spec, const Table& table)
{
    const double perToken = matrixProducts(table, spec.tiedEmbeddings, 1.0, [&](const Parameter& matrix) {
        // The matrices of all experts are one parameter, and a token takes some of them.
        if (matrix.shape.size() > 2)
            return static_cast<double>(spec.expertsPerToken) / static_cast<double>(spec.experts);
        return 1.0;
    });
    return [=, layers = spec.layers, width = spec.heads * headSizeOf(spec)](const StepSettings& settings) {
        const auto tokens = static_cast<double>(settings.sequenceLength);
        // Pairs of tokens in two packed texts are not computed if the texts are separated before attention.
        const StepOptions& options = settings.options;
        const bool isCut = packsTexts(options, settings.sequenceLength) && !takesMasks(options.attention);
        const double keyTokens = isCut ? static_cast<double>(options.packedTextLength) : tokens;
        return perToken * tokens + pairProducts(layers, tokens, keyTokens, width);
    };
}

Products productsOf(const EncoderSpec& spec, const Table& table)
{
    const auto isOfLayer = [](const Parameter& matrix) { return matrix.name.starts_with("layers."); };
    const auto isOfPrediction = [](const Parameter& matrix) {
        return matrix.name == "head.transform.weight";
    };
    const double perToken = matrixProducts(table, spec.tiedEmbeddings, 0.0, [&](const Parameter& matrix) {
        return isOfLayer(matrix) ? 1.0 : 0.0;
    });
    const double perPrediction =
        matrixProducts(table, spec.tiedEmbeddings, spec.maskedLanguageHead ? 1.0 : 0.0,
                       [&](const Parameter& matrix) { return isOfPrediction(matrix) ? 1.0 : 0.0; });
    // The pooler and the head after it take the first token.
    const double ofFirst = matrixProducts(table, spec.tiedEmbeddings, 0.0, [&](const Parameter& matrix) {
        return isOfLayer(matrix) || isOfPrediction(matrix) ? 0.0 : 1.0;
    });
    return [=, layers = spec.layers, width = spec.hiddenSize,
            most = static_cast<double>(spec.predictedTokens)](const StepSettings& settings) {
        const auto tokens = static_cast<double>(settings.sequenceLength);
        const double predicted = most > 0.0 ? std::min(most, tokens) : tokens;
        return perToken * tokens + perPrediction * predicted + ofFirst +
               pairProducts(layers, tokens, tokens, width);
    };
}

Products productsOf(const EncoderDecoderSpec& spec, const Table& table)
{
    const auto takesEncoded = [](const Parameter& matrix) {
        return matrix.name.ends_with("cross_attention.key_value.weight") ||
               matrix.name.starts_with("encoder.");
    };
    const double perToken = matrixProducts(table, spec.tiedEmbeddings, 0.0, [&](const Parameter& matrix) {
        return takesEncoded(matrix) ? 1.0 : 0.0;
    });
    const double perTarget = matrixProducts(table, spec.tiedEmbeddings, 1.0, [&](const Parameter& matrix) {
        return takesEncoded(matrix) ? 0.0 : 1.0;
    });
    return [=, encoderLayers = spec.encoderLayers, decoderLayers = spec.decoderLayers,
            width = spec.heads * spec.headSize](const StepSettings& settings) {
        const auto tokens = static_cast<double>(settings.sequenceLength);
        const auto targets = static_cast<double>(settings.targetLength);
        return perToken * tokens + perTarget * targets + pairProducts(encoderLayers, tokens, tokens, width) +
               pairProducts(decoderLayers, targets, targets + tokens, width);
    };
}

Products productsOf(const VisionTransformerSpec& spec, const Table& table)
{
    const auto positions = static_cast<double>(spec.positions());
    const double ofMatrices = matrixProducts(table, false, 1.0, [&](const Parameter& matrix) {
        if (matrix.name.starts_with("layers."))
            return positions;
        // The class token and the positions are added, not multiplied.
        return matrix.name == "patches.weight" ? static_cast<double>(spec.patches()) : 0.0;
    });
    const double products = ofMatrices + pairProducts(spec.layers, positions, positions, spec.hiddenSize);
    return [products](const StepSettings&) { return products; };
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

Products productsOf(const ResNetSpec& spec, const Table&)
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
    products += static_cast<double>(channels * spec.classes);
    return [products](const StepSettings&) { return products; };
}

Products productsOf(const ScriptSpec&, const Table&)
{
    return {};
}

Products productsOf(const TransformersSpec&, const Table&)
{
    return {};
}

} // namespace

std::optional<double> stepFlops(const ModelSpec& spec, const std::vector<StepSettings>& samples)
{
    const Table table = parameterTable(spec);
    const Products products = std::visit(
        [&](const auto& architecture) { return productsOf(architecture, table); }, spec.architecture);
    if (!products)
        return std::nullopt;
    constexpr double forward = 2.0;
    double flops = 0.0;
    for (const StepSettings& settings : samples)
        flops += products(settings) * (settings.phase == Phase::Train ? 3.0 * forward : forward) /
                 static_cast<double>(samples.size());
    return flops;
}

Precision productPrecision(const ModelSpec& spec, Precision precision, const StepOptions& options)
{
    const bool convolves = std::holds_alternative<ResNetSpec>(spec.architecture);
    return convolves && precision == Precision::Fp32 && options.convolvesInTf32 ? Precision::Tf32 : precision;
}

} // namespace batchpeak::model
