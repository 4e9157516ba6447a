// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/network_source.h"

#include <QString>
#include <QStringList>

namespace batchpeak::engine {

/// Whether a file or a folder describes a network: it is a file, or a folder with a config.json, the
/// params.json of a checkpoint of LLaMA or Mistral, or the adapter_config.json of an adapter.
bool describesNetwork(const QString& path);

/// Returns a source of networks on this computer by the names that configs use for them: first as a path,
/// then as an id in the cache of the Hugging Face hub (hub_cache.h). The folder of an adapter stands for the
/// network that it names. It also reads other files that a config names by a path, such as DeepSpeed's
/// settings.
///
/// The source finds texts and parses none of them except an adapter's; core/config decides what a network is.
///
/// \param folders  folders from which a relative path may start, the first one first
config::NetworkSource networkFiles(const QStringList& folders);

} // namespace batchpeak::engine
