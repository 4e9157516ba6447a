// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "command.h"
#include "config/config_document.h"
#include "config_output.h"
#include "console.h"
#include "options.h"
#include "options/tuning_choice.h"
#include "plan/exploration_plan.h"
#include "run_arguments.h"
#include "text/errors.h"
#include "words/config_text.h"
#include "words/json_output.h"

namespace batchpeak::cli {

namespace {

class InspectCommand : public Command
{
public:
    std::string name() const override { return "inspect"; }
    std::string summary() const override
    {
        return "Show what was read from a config: format, network, parameters, batch plan, setting, warnings";
    }
    void addOptions(Options& options) override;
    void checkOptions() const override;
    int run() override;

private:
    int printAsYaml(const engine::ConfigFile& file, config::ConfigContents contents) const;

    std::string m_file;
    NetworkChoice m_network;
    engine::ExplorationOptions m_options;
    bool m_asYaml = false;
    bool m_asJson = false;
};

void InspectCommand::addOptions(Options& options)
{
    options.addArgument("FILE", "Config to read", m_file);
    addModelOption(options, m_network);
    addNetworkOptions(options, m_options);
    options.addFlag("--as-yaml", "Print it as a config of Batchpeak's own, warnings on stderr", m_asYaml);
    addJsonOption(options, m_asJson);
}

void InspectCommand::checkOptions() const
{
    if (m_file.empty())
        throw UsageError("name the config to inspect: batchpeak inspect FILE.");
    if (m_asYaml && m_asJson)
        throw UsageError("--as-yaml and --json exclude each other; keep the one that you mean.");
}

int InspectCommand::run()
{
    const auto file = openConfig(m_file, m_network);
    const config::ConfigContents contents =
        engine::contentsAsked(file.path(), file.contentsFor(m_options), m_options);
    if (m_asYaml)
        return printAsYaml(file, contents);
    if (m_asJson) {
        printJson(contentsObject(file.path(), contents, m_options));
        return exitCode::success;
    }
    Console console;
    console.answer(contentsLines(file.path(), contents, m_options));
    console.answer(warningLines(file.path(), file.contentsFor(m_options)));
    return exitCode::success;
}

int InspectCommand::printAsYaml(const engine::ConfigFile& file, config::ConfigContents contents) const
{
    try {
        contents.tuning = engine::chooseTuning(contents, m_options);
        printBytes(config::toOwnYaml(contents));
    } catch (const config::ConfigError& error) {
        throw engine::located(file.path(), error);
    }
    Console(stderr).answer(warningLines(file.path(), file.contentsFor(m_options)));
    return exitCode::success;
}

} // namespace

std::unique_ptr<Command> makeInspectCommand()
{
    return std::make_unique<InspectCommand>();
}

} // namespace batchpeak::cli
