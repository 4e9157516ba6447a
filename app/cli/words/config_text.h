// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"
#include "options/exploration_options.h"
#include "plan/exploration_plan.h"

#include <QString>
#include <QStringList>

namespace batchpeak::cli {

/// Plans the network that trials of a config would run on this computer. If the config leaves the number of
/// devices that share the network to its launcher, that number is the number of devices here.
/// \throws config::ConfigError as engine::planNetwork()
engine::NetworkPlan planHere(const QString& path, const config::ConfigContents& contents,
                             const engine::ExplorationOptions& options);

/// Returns the content of a config as worded for the terminal: one "name  value" line for each fact.
/// \param options  options that trials would run with in addition to the config
QStringList contentsLines(const QString& path, const config::ConfigContents& contents,
                          const engine::ExplorationOptions& options = {});

/// Returns a line "path:12:3: warning: sentence" for each warning.
QStringList warningLines(const QString& path, const config::ConfigContents& contents);

} // namespace batchpeak::cli
