// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/network_source.h"

#include <QString>

namespace batchpeak::engine {

/// The user's cache of the Hugging Face hub, as far as it is on this computer: it is read, and nothing is
/// downloaded, whatever HF_HUB_OFFLINE says.

/// HF_HUB_CACHE, else HUGGINGFACE_HUB_CACHE, else HF_HOME/hub, else XDG_CACHE_HOME/huggingface/hub, else
/// ~/.cache/huggingface/hub (constants.py of huggingface_hub 1.0).
QString hubCacheFolder();

/// What the cache has of an id: models--OWNER--NAME with refs, each of which is a file with the name of a
/// folder in snapshots (file_download.py of huggingface_hub 1.0).
struct CachedNetwork
{
    /// The name can be an id.
    bool isId = false;
    /// Of all revisions; empty where the cache has nothing of the id.
    QString folder;
    /// Of the one that was asked for, as of "main"; empty where it is not there.
    QString snapshot;
};

CachedNetwork cachedNetwork(const config::NetworkName& name);

} // namespace batchpeak::engine
