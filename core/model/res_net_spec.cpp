// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "res_net_spec.h"

#include "spec_checks.h"

#include <algorithm>
#include <array>

namespace batchpeak::model {

namespace {

struct Plan
{
    std::int64_t depth;
    std::array<std::int64_t, 4> blocks;
    bool isBottleneck;
};

// Table 1 of arXiv 1512.03385.
constexpr std::array<Plan, 5> plans{{{18, {2, 2, 2, 2}, false},
                                     {34, {3, 4, 6, 3}, false},
                                     {50, {3, 4, 6, 3}, true},
                                     {101, {3, 4, 23, 3}, true},
                                     {152, {3, 8, 36, 3}, true}}};

// Outputs of a bottleneck block over its inner channels: section 4.1 of the paper.
constexpr std::int64_t bottleneckExpansion = 4;

const Plan* planOf(std::int64_t depth)
{
    const auto* found = std::ranges::find(plans, depth, &Plan::depth);
    return found == plans.end() ? nullptr : found;
}

} // namespace

std::optional<std::string> problemWith(const ResNetSpec& spec)
{
    if (!planOf(spec.depth)) {
        return "The depth " + std::to_string(spec.depth) +
               " is none that a residual network has; take 18, 34, 50, 101 or 152.";
    }
    return problemWithSizes({{spec.classes, "number of classes"},
                             {spec.channels, "number of image channels"},
                             {spec.imageSize, "image size"},
                             {spec.width, "number of channels of the first stage"}});
}

std::vector<ResNetBlock> blocksOf(const ResNetSpec& spec)
{
    std::vector<ResNetBlock> blocks;
    const Plan& plan = *planOf(spec.depth);
    std::int64_t inputs = spec.width;
    for (std::size_t stage = 0; stage < plan.blocks.size(); ++stage) {
        const std::int64_t inner = spec.width << stage;
        const std::int64_t outputs = plan.isBottleneck ? inner * bottleneckExpansion : inner;
        for (std::int64_t block = 0; block < plan.blocks[stage]; ++block) {
            const std::int64_t stride = stage > 0 && block == 0 ? 2 : 1;
            blocks.push_back(
                {.prefix = "stages." + std::to_string(stage) + ".blocks." + std::to_string(block) + ".",
                 .inputs = inputs,
                 .inner = inner,
                 .outputs = outputs,
                 .stride = stride,
                 .isBottleneck = plan.isBottleneck,
                 .hasShortcut = stride != 1 || inputs != outputs});
            inputs = outputs;
        }
    }
    return blocks;
}

std::vector<std::int64_t> normalizedChannels(const ResNetSpec& spec)
{
    std::vector<std::int64_t> channels{spec.width};
    for (const ResNetBlock& block : blocksOf(spec)) {
        channels.push_back(block.inner);
        if (block.isBottleneck)
            channels.push_back(block.inner);
        channels.push_back(block.outputs);
        if (block.hasShortcut)
            channels.push_back(block.outputs);
    }
    return channels;
}

} // namespace batchpeak::model
