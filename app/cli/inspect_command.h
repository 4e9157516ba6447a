// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "command.h"
#include "engine/config_file.h"

namespace batchpeak::cli {

/// Says what was read from a config: format, network, batch plans, run and warnings. A network that
/// cannot be run is part of what was read, not an error. Or prints the config as one of Batchpeak's own, for
/// which it must be one that can.
class InspectCommand : public Command
{
public:
    std::string name() const override { return "inspect"; }
    std::string summary() const override;
    void addOptions(CLI::App& app) override;
    void checkOptions() const override;
    int run() override;

private:
    int printAsYaml(const engine::ConfigFile& file) const;

    std::string m_file;
    std::string m_model;
    bool m_asYaml = false;
};

} // namespace batchpeak::cli
