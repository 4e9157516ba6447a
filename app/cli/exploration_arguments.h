// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/exploration_options.h"

#include <string>

namespace CLI {
class App;
}

namespace batchpeak::cli {

/// Gives \p app the options that say how to explore, for the terminal and the window alike. Values are
/// read strictly: what is no good value throws UsageError out of the parser.
///
/// \param group  heading in the help; empty hides them
/// \param options  filled while parsing; must live as long
void addExplorationOptions(CLI::App& app, engine::ExplorationOptions& options, const std::string& group);

/// \throws UsageError where options contradict each other
void checkExplorationOptions(const engine::ExplorationOptions& options);

} // namespace batchpeak::cli
