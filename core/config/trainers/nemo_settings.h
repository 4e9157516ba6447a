// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "networks/megatron_settings.h"
#include "syntax/config_section.h"

namespace batchpeak::config {

/// The model section of a NeMo config, whose names are those of MegatronSettings.
class NemoSettings : public MegatronSettings
{
public:
    explicit NemoSettings(ConfigSection model) : m_model(std::move(model)) {}

    std::optional<std::int64_t> integer(std::string_view name) const override;
    std::optional<double> number(std::string_view name) const override;
    std::optional<bool> boolean(std::string_view name) const override;
    std::optional<std::string> text(std::string_view name) const override;
    bool isOn(std::string_view name) const override;
    std::string nameOf(std::string_view name) const override { return m_model.pathOf(name); }
    TextPosition positionOf(std::string_view name) const override;

private:
    std::optional<std::string> tokenizer(std::string_view name) const;

    ConfigSection m_model;
};

} // namespace batchpeak::config
