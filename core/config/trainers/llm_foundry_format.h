// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "format_entry.h"
#include "syntax/config_section.h"
#include "syntax/yaml_document.h"

#include <memory>

namespace batchpeak::config {

/// A training config of MosaicML's LLM-Foundry, which Composer runs: global_train_batch_size is the batch
/// over all GPUs, device_train_microbatch_size how much of it one takes at a time.
///
/// How many GPUs there are is for the launcher to say, so the plan is that of one GPU that takes the whole
/// batch. A batch need not be a whole multiple of the micro-batch (calculate_batch_size_info in
/// llmfoundry/utils/config_utils.py of LLM-Foundry 0.22), so it is kept with every size.
class LlmFoundryFormat : public ConfigFormat
{
public:
    static FormatEntry entry();

    std::string_view name() const override { return "LLM-Foundry"; }
    ConfigContents read() const override;

protected:
    SplicedText splice(const ChosenSize& chosen) const override;

private:
    explicit LlmFoundryFormat(std::shared_ptr<const YamlDocument> document);

    void readNetwork(ConfigContents& contents) const;
    std::int64_t readGlobalBatch() const;
    BatchPlan readTrainPlan(std::vector<Warning>& warnings) const;
    std::optional<BatchPlan> readEvalPlan(const BatchPlan& train, std::vector<Warning>& warnings) const;
    SplicedText spliceTrain(const ChosenSize& chosen) const;
    SplicedText spliceEval(const ChosenSize& chosen) const;

    std::shared_ptr<const YamlDocument> m_document;
    ConfigSection m_root;
};

} // namespace batchpeak::config
