// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "files/config_file.h"
#include "options.h"
#include "options/exploration_options.h"

#include <QJsonObject>
#include <QString>
#include <QStringList>

#include <cstdint>
#include <string>
#include <vector>

namespace batchpeak::cli {

class Console;

/// What --global-batch asks to become of the batch of one optimizer step when a size is written.
struct GlobalBatchOption
{
    enum class Kind {
        /// It stays, or nothing is written.
        Kept,
        /// It stays where its trainer can make it of micro-batches of that size; else the nearest that it
        /// can.
        Below,
        Above,
        Given
    };

    Kind kind = Kind::Kept;
    /// Of Kind::Given, in the terms of config::ChosenSize.
    std::int64_t batch = 0;
};

/// Where a command writes the config with the size in it: --output, --in-place, or nowhere; and how much
/// of it: --global-batch, --diff.
struct OutputOptions
{
    std::string output;
    bool inPlace = false;
    /// Another file that is there already is replaced.
    bool force = false;
    /// What would be written is shown instead.
    bool diff = false;
    GlobalBatchOption globalBatch;
    /// Files that the command reads beside those of the config.
    QStringList alsoNeeded = {};

    /// Whether a config is to be written, or what would be written is to be shown.
    bool asksForAConfig() const { return !output.empty() || inPlace || diff; }
};

/// \param output  filled while parsing; must live as long
void addOutputOptions(Options& options, OutputOptions& output);

/// \throws UsageError where they contradict each other
void checkOutputOptions(const OutputOptions& options);

/// The file to write; empty for none.
QString outputPath(const engine::ConfigFile& file, const OutputOptions& options);

/// Whether --output names stdout, as leadsToStdout() has it: the config goes where answers would go.
bool writesToStdout(const OutputOptions& options);

/// Tells before an exploration of an hour, not after it, that its result could not be kept, or that it will
/// be written in place.
/// \throws UsageError with the system's reason, or since another file would be replaced
void checkTarget(const engine::ConfigFile& file, const OutputOptions& options, Console& console);

/// What is explored where a size may be written: all sizes where another batch was asked for with it. Which
/// sizes keep the batch, and what will not be written otherwise, is said now and not after an hour.
/// \param options  of one phase
engine::ExplorationOptions optionsForWriting(const engine::ConfigFile& file,
                                             const engine::ExplorationOptions& options,
                                             const OutputOptions& output, Console& console);

/// What to type for a config with these sizes; one command for each.
QString exportCommand(const engine::ConfigFile& file, const std::vector<config::ChosenSize>& chosen,
                      const OutputOptions& options);

/// Writes the text of \p file with the sizes in it, and the batches that go with them, and answers with the
/// file that was written; to stdout where no file is named. With --diff it answers with what would change, as
/// a unified diff, or says that nothing would.
/// \param chosen  at least one; the number of --global-batch is that of the first
/// \throws UsageError where a batch has to be chosen first, with what to type for it, or another file would
///         be replaced
/// \throws config::ConfigError where the config does not take a size or a batch, or has changed on disk
void writeSizes(const engine::ConfigFile& file, const std::vector<config::ChosenSize>& chosen,
                const OutputOptions& options, Console& console);

/// The same with one size, but with a document for programs in the place of what is answered: what was
/// written, or would be.
QJsonObject writtenObject(const engine::ConfigFile& file, const config::ChosenSize& chosen,
                          const OutputOptions& options);

/// Takes back the last size that was written into a file, or shows what that would change.
/// \throws UsageError where there is none, or the file has changed since and neither --diff nor --force
///         allows it
/// \throws config::ConfigError with the system's reason
void takeSizeBack(const QString& path, const OutputOptions& options, Console& console);
/// The same with a document for programs.
QJsonObject takenBackObject(const QString& path, const OutputOptions& options);

/// A text on stdout, as Console::quote() has it.
void printBytes(const std::string& text);

} // namespace batchpeak::cli
