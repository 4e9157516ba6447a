// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "command.h"
#include "confirm_recommendation.h"
#include "console.h"
#include "events_file.h"
#include "files/output_place.h"
#include "options.h"
#include "run_arguments.h"
#include "training/confirmation_run.h"
#include "training/training_event_log.h"
#include "training/training_option_table.h"
#include "training/training_run.h"
#include "training_arguments.h"
#include "training_terminal.h"
#include "words/config_text.h"

#include <QDir>
#include <QFileInfo>

#include <memory>

namespace batchpeak::cli {

namespace {

constexpr auto searchNote = "note: training does not search for a size; it starts at the per-device batch "
                            "and halves it when memory runs out. `batchpeak explore` searches.";

/// Checks that the folder can be created and written, so that a run does not fail at its end.
/// \throws UsageError
void checkCheckpointFolder(const QString& folder)
{
    if (folder.isEmpty() || (QDir().mkpath(folder) && QFileInfo(folder).isWritable()))
        return;
    throw UsageError("--checkpoint: the folder " + folder.toStdString() +
                     " cannot be made or written; name another.");
}

/// `batchpeak train`, or `batchpeak confirm`, which is the same as `batchpeak train --confirm`.
class TrainCommand : public Command
{
public:
    explicit TrainCommand(bool isConfirm) : m_isConfirm(isConfirm) { m_arguments.confirms = isConfirm; }

    std::string name() const override { return m_isConfirm ? "confirm" : "train"; }
    std::string summary() const override
    {
        return m_isConfirm ? "Run full steps and compare them with the last exploration's predictions"
                           : "Train with accumulated micro-batches, in this terminal";
    }
    void addOptions(Options& options) override;
    void checkOptions() const override;
    int run() override;

private:
    int train(const engine::ConfigFile& file, EventsFile& events, Console& console) const;
    int confirm(const engine::ConfigFile& file, EventsFile& events, Console& console) const;
    int runInEventLoop(training::TrainingRun& training, Console& console) const;

    bool m_isConfirm;
    std::string m_file;
    NetworkChoice m_network;
    TrainingArguments m_arguments;
    std::string m_events;
    bool m_force = false;
    bool m_quiet = false;
    Colors m_colors = Colors::Auto;
};

void TrainCommand::addOptions(Options& options)
{
    options.addArgument("FILE", m_isConfirm ? "Config that was explored" : "Config to train", m_file);
    addModelOption(options, m_network);
    if (m_isConfirm)
        addConfirmationOptions(options, m_arguments);
    else
        addTrainingOptions(options, m_arguments);
    addEventsOption(options, m_events);
    options.addFlag("--force", "Overwrite an existing file that --events names", m_force);
    options.addFlag("--quiet", "Print the summary and errors only", m_quiet);
    addColorOption(options, m_colors);
}

void TrainCommand::checkOptions() const
{
    if (m_file.empty())
        throw UsageError("name the config to " + name() + ": batchpeak " + name() + " FILE.");
    checkTrainingArguments(m_arguments);
}

int TrainCommand::run()
{
    const auto file = openConfig(m_file, m_network);
    training::checkAgainstConfig(m_arguments.options, file.contents().training);
    checkCheckpointFolder(m_arguments.options.checkpointFolder);

    Console console(m_events == "-" ? stderr : stdout, m_colors);
    console.remark(warningLines(file.path(), file.contentsFor(m_arguments.options.run)));
    const training::TrainingOptions& asked = m_arguments.options;
    EventsFile events(
        m_events,
        engine::filesNeededBy(file) + engine::filesNeededBy(asked.run) +
            QStringList{QString::fromStdString(asked.data.path), asked.growth.trimmed(), asked.resumeFolder},
        m_force);
    return m_arguments.confirms ? confirm(file, events, console) : train(file, events, console);
}

int TrainCommand::train(const engine::ConfigFile& file, EventsFile& events, Console& console) const
{
    if (m_arguments.asksForASearch && !m_quiet)
        console.remark(QString::fromUtf8(searchNote));
    training::TrainingRun training;
    training.load(file.path(), file.contentsFor(m_arguments.options.run), m_arguments.options);

    std::unique_ptr<training::TrainingEventLog> eventLog;
    if (QIODevice* device = events.open()) {
        eventLog = std::make_unique<training::TrainingEventLog>(training, *device);
        QObject::connect(eventLog.get(), &training::TrainingEventLog::failed,
                         [&](const QString& problem) { events.sayMissing(problem, console); });
    }
    return events.codeWith(runInEventLoop(training, console));
}

int TrainCommand::runInEventLoop(training::TrainingRun& training, Console& console) const
{
    using Detail = TrainingTerminal::Detail;
    TrainingTerminal terminal(training, console, m_quiet ? Detail::SummaryOnly : Detail::Everything);
    training.start();
    return terminal.waitForEnd();
}

int TrainCommand::confirm(const engine::ConfigFile& file, EventsFile& events, Console& console) const
{
    const ConfirmationRequest request{
        .steps = m_arguments.confirmSteps.value_or(training::defaultConfirmationSteps),
        .events = [&] { return events.open(); },
        .onMissingEvents = [&](const QString& problem) { events.sayMissing(problem, console); }};
    return events.codeWith(confirmRecommendation(file, m_arguments.options, request, console));
}

} // namespace

std::unique_ptr<Command> makeTrainCommand()
{
    return std::make_unique<TrainCommand>(/*isConfirm=*/false);
}

std::unique_ptr<Command> makeConfirmCommand()
{
    return std::make_unique<TrainCommand>(/*isConfirm=*/true);
}

} // namespace batchpeak::cli
