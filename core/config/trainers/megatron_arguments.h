// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/settings.h"
#include "syntax/shell_script.h"

namespace batchpeak::config {

/// The arguments of Megatron-LM's programs under the names that NeMo gives the same settings ("num_layers",
/// "bias"): megatron/training/arguments.py of Megatron Core 0.20, including the names in older versions.
class MegatronArguments : public Settings
{
public:
    /// \param script  script that lives as long as the arguments
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

    /// Reads --lr, if the script sets a number above 0.
    /// \throws ConfigError if it is a number that cannot train anything
    std::optional<double> learningRate(std::vector<Warning>& warnings) const;
    /// \throws NotRun if an argument of the network is known only when the script runs
    void refuseUnresolved() const;

private:
    const ShellScript& m_script;
};

} // namespace batchpeak::config
