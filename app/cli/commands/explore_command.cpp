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
#include "explore_several.h"
#include "files/output_place.h"
#include "files/trusted_code.h"
#include "history/interrupted_run.h"
#include "options.h"
#include "options/option_table.h"
#include "options/saved_arguments.h"
#include "plan/phase_sequence.h"
#include "plan/plan_preview.h"
#include "run_arguments.h"
#include "run_terminal.h"
#include "snapshot/writing_rule.h"
#include "store/exploration_store.h"
#include "store/history_writer.h"
#include "words/config_text.h"
#include "words/preview_text.h"
#include "workers/alike_devices.h"
#include "workers/background_thread.h"
#include "workers/place_session.h"
#include "workers/python_stack.h"
#include "workers/run_devices.h"
#include "workers/runs_elsewhere.h"
#include "workers/trial_programs.h"

#include <QCoreApplication>
#include <QFileInfo>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace batchpeak::cli {

namespace {

// Each is a process of its own.
constexpr int mostFiles = 1000;

class ExploreCommand : public Command
{
public:
    ExploreCommand(std::string file, NetworkChoice network, engine::ExplorationOptions options)
        : m_files{std::move(file)}, m_network(std::move(network)), m_options(std::move(options))
    {}

    std::string name() const override { return "explore"; }
    std::string summary() const override { return "Find the fastest micro-batch size, in this terminal"; }
    void addOptions(Options& options) override;
    void checkOptions() const override;
    int run() override;

private:
    const std::string& file() const { return m_files.front(); }
    void checkSeveral() const;
    store::StoredExploration explorationToResume() const;
    engine::ConfigFile resumedConfig(const store::StoredExploration& stored) const;
    void refuseSizeOfSmallerNetwork() const;
    int printPlan(const engine::ConfigFile& file, Console& console) const;
    void checkPlaceForSize(const engine::ConfigFile& file, Console& console) const;
    engine::ExplorationOptions searchedBy(const engine::ExplorationOptions& options,
                                          const engine::ConfigFile& file, Console& console) const;
    void sayWhatItDisturbs(const QString& path, Console& console) const;
    int explore(const engine::ConfigFile& file, const std::shared_ptr<engine::PlaceSession>& places,
                EventsFile& events, Console& console) const;
    std::vector<engine::AlikeDevices> groupsOfDevices(const engine::PlaceSession* places) const;
    int exploreSeveralRuns(const std::vector<engine::AlikeDevices>& devices,
                           const engine::PlaceSession* places, Console& console) const;
    int keepResult(const engine::ConfigFile& file, const engine::PhaseSequence& phases,
                   const engine::Snapshot& last, Console& console) const;
    int runInEventLoop(engine::Exploration& exploration, Console& console) const;

