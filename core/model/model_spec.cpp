// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model_spec.h"

namespace batchpeak::model {

std::int64_t usualSequenceLength(const ModelSpec& spec)
{
    return std::visit([](const auto& architecture) { return usualSequenceLength(architecture); },
                      spec.architecture);
}

std::optional<std::int64_t> longestSequence(const ModelSpec& spec)
{
    return std::visit([](const auto& architecture) { return longestSequence(architecture); },
                      spec.architecture);
}

std::optional<std::string> problemWith(const ModelSpec& spec)
{
    return std::visit([](const auto& architecture) { return problemWith(architecture); }, spec.architecture);
}

} // namespace batchpeak::model
