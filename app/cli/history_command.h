// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "command.h"

#include <string>
#include <vector>

namespace batchpeak::cli {

/// Looks into the history of explorations: lists them, shows one, compares two, deletes one.
class HistoryCommand : public Command
{
public:
    std::string name() const override { return "history"; }
    std::string summary() const override;
    void addOptions(CLI::App& app) override;
    void checkOptions() const override;
    int run() override;

private:
    std::string m_action = "list";
    std::vector<std::string> m_ids;
};

} // namespace batchpeak::cli
