// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "format_entry.h"
#include "syntax/config_section.h"
#include "syntax/yaml_document.h"

#include <memory>

namespace batchpeak::config {

/// The layout of Cerebras configs from release 2.4 on: trainer.init, trainer.fit, trainer.validate.
///
/// The micro-batch size is a flag that a callback sets (cerebras_flags.h); the batches stand in the data
/// loaders.
class CerebrasTrainerFormat : public ConfigFormat
{
public:
    static FormatEntry entry();

    std::string_view name() const override { return "Cerebras Trainer"; }
    ConfigContents read() const override;

protected:
    SplicedText splice(const ChosenSize& chosen) const override;

private:
    static std::unique_ptr<CerebrasTrainerFormat> of(const std::shared_ptr<const YamlDocument>& document);

    CerebrasTrainerFormat(std::shared_ptr<const YamlDocument> document, ConfigSection trainer,
                          bool isFirstOfSeveral);

    SplicedText spliceWithBatch(const ConfigSection& loader, const ChosenSize& chosen) const;
    std::optional<ConfigSection> dataLoader(model::Phase phase) const;
    std::int64_t devices() const;
    std::optional<BatchPlan> readPlan(model::Phase phase, std::vector<Warning>& warnings) const;
    void readOptimizerInto(ConfigContents& contents) const;

    std::shared_ptr<const YamlDocument> m_document;
    ConfigSection m_trainer;
    ConfigSection m_init;
    /// A document may hold a list of trainers that run one after the other; the first is read.
    bool m_isFirstOfSeveral;
};

} // namespace batchpeak::config
