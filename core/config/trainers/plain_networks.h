// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/config_section.h"

namespace batchpeak::config {

/// Readers of networks for PlainFormat, and of what is trained of them. Each throws NotRun if trials cannot
/// run the network, or if another file must provide it.
model::ModelSpec readTorchtitanNetwork(const ConfigSection& root, const NetworkSource& networks,
                                       ConfigContents& contents);
model::ModelSpec readNanotronNetwork(const ConfigSection& root, const NetworkSource& networks,
                                     ConfigContents& contents);
model::ModelSpec readLitgptNetwork(const ConfigSection& root, const NetworkSource& networks,
                                   ConfigContents& contents);
model::ModelSpec readNeoxNetwork(const ConfigSection& root, const NetworkSource& networks,
                                 ConfigContents& contents);
model::ModelSpec readOlmoNetwork(const ConfigSection& root, const NetworkSource& networks,
                                 ConfigContents& contents);
model::ModelSpec readVerlNetwork(const ConfigSection& root, const NetworkSource& networks,
                                 ConfigContents& contents);
model::ModelSpec readOpenRlhfNetwork(const ConfigSection& root, const NetworkSource& networks,
                                     ConfigContents& contents);
model::ModelSpec readSwiftNetwork(const ConfigSection& root, const NetworkSource& networks,
                                  ConfigContents& contents);
model::ModelSpec readSwiftMegatronNetwork(const ConfigSection& root, const NetworkSource& networks,
                                          ConfigContents& contents);
model::ModelSpec readLlamaBoardNetwork(const ConfigSection& root, const NetworkSource& networks,
                                       ConfigContents& contents);
/// Throws NotRun: the config describes no network.
model::ModelSpec readNoNetwork(const ConfigSection& root, const NetworkSource& networks,
                               ConfigContents& contents);

} // namespace batchpeak::config
