// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

namespace batchpeak::cli {

/// Corrects the environment and limits that the program was started with, before anything reads them, and
/// reports that on stderr.
///
/// Folders of the user that the environment names by relative paths are ignored: those of XDG, as its
/// specification demands (XDG Base Directory Specification 0.8, "Basics"), and HOME, for which the system
/// knows another one. Low limits of open files and of the stack are raised as far as allowed.
///
/// \return the exit code if the program cannot go on like this
std::optional<int> resolveSurroundings();

/// Reports on stderr if the system does not give the program the threads that a window needs: Qt waits
/// forever for its own threads that could not be created.
///
/// \return the exit code in that case
std::optional<int> refuseTooFewThreads();

/// Reports on stderr that the system gives the program no more memory, and allocates none for the report.
///
/// \return the exit code in that case
int endWithoutMemory();

} // namespace batchpeak::cli
