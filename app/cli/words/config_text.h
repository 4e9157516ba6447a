// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"
#include "options/exploration_options.h"
#include "plan/exploration_plan.h"

#include <QString>
#include <QStringList>

namespace batchpeak::cli {

/// What trials of a config would be on this computer: where the config leaves it to its launcher how many
/// devices share the network, as many as are here. \throws config::ConfigError as engine::planNetwork()
engine::NetworkPlan planHere(const QString& path, const config::ConfigContents& contents,
                             const engine::ExplorationOptions& options);

/// What stands in a config, in the words of the terminal: one "name  value" line for each fact.
/// \param options  what trials would be asked for beside it
QStringList contentsLines(const QString& path, const config::ConfigContents& contents,
                          const engine::ExplorationOptions& options = {});

/// "path:12:3: warning: sentence", one for each.
QStringList warningLines(const QString& path, const config::ConfigContents& contents);

} // namespace batchpeak::cli
