// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/config_file.h"
#include "options.h"

#include <QString>

#include <cstdint>
#include <string>

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
/// of it: --global-batch, --dry-run.
struct OutputOptions
{
    std::string output;
    bool inPlace = false;
    /// What would be written is shown instead.
    bool dryRun = false;
    GlobalBatchOption globalBatch;
};

/// \param output  filled while parsing; must live as long
void addOutputOptions(Options& options, OutputOptions& output);

/// \throws UsageError where they contradict each other
void checkOutputOptions(const OutputOptions& options);

/// The file to write; empty for none.
QString outputPath(const engine::ConfigFile& file, const OutputOptions& options);

/// Tells before an exploration of an hour, not after it, that its result could not be kept.
/// \throws UsageError with the system's reason
void checkWritable(const QString& path);

/// Writes the text of \p file with the size in it, and the batch that goes with it; to stdout where no file
/// is named. In a dry run it answers with what would change, as a unified diff, or says that nothing would.
/// \return the file that was written; empty for none
/// \throws UsageError where a batch has to be chosen first, with what to type for it
/// \throws config::ConfigError where the config does not take the size or the batch, or has changed on disk
QString writeSize(const engine::ConfigFile& file, const config::ChosenSize& chosen,
                  const OutputOptions& options, Console& console);

/// The text as it is, without a line end of our own, on stdout.
/// \throws UsageError where stdout does not take it
void printBytes(const std::string& text);

} // namespace batchpeak::cli
