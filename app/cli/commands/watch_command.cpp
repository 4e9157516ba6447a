// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "command.h"
#include "console.h"
#include "exploration_terminal.h"
#include "options.h"
#include "options/place.h"
#include "run_arguments.h"
#include "watch/watched_exploration.h"
#include "words/exploration_text.h"

#include <optional>

namespace batchpeak::cli {

namespace {

class WatchCommand : public Command
{
public:
    std::string name() const override { return "watch"; }
    std::string summary() const override { return "Follow an exploration that runs elsewhere"; }
    void addOptions(Options& options) override;
    void checkOptions() const override { target(); }
    int run() override;

private:
    engine::WatchTarget target() const;

    std::string m_what;
    QString m_place;
    bool m_quiet = false;
    Colors m_colors = Colors::Auto;
};

/// The terminal's view of an exploration that is watched. It ends with the watching, not with the
/// exploration: another phase or another start of a job may follow.
class WatchTerminal : public ExplorationTerminal
{
public:
    WatchTerminal(engine::WatchedExploration& watched, Console& console, Detail detail)
        : ExplorationTerminal(watched.events(), console, detail, {}), m_watched(watched)
    {
        connect(&watched, &engine::WatchedExploration::remarkChanged, this,
                [&console](const QString& remark) {
                    if (!remark.isEmpty())
                        console.remark(remark);
                });
        connect(&watched, &engine::WatchedExploration::over, this, [this](const QString& problem) {
            removeLiveLine();
            if (!problem.isEmpty())
                printError(problem);
            end(problem.isEmpty()               ? m_code.value_or(exitCode::noTrials)
                : m_watched.events().hasBegun() ? exitCode::noTrials
                                                : exitCode::badInput);
        });
    }

protected:
    void interrupt() override
    {
        removeLiveLine();
        console().remark(QStringLiteral("No longer watching; the exploration continues."));
        end(exitCode::interrupted);
    }

    void takeEnd(int code) override
    {
        // As for one exploration after the other in a terminal.
        const bool isWorse = m_code && *m_code != exitCode::success && code != exitCode::interrupted;
        m_code = isWorse ? *m_code : code;
        restoreLiveLine();
    }

    ProgressLine progressLine() const override
    {
        ProgressLine line = liveLine(m_watched.snapshot());
        if (const QString waiting = m_watched.waiting(); !waiting.isEmpty())
            line.parts.push_back({.text = waiting, .importance = Importance::Most, .style = Style::Warning});
        return line;
    }

private:
    const engine::WatchedExploration& m_watched;
    std::optional<int> m_code;
};

void WatchCommand::addOptions(Options& options)
{
    options.addArgument(
        "EVENTS|JOB", "File that an exploration writes by --events, or the number of a job of Slurm", m_what);
    options.addText("--on", "PLACE", "ssh:HOST where the file or the Slurm is (ssh:HOST:PATH says the same)",
                    [this](const std::string& text) { m_place = engine::checkedPlace(text); });
    options.addFlag("--quiet", "Print the last lines and errors only", m_quiet);
    addColorOption(options, m_colors);
}

engine::WatchTarget WatchCommand::target() const
{
    return engine::watchTargetFrom(QString::fromStdString(m_what), m_place);
}

int WatchCommand::run()
{
    Console console(stdout, m_colors);
    engine::WatchedExploration watched(target());
    using Detail = ExplorationTerminal::Detail;
    WatchTerminal terminal(watched, console, m_quiet ? Detail::LastLinesOnly : Detail::Everything);
    watched.start();
    return terminal.waitForEnd();
}

} // namespace

std::unique_ptr<Command> makeWatchCommand()
{
    return std::make_unique<WatchCommand>();
}

} // namespace batchpeak::cli
