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

/// Options that several commands share. Their variables are filled while parsing, and must live until then.

/// Where a network comes from that the config names or lacks.
struct NetworkChoice
{
    /// File or id of the network that is run in place of the config's own; empty for its own.
    std::string model;
    /// "once", "always" or "never" if a download was asked for; else empty.
    std::string download;
};

/// Adds --model, the network for a config that names none or an unknown one, and --download, which consents
/// to fetching its description.
void addModelOption(Options& options, NetworkChoice& choice);

/// Opens the config that a command is given, and downloads what describes its network if a person has
/// consented. \throws config::ConfigError \throws ExplorationError if a download fails
engine::ConfigFile openConfig(const std::string& path, const NetworkChoice& choice);

/// Adds --shrink, --adapter, --adapter-rank and --frozen-weights, which say how much of a network is run and
/// how much of it is trained.
void addNetworkOptions(Options& options, engine::ExplorationOptions& run);

/// Adds the options that say what runs, and on what: device, memory, precision, optimizer, worker. They mean
/// the same to an exploration and to a training run.
/// \param run  its previous values are named as the defaults
void addRunOptions(Options& options, engine::ExplorationOptions& run, const std::string& deviceHelp);

/// Adds all options that say how to explore, including those of addRunOptions(), for the terminal and the
/// window alike.
/// \param given  receives the names of the options that are given; may be null
void addExplorationOptions(Options& options, engine::ExplorationOptions& exploration,
                           QStringList* given = nullptr);

/// \throws UsageError if options of an exploration contradict each other
void checkExplorationOptions(const engine::ExplorationOptions& options);

/// Adds --color, which says whether the terminal shows styles.
void addColorOption(Options& options, Colors& colors);

} // namespace batchpeak::cli
