// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "format_entry.h"
#include "syntax/config_section.h"
#include "syntax/yaml_document.h"

#include <memory>

namespace batchpeak::config {

/// Configs of LLaMA-Factory, in YAML or JSON: TrainingArguments' keys with its own beside them, and other
/// defaults than those of transformers.
///
/// It reads either by OmegaConf.load, that is as YAML, without resolving interpolations (read_args in
/// LLaMA-Factory 0.9.4, hparams/parser.py), so that none is followed here either.
class LlamaFactoryFormat : public ConfigFormat
{
public:
    static FormatEntry entry();
    /// A text that has TrainingArguments' keys too is of this format where it has one of its own.
    static bool fits(const ConfigSection& root);

    std::string_view name() const override { return "LLaMA-Factory"; }
    ConfigContents read() const override;

protected:
    SplicedText splice(const ChosenSize& chosen) const override;

private:
    explicit LlamaFactoryFormat(std::shared_ptr<const YamlDocument> document);

    std::variant<model::ModelSpec, UnsupportedModel> readModel(std::vector<Warning>& warnings) const;
    std::optional<UnsupportedModel> partialTraining() const;
    std::optional<UnsupportedModel> otherStage() const;
    model::Precision readPrecision(std::vector<Warning>& warnings) const;

    std::shared_ptr<const YamlDocument> m_document;
    ConfigSection m_root;
};

} // namespace batchpeak::config
