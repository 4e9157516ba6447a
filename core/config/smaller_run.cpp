// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "smaller_run.h"

#include "model/smaller_network.h"

#include <algorithm>
#include <utility>

namespace batchpeak::config {

namespace {

constexpr std::string_view smallerNetwork = "a smaller network";

} // namespace

ConfigContents smallerRunOf(ConfigContents contents)
{
    auto* spec = std::get_if<model::ModelSpec>(&contents.model);
    if (!spec)
        return contents;
    auto small = model::shrunk({.model = *spec,
                                .tuning = contents.tuning,
                                .sequenceLength = contents.sequenceLength,
                                .targetLength = contents.targetLength,
                                .packedTextLength = contents.step.packedTextLength});
    if (!small) {
        throw ConfigError("A module from a file has the sizes that it was made with, so there is no smaller "
                          "one of it; leave out --shrink.",
                          contents.places.network ? contents.places.network->position : TextPosition());
    }
    *spec = std::move(small->model);
    contents.tuning = std::move(small->tuning);
    contents.tuningFor = nullptr;
    contents.sequenceLength = small->sequenceLength;
    contents.targetLength = small->targetLength;
    contents.step.packedTextLength = small->packedTextLength;
    contents.replaced.emplace_back(smallerNetwork);
    return contents;
}

bool isOfSmallerNetwork(const Fidelity& fidelity)
{
    return std::ranges::find(fidelity.replaced, smallerNetwork) != fidelity.replaced.end();
}

} // namespace batchpeak::config
