// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "format_entry.h"
#include "syntax/config_section.h"
#include "syntax/yaml_document.h"

#include <memory>

namespace batchpeak::config {

/// Configs of axolotl.
///
/// What its batches are is for AxolotlBatch to say; how many devices there are, for the launcher.
class AxolotlFormat : public ConfigFormat
{
public:
    static FormatEntry entry();

    std::string_view name() const override { return "axolotl"; }
    ConfigContents read() const override;

protected:
    SplicedText splice(const ChosenSize& chosen) const override;

private:
    explicit AxolotlFormat(std::shared_ptr<const YamlDocument> document);

    std::variant<model::ModelSpec, UnsupportedModel> readModel(std::vector<Warning>& warnings) const;
    model::Precision readPrecision(std::vector<Warning>& warnings) const;
    bool isBf16() const;

    std::shared_ptr<const YamlDocument> m_document;
    ConfigSection m_root;
};

} // namespace batchpeak::config
