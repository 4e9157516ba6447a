// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "command.h"
#include "config_output.h"
#include "options.h"
#include "shell_completion.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace batchpeak::cli {

namespace {

struct Shell
{
    std::string_view name;
    std::string (*script)(const DeclaredCommand&);
};

constexpr std::array<Shell, 3> shells{
    {{"bash", bashCompletion}, {"zsh", zshCompletion}, {"fish", fishCompletion}}};

class CompletionCommand : public Command
{
public:
    explicit CompletionCommand(const Options& program) : m_program(program) {}

    std::string name() const override { return "completion"; }
    std::string summary() const override { return "Print the completion script of a shell"; }
    void addOptions(Options& options) override;
    void checkOptions() const override;
    int run() override;

private:
    const Shell* chosen() const;

    const Options& m_program;
    std::string m_shell;
};

void CompletionCommand::addOptions(Options& options)
{
    options.addWord("SHELL", "bash|zsh|fish", "The shell that it is for", m_shell);
}

const Shell* CompletionCommand::chosen() const
{
    const auto* const place = std::ranges::find(shells, m_shell, &Shell::name);
    return place == shells.end() ? nullptr : place;
}

void CompletionCommand::checkOptions() const
{
    if (!chosen())
        throw UsageError("name the shell: batchpeak completion bash, zsh or fish.");
}

int CompletionCommand::run()
{
    printBytes(chosen()->script(m_program.declaration()));
    return exitCode::success;
}

} // namespace

std::unique_ptr<Command> makeCompletionCommand(const Options& program)
{
    return std::make_unique<CompletionCommand>(program);
}

} // namespace batchpeak::cli
