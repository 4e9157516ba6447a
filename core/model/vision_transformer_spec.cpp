// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "vision_transformer_spec.h"

#include "parameter.h"
#include "spec_checks.h"

namespace batchpeak::model {

std::optional<std::string> problemWith(const VisionTransformerSpec& spec)
{
    if (auto problem = problemWithSizes({{spec.imageSize, "image size", maxPixels},
                                         {spec.channels, "number of image channels", maxChannels},
                                         {spec.patchSize, "patch size"},
                                         {spec.hiddenSize, "hidden size"},
                                         {spec.layers, "number of layers", maxLayers},
                                         {spec.heads, "number of attention heads", maxHeads},
                                         {spec.feedForwardSize, "feed-forward size"},
                                         {spec.classes, "number of classes"}}))
        return problem;
    if (spec.imageSize % spec.patchSize != 0) {
        return "The image size " + std::to_string(spec.imageSize) + " is not a multiple of the patch size " +
               std::to_string(spec.patchSize) + ".";
    }
    if (isGated(spec.activation))
        return std::string("A vision transformer has no gated activation; take gelu, gelu_tanh or relu.");
    if (auto problem = problemWithHeads(spec.hiddenSize, spec.heads))
        return problem;
    if (auto problem = problemWithNumbers({{spec.normalizationEpsilon, "epsilon of the normalizations"}}))
        return problem;
    return problemWithDropout({spec.dropout, spec.attentionDropout});
}

std::vector<Parameter> parameterTable(const VisionTransformerSpec& spec)
{
    const std::int64_t width = spec.hiddenSize;
    ParameterTableBuilder table;
    table.weight("class_token", {1, 1, width});
    table.weight("patches.weight", {width, spec.channels, spec.patchSize, spec.patchSize});
    table.bias("patches.bias", width);
    table.weight("embed_positions.weight", {spec.positions(), width});
    for (std::int64_t layer = 0; layer < spec.layers; ++layer) {
        const std::string prefix = "layers." + std::to_string(layer) + ".";
        table.normalization(prefix + "attention_norm", width, Normalization::LayerNorm);
        table.linear(prefix + "attention.qkv",
                     {{Projection::Query, width}, {Projection::Key, width}, {Projection::Value, width}},
                     width, spec.attentionBias);
        table.linear(prefix + "attention.output", {{Projection::AttentionOutput, width}}, width, true);
        table.normalization(prefix + "feed_forward_norm", width, Normalization::LayerNorm);
        table.linear(prefix + "feed_forward.up", {{Projection::Up, spec.feedForwardSize}}, width, true);
        table.linear(prefix + "feed_forward.down", {{Projection::Down, width}}, spec.feedForwardSize, true);
    }
    table.normalization("final_norm", width, Normalization::LayerNorm);
    table.linear("output", {{Projection::Output, spec.classes}}, width, true);
    return table.take();
}

} // namespace batchpeak::model
