// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "script_spec.h"

#include "spec_checks.h"

#include <algorithm>

namespace batchpeak::model {

namespace {

/// Largest number of elements in one sample: beyond any device, and so few that no count of bytes overflows.
constexpr double maxElements = 1e12;

std::optional<std::string> problemWith(const ScriptInput& input)
{
    if (std::ranges::any_of(input.shape, [](std::int64_t size) { return size < 1; }))
        return std::string("A dimension of an input of the TorchScript module must be at least 1.");
    // Computed in doubles, which do not overflow.
    double elements = 1.0;
    for (const std::int64_t size : input.shape)
        elements *= static_cast<double>(size);
    if (elements > maxElements) {
        return std::string("An input of the TorchScript module has more than a trillion elements for one "
                           "sample; check the sizes of its shape.");
    }
    if (input.type == ScriptInputType::Int64 && input.upperBound < 1) {
        return std::string(
            "An integer input of the TorchScript module needs upper_bound, the smallest number above all "
            "that it may take, such as the size of the vocabulary.");
    }
    return std::nullopt;
}

} // namespace

std::optional<std::string> problemWith(const ScriptSpec& spec)
{
    if (spec.file.empty())
        return std::string("The network is a TorchScript module, but the path of its file is missing.");
    if (spec.inputs.empty()) {
        return std::string(
            "The inputs of the TorchScript module are missing; declare the shape of one sample "
            "of each, in the order of the arguments of its forward.");
    }
    for (const ScriptInput& input : spec.inputs) {
        if (auto problem = problemWith(input))
            return problem;
    }
    if (spec.output == ScriptOutput::Logits && (spec.classes < 1 || spec.targetsPerSample < 1)) {
        return std::string("A TorchScript module that returns logits needs classes, the size of their last "
                           "dimension, and at least one target for each sample.");
    }
    return problemWithSizes(
        {{.size = spec.classes, .name = "number of classes", .min = 0},
         {.size = spec.targetsPerSample, .name = "number of targets of a sample", .min = 0}});
}

std::vector<Parameter> parameterTable(const ScriptSpec&)
{
    return {};
}

} // namespace batchpeak::model
