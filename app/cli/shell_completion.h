// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "command_tree.h"

#include <string>

namespace batchpeak::cli {

/// Scripts with which shells complete a command line, generated from its declaration: commands, options, the
/// words that an option takes, files and folders. A command accepts everything that a script offers; a script
/// does not check whether an option makes sense together with others.

/// Returns the script for bash 4 or later, with or without the package bash-completion.
std::string bashCompletion(const DeclaredCommand& program);
/// Returns a function file for zsh: "_batchpeak" in a folder of fpath.
std::string zshCompletion(const DeclaredCommand& program);
std::string fishCompletion(const DeclaredCommand& program);

} // namespace batchpeak::cli
