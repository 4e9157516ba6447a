// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Opens every config below folders, reports which of them can be explored and why the others cannot, and runs
// trials of two steps, with smaller networks, of every run that differs in the work of the worker:
//     batchpeak-bench-corpus FOLDER --no-trials
// With --python, that interpreter is asked to build each network too. With HF_ENDPOINT at a hub on this
// computer (tests/bench/corpus/default_hub.py), what the networks of configs lack is fetched from there.
// Exits with 1 if a trial failed.

#include "config_survey.h"
#include "distinct_runs.h"
#include "files/hub_download.h"
#include "survey_table.h"
#include "text/errors.h"
#include "trial_sequence.h"
#include "workers/run_devices.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QProcess>
#include <QTemporaryDir>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

using namespace batchpeak;

namespace {

struct Options
{
    std::vector<std::string> folders;
    bool printsFiles = false;
    bool leavesOutTrials = false;
    /// Interpreter to ask too; empty for none.
    std::string python;
};

std::vector<SurveyedFile> surveyOf(const QStringList& folders)
{
    std::vector<SurveyedFile> files;
    for (const QString& folder : folders) {
        for (const QString& path : configsBelow(folder))
            files.push_back(surveyed(path, folder));
    }
    return files;
}

void print(const char* title, const std::vector<SurveyedFile>& files, RoadOf roadOf, bool printsFiles)
{
    std::printf("\n## %s\n\n", title);
    if (printsFiles)
        std::printf("%s\n", filesText(files, roadOf).c_str());
    std::fputs(surveyText(files, roadOf).c_str(), stdout);
    std::fflush(stdout);
}

void printRoads(std::vector<SurveyedFile>& files, const Options& options)
{
    print("By batchpeak-worker", files, roadOfWorker, options.printsFiles);
    if (options.python.empty())
        return;
    askPython(files, QString::fromStdString(options.python));
    print("By the user's Python", files, roadOfPython, options.printsFiles);
    print("By either", files, roadOfEither, false);
}

/// Fetches the networks that configs lack from the hub at HF_ENDPOINT.
/// \return whether there is anything new
bool fetchMissing(const std::vector<SurveyedFile>& files, std::vector<config::NetworkName>& asked)
{
    int fetched = 0;
    engine::HubDownload hub(QString{});
    for (const SurveyedFile& file : files) {
        if (!file.missing || std::ranges::find(asked, *file.missing) != asked.end())
            continue;
        asked.push_back(*file.missing);
        const QString problem = hub.fetch(*file.missing);
        fetched += problem.isEmpty() ? 1 : 0;
        if (!problem.isEmpty())
            std::printf("%s\n", qUtf8Printable(problem));
    }
    std::printf("\n%d networks are fetched from %s.\n", fetched,
                qUtf8Printable(engine::hubEndpoint().toString()));
    return fetched > 0;
}

/// Returns the wall time of the whole command [s]; nothing if it is not built.
std::optional<double> secondsOfInspect(const QString& path)
{
    const QString program = QCoreApplication::applicationDirPath() + QStringLiteral("/batchpeak");
    if (!QFileInfo(program).isExecutable())
        return std::nullopt;
    QElapsedTimer clock;
    clock.start();
    QProcess process;
    process.start(program, {QStringLiteral("inspect"), QStringLiteral("--json"), path});
    process.waitForFinished();
    return static_cast<double>(clock.nsecsElapsed()) * 1e-9;
}

void printSlowest(std::vector<SurveyedFile> files)
{
    constexpr std::size_t max = 3;
    std::ranges::sort(files, std::greater(), &SurveyedFile::seconds);
    files.resize(std::min(max, files.size()));
    std::printf("\n%-28s %s\n", "slowest to read and plan",
                "`batchpeak inspect --json` of it, its start included");
    for (const SurveyedFile& file : files) {
        const auto command = secondsOfInspect(file.path);
        std::printf(
            "%25.1f ms %s  %s\n", 1e3 * file.seconds,
            command
                ? QString::number(1e3 * *command, 'f', 0).append(QStringLiteral(" ms")).toUtf8().constData()
                : "not built",
            qUtf8Printable(file.path));
    }
}

/// \return number of failed trials
int runTrials(const DistinctRuns& distinct)
{
    const std::vector<DistinctRun>& runs = distinct.runs;
    std::vector<trial::LoadRequest> loads;
    for (const DistinctRun& run : runs)
        loads.push_back(run.load);
    std::printf("\n%-72s %7s %5s %9s %11s\n", "trials of two steps, of smaller networks", "configs", "size",
                "ms/step", "peak bytes");
    int failures = 0;
    const auto print = [&](std::size_t index, const SequenceResult& result) {
        const DistinctRun& run = runs[index];
        std::printf("%-72s %7d ", run.text().c_str(), run.configs);
        if (result.problem.isEmpty())
            std::printf("%5lld %9.1f %11lld\n", static_cast<long long>(result.microBatchSize),
                        1e3 * result.secondsPerStep, static_cast<long long>(result.peakBytes));
        else
            std::printf("%s (%s)\n", qUtf8Printable(result.problem), qUtf8Printable(run.path));
        std::fflush(stdout);
        failures += result.problem.isEmpty() ? 0 : 1;
    };
    TrialSequence(TrialSequence::ownWorker(engine::workerPath(QCoreApplication::applicationDirPath())),
                  std::move(loads), print)
        .run();
    for (const QString& sentence : distinct.notShrunk)
        std::printf("%s\n", qUtf8Printable(sentence));
    std::printf("\n%zu of %zu ended well\n", runs.size() - static_cast<std::size_t>(failures), runs.size());
    return failures;
}

} // namespace

int main(int argc, char** argv)
{
    QCoreApplication application(argc, argv);
    Options options;
    CLI::App app("What becomes of every config below folders: which can be explored, and why others cannot.");
    app.add_option("FOLDER", options.folders, "folders of configs, each of one or more repositories")
        ->required();
    app.add_flag("--files", options.printsFiles, "a line for each file too");
    app.add_flag("--no-trials", options.leavesOutTrials, "run nothing");
    app.add_option("--python", options.python, "an interpreter that is asked to build each network too");
    CLI11_PARSE(app, argc, argv);

    // Models in this computer's Hugging Face cache would change the table.
    const QTemporaryDir noNetworks;
    qputenv("HF_HUB_CACHE", noNetworks.path().toUtf8());

    QStringList folders;
    for (const std::string& folder : options.folders) {
        const QString path = QString::fromStdString(folder);
        if (QFileInfo(path).isDir())
            folders << QFileInfo(path).canonicalFilePath();
        else
            std::printf("%s is not there, so that its configs are left out.\n", folder.c_str());
    }
    if (folders.isEmpty())
        return 0;
    try {
        std::vector<SurveyedFile> files = surveyOf(folders);
        printRoads(files, options);
        printSlowest(files);
        const bool hasHub = engine::hubEndpoint().host() == QStringLiteral("127.0.0.1");
        for (std::vector<config::NetworkName> asked; hasHub && fetchMissing(files, asked);)
            files = surveyOf(folders);
        if (hasHub)
            printRoads(files, options);
        return !options.leavesOutTrials && runTrials(distinctRuns(files)) > 0 ? 1 : 0;
    } catch (const engine::ExplorationError& error) {
        std::fprintf(stderr, "%s\n", qUtf8Printable(error.sentence()));
        return 1;
    }
}
