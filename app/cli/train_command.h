// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "command.h"
#include "training_arguments.h"

class QIODevice;

namespace batchpeak::engine {
class ConfigFile;
}
namespace batchpeak::training {
class TrainingRun;
}

namespace batchpeak::cli {

class Console;

/// Trains in the terminal: real optimizer steps, what they come to on stdout and into an events file. With
/// --confirm it measures the sizes that an exploration has found instead.
class TrainCommand : public Command
{
public:
    std::string name() const override { return "train"; }
    std::string summary() const override;
    void addOptions(CLI::App& app) override;
    void checkOptions() const override;
    int run() override;

private:
    int train(const engine::ConfigFile& file, QIODevice* events, Console& console) const;
    int confirm(const engine::ConfigFile& file, QIODevice* events, Console& console) const;
    int runInEventLoop(training::TrainingRun& training, Console& console) const;

    std::string m_file;
    std::string m_model;
    TrainingArguments m_arguments;
    std::string m_events;
    bool m_quiet = false;
};

} // namespace batchpeak::cli
