// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "exploration_options.h"
#include "store/exploration_records.h"

#include <QStringList>

namespace batchpeak::engine {

/// The words of an exploration as they are stored for later, when the current folder may be another one, and
/// what they ask for then. The command that is shown to people keeps the paths that they typed.

/// Returns wordsFor() with absolute paths: of the file of sample lengths and, if the worker's command runs on
/// this computer, of the program and the scripts in that command.
QStringList savedArguments(const ExplorationOptions& options);

/// Returns what an exploration of the history was asked. Its lengths of samples are those that it was asked
/// with, whatever has become of their file.
ExplorationOptions optionsOf(const store::ExplorationInfo& info);

} // namespace batchpeak::engine
