// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "train_command.h"

#include "config_text.h"
#include "confirm_recommendation.h"
#include "console.h"
#include "events_file.h"
#include "model_option.h"
#include "signal_relay.h"
#include "training/confirmation_run.h"
#include "training/training_event_log.h"
#include "training/training_run.h"
#include "training_terminal.h"
#include "usage_error.h"

#include <CLI/App.hpp>

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTimer>

#include <memory>

namespace batchpeak::cli {

namespace {

// The first ends the run after the step under way, the second at once; the third is the system's.
constexpr int signalsPassed = 2;

constexpr auto searchNote = "note: training makes no search for the size; it starts at the per-device batch "
                            "and halves it when memory "
                            "runs out. 'batchpeak explore' searches.";

/// A run should not fail at its end for want of a place.
/// \throws UsageError
void checkCheckpointFolder(const QString& folder)
{
    if (folder.isEmpty() || (QDir().mkpath(folder) && QFileInfo(folder).isWritable()))
        return;
    throw UsageError("--checkpoint: the folder " + folder.toStdString() +
                     " cannot be made or written; name another.");
}

} // namespace

std::string TrainCommand::summary() const
{
    return "Train with accumulated micro-batches, in this terminal";
}

void TrainCommand::addOptions(CLI::App& app)
{
    app.add_option("FILE", m_file, "Config to train")->type_name("");
    addModelOption(app, m_model);
    addTrainingOptions(app, m_arguments);
    app.add_option("--events", m_events, "Write events as JSON Lines; - stands for stdout")
        ->type_name("FILE");
    app.add_flag("--quiet", m_quiet, "Print the summary and errors only");
}

void TrainCommand::checkOptions() const
{
    if (m_file.empty())
        throw UsageError("name the config to train: batchpeak train FILE.");
    checkTrainingOptions(m_arguments);
}

int TrainCommand::run()
{
    const auto file = openConfig(m_file, m_model);
    checkAgainstConfig(m_arguments.options, file.contents().training);
    checkCheckpointFolder(m_arguments.options.checkpointFolder);

    Console console(m_events == "-" ? stderr : stdout);
    for (const QString& line : warningLines(file.path(), file.contents()))
        console.remark(line);
    QFile events(QString::fromStdString(m_events));
    if (!m_events.empty())
        openEvents(events, m_events);
    QIODevice* device = m_events.empty() ? nullptr : &events;
    return m_arguments.confirms ? confirm(file, device, console) : train(file, device, console);
}

int TrainCommand::train(const engine::ConfigFile& file, QIODevice* events, Console& console) const
{
    if (m_arguments.asksForASearch && !m_quiet)
        console.remark(QString::fromUtf8(searchNote));
    training::TrainingRun training;
    training.load(file.path(), file.contents(), m_arguments.options);

    std::unique_ptr<training::TrainingEventLog> eventLog;
    if (events)
        eventLog = std::make_unique<training::TrainingEventLog>(training, *events);
    const int code = runInEventLoop(training, console);
    if (eventLog)
        checkEvents(eventLog->problem());
    return code;
}

int TrainCommand::runInEventLoop(training::TrainingRun& training, Console& console) const
{
    using Detail = TrainingTerminal::Detail;
    TrainingTerminal terminal(training, console, m_quiet ? Detail::SummaryOnly : Detail::Everything);
    SignalRelay signalRelay(signalsPassed);
    QObject::connect(&signalRelay, &SignalRelay::interrupted, &terminal, &TrainingTerminal::interrupt);
    QObject::connect(&terminal, &TrainingTerminal::ended, &terminal,
                     [](int code) { QCoreApplication::exit(code); });
    // A run that fails while it starts ends the event loop, so that must run by then.
    QTimer::singleShot(0, &training, &training::TrainingRun::start);
    return QCoreApplication::exec();
}

int TrainCommand::confirm(const engine::ConfigFile& file, QIODevice* events, Console& console) const
{
    const ConfirmationRequest request{
        .steps = m_arguments.confirmSteps.value_or(training::usualConfirmationSteps), .events = events};
    return confirmRecommendation(file, m_arguments.options, request, console);
}

} // namespace batchpeak::cli
