// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/config_section.h"

namespace batchpeak::config {

/// Reads the network of a config for PlainFormat, and what is trained of it. It throws NotRun if trials
/// cannot run the network, or if another file must provide it.
using NetworkReader = model::ModelSpec(const ConfigSection& root, const NetworkSource& networks,
                                       ConfigContents& contents);

NetworkReader readTorchtitanNetwork;
NetworkReader readNanotronNetwork;
NetworkReader readLitgptNetwork;
NetworkReader readNeoxNetwork;
NetworkReader readOlmoNetwork;
NetworkReader readVerlNetwork;
NetworkReader readOpenRlhfNetwork;
NetworkReader readSwiftNetwork;
NetworkReader readSwiftMegatronNetwork;
NetworkReader readLlamaBoardNetwork;
/// Throws NotRun: the config describes no network.
NetworkReader readNoNetwork;

} // namespace batchpeak::config
