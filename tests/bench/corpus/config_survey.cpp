// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config_survey.h"

#include "files/config_file.h"
#include "files/text_file.h"
#include "plan/exploration_plan.h"
#include "trial_sequence.h"
#include "workers/python_stack.h"

#include <QCoreApplication>
#include <QDir>
#include <QDirIterator>

#include <algorithm>
#include <chrono>
#include <variant>

using namespace batchpeak;

namespace {

/// Refusal of a recognized config whose values contradict each other.
constexpr std::string_view contradiction = "values that contradict each other";

engine::ExplorationOptions optionsFor(const config::ConfigContents& contents)
{
    engine::ExplorationOptions options;
    if (!contents.train && contents.eval)
        options.phase = model::Phase::Eval;
    return options;
}

/// \return the request to the program that runs trials; nothing if it is refused
std::optional<trial::LoadRequest> plan(SurveyedRoad& road, const engine::ConfigFile& file, bool isForPython)
{
    engine::ExplorationOptions options = optionsFor(file.contents());
    if (isForPython)
        options.python = engine::anyPython;
    const config::ConfigContents& contents = file.contentsFor(options);
    if (const auto* unsupported = std::get_if<config::UnsupportedModel>(&contents.model)) {
        road.refusal = unsupported->reason;
        road.sentence = QString::fromStdString(unsupported->sentence);
        return std::nullopt;
    }
    try {
        engine::ExplorationPlan plan = engine::planExploration(file.path(), contents, options);
        // Assumes one CPU device, so that the result is the same on every computer.
        engine::fitToDevices(plan, options, {.devices = {{.kind = "cpu"}}});
        road.fidelity = plan.run.fidelity;
        return plan.load;
    } catch (const config::ConfigError& error) {
        road.refusal = contradiction;
        road.sentence = QString::fromUtf8(error.what());
    }
    return std::nullopt;
}

/// Whether a format has recognized the file, even if its values are illegal.
bool isRecognized(const QString& path)
{
    try {
        config::recognize(engine::readTextFile(path));
        return true;
    } catch (const config::ConfigError&) {
        return false;
    }
}

void judge(SurveyedFile& file, const engine::ConfigFile& config)
{
    plan(file.worker, config, false);
    file.python.emplace();
    file.loadForPython = plan(*file.python, config, true);
    file.missing = config.missingNetwork();
}

} // namespace

const SurveyedRoad& SurveyedFile::either() const
{
    const bool isBetter =
        python && (worker.isOpen() ? python->isExact() && !worker.isExact() : python->isOpen());
    return isBetter ? *python : worker;
}

QStringList configsBelow(const QString& folder)
{
    QStringList paths;
    const QStringList names{QStringLiteral("*.yaml"), QStringLiteral("*.yml"),   QStringLiteral("*.json"),
                            QStringLiteral("*.toml"), QStringLiteral("*.sh"),    QStringLiteral("*.slurm"),
                            QStringLiteral("*.bat"),  QStringLiteral("*.sbatch")};
    QDirIterator files(folder, names, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext())
        paths << files.next();
    paths.sort();
    return paths;
}

SurveyedFile surveyed(const QString& path, const QString& folder)
{
    const QDir root(folder);
    const QString relative = root.relativeFilePath(path);
    const bool isBelow = relative.contains(QLatin1Char('/'));
    SurveyedFile file{.path = path,
                      .repository = isBelow ? relative.section(QLatin1Char('/'), 0, 0) : root.dirName()};
    const auto start = std::chrono::steady_clock::now();
    try {
        judge(file, engine::ConfigFile::open(path));
    } catch (const config::ConfigError& error) {
        const QString sentence = QString::fromUtf8(error.what());
        if (isRecognized(path)) {
            file.worker = {.refusal = std::string(contradiction), .sentence = sentence};
            file.python = file.worker;
        } else {
            file.unreadable = sentence;
        }
    }
    file.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return file;
}

void askPython(std::vector<SurveyedFile>& files, const QString& python)
{
    std::vector<trial::LoadRequest> loads;
    std::vector<SurveyedRoad> answers;
    for (const SurveyedFile& file : files) {
        if (file.loadForPython && std::ranges::find(loads, *file.loadForPython) == loads.end())
            loads.push_back(*file.loadForPython);
    }
    const auto take = [&answers](std::size_t, const SequenceResult& result) {
        SurveyedRoad& road = answers.emplace_back();
        if (!result.problem.isEmpty())
            road = {.refusal = "a network that this Python does not build", .sentence = result.problem};
        for (const std::string& reason : result.approximations)
            road.fidelity.addReason(reason);
    };
    const QString packages = engine::pythonPackages(QCoreApplication::applicationDirPath());
    QStringList environment = engine::pythonEnvironment(packages);
    environment << QStringLiteral("OMP_NUM_THREADS=1");
    TrialSequence({.program = python,
                   .arguments = engine::pythonWorkerArguments(packages)
                                << QStringLiteral("--device") << QStringLiteral("cpu"),
                   .environment = environment},
                  loads, take, TrialSequence::Depth::Networks)
        .run();
    for (SurveyedFile& file : files) {
        if (!file.loadForPython)
            continue;
        const auto place = std::ranges::find(loads, *file.loadForPython);
        const SurveyedRoad& answer = answers[static_cast<std::size_t>(place - loads.begin())];
        file.python->refusal = answer.refusal;
        file.python->sentence = answer.sentence;
        for (const std::string& reason : answer.fidelity.reasons)
            file.python->fidelity.addReason(reason);
    }
}

trial::LoadRequest shrunkLoad(const QString& path)
{
    const config::ConfigContents contents = engine::ConfigFile::open(path).contents();
    engine::ExplorationOptions options = optionsFor(contents);
    options.shrinks = true;
    return engine::planExploration(path, contents, options).load;
}
