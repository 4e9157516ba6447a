// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "command.h"

namespace batchpeak::cli {

/// Says what was read from a config: format, network, batch plans, run and warnings. A network that
/// cannot be run is part of what was read, not an error.
class InspectCommand : public Command
{
public:
    std::string name() const override { return "inspect"; }
    std::string summary() const override;
    void addOptions(CLI::App& app) override;
    void checkOptions() const override;
    int run() override;

private:
    std::string m_file;
    std::string m_model;
};

} // namespace batchpeak::cli
