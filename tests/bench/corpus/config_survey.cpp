// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config_survey.h"

#include "files/config_file.h"
#include "plan/exploration_plan.h"

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

void judge(SurveyedFile& file, const config::ConfigContents& contents)
{
    if (const auto* unsupported = std::get_if<config::UnsupportedModel>(&contents.model)) {
        file.refusal = unsupported->reason;
        file.sentence = QString::fromStdString(unsupported->sentence);
        return;
    }
    try {
        const engine::ExplorationOptions options = optionsFor(contents);
        engine::ExplorationPlan plan = engine::planExploration(file.path, contents, options);
        // Assumes one CPU device, so that the result is the same on every computer.
        engine::fitToDevices(plan, options, {.devices = {{.kind = "cpu"}}});
        file.fidelity = plan.run.fidelity;
    } catch (const config::ConfigError& error) {
        file.refusal = contradiction;
        file.sentence = QString::fromUtf8(error.what());
    }
}

} // namespace

QStringList configsBelow(const QString& folder)
{
    QStringList paths;
    QDirIterator files(folder, {QStringLiteral("*.yaml"), QStringLiteral("*.yml"), QStringLiteral("*.json")},
                       QDir::Files, QDirIterator::Subdirectories);
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
        judge(file, engine::ConfigFile::open(path).contents());
    } catch (const config::ConfigError& error) {
        file.unreadable = QString::fromUtf8(error.what());
    }
    file.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return file;
}

trial::LoadRequest shrunkLoad(const QString& path)
{
    const config::ConfigContents contents = engine::ConfigFile::open(path).contents();
    engine::ExplorationOptions options = optionsFor(contents);
    options.shrinks = true;
    return engine::planExploration(path, contents, options).load;
}
