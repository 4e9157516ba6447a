// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "deep_speed_batch.h"
#include "format_entry.h"
#include "syntax/config_section.h"
#include "syntax/yaml_document.h"

#include <memory>

namespace batchpeak::config {

/// Configs of DeepSpeed, in JSON: batches, precision and how the network is shared out over devices.
///
/// They describe no network and no texts, and training alone. The micro-batch size stands under
/// train_micro_batch_size_per_gpu.
class DeepSpeedFormat : public ConfigFormat
{
public:
    static FormatEntry entry();

    std::string_view name() const override { return "DeepSpeed"; }
    ConfigContents read() const override;

protected:
    SplicedText splice(const ChosenSize& chosen) const override;

private:
    explicit DeepSpeedFormat(std::shared_ptr<const YamlDocument> document);

    void checkText() const;
    DeepSpeedBatch readBatch() const;
    model::Precision readPrecision(std::vector<Warning>& warnings) const;
    double readClippingNorm() const;
    void warnOfSharing(std::vector<Warning>& warnings) const;

    std::shared_ptr<const YamlDocument> m_document;
    ConfigSection m_root;
};

} // namespace batchpeak::config
