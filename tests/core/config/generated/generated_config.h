// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"

#include <cstdint>
#include <string>

namespace batchpeak::config {

/// A config of a random layout, and what it is to be with a size in it: written by the same program at the
/// same time, not derived from one another.
struct GeneratedConfig
{
    std::string before;
    std::string after;
    ChosenSize chosen;
    /// What its format is called.
    std::string formatName;
    std::int64_t globalBatchSize = 0;
};

/// The same for the same seed.
GeneratedConfig generatedConfig(std::uint64_t seed);

} // namespace batchpeak::config
