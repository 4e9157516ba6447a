// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"

#include <cstdint>
#include <string>

namespace batchpeak::config {

/// A config of a random layout, and the expected config with a size in it. The same program writes both at
/// the same time; neither is derived from the other.
struct GeneratedConfig
{
    std::string before;
    std::string after;
    ChosenSize chosen;
    /// Name of its format.
    std::string formatName;
    std::int64_t globalBatchSize = 0;
};

/// Returns a config; the same for the same seed.
GeneratedConfig generatedConfig(std::uint64_t seed);

} // namespace batchpeak::config
