// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "transformers_spec.h"

#include "decoder_spec.h"
#include "spec_checks.h"

#include <algorithm>

namespace batchpeak::model {

std::int64_t defaultSequenceLength(const TransformersSpec& spec)
{
    return spec.positions > 0 ? std::min(spec.positions, defaultTokens) : defaultTokens;
}

std::optional<std::int64_t> longestSequence(const TransformersSpec&)
{
    return std::nullopt;
}

std::optional<std::string> problemWith(const TransformersSpec& spec)
{
    // The config is part of one line of the trial protocol, where quotes take two bytes.
    constexpr std::size_t longestConfig = std::size_t{256} * 1024;
    if (spec.config.empty())
        return std::string("The network is one of transformers, but its config.json is missing.");
    if (spec.config.size() > longestConfig) {
        return std::string("The config.json of the network is longer than 256 KiB; leave out of it what does "
                           "not describe the network.");
    }
    return problemWithSizes({{.size = spec.positions, .name = "number of positions", .min = 0}});
}

std::vector<Parameter> parameterTable(const TransformersSpec&)
{
    return {};
}

} // namespace batchpeak::model
