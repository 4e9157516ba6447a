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

/// The documents that --json prints instead of lines for people. Each is one document, whose keys are those
/// of the events wherever the events tell the same (docs/events.md). Sizes are in bytes, times in seconds,
/// numbers as in the C locale; unknown values are null. Keys may be added, but none is ever removed.

/// Adds --json.
void addJsonOption(Options& options, bool& asJson);

/// Prints a document on stdout, indented, with a line end.
void printJson(const QJsonObject& document);

/// Returns the document of "batchpeak inspect": what was read from a config.
/// \param options  options that trials would run with in addition to the config
QJsonObject contentsObject(const QString& path, const config::ConfigContents& contents,
                           const engine::ExplorationOptions& options = {});

/// Returns the document of "batchpeak devices".
QJsonObject devicesObject(const device::LocalDevices& devices);

/// Returns an entry of the list that "batchpeak history" prints. explorationObject() returns everything that
/// is stored of one exploration.
QJsonObject summaryObject(const store::ExplorationSummary& summary);
QJsonObject explorationObject(const store::StoredExploration& exploration);

} // namespace batchpeak::cli
