// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "command.h"
#include "config_output.h"
#include "console.h"
#include "device/local_device.h"
#include "engine/event_log.h"
#include "engine/exploration.h"
#include "engine/exploration_recorder.h"
#include "engine/state_log.h"
#include "events_file.h"
#include "exploration_terminal.h"
#include "files/output_place.h"
#include "files/trusted_code.h"
#include "history/interrupted_run.h"
#include "options.h"
#include "options/option_table.h"
#include "options/saved_arguments.h"
#include "plan/phase_sequence.h"
#include "plan/plan_preview.h"
#include "run_arguments.h"
#include "store/exploration_store.h"
#include "store/history_writer.h"
#include "words/config_text.h"
#include "words/preview_text.h"
#include "workers/background_thread.h"
#include "workers/python_stack.h"
#include "workers/runs_elsewhere.h"
#include "workers/trial_programs.h"

#include <QFileInfo>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace batchpeak::cli {

namespace {

class ExploreCommand : public Command
{
public:
    ExploreCommand(std::string file, NetworkChoice network, engine::ExplorationOptions options)
        : m_file(std::move(file)), m_network(std::move(network)), m_options(std::move(options))
    {}

    std::string name() const override { return "explore"; }
    std::string summary() const override { return "Find the fastest micro-batch size, in this terminal"; }
    void addOptions(Options& options) override;
    void checkOptions() const override;
    int run() override;

private:
    store::StoredExploration explorationToResume() const;
    engine::ConfigFile resumedConfig(const store::StoredExploration& stored) const;
    void refuseSizeOfSmallerNetwork() const;
    int printPlan(const engine::ConfigFile& file, Console& console) const;
    void checkPlaceForSize(const engine::ConfigFile& file, Console& console) const;
    engine::ExplorationOptions searchedBy(const engine::ExplorationOptions& options,
                                          const engine::ConfigFile& file, Console& console) const;
    void sayWhatItDisturbs(const QString& path, Console& console) const;
    int explore(const engine::ConfigFile& file, EventsFile& events, Console& console) const;
    int keepResult(const engine::ConfigFile& file, const engine::PhaseSequence& phases,
                   const engine::Snapshot& last, Console& console) const;
    int runInEventLoop(engine::Exploration& exploration, Console& console) const;

