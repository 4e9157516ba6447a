// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/settings.h"
#include "syntax/shell_script.h"

namespace batchpeak::config {

/// The arguments of Megatron-LM's programs by the names that NeMo gives the same settings ("num_layers",
/// "bias"): megatron/training/arguments.py of Megatron Core 0.20, with the names that older ones had.
class MegatronArguments : public Settings
{
public:
    /// \param script  lives as long
    explicit MegatronArguments(const ShellScript& script) : m_script(script) {}

    bool has(std::string_view name) const override;
    std::optional<std::int64_t> integer(std::string_view name) const override;
    std::optional<double> number(std::string_view name) const override;
    std::optional<bool> boolean(std::string_view name) const override;
    std::optional<std::string> text(std::string_view name) const override;
    bool isOn(std::string_view name) const override;
    std::string pathOf(std::string_view name) const override;
    TextPosition positionOf(std::string_view name) const override;
    std::optional<SourceLocation> placeOf(std::string_view name) const override;

    /// Reads --lr, where the script tells one above 0.
    /// \throws ConfigError where it is a number by which nobody trains
    std::optional<double> learningRate(std::vector<Warning>& warnings) const;
    /// \throws NotRun where only a run of the script tells an argument of the network
    void refuseUnresolved() const;

private:
    const ShellScript& m_script;
};

} // namespace batchpeak::config
