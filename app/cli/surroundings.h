// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

namespace batchpeak::cli {

/// Puts right what the program was started with, before anything asks for it, and says so on stderr.
///
/// Folders of the user that the environment names relative to wherever somebody works are ignored: those of
/// XDG, as its specification has it (XDG Base Directory Specification 0.8, "Basics"), and HOME, for which the
/// system knows another one. Low limits of open files and of the stack are raised as far as they may be.
///
/// \return the exit code where the program cannot go on so
std::optional<int> resolveSurroundings();

/// Says on stderr where the system does not give the program the threads without which a window stands still:
/// Qt waits without end for those of its own that could not be made.
///
/// \return the exit code then
std::optional<int> refuseTooFewThreads();

/// Says on stderr that the system gives the program no more memory, and takes none for that.
///
/// \return the exit code then
int endWithoutMemory();

} // namespace batchpeak::cli
