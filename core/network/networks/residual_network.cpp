// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "residual_network.h"

#include "failure.h"

#include <ATen/Context.h>
#include <ATen/ops/adaptive_avg_pool2d.h>
#include <ATen/ops/batch_norm.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <string>

namespace batchpeak::network {

namespace {

// Defaults of nn.BatchNorm2d.
constexpr double batchNormMomentum = 0.1;
constexpr double epsilon = 1e-5;

} // namespace

ResidualNetwork::ResidualNetwork(const model::ResNetSpec& spec, const FlatParameters& parameters,
                                 const NetworkOptions& options)
    : ImageNetwork(options, {.channels = spec.channels, .size = spec.imageSize}, spec.classes,
                   affineOf(parameters, "output")),
      m_stem(makeConvolution("stem.convolution", "stem.norm", 2, parameters))
{
    for (const model::ResNetBlock& block : model::blocksOf(spec))
        m_blocks.push_back(makeBlock(block, parameters));
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

at::Tensor ResidualNetwork::features(const at::Tensor& images) const
{
    const at::Tensor stem = convolved(images, m_stem).relu_();
    at::Tensor hidden = at::max_pool2d(stem, /*kernel_size=*/3, /*stride=*/2, /*padding=*/1);
    for (std::size_t i = 0; i < m_blocks.size(); ++i) {
        hidden = throughLayer(i,
                              [this, &block = m_blocks[i]](const std::vector<at::Tensor>& inputs) {
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
    // Padding at each side with which only the stride makes the image smaller.
    const std::int64_t padding = convolution.weight.size(-1) / 2;
    return normalized(at::conv2d(input, convolution.weight, /*bias=*/{}, convolution.stride, padding),
                      convolution.norm);
}

at::Tensor ResidualNetwork::normalized(const at::Tensor& input, const BatchNormalization& norm) const
{
    if (options().trains) {
        // torch.nn.functional.batch_norm refuses this too.
        if (input.numel() == input.size(1)) {
            throw UnsupportedStep(
                "A micro-batch of one sample cannot be trained: its images are one pixel in the last stages, "
                "so that batch normalization has a single value of each channel. Take two samples or more, "
                "or larger images.");
        }
        norm.batches.add_(1);
    }
    return at::batch_norm(input, norm.affine.weight, norm.affine.bias, norm.runningMean, norm.runningVariance,
                          options().trains, batchNormMomentum, epsilon,
                          at::globalContext().userEnabledCuDNN());
}

} // namespace batchpeak::network
