// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "image_network.h"
#include "model/model_spec.h"
#include "optimizers/flat_parameters.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace batchpeak::network {

/// The forward pass of a vision transformer, from images to the loss, as eager PyTorch runs
/// ViTForImageClassification of transformers: patches by a convolution, attention in both directions, and a
/// classification of the class token's last state.
class VisionTransformerNetwork : public ImageNetwork
{
public:
    /// \param parameters  parameters of model::parameterTable(spec)
    VisionTransformerNetwork(model::VisionTransformerSpec spec, const FlatParameters& parameters,
                             const NetworkOptions& options);

    /// Returns nothing: there are no buffers.
    static std::vector<std::int64_t> bufferBytes(const model::VisionTransformerSpec& spec,
                                                 const NetworkOptions& options);

protected:
    /// Returns the class token's last state.
    at::Tensor features(const at::Tensor& images) const override;

private:
    at::Tensor embedded(const at::Tensor& images) const;
    at::Tensor throughBlock(const at::Tensor& hidden, const TransformerLayer& layer) const;
    at::Tensor layerNormalized(const at::Tensor& input, const Affine& norm) const;
    at::Tensor attention(const at::Tensor& input, const TransformerLayer& layer) const;
    at::Tensor feedForward(const at::Tensor& input, const TransformerLayer& layer) const;
    at::Tensor residualDropped(const at::Tensor& input) const;

    model::VisionTransformerSpec m_spec;
    at::Tensor m_classToken;
    Affine m_patches;
    at::Tensor m_positions;
    std::vector<TransformerLayer> m_layers;
    Affine m_finalNorm;
};

} // namespace batchpeak::network
