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

/// What --global-batch requests for the batch of one optimizer step when a size is written.
struct GlobalBatchOption
{
    enum class Kind {
        /// The batch stays, or nothing is written.
        Kept,
        /// The batch stays if its trainer can build it from micro-batches of the written size; otherwise it
        /// becomes the nearest batch below or above that the trainer can build.
        Below,
        Above,
        Given
    };

    Kind kind = Kind::Kept;
    /// The batch of Kind::Given, in the units of config::ChosenSize.
    std::int64_t batch = 0;
};

/// Where a command writes the config with the size in it (--output, --in-place or nowhere), and how much of
/// it (--global-batch, --diff).
struct OutputOptions
{
    std::string output;
    bool inPlace = false;
    /// Whether another file that exists already is replaced.
    bool force = false;
    /// Whether the change is shown instead of written.
    bool diff = false;
    GlobalBatchOption globalBatch;
    /// Files that the command reads in addition to those of the config.
    QStringList alsoNeeded = {};

    /// Whether a config is to be written, or what would be written is to be shown.
    bool asksForAConfig() const { return !output.empty() || inPlace || diff; }
};

/// \param output  filled while parsing; must live until then
void addOutputOptions(Options& options, OutputOptions& output);

/// \throws UsageError if they contradict each other
void checkOutputOptions(const OutputOptions& options);

/// Returns the words of a command line that ask for the same, with whole paths.
QStringList wordsFor(const OutputOptions& options);

/// Returns the path of the file to write; empty for none.
QString outputPath(const engine::ConfigFile& file, const OutputOptions& options);

/// Whether --output names stdout as defined by leadsToStdout(). The config then goes where answers would go.
bool writesToStdout(const OutputOptions& options);

/// Checks before an exploration of an hour, not after it, that its result can be kept, and prints a remark if
/// it will be written in place.
/// \throws UsageError with the system's reason, or if another file would be replaced
void checkTarget(const engine::ConfigFile& file, const OutputOptions& options, Console& console);

/// Returns the options to explore with if a size may be written: all sizes are explored if another batch is
/// requested with it. Prints now, and not after an hour, which sizes keep the batch and which sizes will not
/// be written otherwise.
/// \param options  options of one phase
engine::ExplorationOptions optionsForWriting(const engine::ConfigFile& file,
                                             const engine::ExplorationOptions& options,
                                             const OutputOptions& output, Console& console);

/// Returns the shell commands that write a config with these sizes, one command for each size.
QString exportCommand(const engine::ConfigFile& file, const std::vector<config::ChosenSize>& chosen,
                      const OutputOptions& options);

/// Writes the text of \p file with the sizes in it, and the batches that belong to them, and prints the name
/// of the written file as the answer. Writes to stdout if no file is named. With --diff it prints the change
/// as a unified diff, or a remark that nothing would change.
/// \param chosen  at least one size; the number of --global-batch belongs to the first
/// \throws UsageError if a batch has to be chosen first, with the command to type for it, or another file
///         would be replaced
/// \throws config::ConfigError if the config does not take a size or a batch, or has changed on disk
void writeSizes(const engine::ConfigFile& file, const std::vector<config::ChosenSize>& chosen,
                const OutputOptions& options, Console& console);

/// Does the same for one size, but returns a document for programs instead of printing an answer: what was
/// written, or would be.
QJsonObject writtenObject(const engine::ConfigFile& file, const config::ChosenSize& chosen,
                          const OutputOptions& options);

/// Restores a file as it was before the last size was written into it, or shows what that would change.
/// \throws UsageError if there is no such size, or the file has changed since and neither --diff nor --force
///         allows it
/// \throws config::ConfigError with the system's reason
void takeSizeBack(const QString& path, const OutputOptions& options, Console& console);
/// Does the same, and returns a document for programs.
QJsonObject takenBackObject(const QString& path, const OutputOptions& options);

/// Prints a text on stdout like Console::quote().
void printBytes(const std::string& text);

} // namespace batchpeak::cli
