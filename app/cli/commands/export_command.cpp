// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "command.h"
#include "config_output.h"
#include "console.h"
#include "files/config_file.h"
#include "model/run_kind.h"
#include "options.h"
#include "options/option_values.h"
#include "words/json_output.h"

#include <cstdint>

namespace batchpeak::cli {

namespace {

class ExportCommand : public Command
{
public:
    std::string name() const override { return "export"; }
    std::string summary() const override { return "Write a micro-batch size into a config"; }
    void addOptions(Options& options) override;
    void checkOptions() const override;
    int run() override;

private:
    std::string m_file;
    std::int64_t m_size = 0;
    model::Phase m_phase = model::Phase::Train;
    OutputOptions m_output;
    bool m_takesBack = false;
    bool m_asJson = false;
};

void ExportCommand::addOptions(Options& options)
{
    options.addArgument("FILE", "Config to write the size into", m_file);
    options.addText("--size", "N", "Micro-batch size to write", [this](const std::string& text) {
        m_size = engine::countFromText(text, 1, engine::largestBatch);
    });
    options.addText("--phase", "train|eval", "Phase that the size is for (train)",
                    [this](const std::string& text) { m_phase = engine::wordFromText<model::Phase>(text); });
    addOutputOptions(options, m_output);
    options.addFlag("--undo", "Restore FILE as it was before the last size was written into it", m_takesBack);
    addJsonOption(options, m_asJson);
    // This command runs no trial, so that the name that other programs give to the option means the same.
    options.addFlag("--dry-run", "The same as --diff", m_output.diff);
}

void ExportCommand::checkOptions() const
{
    if (m_file.empty())
        throw UsageError("name the config to write into: batchpeak export FILE --size N.");
    if (m_takesBack) {
        if (m_size != 0 || m_output.inPlace || !m_output.output.empty() ||
            m_output.globalBatch.kind != GlobalBatchOption::Kind::Kept)
            throw UsageError("--undo restores the previous content of the file; remove --size, --output, "
                             "--in-place and --global-batch.");
        return;
    }
    if (m_size == 0)
        throw UsageError("name the micro-batch size to write with --size N.");
    checkOutputOptions(m_output);
    if (m_asJson && !m_output.diff && writesToStdout(m_output)) {
        throw UsageError("--json prints to standard output, and includes the config's text; remove --output, "
                         "or name a file.");
    }
}

int ExportCommand::run()
{
    if (m_takesBack) {
        const QString path = QString::fromStdString(m_file);
        if (m_asJson) {
            printJson(takenBackObject(path, m_output));
        } else {
            Console console;
            takeSizeBack(path, m_output, console);
        }
        return exitCode::success;
    }
    const auto file = engine::ConfigFile::open(QString::fromStdString(m_file));
    const config::ChosenSize chosen{.phase = m_phase, .microBatchSize = m_size};
    if (m_asJson) {
        printJson(writtenObject(file, chosen, m_output));
    } else {
        Console console;
        writeSizes(file, {chosen}, m_output, console);
    }
    return exitCode::success;
}

} // namespace

std::unique_ptr<Command> makeExportCommand()
{
    return std::make_unique<ExportCommand>();
}

} // namespace batchpeak::cli
