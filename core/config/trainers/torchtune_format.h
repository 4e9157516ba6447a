// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "format_entry.h"
#include "syntax/config_section.h"
#include "syntax/yaml_document.h"

#include <memory>

namespace batchpeak::config {

/// A training config of torchtune's recipes: batch_size is the micro-batch of one GPU, of which
/// gradient_accumulation_steps make a batch.
///
/// How many GPUs there are is for the launcher to say, so the plan is that of one. With optimizer_in_bwd
/// nothing is accumulated, so that the batch of a step is one micro-batch.
class TorchtuneFormat : public ConfigFormat
{
public:
    static FormatEntry entry();

    std::string_view name() const override { return "torchtune"; }
    ConfigContents read() const override;

protected:
    SplicedText splice(const ChosenSize& chosen) const override;

private:
    explicit TorchtuneFormat(std::shared_ptr<const YamlDocument> document);

    BatchPlan readTrainPlan() const;
    std::optional<BatchPlan> readEvalPlan(std::int64_t trainSize) const;
    void refuseAccumulationInBackward(const ChosenSize& chosen, std::int64_t batch) const;
    SplicedText spliceTrain(const ChosenSize& chosen) const;
    SplicedText spliceEval(const ChosenSize& chosen) const;

    std::shared_ptr<const YamlDocument> m_document;
    ConfigSection m_root;
};

} // namespace batchpeak::config
