// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "command.h"
#include "config_output.h"
#include "model/run_kind.h"

#include <cstdint>
#include <string>

namespace batchpeak::cli {

/// Writes a micro-batch size into a config: to stdout, to another file, or in place; or shows what would
/// change. No trial is run.
class ExportCommand : public Command
{
public:
    std::string name() const override { return "export"; }
    std::string summary() const override;
    void addOptions(CLI::App& app) override;
    void checkOptions() const override;
    int run() override;

private:
    std::string m_file;
    std::int64_t m_size = 0;
    model::Phase m_phase = model::Phase::Train;
    OutputOptions m_output;
};

} // namespace batchpeak::cli
