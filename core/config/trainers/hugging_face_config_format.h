// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "format_entry.h"
#include "syntax/config_section.h"
#include "syntax/yaml_document.h"

#include <memory>

namespace batchpeak::config {

/// The config.json beside the weights of a network on the Hugging Face hub: a network alone, for the config
/// of a trainer that names it. It has no batch, so there is no place in it for a size.
class HuggingFaceConfigFormat : public ConfigFormat
{
public:
    static FormatEntry entry();

    std::string_view name() const override { return "Hugging Face config.json"; }
    ConfigContents read() const override;

protected:
    SplicedText splice(const ChosenSize& chosen) const override;

private:
    explicit HuggingFaceConfigFormat(std::shared_ptr<const YamlDocument> document);

    std::shared_ptr<const YamlDocument> m_document;
    ConfigSection m_root;
};

} // namespace batchpeak::config
