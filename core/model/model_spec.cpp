// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model_spec.h"

namespace batchpeak::model {

namespace {

template<typename Spec>
constexpr bool isOfSequences = requires(const Spec& spec)
{
    longestSequence(spec);
};

} // namespace

bool takesSequences(const ModelSpec& spec)
{
    return std::visit([](const auto& architecture) { return isOfSequences<decltype(architecture)>; },
                      spec.architecture);
}

std::int64_t usualSequenceLength(const ModelSpec& spec)
{
    return std::visit(
        [](const auto& architecture) -> std::int64_t {
            if constexpr (isOfSequences<decltype(architecture)>)
                return usualSequenceLength(architecture);
            else
                return 1;
        },
        spec.architecture);
}

std::optional<std::int64_t> usualTargetLength(const ModelSpec& spec)
{
    const auto* pair = std::get_if<EncoderDecoderSpec>(&spec.architecture);
    return pair ? std::optional(usualTargetLength(*pair)) : std::nullopt;
}

std::optional<std::int64_t> longestSequence(const ModelSpec& spec)
{
    return std::visit(
        [](const auto& architecture) -> std::optional<std::int64_t> {
            if constexpr (isOfSequences<decltype(architecture)>)
                return longestSequence(architecture);
            else
                return std::nullopt;
        },
        spec.architecture);
}

bool normalizesOverBatch(const ModelSpec& spec)
{
    return std::holds_alternative<ResNetSpec>(spec.architecture);
}

std::optional<std::string> problemWith(const ModelSpec& spec)
{
    return std::visit([](const auto& architecture) { return problemWith(architecture); }, spec.architecture);
}

} // namespace batchpeak::model
