// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "export_command.h"

#include "console.h"
#include "engine/config_file.h"
#include "exit_code.h"
#include "quantity_parsing.h"
#include "run_arguments.h"
#include "usage_error.h"

#include <CLI/App.hpp>

#include <limits>

namespace batchpeak::cli {

std::string ExportCommand::summary() const
{
    return "Write a micro-batch size into a config";
}

void ExportCommand::addOptions(CLI::App& app)
{
    app.add_option("FILE", m_file, "Config to write the size into")->type_name("");
    addTextOption(app, "--size", "N", "Micro-batch size to write", [this](const std::string& text) {
        m_size = countFromText(text, 1, std::numeric_limits<std::int64_t>::max());
    });
    addTextOption(app, "--phase", "train|eval", "Phase that the size is for (train)",
                  [this](const std::string& text) {
                      const auto phase = model::phaseFromText(text);
                      if (!phase)
                          throw UsageError("'" + text + "' is not one of train, eval.");
                      m_phase = *phase;
                  });
    addOutputOptions(app, m_output);
}

void ExportCommand::checkOptions() const
{
    if (m_file.empty())
        throw UsageError("name the config to write into: batchpeak export FILE --size N.");
    if (m_size == 0)
        throw UsageError("name the micro-batch size to write with --size N.");
    checkOutputOptions(m_output);
}

int ExportCommand::run()
{
    const auto file = engine::ConfigFile::open(QString::fromStdString(m_file));
    const auto spliced = chosenText(file, {.phase = m_phase, .microBatchSize = m_size}, m_output);
    Console console;
    for (const std::string& note : spliced.notes)
        console.remark(QString::fromStdString(note));
    const QString target = outputPath(file, m_output);
    if (m_output.dryRun)
        showChange(file, spliced, target, console);
    else if (target.isEmpty())
        printBytes(spliced.text);
    else
        file.save(spliced, target);
    return exitCode::success;
}

} // namespace batchpeak::cli
