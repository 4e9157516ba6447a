// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "image_network.h"
#include "model/model_spec.h"
#include "optimizers/flat_parameters.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace batchpeak::network {

/// The forward pass of a residual network, from images to the loss, as torchvision's ResNet runs in eager
/// PyTorch: images and convolutions have the layout {samples, channels, height, width}, which users get by
/// default.
///
/// Training updates the running statistics of the batch normalizations. A checkpointed block updates them
/// twice, as in torch.utils.checkpoint.
class ResidualNetwork : public ImageNetwork
{
public:
    /// \param parameters  parameters of model::parameterTable(spec)
    ResidualNetwork(const model::ResNetSpec& spec, const FlatParameters& parameters,
                    const NetworkOptions& options);

    std::vector<at::Tensor> statistics() const override;

    /// Returns the bytes of the running statistics, one number per tensor.
    static std::vector<std::int64_t> bufferBytes(const model::ResNetSpec& spec,
                                                 const NetworkOptions& options);

protected:
    at::Tensor features(const at::Tensor& images) const override;

private:
    struct BatchNormalization
    {
        Affine affine;
        at::Tensor runningMean;
        at::Tensor runningVariance;
        /// int64, a scalar: number of batches, which nn.BatchNorm2d counts in every step.
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
        /// Two or three convolutions.
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

    Convolution m_stem;
    std::vector<Block> m_blocks;
};

} // namespace batchpeak::network
