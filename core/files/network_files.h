// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/network_source.h"

#include <QString>
#include <QStringList>

namespace batchpeak::engine {

/// A file or a folder describes a network: it is a file, or holds a config.json, the params.json of a
/// checkpoint of LLaMA or Mistral, or the adapter_config.json of an adapter.
bool describesNetwork(const QString& path);

/// Networks on this computer by the names that configs have for them: a path first, then an id in the cache
/// of the Hugging Face hub (hub_cache.h). The folder of an adapter stands for the network that it names in
/// turn.
///
/// It finds texts and reads none of them but an adapter's; what a network is, core/config decides.
///
/// \param folders  that a relative path may start from, the first first
config::NetworkSource networkFiles(const QStringList& folders);

} // namespace batchpeak::engine
