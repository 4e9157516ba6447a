// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config_output.h"

#include "console.h"
#include "usage_error.h"

#include <CLI/App.hpp>

#include <QRegularExpression>
#include <QSaveFile>
#include <QStringList>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace batchpeak::cli {

namespace {

/// A word as a POSIX shell takes it (2.2 Quoting), in quotes only where it needs them.
QString shellWord(const QString& word)
{
    static const QRegularExpression plain(QStringLiteral("^[A-Za-z0-9_./:@%+=,-]+$"));
    if (plain.match(word).hasMatch())
        return word;
    return QLatin1Char('\'') + QString(word).replace(QLatin1String("'"), QLatin1String("'\\''")) +
           QLatin1Char('\'');
}

/// What to type for a config with this size and batch.
QString exportCommand(const engine::ConfigFile& file, const config::ChosenSize& chosen, std::int64_t batch,
                      const OutputOptions& options)
{
    QStringList words{QStringLiteral("batchpeak export"), shellWord(file.path()), QStringLiteral("--size"),
                      QString::number(chosen.microBatchSize)};
    if (chosen.phase != model::Phase::Train)
        words << QStringLiteral("--phase eval");
    words << QStringLiteral("--global-batch") << QString::number(batch);
    if (!options.output.empty())
        words << QStringLiteral("--output") << shellWord(QString::fromStdString(options.output));
    else
        words << QStringLiteral("--in-place");
    return words.join(QLatin1Char(' '));
}

} // namespace

void addOutputOptions(CLI::App& app, OutputOptions& options)
{
    app.add_option("--output", options.output, "File to write the config with the size to")
        ->type_name("FILE");
    app.add_flag("--in-place", options.inPlace, "Write the size into FILE itself");
    addGlobalBatchOption(app, options.globalBatch);
    app.add_flag("--dry-run", options.dryRun,
                 "Show what would change in the config, as a unified diff, and write nothing");
}

void checkOutputOptions(const OutputOptions& options)
{
    if (!options.output.empty() && options.inPlace)
        throw UsageError("--output and --in-place exclude each other; keep the one that you mean.");
}

QString outputPath(const engine::ConfigFile& file, const OutputOptions& options)
{
    return options.inPlace ? file.path() : QString::fromStdString(options.output);
}

void checkWritable(const QString& path)
{
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly)) {
        throw UsageError(
            QStringLiteral("%1 cannot be written: %2. Name another file, or make this one writable.")
                .arg(path, file.errorString())
                .toStdString());
    }
    file.cancelWriting();
}

config::SplicedText chosenText(const engine::ConfigFile& file, const config::ChosenSize& chosen,
                               const OutputOptions& options)
{
    try {
        return withSize(file, chosen, options.globalBatch);
    } catch (const config::BatchNotKept& notKept) {
        const QString command = exportCommand(file, chosen, notKept.above(), options);
        throw UsageError(std::string(notKept.what()) + " Nothing was written; this writes " +
                         std::to_string(notKept.above()) + ": " + command.toStdString());
    }
}

void showChange(const engine::ConfigFile& file, const config::SplicedText& spliced, const QString& target,
                Console& console)
{
    const QString change = file.changeIn(spliced, target.isEmpty() ? file.path() : target);
    if (change.isEmpty())
        console.remark(QStringLiteral("The config has this size already, so nothing would change."));
    else
        console.answer(change.chopped(1));
}

void printBytes(const std::string& text)
{
    errno = 0;
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
        throw UsageError(std::string("the config could not be written to stdout: ") + std::strerror(errno) +
                         ".");
}

} // namespace batchpeak::cli
