// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "collation.h"
#include "layer_operations.h"
#include "network.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>

namespace batchpeak::network {

/// A network that classifies images: images and their classes go in, and the cross entropy of the classes
/// comes out.
///
/// Derived classes compute the features of an image.
class ImageNetwork : public Network
{
public:
    Batch makeBatch(std::int64_t samples, std::int64_t sequenceLength) const override;
    std::int64_t tokensPerRow() const override { return 0; }
    std::int64_t vocabularySize() const override { return 0; }
    Batch batchOf(std::span<const SampleRow> rows) const override;
    std::int64_t countedTargets(std::span<const SampleRow> rows) const override;
    at::Tensor loss(const Batch& batch, double normalizer) const override;

    /// Returns {samples, classes}.
    at::Tensor logits(const at::Tensor& images) const;

protected:
    /// \param output  projection from features to classes
    ImageNetwork(const NetworkOptions& options, const ImageShape& images, std::int64_t classes,
                 Affine output);

    /// Returns {samples, features} for images {samples, channels, height, width}.
    virtual at::Tensor features(const at::Tensor& images) const = 0;

private:
    at::TensorOptions imageOptions() const;
    at::MemoryFormat memoryFormat() const;

    ImageShape m_images;
    std::int64_t m_classes;
    Affine m_output;
};

} // namespace batchpeak::network
