// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "longest_run.h"

#include <variant>

namespace batchpeak::model {

std::optional<std::int64_t> longestRun(const ModelSpec& spec)
{
    const auto* decoder = std::get_if<DecoderSpec>(&spec.architecture);
    return decoder ? std::optional(decoder->maxPositions) : longestSequence(spec);
}

} // namespace batchpeak::model
