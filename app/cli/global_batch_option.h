// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/config_file.h"

#include <cstdint>

namespace CLI {
class App;
}

namespace batchpeak::cli {

/// What --global-batch asks to become of the batch of one optimizer step when a size is written.
struct GlobalBatchOption
{
    enum class Kind {
        /// It stays, or nothing is written.
        Kept,
        /// It stays where its trainer can make it of micro-batches of that size; else the nearest that it
        /// can.
        Below,
        Above,
        Given
    };

    Kind kind = Kind::Kept;
    /// Of Kind::Given, in the terms of config::ChosenSize.
    std::int64_t batch = 0;
};

void addGlobalBatchOption(CLI::App& app, GlobalBatchOption& option);

/// The text of \p file with a size in it, and the batch that was asked for; nothing is written.
/// \throws config::BatchNotKept where the batch cannot be kept, and none was asked for in its place
/// \throws config::ConfigError where the config does not take the size or the batch
config::SplicedText withSize(const engine::ConfigFile& file, config::ChosenSize chosen,
                             const GlobalBatchOption& option);

} // namespace batchpeak::cli
