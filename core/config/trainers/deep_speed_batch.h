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

/// The three numbers of a DeepSpeed config that make a batch, by its rule train_batch_size ==
/// train_micro_batch_size_per_gpu * gradient_accumulation_steps * world size (_batch_assertion and
/// _set_batch_related_parameters of DeepSpeedConfig in DeepSpeed 0.16, deepspeed/runtime/config.py).
///
/// Each may be absent, and "auto" where the Hugging Face Trainer fills it in from its own config. The world
/// size is in the config only where all three are numbers; else counts are those of one device.
class DeepSpeedBatch
{
public:
    /// \throws ConfigError where a number is illegal, three are at odds, or none makes a batch
    explicit DeepSpeedBatch(const ConfigSection& root);

    /// The keys that are "auto".
    bool isFilledIn() const;

    /// Where the config does not know its batch, because it is filled in, that counts as one sample.
    BatchPlan plan() const;

    void warn(std::vector<Warning>& warnings) const;

    /// What writes a size and keeps the three as they should be.
    /// \param notes  receives what has to be known of other devices and of the Trainer's own config
    /// \throws BatchNotKept, ConfigError as wholeBatch() does; ConfigError where a batch was chosen and the
    ///         Trainer's config decides it
    std::vector<EntryChange> changes(const ChosenSize& chosen, std::vector<std::string>& notes) const;

private:
    struct Number
    {
        std::optional<std::int64_t> value;
        bool isAuto = false;
    };

    Number read(std::string_view key) const;
    void check() const;
    bool knowsDevices() const { return m_batch.value && m_micro.value && m_steps.value; }
    bool knowsBatch() const;
    std::optional<std::int64_t> presentSize() const;
    std::vector<EntryChange> filledInChanges(const ChosenSize& chosen, std::vector<std::string>& notes) const;
    std::vector<EntryChange> knownChanges(const ChosenSize& chosen, std::vector<std::string>& notes) const;
    bool needsSteps(std::int64_t steps) const;

    ConfigSection m_root;
    Number m_batch;
    Number m_micro;
    Number m_steps;
};

} // namespace batchpeak::config
