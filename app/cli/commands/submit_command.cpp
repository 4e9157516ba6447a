// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "command.h"
#include "config_output.h"
#include "console.h"
#include "files/saved_file.h"
#include "files/trusted_code.h"
#include "options.h"
#include "options/place.h"
#include "options/saved_arguments.h"
#include "run_arguments.h"
#include "text/readable_text.h"
#include "workers/batch_job.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

namespace batchpeak::cli {

namespace {

class SubmitCommand : public Command
{
public:
    std::string name() const override { return "submit"; }
    std::string summary() const override { return "Explore in a batch job of Slurm"; }
    void addOptions(Options& options) override;
    void checkOptions() const override;
    int run() override;

private:
    engine::Place place() const;
    QString scriptPath(const QString& config) const;

    std::string m_file;
    NetworkChoice m_network;
    engine::ExplorationOptions m_options;
    OutputOptions m_output;
    std::optional<std::int64_t> m_nodes;
    std::string m_script;
    bool m_dryRun = false;
};

void SubmitCommand::addOptions(Options& options)
{
    options.addArgument("FILE", "Config to explore", m_file);
    addModelOption(options, m_network);
    options.addText("-N", "N", "Nodes to ask for (--nodes, else 1)",
                    [this](const std::string& text) { m_nodes = engine::countFromText(text, 1, 100000); });
    options.addText("--script", "FILE", "Batch script to write (batchpeak-CONFIG.sbatch)", m_script);
    options.addFlag("--dry-run", "Print the batch script, and neither write nor submit it", m_dryRun);
    options.beginGroup("Exploration");
    addExplorationOptions(options, m_options);
    options.endGroup();
    addOutputOptions(options, m_output);
}

void SubmitCommand::checkOptions() const
{
    if (m_file.empty())
        throw UsageError("name the config to explore: batchpeak submit FILE --on slurm.");
    checkExplorationOptions(m_options);
    checkOutputOptions(m_output);
    if (m_output.diff || m_output.output == "-")
        throw UsageError("nobody reads what a batch job prints; write the size with --output FILE or "
                         "--in-place.");
    place();
}

engine::Place SubmitCommand::place() const
{
    const QStringList& places = m_options.places;
    engine::Place place = engine::placeFromText(places.isEmpty() ? QStringLiteral("slurm") : places.front());
    if (places.size() > 1 || place.kind != engine::Place::Kind::Slurm)
        throw UsageError("a batch job runs on one Slurm; name it: --on slurm or --on slurm:PARTITION.");
    if (const auto nodes = m_nodes ? m_nodes : m_options.nodes)
        place.words << QStringLiteral("--nodes=%1").arg(*nodes);
    return place;
}

/// Returns the path of the script: a new one, unless it is named.
/// \throws UsageError  if the named file exists and is not to be replaced
QString SubmitCommand::scriptPath(const QString& config) const
{
    if (!m_script.empty()) {
        const QString path = QFileInfo(QString::fromStdString(m_script)).absoluteFilePath();
        if (QFileInfo::exists(path) && !m_output.force)
            throw UsageError(path.toStdString() +
                             " exists already; name another script, or replace it with --force.");
        return path;
    }
    const QString stem = QStringLiteral("batchpeak-") + QFileInfo(config).completeBaseName();
    QString path = QDir::current().filePath(stem + QStringLiteral(".sbatch"));
    for (int number = 2; QFileInfo::exists(path); ++number)
        path = QDir::current().filePath(QStringLiteral("%1-%2.sbatch").arg(stem).arg(number));
    return path;
}

int SubmitCommand::run()
{
    const engine::ConfigFile file = openConfig(m_file, m_network);
    Console console;
    // What would refuse the job is said now, and not after hours in a queue.
    if (m_output.asksForAConfig())
        checkTarget(file, m_output, console);
    engine::requireTrust(engine::codeOf(file.contentsFor(m_options)), m_options.trustsCode);

    engine::ExplorationOptions options = m_options;
    options.places = {QStringLiteral("slurm")};
    QStringList words{QFileInfo(file.path()).absoluteFilePath()};
    if (!m_network.model.empty())
        words << QStringLiteral("--model") << QString::fromStdString(m_network.model);
    const QString script = scriptPath(file.path());
    const QString prefix = QFileInfo(script).path() + QLatin1Char('/') + QFileInfo(script).completeBaseName();
    const QString text = engine::batchScript({.place = place(),
                                              .program = QCoreApplication::applicationFilePath(),
                                              .prefix = prefix,
                                              .exploreWords = words + engine::savedArguments(options),
                                              .outputWords = wordsFor(m_output)});
    if (m_dryRun) {
        printBytes(text.toStdString());
        return exitCode::success;
    }
    if (const QString problem = engine::replaceFile(script, text.toUtf8()); !problem.isEmpty())
        throw UsageError(problem.toStdString());
    const engine::SubmittedJob submitted = engine::submitScript(script);
    if (!submitted.problem.isEmpty())
        throw UsageError(submitted.problem.toStdString());
    const QString job = prefix + QLatin1Char('-') + submitted.job;
    console.answer(
        QStringList{QStringLiteral("job     %1").arg(submitted.job), QStringLiteral("script  %1").arg(script),
                    QStringLiteral("log     %1.log").arg(job), QStringLiteral("events  %1.jsonl").arg(job),
                    QStringLiteral("watch   batchpeak watch %1").arg(submitted.job)});
    return exitCode::success;
}

} // namespace

std::unique_ptr<Command> makeSubmitCommand()
{
    return std::make_unique<SubmitCommand>();
}

} // namespace batchpeak::cli
