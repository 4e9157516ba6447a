// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/model_spec.h"

#include <cstdint>
#include <optional>
#include <string>

namespace batchpeak::config {

/// A micro-batch size that Cerebras found to perform well on its CS systems.
struct KnownSize
{
    /// The network that the size was found for: "GPT-3 6.7B".
    std::string network;
    std::int64_t microBatchSize = 0;

    bool operator==(const KnownSize&) const = default;
};

/// Returns the published size of the network that is closest in the number of parameters; nothing if none is
/// close, or none of the same kind.
///
/// The sizes for GPT-3 are used for every decoder without experts, as Cerebras says that they are a good
/// estimate for BLOOM and LLaMA of similar size. They hold for CS systems; on other devices they are a
/// starting point. Source: "Effective use of microbatching" in Cerebras' documentation of release 2.0.
std::optional<KnownSize> knownSizeFor(const model::ModelSpec& spec);

} // namespace batchpeak::config
