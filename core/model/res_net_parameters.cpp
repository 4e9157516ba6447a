// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "parameter_table_builder.h"
#include "res_net_spec.h"

namespace batchpeak::model {

namespace {

void addConvolution(ParameterTableBuilder& table, const std::string& name, std::int64_t outputs,
                    std::int64_t inputs, std::int64_t pixels)
{
    table.weight(name + ".weight", {outputs, inputs, pixels, pixels});
}

void addNormalization(ParameterTableBuilder& table, const std::string& name, std::int64_t channels)
{
    table.scale(name + ".weight", channels);
    table.bias(name + ".bias", channels);
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
