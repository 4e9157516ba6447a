// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "command.h"
#include "exploration_options.h"

namespace batchpeak::engine {
class Exploration;
}

namespace batchpeak::cli {

class Console;

/// Explores in the terminal: the same exploration as the window's, its result on stdout, into an events
/// file, and into a config if asked.
class ExploreCommand : public Command
{
public:
    ExploreCommand() = default;
    ExploreCommand(std::string file, engine::ExplorationOptions options);

    std::string name() const override { return "explore"; }
    std::string summary() const override;
    void addOptions(CLI::App& app) override;
    void checkOptions() const override;
    int run() override;

private:
    int runInEventLoop(engine::Exploration& exploration, Console& console) const;

    std::string m_file;
    engine::ExplorationOptions m_options;
    std::string m_events;
    std::string m_output;
    bool m_inPlace = false;
    bool m_quiet = false;
};

} // namespace batchpeak::cli
