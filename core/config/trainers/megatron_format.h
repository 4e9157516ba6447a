// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "config_text.h"
#include "format_entry.h"
#include "megatron_arguments.h"
#include "megatron_run.h"
#include "syntax/shell_script.h"

#include <memory>

namespace batchpeak::config {

/// A script that launches one of Megatron-LM's programs, or a text of their arguments alone.
///
/// The script is read, not run (ShellScript). Evaluation takes --eval-micro-batch-size, which programs know
/// since Megatron Core 0.18, and that of training where it is absent.
class MegatronFormat : public ConfigFormat
{
public:
    static FormatEntry entry();

    std::string_view name() const override { return "Megatron-LM launch script"; }
    ConfigContents read() const override;

protected:
    SplicedText splice(const ChosenSize& chosen) const override;

private:
    explicit MegatronFormat(const std::string& text) : m_script(text), m_arguments(m_script) {}

    std::optional<std::int64_t> readWorld() const;
    MegatronParallelism parallelism() const;
    /// The last of --step-batch-size-schedule, at which a run arrives.
    std::optional<std::int64_t> scheduledBatch() const;
    MegatronBatch readBatch() const;
    MegatronBatch readEvalBatch() const;
    BatchPlan readPlan(model::Phase phase) const;
    std::variant<model::ModelSpec, UnsupportedModel> readNetwork(std::vector<Warning>& warnings) const;
    void readRunInto(ConfigContents& contents) const;
    void warnOfSchedules(std::vector<Warning>& warnings) const;
    void noteConstraints(const ChosenSize& chosen, std::vector<std::string>& notes) const;

    ShellScript m_script;
    MegatronArguments m_arguments;
};

} // namespace batchpeak::config
