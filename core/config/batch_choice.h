// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "batch_plan.h"
#include "config_error.h"
#include "model/run_kind.h"

#include <cstdint>
#include <optional>
#include <string>

namespace batchpeak::config {

/// A size that goes into a config, and what goes with it.
struct ChosenSize
{
    model::Phase phase = model::Phase::Train;
    std::int64_t microBatchSize = 1;
    /// Samples in one optimizer step in place of those that the config has now; without it those are kept. In
    /// the terms of its BatchPlan: over all devices where the config knows how many there are, else on one.
    std::optional<std::int64_t> globalBatchSize;

    bool operator==(const ChosenSize&) const = default;
};

/// A micro-batch size of which the batch of one optimizer step is no whole multiple, in a config whose
/// trainer takes nothing else. A choice has to be made; nothing is written before.
class BatchNotKept : public ConfigError
{
public:
    /// \param plan  its globalBatchSize is what cannot be kept
    /// \param what  how the config writes that batch: "per_device_train_batch_size *
    /// gradient_accumulation_steps"
    BatchNotKept(const BatchPlan& plan, std::int64_t microBatchSize, const std::string& what,
                 TextPosition position);
    /// The same choice in other words.
    BatchNotKept(const ConfigError& words, const BatchNotKept& choice)
        : ConfigError(words), m_below(choice.m_below), m_above(choice.m_above)
    {}

    /// The nearest batches that can be had: none below where a single micro-batch on each device is more.
    std::optional<std::int64_t> below() const { return m_below; }
    std::int64_t above() const { return m_above; }

private:
    std::optional<std::int64_t> m_below;
    std::int64_t m_above;
};

/// A batch that a trainer takes which knows whole micro-batches alone.
struct WholeBatch
{
    std::int64_t globalBatchSize = 0;
    std::int64_t accumulationSteps = 0;
};

/// The batch to write with a size, by the rule global % (micro * devices) == 0 (the constraint of
/// Megatron-LM, DeepSpeed and of every trainer that writes accumulation steps).
///
/// \param what      as in BatchNotKept
/// \param position  of the batch in the text
/// \throws BatchNotKept where none was chosen and the plan's own is no multiple
/// \throws ConfigError where the size is below 1, or the chosen batch is no multiple
WholeBatch wholeBatch(const BatchPlan& plan, const ChosenSize& chosen, const std::string& what,
                      TextPosition position);

} // namespace batchpeak::config
