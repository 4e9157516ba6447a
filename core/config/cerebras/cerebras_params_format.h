// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "format_entry.h"
#include "syntax/config_section.h"
#include "syntax/yaml_document.h"

#include <memory>

namespace batchpeak::config {

/// The layout of Cerebras configs up to release 2.3: train_input, eval_input, model, optimizer, runconfig.
///
/// The micro-batch size stands in the input section of its phase.
class CerebrasParamsFormat : public ConfigFormat
{
public:
    static FormatEntry entry();

    std::string_view name() const override { return "Cerebras params"; }
    ConfigContents read() const override;

protected:
    SplicedText splice(const ChosenSize& chosen) const override;

private:
    explicit CerebrasParamsFormat(std::shared_ptr<const YamlDocument> document);

    std::optional<ConfigSection> input(model::Phase phase) const;
    std::optional<BatchPlan> readPlan(model::Phase phase, std::vector<Warning>& warnings) const;
    std::optional<bool> writtenAccumulation() const;
    bool isAccumulationOff() const;

    std::shared_ptr<const YamlDocument> m_document;
    ConfigSection m_root;
};

} // namespace batchpeak::config
