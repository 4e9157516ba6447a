// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "flat_parameters.h"
#include "layer_operations.h"
#include "model/model_spec.h"
#include "network.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace batchpeak::network {

/// The forward pass of a residual network, from images to the loss, as torchvision's ResNet runs it in eager
/// PyTorch: images and convolutions in the layout {samples, channels, height, width}, which is what its
/// users get who ask for no other.
///
/// Training updates the running statistics of the batch normalisations. A block that is checkpointed
/// updates them twice, as torch.utils.checkpoint does.
class ResidualNetwork : public Network
{
public:
    /// \param parameters  of model::parameterTable(spec)
    ResidualNetwork(model::ResNetSpec spec, const FlatParameters& parameters, const NetworkOptions& options);

    Batch makeBatch(std::int64_t samples, std::int64_t sequenceLength) const override;
    std::int64_t tokensPerRow() const override { return 0; }
    std::int64_t vocabularySize() const override { return 0; }
    Batch batchOf(std::span<const SampleRow> rows) const override;
    std::int64_t countedTargets(std::span<const SampleRow> rows) const override;
    at::Tensor loss(const Batch& batch, double normalizer) const override;
    std::vector<at::Tensor> statistics() const override;

    /// {samples, classes}
    at::Tensor logits(const at::Tensor& images) const;

    /// Of the running statistics, each tensor for itself.
    static std::vector<std::int64_t> bufferBytes(const model::ResNetSpec& spec,
                                                 const NetworkOptions& options);

private:
    struct BatchNormalization
    {
        Affine affine;
        at::Tensor runningMean;
        at::Tensor runningVariance;
        /// int64, a scalar: nn.BatchNorm2d counts them in every step.
        at::Tensor batches;
    };
    struct Convolution
    {
        at::Tensor weight;
        BatchNormalization norm;
        std::int64_t stride = 1;
    };
    struct Block
    {
        /// Two or three.
        std::vector<Convolution> convolutions;
        /// Its weight is undefined where the input itself is added.
        Convolution shortcut;
    };

    static Convolution makeConvolution(const std::string& convolution, const std::string& norm,
                                       std::int64_t stride, const FlatParameters& parameters);
    static Block makeBlock(const model::ResNetBlock& block, const FlatParameters& parameters);
    at::Tensor convolved(const at::Tensor& input, const Convolution& convolution) const;
    at::Tensor normalized(const at::Tensor& input, const BatchNormalization& norm) const;
    at::Tensor throughBlock(const at::Tensor& input, const Block& block) const;
    at::Tensor pooledFeatures(const at::Tensor& images) const;

    model::ResNetSpec m_spec;
    Convolution m_stem;
    std::vector<Block> m_blocks;
    Affine m_output;
};

} // namespace batchpeak::network
