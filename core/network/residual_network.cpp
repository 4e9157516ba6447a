// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "residual_network.h"

#include "collation.h"
#include "failure.h"
#include "token_loss.h"

#include <ATen/Context.h>
#include <ATen/ops/adaptive_avg_pool2d.h>
#include <ATen/ops/batch_norm.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <string>
#include <utility>

namespace batchpeak::network {

namespace {

// Defaults of nn.BatchNorm2d.
constexpr double momentum = 0.1;
constexpr double epsilon = 1e-5;

} // namespace

ResidualNetwork::ResidualNetwork(model::ResNetSpec spec, const FlatParameters& parameters,
                                 const NetworkOptions& options)
    : Network(options), m_spec(spec)
{
    m_stem = makeConvolution("stem.convolution", "stem.norm", 2, parameters);
    for (const model::ResNetBlock& block : model::blocksOf(m_spec))
        m_blocks.push_back(makeBlock(block, parameters));
    m_output = affineOf(parameters, "output");
}

std::vector<std::int64_t> ResidualNetwork::bufferBytes(const model::ResNetSpec& spec,
                                                       const NetworkOptions& options)
{
    const auto element = static_cast<std::int64_t>(c10::elementSize(options.parameterType));
    std::vector<std::int64_t> bytes;
    for (std::int64_t channels : model::normalizedChannels(spec))
        bytes.insert(bytes.end(), {channels * element, channels * element, sizeof(std::int64_t)});
    return bytes;
}

ResidualNetwork::Convolution ResidualNetwork::makeConvolution(const std::string& convolution,
                                                              const std::string& norm, std::int64_t stride,
                                                              const FlatParameters& parameters)
{
    const Affine affine = affineOf(parameters, norm);
    const at::TensorOptions like = affine.weight.options().requires_grad(false);
    return {.weight = parameters.at(convolution + ".weight"),
            .norm = {.affine = affine,
                     .runningMean = at::zeros(affine.weight.sizes(), like),
                     .runningVariance = at::ones(affine.weight.sizes(), like),
                     .batches = at::zeros({}, like.dtype(at::kLong))},
            .stride = stride};
}

ResidualNetwork::Block ResidualNetwork::makeBlock(const model::ResNetBlock& block,
                                                  const FlatParameters& parameters)
{
    const int convolutions = block.isBottleneck ? 3 : 2;
    const int strided = block.isBottleneck ? 2 : 1;
    Block made;
    for (int i = 1; i <= convolutions; ++i) {
        const std::string number = std::to_string(i);
        made.convolutions.push_back(makeConvolution(block.prefix + "convolution" + number,
                                                    block.prefix + "norm" + number,
                                                    i == strided ? block.stride : 1, parameters));
    }
    if (block.hasShortcut) {
        made.shortcut = makeConvolution(block.prefix + "shortcut.convolution", block.prefix + "shortcut.norm",
                                        block.stride, parameters);
    }
    return made;
}

Batch ResidualNetwork::makeBatch(std::int64_t samples, std::int64_t /*sequenceLength*/) const
{
    const at::TensorOptions images = m_stem.weight.options().requires_grad(false);
    return {.inputs = {at::randn({samples, m_spec.channels, m_spec.imageSize, m_spec.imageSize}, images)},
            .targets = at::randint(m_spec.classes, {samples}, images.dtype(at::kLong)),
            .countedTargets = samples};
}

Batch ResidualNetwork::batchOf(std::span<const SampleRow> rows) const
{
    return imageSamples(rows, {.channels = m_spec.channels, .size = m_spec.imageSize}, m_spec.classes,
                        m_stem.weight.options().requires_grad(false));
}

std::int64_t ResidualNetwork::countedTargets(std::span<const SampleRow> rows) const
{
    return static_cast<std::int64_t>(rows.size());
}

std::vector<at::Tensor> ResidualNetwork::statistics() const
{
    std::vector<at::Tensor> all;
    const auto add = [&all](const Convolution& convolution) {
        if (convolution.weight.defined()) {
            const BatchNormalization& norm = convolution.norm;
            all.insert(all.end(), {norm.runningMean, norm.runningVariance, norm.batches});
        }
    };
    add(m_stem);
    for (const Block& block : m_blocks) {
        std::ranges::for_each(block.convolutions, add);
        add(block.shortcut);
    }
    return all;
}

at::Tensor ResidualNetwork::loss(const Batch& batch, double normalizer) const
{
    return tokenLoss(pooledFeatures(batch.inputs.front()), m_output, batch.targets, normalizer,
                     /*chunkRows=*/0);
}

at::Tensor ResidualNetwork::logits(const at::Tensor& images) const
{
    return linear(pooledFeatures(images), m_output);
}

at::Tensor ResidualNetwork::pooledFeatures(const at::Tensor& images) const
{
    const at::Tensor stem = convolved(images, m_stem).relu_();
    at::Tensor hidden = at::max_pool2d(stem, /*kernel_size=*/3, /*stride=*/2, /*padding=*/1);
    for (const Block& block : m_blocks) {
        hidden = throughLayer(
            [this, &block](const std::vector<at::Tensor>& inputs) {
                return throughBlock(inputs.front(), block);
            },
            {hidden});
    }
    return at::adaptive_avg_pool2d(hidden, {1, 1}).flatten(1);
}

at::Tensor ResidualNetwork::throughBlock(const at::Tensor& input, const Block& block) const
{
    at::Tensor output = input;
    for (const Convolution& convolution : block.convolutions) {
        if (&convolution != &block.convolutions.front())
            output.relu_();
        output = convolved(output, convolution);
    }
    output.add_(block.shortcut.weight.defined() ? convolved(input, block.shortcut) : input);
    return output.relu_();
}

at::Tensor ResidualNetwork::convolved(const at::Tensor& input, const Convolution& convolution) const
{
    // So many pixels at each side that only the stride makes the image smaller.
    const std::int64_t padding = convolution.weight.size(-1) / 2;
    return normalized(at::conv2d(input, convolution.weight, /*bias=*/{}, convolution.stride, padding),
                      convolution.norm);
}

at::Tensor ResidualNetwork::normalized(const at::Tensor& input, const BatchNormalization& norm) const
{
    if (options().trains) {
        // As torch.nn.functional.batch_norm refuses it.
        if (input.numel() == input.size(1)) {
            throw UnsupportedStep(
                "A micro-batch of one sample cannot be trained: its images are one pixel in the last stages, "
                "so that batch normalisation has a single value of each channel. Take two samples or more, "
                "or "
                "larger images.");
        }
        norm.batches.add_(1);
    }
    return at::batch_norm(input, norm.affine.weight, norm.affine.bias, norm.runningMean, norm.runningVariance,
                          options().trains, momentum, epsilon, at::globalContext().userEnabledCuDNN());
}

} // namespace batchpeak::network
