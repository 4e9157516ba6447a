// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "vision_transformer_spec.h"

#include "spec_checks.h"

namespace batchpeak::model {

std::optional<std::string> problemWith(const VisionTransformerSpec& spec)
{
    if (const auto problem = problemWithSizes({{spec.imageSize, "image size"},
                                               {spec.channels, "number of image channels"},
                                               {spec.patchSize, "patch size"},
                                               {spec.hiddenSize, "hidden size"},
                                               {spec.layers, "number of layers"},
                                               {spec.heads, "number of attention heads"},
                                               {spec.feedForwardSize, "feed-forward size"},
                                               {spec.classes, "number of classes"}}))
        return problem;
    if (spec.imageSize % spec.patchSize != 0) {
        return "The image size " + std::to_string(spec.imageSize) + " is not a multiple of the patch size " +
               std::to_string(spec.patchSize) + ".";
    }
    if (isGated(spec.activation))
        return std::string("A vision transformer has no gated activation; take gelu, gelu_tanh or relu.");
    if (const auto problem = problemWithHeads(spec.hiddenSize, spec.heads))
        return problem;
    return problemWithDropout({spec.dropout, spec.attentionDropout});
}

} // namespace batchpeak::model
