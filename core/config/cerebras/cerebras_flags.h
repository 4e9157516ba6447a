// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/config_section.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace batchpeak::config {

/// The callbacks of a Cerebras Trainer config that set flags of the system: ScopedTrainFlags for training,
/// ScopedValidateFlags for evaluation, GlobalFlags for both.
///
/// It knows in which of them the micro-batch size of a phase stands, and where it goes if it stands in
/// none. A scoped flag wins over a global one, and among equals the last, because each is set when its
/// turn comes (ModelZoo 2.10.0, trainer/callbacks/flags.py).
class CerebrasFlags
{
public:
    /// One key, dots and all.
    static constexpr std::string_view microBatchKey = "csx.performance.micro_batch_size";

    explicit CerebrasFlags(ConfigSection init);

    /// The flags with the micro-batch size that acts on \p phase; nothing where it is set nowhere.
    std::optional<ConfigSection> microBatchSection(model::Phase phase) const;

    /// Any callback of that name, whether it sets flags or not.
    bool hasCallback(std::string_view name) const;

    /// The text with that size for \p phase, in as few bytes as it takes.
    SplicedText withMicroBatchSize(model::Phase phase, std::int64_t microBatchSize) const;

private:
    struct Callback
    {
        ConfigEntry entry;
        ConfigSection holder;
    };
    std::vector<Callback> callbacksNamed(std::string_view name) const;
    std::optional<ConfigSection> lastWithMicroBatch(std::string_view name) const;
    SplicedText inserted(std::string_view callback, std::int64_t microBatchSize) const;

    ConfigSection m_init;
};

} // namespace batchpeak::config
