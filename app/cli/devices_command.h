// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "command.h"

namespace batchpeak::cli {

/// Lists the devices of this computer that trials can run on.
class DevicesCommand : public Command
{
public:
    std::string name() const override { return "devices"; }
    std::string summary() const override;
    void addOptions(CLI::App&) override {}
    void checkOptions() const override {}
    int run() override;
};

} // namespace batchpeak::cli