    std::vector<std::string> m_files;
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
    options.addArguments("FILE", "Configs to explore; several share the devices", mostFiles, m_files);
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
    if (file().empty() && !m_resumed)
        throw UsageError("name the config to explore: batchpeak explore FILE.");
    if (m_files.size() > 1)
        checkSeveral();
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

/// \throws UsageError if the options are for one config
void ExploreCommand::checkSeveral() const
{
    if (m_resumed)
        throw UsageError("an exploration is resumed by itself; name one config.");
    if (!m_events.empty() || !m_output.output.empty() || m_output.diff)
        throw UsageError("--events, --output and --diff are for one config; several are written with "
                         "--in-place, and `batchpeak history` keeps what was measured.");
    if (!m_network.model.empty())
        throw UsageError("--model replaces the network of one config; explore the configs one by one.");
}

/// Opens the places of the options, if they have to be asked for their devices.
class PlacesTerminal : public RunTerminal
{
public:
    PlacesTerminal(engine::PlaceSession& places, Console& console) : RunTerminal(console, 1)
    {
        connect(&places, &engine::PlaceSession::logged, this,
                [&console](engine::LogLevel level, const QString& text) {
                    if (level != engine::LogLevel::Info)
                        console.remark(text);
                });
        connect(&places, &engine::PlaceSession::opened, this, [this] { end(exitCode::success); });
        connect(&places, &engine::PlaceSession::failed, this, [this] { end(exitCode::success); });
        places.open();
    }

protected:
    void interrupt() override { end(exitCode::interrupted); }
};

/// Whether the devices of places may differ: there are several computers.
bool mayBeUnlike(const engine::ExplorationOptions& options)
{
    const auto isSeveral = [](const QString& text) {
        const engine::Place place = engine::placeFromText(text);
        return place.kind == engine::Place::Kind::Slurm &&
               (qEnvironmentVariableIntValue("SLURM_NNODES") > 1 ||
                std::ranges::any_of(place.words, [](const QString& word) {
                    return word.startsWith(QLatin1String("-N")) || word.startsWith(QLatin1String("--nodes"));
                }));
    };
    return options.nodes.value_or(1) == 1 &&
           (options.places.size() > 1 || std::ranges::any_of(options.places, isSeveral));
}

/// Returns the devices of this computer that the options mean.
std::vector<engine::PlacedDevice> devicesHere(const engine::ExplorationOptions& options)
{
    std::vector<engine::PlacedDevice> devices;
    const auto chosen = engine::chooseDevices(options.devices, device::localDevices());
    for (const engine::DeviceGroup& group : engine::groupsOf(chosen, options.processes()))
        devices.push_back({.id = group.id, .device = group.device});
    return devices;
}

int ExploreCommand::run()
{
    if (m_resumed) {
        m_stored = explorationToResume();
        m_options = resumedOptions(*m_stored, m_options);
        refuseSizeOfSmallerNetwork();
    }
    const auto file = m_stored ? resumedConfig(*m_stored) : openConfig(this->file(), m_network);
    m_output.alsoNeeded = engine::filesNeededBy(m_options);
    const bool isStdoutTaken = m_events == "-" || writesToStdout(m_output);
    Console console(isStdoutTaken ? stderr : stdout, m_colors);
    checkPlaceForSize(file, console);
    if (!m_dryRun)
        engine::requireTrust(engine::codeOf(file.contentsFor(m_options)), m_options.trustsCode);

    console.remark(warningLines(file.path(), file.contentsFor(m_options)));
    if (m_dryRun)
        return printPlan(file, console);

    std::shared_ptr<engine::PlaceSession> places;
    if (!engine::namesOnlyPrefixes(m_options) && (m_files.size() > 1 || mayBeUnlike(m_options))) {
        places = std::make_shared<engine::PlaceSession>(m_options, QCoreApplication::applicationDirPath());
        if (const int code = PlacesTerminal(*places, console).waitForEnd(); code != exitCode::success)
            return code;
    }
    const auto groups = groupsOfDevices(places.get());
    if (m_files.size() > 1 || groups.size() > 1)
        return exploreSeveralRuns(groups, places.get(), console);
    EventsFile events(
        m_events, engine::filesNeededBy(file) + m_output.alsoNeeded + QStringList{outputPath(file, m_output)},
        m_output.force);
    return events.codeWith(explore(file, places, events, console));
}

/// Returns the devices by what they are. Several configs need to know them, unlike ones are explored by
/// themselves, and everything else is as well left to the exploration, with its errors.
std::vector<engine::AlikeDevices> ExploreCommand::groupsOfDevices(const engine::PlaceSession* places) const
{
    try {
        if (places)
            return engine::alikeDevices(places->devices());
        if (!engine::namesOnlyPrefixes(m_options))
            return {};
        return engine::alikeDevices(m_options.isHere() ? devicesHere(m_options)
                                                       : engine::devicesBehindPrefixes(m_options));
    } catch (const engine::ExplorationError&) {
        if (m_files.size() > 1)
            throw;
        return {};
    }
}

/// \return the exit code
/// \throws UsageError if a config cannot be read
int ExploreCommand::exploreSeveralRuns(const std::vector<engine::AlikeDevices>& devices,
                                       const engine::PlaceSession* places, Console& console) const
{
    const bool isMixed = devices.size() > 1;
    if (isMixed && (m_stored || !m_events.empty()))
        throw UsageError("the devices are unlike, so each kind of them has an exploration of its own; name "
                         "those of one kind with --device.");
    SeveralExplorations several{.devices = devices, .job = places ? places->jobs().value(0) : QString()};
    if (places && places->jobs().size() > 1)
        throw UsageError("several explorations share one allocation of Slurm; name one with --on.");
    std::vector<engine::ConfigFile> files;
    for (const std::string& name : m_files) {
        files.push_back(openConfig(name, m_network));
        several.files << files.back().path();
        checkPlaceForSize(files.back(), console);
    }
    engine::ExplorationOptions common = m_options;
    common.devices.clear();
    common.places.clear();
    several.words = engine::wordsFor(common);
    if (m_options.trustsCode)
        several.words << QStringLiteral("--trust");
    if (m_quiet)
        several.words << QStringLiteral("--quiet");
    if (!isMixed)
        several.outputWords = wordsFor(m_output);
    std::vector<std::vector<FoundSize>> found;
    int code = exploreSeveral(several, console, found);
    console.answer(QString());
    for (std::size_t file = 0; file < files.size(); ++file)
        console.answer(foundLines(QFileInfo(files[file].path()).fileName(), found[file]));
    if (!isMixed || !m_output.asksForAConfig())
        return code;
    for (std::size_t file = 0; file < files.size(); ++file) {
        const auto isSure = [&](const FoundSize& one) {
            return one.size > 0 && one.confidence >= engine::minConfidenceToWrite(m_options);
        };
        if (!std::ranges::all_of(found[file], isSure)) {
            printError(QStringLiteral("%1: nothing was written, since the size is not certain enough on each "
                                      "of the devices.")
                           .arg(files[file].path()));
            code = code == exitCode::success ? exitCode::tooUnsure : code;
            continue;
        }
        writeSizes(files[file], {{.phase = m_options.phase, .microBatchSize = sharedSize(found[file])}},
                   m_output, console);
    }
    return code;
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
int ExploreCommand::explore(const engine::ConfigFile& file,
                            const std::shared_ptr<engine::PlaceSession>& places, EventsFile& events,
                            Console& console) const
{
    engine::Exploration exploration(engine::ExplorationParts{.session = places});
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
            path, QString::fromStdString(m_resumed->empty() ? file() : *m_resumed), engine::Stopped::Too))
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