    std::string m_file;
    NetworkChoice m_network;
    engine::ExplorationOptions m_options;
    std::string m_events;
    OutputOptions m_output;
    /// Number of the exploration to resume, empty for the newest that was cut off or stopped; nothing for a
    /// new exploration.
    std::optional<std::string> m_resumed;
    /// The exploration to resume.
    std::optional<store::StoredExploration> m_stored;
    bool m_dryRun = false;
    bool m_quiet = false;
    Colors m_colors = Colors::Auto;
};

/// \param command  command that writes the size anyway
QString unsureText(const QString& doubt, const QString& command)
{
    return QStringLiteral(
               "nothing was written. %1 Explore longer, by --time-budget or --max-trials; take any "
               "size with --min-confidence 0; or write this one now: %2")
        .arg(doubt, command);
}

/// Returns the options that the resumed exploration began with.
/// \throws UsageError if other options are given now
engine::ExplorationOptions resumedOptions(const store::StoredExploration& stored,
                                          const engine::ExplorationOptions& given)
{
    if (const QStringList words = engine::wordsFor(given); !words.isEmpty()) {
        throw UsageError("an exploration is resumed with its own options; remove " +
                         words.front().toStdString() + ", or explore again without --resume.");
    }
    engine::ExplorationOptions options = engine::optionsOf(stored.summary.info);
    options.trustsCode = given.trustsCode;
    return options;
}

void ExploreCommand::addOptions(Options& options)
{
    options.addArgument("FILE", "Config to explore", m_file);
    addModelOption(options, m_network);
    options.beginGroup("Exploration");
    addExplorationOptions(options, m_options);
    options.endGroup();
    addEventsOption(options, m_events);
    addOutputOptions(options, m_output);
    options.addTextOrNone("--resume", "[ID]",
                          "Continue an exploration that was interrupted or stopped: its ID in the history, "
                          "or the newest (of FILE)",
                          [this](const std::string& text) { m_resumed = text; });
    options.addFlag("--dry-run", "Print the plan and run no trial", m_dryRun);
    options.addFlag("--quiet", "Print the last lines and errors only", m_quiet);
    addColorOption(options, m_colors);
}

void ExploreCommand::checkOptions() const
{
    if (m_file.empty() && !m_resumed)
        throw UsageError("name the config to explore: batchpeak explore FILE.");
    checkExplorationOptions(m_options);
    checkOutputOptions(m_output);
    refuseSizeOfSmallerNetwork();
}

/// \throws UsageError if the size of a smaller network would be written into the config
void ExploreCommand::refuseSizeOfSmallerNetwork() const
{
    if (m_options.shrinks && m_output.asksForAConfig()) {
        throw UsageError(
            "--shrink measures a smaller network than the config's, so its size does not apply to the "
            "config; remove --output, --in-place and --diff, or explore without --shrink.");
    }
}

int ExploreCommand::run()
{
    if (m_resumed) {
        m_stored = explorationToResume();
        m_options = resumedOptions(*m_stored, m_options);
        refuseSizeOfSmallerNetwork();
    }
    const auto file = m_stored ? resumedConfig(*m_stored) : openConfig(m_file, m_network);
    m_output.alsoNeeded = engine::filesNeededBy(m_options);
    const bool isStdoutTaken = m_events == "-" || writesToStdout(m_output);
    Console console(isStdoutTaken ? stderr : stdout, m_colors);
    checkPlaceForSize(file, console);
    if (!m_dryRun)
        engine::requireTrust(engine::codeOf(file.contentsFor(m_options)), m_options.trustsCode);

    console.remark(warningLines(file.path(), file.contentsFor(m_options)));
    if (m_dryRun)
        return printPlan(file, console);

    EventsFile events(
        m_events, engine::filesNeededBy(file) + m_output.alsoNeeded + QStringList{outputPath(file, m_output)},
        m_output.force);
    return events.codeWith(explore(file, events, console));
}

/// Warns of another exploration on the same devices, which is not an error.
void ExploreCommand::sayWhatItDisturbs(const QString& path, Console& console) const
{
    if (!m_options.isHere())
        return;
    try {
        const auto runs = engine::runsElsewhere(store::ExplorationStore::defaultPath());
        // The devices have not been queried yet.
        const QString text =
            engine::disturbanceText(runs, QFileInfo(path).absoluteFilePath(), m_options.devices);
        if (!text.isEmpty())
            console.remark(text);
    } catch (const store::StoreError&) {
        // The recorder of the history reports that.
    }
}

/// \return the exit code
int ExploreCommand::explore(const engine::ConfigFile& file, EventsFile& events, Console& console) const
{
    engine::Exploration exploration;
    engine::PhaseSequence phases(m_options);
    const auto load = [&] { exploration.load(file, searchedBy(phases.options(), file, console)); };
    load();
    engine::BackgroundThread pythonSearch;
    if (m_options.isOwnWorker()) {
        pythonSearch.run(
            [](const std::stop_token& stop) { return engine::pythonStackNamed(engine::anyPython, stop); },
            [&](const engine::PythonStack& python) {
                const auto programs = engine::trialProgramsFor(file, python);
                if (programs.advisesPython)
                    console.remark(QStringLiteral("%1 To do so, add --with python.").arg(programs.advice));
            });
    }
    if (m_stored) {
        if (const QString why = exploration.resumeFrom(*engine::interruptedRunFrom(*m_stored));
            !why.isEmpty())
            throw UsageError(why.toStdString());
        console.remark(exploration.snapshot().log.back().text);
    }
    sayWhatItDisturbs(file.path(), console);
    // The file's previous content is discarded only now that nothing can refuse the run any more.
    std::unique_ptr<engine::StateLog> stateLog;
    std::unique_ptr<engine::EventLog> eventLog;
    const auto resumed = m_stored ? std::optional(m_stored->summary.id) : std::nullopt;
    if (QIODevice* device = events.open(resumed)) {
        stateLog = std::make_unique<engine::StateLog>(exploration, *device);
        eventLog = std::make_unique<engine::EventLog>(exploration, *device);
        QObject::connect(eventLog.get(), &engine::EventLog::failed,
                         [&](const QString& problem) { events.sayMissing(problem, console); });
    }
    int code = runInEventLoop(exploration, console);
    while (phases.advance(exploration.snapshot())) {
        console.answer(QString());
        load();
        const int next = runInEventLoop(exploration, console);
        code = code == exitCode::success || next == exitCode::interrupted ? next : code;
    }
    if (code == exitCode::success)
        return keepResult(file, phases, exploration.snapshot(), console);
    const std::vector<config::ChosenSize> found = phases.sizes(exploration.snapshot());
    if (phases.before() && found.size() == 1 && m_output.asksForAConfig())
        printError(QStringLiteral("nothing was written, since one phase has no size. Write the other: %1")
                       .arg(exportCommand(file, found, m_output)));
    return code;
}

/// \throws UsageError if there is no exploration that can be resumed
store::StoredExploration ExploreCommand::explorationToResume() const
{
    const QString path = store::ExplorationStore::defaultPath();
    // The exploration to resume may have progressed further in a file beside the history.
    if (QFileInfo::exists(path)) {
        store::ExplorationStore history(path);
        store::HistoryWriter::takeInLeftOnes(history, path,
                                             [](const QString& sentence) { Console().remark(sentence); });
    }
    // A user who names no number may have put FILE behind the option.
    const bool isNumber =
        !m_resumed->empty() && m_resumed->find_first_not_of("0123456789") == std::string::npos;
    if (isNumber) {
        auto stored = store::ExplorationStore(path).show(QString::fromStdString(*m_resumed).toLongLong());
        if (!stored)
            throw UsageError("there is no exploration " + *m_resumed +
                             "; `batchpeak history` lists the existing ones.");
        if (const QString why = engine::resumeError(path, *stored); !why.isEmpty())
            throw UsageError(why.toStdString());
        return *stored;
    }
    if (auto stored = engine::cutExplorationOf(
            path, QString::fromStdString(m_resumed->empty() ? m_file : *m_resumed), engine::Stopped::Too))
        return *stored;
    if (!m_resumed->empty() && !QFileInfo::exists(QString::fromStdString(*m_resumed))) {
        throw UsageError("'" + *m_resumed +
                         "' is neither the number of an exploration nor a config; `batchpeak history` lists "
                         "the explorations.");
    }
    throw UsageError("there is no interrupted or stopped exploration to continue; explore the config again, "
                     "without --resume.");
}

/// Returns the config as it was when the exploration began.
/// \throws UsageError if the file has changed since, and the size is to be written into it
engine::ConfigFile ExploreCommand::resumedConfig(const store::StoredExploration& stored) const
{
    const store::ExplorationInfo& info = stored.summary.info;
    const std::string text = info.configText.toStdString();
    auto file = engine::ConfigFile::fromText(info.filePath, text);
    if (m_output.asksForAConfig() && !file.isUnchanged()) {
        throw UsageError(info.filePath.toStdString() + " has changed since exploration " +
                         std::to_string(stored.summary.id) +
                         " began; remove --output, --in-place and --diff, or explore it again.");
    }
    return info.chosenModel.isEmpty() ? file : file.withModel(info.chosenModel);
}

/// Returns the options of optionsForWriting(); a resumed exploration keeps the options that it began with.
engine::ExplorationOptions ExploreCommand::searchedBy(const engine::ExplorationOptions& options,
                                                      const engine::ConfigFile& file, Console& console) const
{
    return m_stored ? options : optionsForWriting(file, options, m_output, console);
}

/// \return the exit code
/// \throws UsageError if the exploration would be refused
int ExploreCommand::printPlan(const engine::ConfigFile& file, Console& console) const
{
    const device::LocalDevices devices = device::localDevices();
    const engine::PlanPreview preview =
        engine::previewOn(file, searchedBy(m_options, file, console), devices);
    console.answer(previewLines(file.path(), preview, store::ExplorationStore::defaultPath()));
    if (preview.plan)
        console.remark(preview.plan->notes);
    if (!preview.warning.isEmpty())
        console.remark(QStringLiteral("warning: ") + preview.warning);
    if (!preview.problem.isEmpty())
        throw UsageError(preview.problem.toStdString());
    return exitCode::success;
}

void ExploreCommand::checkPlaceForSize(const engine::ConfigFile& file, Console& console) const
{
    if (!m_output.asksForAConfig())
        return;
    if (file.contents().isNetworkAlone()) {
        throw UsageError(file.path().toStdString() +
                         ": The config describes only a network, so there is no place for a size; remove "
                         "--output, --in-place and --diff.");
    }
    checkTarget(file, m_output, console);
}

/// \return the exit code
int ExploreCommand::keepResult(const engine::ConfigFile& file, const engine::PhaseSequence& phases,
                               const engine::Snapshot& last, Console& console) const
{
    if (!m_output.asksForAConfig())
        return exitCode::success;
    const std::vector<config::ChosenSize> chosen = phases.sizes(last);
    if (const QString doubt = phases.doubtText(last); !doubt.isEmpty()) {
        printError(unsureText(doubt, exportCommand(file, chosen, m_output)));
        return exitCode::tooUnsure;
    }
    try {
        writeSizes(file, chosen, m_output, console);
        if (phases.hasCaveat(last))
            console.remark((chosen.size() == 1 ? QStringLiteral("How the size was found: %1")
                                               : QStringLiteral("How the sizes were found: %1"))
                               .arg(phases.foundText(last)));
    } catch (const config::ConfigError& error) {
        throw UsageError(std::string("the recommended size was not written. ") + error.what());
    }
    return exitCode::success;
}

int ExploreCommand::runInEventLoop(engine::Exploration& exploration, Console& console) const
{
    exploration.setHistory(store::ExplorationStore::defaultPath());
    engine::ExplorationRecorder recorder(exploration, store::ExplorationStore::defaultPath());
    QObject::connect(
        &recorder, &engine::ExplorationRecorder::message, &recorder,
        [&console](const QString& sentence) { console.remark(QStringLiteral("warning: ") + sentence); });

    using Detail = ExplorationTerminal::Detail;
    ExplorationTerminal terminal(exploration, console, m_quiet ? Detail::LastLinesOnly : Detail::Everything,
                                 [&exploration] { exploration.stop(); });
    exploration.start();
    return terminal.waitForEnd();
}

} // namespace

std::unique_ptr<Command> makeExploreCommand(std::string file, NetworkChoice network,
                                            engine::ExplorationOptions options)
{
    return std::make_unique<ExploreCommand>(std::move(file), std::move(network), std::move(options));
}

} // namespace batchpeak::cli
