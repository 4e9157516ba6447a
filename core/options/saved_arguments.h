// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "exploration_options.h"
#include "store/exploration_records.h"

#include <QStringList>

namespace batchpeak::engine {

/// The words of an exploration that are kept for later, when another folder may be the present one, and what
/// they ask for then. What people are shown as their own command has the paths that they typed.

/// wordsFor() with whole paths: of the lengths of samples, and in a worker's command of the program and of
/// the scripts that it names, where it runs on this computer.
QStringList savedArguments(const ExplorationOptions& options);

/// What an exploration of the history was asked. Lengths of samples are those that it was asked with,
/// whatever has become of their file.
ExplorationOptions optionsOf(const store::ExplorationInfo& info);

} // namespace batchpeak::engine
