// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "batch_choice.h"
#include "batch_plan.h"
#include "config_document.h"
#include "syntax/config_section.h"
#include "syntax/entry_change.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace batchpeak::config {

/// The batches of an axolotl config: micro_batch_size with gradient_accumulation_steps or with the deprecated
/// batch_size, which is that of one device; and eval_batch_size, which is micro_batch_size where it is
/// absent.
///
/// Sources: HyperparametersConfig in axolotl 0.12, utils/schemas/training.py; TrainingValidationMixin,
/// utils/schemas/validation.py; normalize_config, utils/config/__init__.py.
class AxolotlBatch
{
public:
    /// \throws ConfigError where a number is illegal, or others than two of the three are there:
    ///         check_batch_size_fields and check_gas_bsz of TrainingValidationMixin
    explicit AxolotlBatch(const ConfigSection& root);

    BatchPlan train() const;
    /// Nothing where no texts are set aside and no size is written.
    std::optional<BatchPlan> eval() const;

    void warn(std::vector<Warning>& warnings) const;

    /// What writes a size, and for training keeps the batch of a step, or makes it the chosen one.
    /// \throws BatchNotKept, ConfigError as wholeBatch() does; ConfigError where axolotl takes no such size
    std::vector<EntryChange> changes(const ChosenSize& chosen, std::vector<std::string>& notes) const;

private:
    void check() const;
    bool packsOverDevices() const;
    std::vector<EntryChange> trainChanges(const ChosenSize& chosen) const;
    void noteEvaluation(std::int64_t microBatchSize, std::vector<std::string>& notes) const;

    ConfigSection m_root;
};

} // namespace batchpeak::config
