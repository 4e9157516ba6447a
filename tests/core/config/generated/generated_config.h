// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"

#include <cstdint>
#include <string>

namespace batchpeak::config {

/// Config of a random layout, and the expected config with a size in it. The generator writes both side by
/// side; neither is derived from the other.
struct GeneratedConfig
{
    std::string before;
    std::string after;
    ChosenSize chosen;
    /// Name of its format.
    std::string formatName;
    std::int64_t globalBatchSize = 0;
};

/// Returns a config that depends only on the seed.
GeneratedConfig generatedConfig(std::uint64_t seed);

} // namespace batchpeak::config
