// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "parameter.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace batchpeak::model {

/// A residual network for image classification as torchvision builds it, "v1.5": in blocks of three
/// convolutions the middle one has the stride (torchvision/models/resnet.py); in He et al., arXiv 1512.03385,
/// it is the first one.
///
/// Its batch normalization computes over the samples of a micro-batch, so that gradient accumulation gives
/// another result than the whole batch at once. The readers of configs warn of that.
struct ResNetSpec
{
    /// Number of layers with weights: 18, 34, 50, 101 or 152.
    std::int64_t depth = 50;
    std::int64_t classes = 1000;
    std::int64_t channels = 3;
    /// Height and width [pixels].
    std::int64_t imageSize = 224;
    /// Channels of the stem and of the first stage's inner convolutions; each stage has twice as many as the
    /// previous one. 64 in the paper.
    std::int64_t width = 64;

    bool operator==(const ResNetSpec&) const = default;
};

std::optional<std::string> problemWith(const ResNetSpec& spec);

/// The convolutions of one block, and its output.
struct ResNetBlock
{
    /// Prefix of the names of its parameters: "stages.0.blocks.1."
    std::string prefix;
    std::int64_t inputs = 0;
    /// Channels of the inner convolutions.
    std::int64_t inner = 0;
    std::int64_t outputs = 0;
    /// Stride of the block's strided convolution and of its shortcut.
    std::int64_t stride = 1;
    /// Whether it has three convolutions, of 1, 3 and 1 pixels; otherwise it has two of 3 pixels.
    bool isBottleneck = false;
    /// Whether the shortcut is a convolution, since the block changes the channels or the image size.
    bool hasShortcut = false;
};

/// Returns the blocks in the order of the forward pass (table 1 of the paper).
std::vector<ResNetBlock> blocksOf(const ResNetSpec& spec);

/// Returns the channels of each batch normalization, in the order of the forward pass. Each keeps a running
/// mean and a running variance of so many elements, and the number of batches that it has seen.
std::vector<std::int64_t> normalizedChannels(const ResNetSpec& spec);

std::vector<Parameter> parameterTable(const ResNetSpec& spec);

} // namespace batchpeak::model
