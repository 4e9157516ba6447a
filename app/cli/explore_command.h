// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "command.h"
#include "config_output.h"
#include "engine/exploration_options.h"

namespace batchpeak::engine {
class Exploration;
struct Snapshot;
} // namespace batchpeak::engine

namespace batchpeak::cli {

class Console;

/// Explores in the terminal: the same exploration as the window's, its result on stdout, into an events
/// file, and into a config if asked.
class ExploreCommand : public Command
{
public:
    ExploreCommand() = default;
    ExploreCommand(std::string file, std::string model, engine::ExplorationOptions options);

    std::string name() const override { return "explore"; }
    std::string summary() const override;
    void addOptions(CLI::App& app) override;
    void checkOptions() const override;
    int run() override;

private:
    void checkTarget(const engine::ConfigFile& file) const;
    void keepResult(const engine::ConfigFile& file, const engine::Snapshot& snapshot, Console& console) const;
    int runInEventLoop(engine::Exploration& exploration, Console& console) const;

    std::string m_file;
    std::string m_model;
    engine::ExplorationOptions m_options;
    std::string m_events;
    OutputOptions m_output;
    bool m_quiet = false;
};

} // namespace batchpeak::cli
