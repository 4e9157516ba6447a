// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "command_tree.h"

#include <string>

namespace batchpeak::cli {

/// Scripts by which shells complete a command line, made of its declaration: commands, options, the words
/// that an option takes, files and folders. What a script offers, a command takes; whether it makes sense
/// beside the others is not its business.

/// For bash 4 or later, with or without the package bash-completion.
std::string bashCompletion(const DeclaredCommand& program);
/// A function file for zsh: "_batchpeak" in a folder of fpath.
std::string zshCompletion(const DeclaredCommand& program);
std::string fishCompletion(const DeclaredCommand& program);

} // namespace batchpeak::cli
