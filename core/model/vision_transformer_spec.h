// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "layer_kind.h"
#include "parameter.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace batchpeak::model {

/// A vision transformer for image classification (ViT; Dosovitskiy et al., arXiv 2010.11929): an image is
/// split into square patches, a class token precedes them, and its last state is classified.
///
/// It contains everything that determines shapes, arithmetic and memory; images and patches are square.
struct VisionTransformerSpec
{
    /// Height and width [pixels].
    std::int64_t imageSize = 224;
    std::int64_t channels = 3;
    std::int64_t patchSize = 16;
    std::int64_t hiddenSize = 0;
    std::int64_t layers = 0;
    std::int64_t heads = 0;
    std::int64_t feedForwardSize = 0;
    std::int64_t classes = 1000;
    Activation activation = Activation::Gelu;
    /// Whether the query, key and value projections have biases; all other projections have one.
    bool attentionBias = true;
    double normalizationEpsilon = 1e-6;
    /// Probabilities of dropout on embeddings and on each residual branch, and on attention weights.
    double dropout = 0.0;
    double attentionDropout = 0.0;

    /// Number of patches in one image.
    std::int64_t patches() const { return (imageSize / patchSize) * (imageSize / patchSize); }
    /// Number of patches including the class token.
    std::int64_t positions() const { return patches() + 1; }

    bool operator==(const VisionTransformerSpec&) const = default;
};

std::optional<std::string> problemWith(const VisionTransformerSpec& spec);

std::vector<Parameter> parameterTable(const VisionTransformerSpec& spec);

} // namespace batchpeak::model
