// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

namespace batchpeak::cli {

/// Puts right what the program was started with, before anything asks for it, and says so on stderr.
///
/// Folders of the user that the environment names relative to wherever somebody works are ignored: those of
/// XDG, as its specification has it (XDG Base Directory Specification 0.8, "Basics"), and HOME, for which the
/// system knows another one. A low limit of open files is raised as far as it may be.
///
/// \return the exit code where the program cannot go on so
std::optional<int> settleSurroundings();

} // namespace batchpeak::cli
