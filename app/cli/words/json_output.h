// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"
#include "device/local_device.h"
#include "options/exploration_options.h"
#include "store/exploration_records.h"

#include <QJsonObject>
#include <QString>

#include <string>
#include <vector>

namespace batchpeak::cli {

class Options;

/// What --json prints in the place of lines for people: one document, whose keys are those of the events
/// where these tell the same (docs/events.md). Sizes in bytes, times in seconds, numbers as in the C locale;
/// what is not known is null. Keys may be added, and none is taken away.

/// --json
void addJsonOption(Options& options, bool& asJson);

/// On stdout, indented, with a line end.
void printJson(const QJsonObject& document);

/// "batchpeak inspect": what was read of a config.
/// \param options  what trials would be asked for beside it
QJsonObject contentsObject(const QString& path, const config::ConfigContents& contents,
                           const engine::ExplorationOptions& options = {});

/// "batchpeak devices"
QJsonObject devicesObject(const device::LocalDevices& devices);

/// "batchpeak history": a line of the list, and all that is kept of one.
QJsonObject summaryObject(const store::ExplorationSummary& summary);
QJsonObject explorationObject(const store::StoredExploration& exploration);

} // namespace batchpeak::cli
