// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "format_entry.h"
#include "syntax/config_section.h"
#include "syntax/yaml_document.h"

#include <memory>

namespace batchpeak::config {

/// Batchpeak's own layout, in which everything is explicit: "batchpeak: 1" on top, the network under
/// "model", and the batches and the step beside it.
///
/// The micro-batch size of training stands under micro_batch_size, that of evaluation under
/// eval_micro_batch_size; evaluation takes batch_size where there is no eval_batch_size.
class OwnFormat : public ConfigFormat
{
public:
    static FormatEntry entry();

    std::string_view name() const override { return "Batchpeak"; }
    ConfigContents read() const override;

protected:
    SplicedText splice(const ChosenSize& chosen) const override;

private:
    explicit OwnFormat(std::shared_ptr<const YamlDocument> document);

    void checkVersion() const;
    BatchPlan readPlan(model::Phase phase, std::vector<Warning>& warnings) const;
    std::int64_t readGlobalBatch(model::Phase phase) const;
    void readRunInto(ConfigContents& contents, const model::ModelSpec& spec) const;
    std::optional<std::int64_t> readTargetLength(const model::ModelSpec& spec) const;
    model::StepOptions readStepOptions() const;
    TrainingSettings readTrainingSettings() const;

    std::shared_ptr<const YamlDocument> m_document;
    ConfigSection m_root;
};

} // namespace batchpeak::config
