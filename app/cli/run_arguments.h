// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/exploration_options.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace batchpeak::cli {

/// A count of samples or tokens up to this is possible for some run; what is possible for one, its config
/// says.
inline constexpr std::int64_t largestCount = std::int64_t{1} << 40;

/// Gives \p app the options that say what runs, and on what: device, memory, precision, optimizer, worker.
/// They mean the same to an exploration and to a training run.
///
/// \param options  filled while parsing; must live as long. What it holds before is named as the default
void addRunOptions(CLI::App& app, engine::ExplorationOptions& options);

/// As config::settingFromText.
/// \throws UsageError
config::Setting settingFromArgument(const std::string& text);

/// Puts the options of \p app from the \p first on under a heading of the help; an empty one hides them.
void groupOptionsFrom(CLI::App& app, std::size_t first, const std::string& group);

/// An option that takes one text at a time; what \p take throws as UsageError gets the option's name.
CLI::Option* addTextOption(CLI::App& app, const std::string& name, const std::string& valueName,
                           const std::string& help, const std::function<void(const std::string&)>& take);

} // namespace batchpeak::cli
