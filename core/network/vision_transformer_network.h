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
#include <vector>

namespace batchpeak::network {

/// The forward pass of a vision transformer, from images to the loss, as eager PyTorch runs
/// ViTForImageClassification of transformers: patches by a convolution, attention in both directions, the
/// class token's last state classified.
class VisionTransformerNetwork : public Network
{
public:
    /// \param parameters  of model::parameterTable(spec)
    VisionTransformerNetwork(model::VisionTransformerSpec spec, const FlatParameters& parameters,
                             const NetworkOptions& options);

    Batch makeBatch(std::int64_t samples, std::int64_t sequenceLength) const override;
    std::int64_t tokensPerRow() const override { return 0; }
    std::int64_t vocabularySize() const override { return 0; }
    Batch batchOf(std::span<const SampleRow> rows) const override;
    std::int64_t countedTargets(std::span<const SampleRow> rows) const override;
    at::Tensor loss(const Batch& batch, double normalizer) const override;

    /// {samples, classes}
    at::Tensor logits(const at::Tensor& images) const;

    /// None.
    static std::vector<std::int64_t> bufferBytes(const model::VisionTransformerSpec& spec,
                                                 const NetworkOptions& options);

private:
    struct Layer
    {
        Affine attentionNorm;
        Affine qkv;
        Affine attentionOutput;
        Affine feedForwardNorm;
        Affine up;
        Affine down;
    };

    at::Tensor embedded(const at::Tensor& images) const;
    at::Tensor classState(const at::Tensor& images) const;
    at::Tensor throughBlock(const at::Tensor& hidden, const Layer& layer) const;
    at::Tensor layerNormalized(const at::Tensor& input, const Affine& norm) const;
    at::Tensor attention(const at::Tensor& input, const Layer& layer) const;
    at::Tensor feedForward(const at::Tensor& input, const Layer& layer) const;
    at::Tensor residualDropped(const at::Tensor& input) const;

    model::VisionTransformerSpec m_spec;
    at::Tensor m_classToken;
    Affine m_patches;
    at::Tensor m_positions;
    std::vector<Layer> m_layers;
    Affine m_finalNorm;
    Affine m_output;
};

} // namespace batchpeak::network
