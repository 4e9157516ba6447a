// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_file.h"

#include <QString>

#include <string>

namespace CLI {
class App;
}

namespace batchpeak::cli {

/// Where a command writes the config with the size in it: --output, --in-place, or nowhere.

void addOutputOptions(CLI::App& app, std::string& output, bool& inPlace);

/// \throws UsageError where both are given
void checkOutputOptions(const std::string& output, bool inPlace);

/// The file to write; empty where neither is given.
QString outputPath(const engine::ConfigFile& file, const std::string& output, bool inPlace);

/// Tells before an exploration of an hour, not after it, that its result could not be kept.
/// \throws UsageError with the system's reason
void checkWritable(const QString& path);

/// The text as it is, without a line end of our own, on stdout.
/// \throws UsageError where stdout does not take it
void printBytes(const std::string& text);

} // namespace batchpeak::cli
