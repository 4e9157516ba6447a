// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "console.h"
#include "files/config_file.h"
#include "options.h"
#include "options/exploration_options.h"

#include <QStringList>

#include <string>

namespace batchpeak::cli {

/// Options that several commands share. Each is filled while parsing, and must live as long.

/// --model: the network of a config that names none or an unknown one.
void addModelOption(Options& options, std::string& model);

/// The config that a command is given.
/// \param model  file or id of the network that is run in place of its own; empty for that
/// \throws config::ConfigError
engine::ConfigFile openConfig(const std::string& path, const std::string& model);

/// --shrink, --adapter, --adapter-rank and --frozen-weights: what is run of a network and trained of it.
void addNetworkOptions(Options& options, engine::ExplorationOptions& run);

/// The options that say what runs, and on what: device, memory, precision, optimizer, worker. They mean the
/// same to an exploration and to a training run. \param run  what it holds before is named as the default
void addRunOptions(Options& options, engine::ExplorationOptions& run, const std::string& deviceHelp);

/// All that say how to explore, those of addRunOptions() among them, for the terminal and the window alike.
/// \param given  takes the names of those that are given; null where nobody asks
void addExplorationOptions(Options& options, engine::ExplorationOptions& exploration,
                           QStringList* given = nullptr);

/// \throws UsageError where options of an exploration contradict each other
void checkExplorationOptions(const engine::ExplorationOptions& options);

/// --color: whether the terminal shows styles.
void addColorOption(Options& options, Colors& colors);

} // namespace batchpeak::cli
