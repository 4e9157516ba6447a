// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "exploration_options.h"

#include <functional>
#include <string>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace batchpeak::cli {

/// Gives \p app the options that say how to explore, for the terminal and the window alike. Values are
/// read strictly: what is no good value throws UsageError out of the parser.
///
/// \param group  heading in the help; empty hides them
/// \param options  filled while parsing; must live as long
void addExplorationOptions(CLI::App& app, engine::ExplorationOptions& options, const std::string& group);

/// \throws UsageError where options contradict each other
void checkExplorationOptions(const engine::ExplorationOptions& options);

/// An option that takes one text at a time; what \p take throws as UsageError gets the option's name.
CLI::Option* addTextOption(CLI::App& app, const std::string& name, const std::string& valueName,
                           const std::string& help, const std::function<void(const std::string&)>& take);

} // namespace batchpeak::cli
