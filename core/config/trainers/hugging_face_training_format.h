// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "format_entry.h"
#include "syntax/config_section.h"
#include "syntax/yaml_document.h"

#include <memory>

namespace batchpeak::config {

/// Configs of programs around transformers' Trainer: its own scripts, TRL's and those of alignment-handbook,
/// in YAML or JSON.
///
/// The micro-batch size stands under per_device_train_batch_size and per_device_eval_batch_size. What a
/// script decides in its own code is not known here, such as the length of texts where no key says it.
class HuggingFaceTrainingFormat : public ConfigFormat
{
public:
    static FormatEntry entry();

    std::string_view name() const override { return "Hugging Face TrainingArguments"; }
    ConfigContents read() const override;

protected:
    SplicedText splice(const ChosenSize& chosen) const override;

private:
    explicit HuggingFaceTrainingFormat(std::shared_ptr<const YamlDocument> document);

    bool isTrl() const;
    void readModelInto(ConfigContents& contents) const;
    void readLengthsInto(ConfigContents& contents) const;
    void readPrecisionInto(ConfigContents& contents) const;
    void readCheckpointingInto(ConfigContents& contents) const;
    void warnOfTrlDefault(std::string_view key, ConfigContents& contents) const;

    std::shared_ptr<const YamlDocument> m_document;
    ConfigSection m_root;
};

} // namespace batchpeak::config
