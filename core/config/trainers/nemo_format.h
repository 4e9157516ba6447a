// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "format_entry.h"
#include "megatron_run.h"
#include "syntax/config_section.h"
#include "syntax/yaml_document.h"

#include <memory>

namespace batchpeak::config {

/// The configs of NeMo 1 and of its Megatron models in NeMo 2.0: a model section with micro_batch_size and
/// global_batch_size, and the trainer of Lightning.
///
/// One micro_batch_size serves training and validation (fwd_bwd_step in megatron_gpt_model.py of NeMo 2.0),
/// so that both phases have the same plan. The recipes of NeMo 2, which are Python, are not read.
class NemoFormat : public ConfigFormat
{
public:
    static FormatEntry entry();

    std::string_view name() const override { return "NeMo"; }
    ConfigContents read() const override;

protected:
    SplicedText splice(const ChosenSize& chosen) const override;

private:
    explicit NemoFormat(std::shared_ptr<const YamlDocument> document);

    ConfigSection modelSection() const;
    std::optional<std::int64_t> readWorld() const;
    MegatronParallelism parallelism() const;
    MegatronBatch readBatch() const;
    BatchPlan readPlan() const;
    std::variant<model::ModelSpec, UnsupportedModel> readNetwork(std::vector<Warning>& warnings) const;
    void readRunInto(ConfigContents& contents) const;
    model::Precision readPrecision(std::vector<Warning>& warnings) const;
    void warnOfTrainer(std::vector<Warning>& warnings) const;
    void noteConstraints(const ChosenSize& chosen, std::vector<std::string>& notes) const;

    std::shared_ptr<const YamlDocument> m_document;
    ConfigSection m_root;
};

} // namespace batchpeak::config
