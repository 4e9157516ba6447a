// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "inspect_command.h"

#include "config/networks/own_yaml.h"
#include "config_output.h"
#include "config_text.h"
#include "console.h"
#include "engine/located_error.h"
#include "exit_code.h"
#include "model_option.h"
#include "usage_error.h"

#include <CLI/App.hpp>

namespace batchpeak::cli {

std::string InspectCommand::summary() const
{
    return "Say what a config holds: format, network, parameters, batch plan, setting, warnings";
}

void InspectCommand::addOptions(CLI::App& app)
{
    app.add_option("FILE", m_file, "Config to read")->type_name("");
    addModelOption(app, m_model);
    app.add_flag("--as-yaml", m_asYaml, "Print it as a config of Batchpeak's own, warnings on stderr");
}

void InspectCommand::checkOptions() const
{
    if (m_file.empty())
        throw UsageError("name the config to inspect: batchpeak inspect FILE.");
}

int InspectCommand::run()
{
    const auto file = openConfig(m_file, m_model);
    if (m_asYaml)
        return printAsYaml(file);
    Console console;
    for (const QString& line : contentsLines(file.path(), file.contents()))
        console.answer(line);
    for (const QString& line : warningLines(file.path(), file.contents()))
        console.answer(line);
    return exitCode::success;
}

int InspectCommand::printAsYaml(const engine::ConfigFile& file) const
{
    try {
        printBytes(config::toOwnYaml(file.contents()));
    } catch (const config::ConfigError& error) {
        throw engine::located(file.path(), error);
    }
    Console console(stderr);
    for (const QString& line : warningLines(file.path(), file.contents()))
        console.answer(line);
    return exitCode::success;
}

} // namespace batchpeak::cli
