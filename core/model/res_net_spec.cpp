// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "res_net_spec.h"

#include "parameter.h"
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

// Ratio of a bottleneck block's outputs to its inner channels: section 4.1 of the paper.
constexpr std::int64_t bottleneckExpansion = 4;

const Plan* planOf(std::int64_t depth)
{
    const auto* found = std::ranges::find(plans, depth, &Plan::depth);
    return found == plans.end() ? nullptr : found;
}

void addConvolution(ParameterTableBuilder& table, const std::string& name, std::int64_t outputs,
                    std::int64_t inputs, std::int64_t pixels)
{
    table.weight(name + ".weight", {outputs, inputs, pixels, pixels});
}

void addNormalization(ParameterTableBuilder& table, const std::string& name, std::int64_t channels)
{
    // Batch normalization has the parameters of a LayerNorm, one of each per channel.
    table.normalization(name, channels, Normalization::LayerNorm);
}

void addBlock(ParameterTableBuilder& table, const ResNetBlock& block)
{
    std::int64_t number = 1;
    const auto add = [&](std::int64_t outputs, std::int64_t inputs, std::int64_t pixels) {
        const std::string suffix = std::to_string(number++);
        addConvolution(table, block.prefix + "convolution" + suffix, outputs, inputs, pixels);
        addNormalization(table, block.prefix + "norm" + suffix, outputs);
    };
    if (block.isBottleneck) {
        add(block.inner, block.inputs, 1);
        add(block.inner, block.inner, 3);
        add(block.outputs, block.inner, 1);
    } else {
        add(block.inner, block.inputs, 3);
        add(block.outputs, block.inner, 3);
    }
    if (block.hasShortcut) {
        addConvolution(table, block.prefix + "shortcut.convolution", block.outputs, block.inputs, 1);
        addNormalization(table, block.prefix + "shortcut.norm", block.outputs);
    }
}

} // namespace

std::optional<std::string> problemWith(const ResNetSpec& spec)
{
    if (!planOf(spec.depth)) {
        return "The depth " + std::to_string(spec.depth) +
               " is none that a residual network has; take 18, 34, 50, 101 or 152.";
    }
    return problemWithSizes({{spec.classes, "number of classes"},
                             {spec.channels, "number of image channels", maxChannels},
                             {spec.imageSize, "image size", maxPixels},
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

std::vector<Parameter> parameterTable(const ResNetSpec& spec)
{
    const std::vector<ResNetBlock> blocks = blocksOf(spec);
    ParameterTableBuilder table;
    addConvolution(table, "stem.convolution", spec.width, spec.channels, 7);
    addNormalization(table, "stem.norm", spec.width);
    for (const ResNetBlock& block : blocks)
        addBlock(table, block);
    table.linear("output", spec.classes, blocks.back().outputs, true);
    return table.take();
}

} // namespace batchpeak::model
