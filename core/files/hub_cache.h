// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/network_source.h"

#include <QString>

namespace batchpeak::engine {

/// The user's cache of the Hugging Face hub, as far as it is on this computer. It is only read: nothing is
/// downloaded, whatever HF_HUB_OFFLINE says.

/// Returns HF_HUB_CACHE, else HUGGINGFACE_HUB_CACHE, else HF_HOME/hub, else XDG_CACHE_HOME/huggingface/hub,
/// else ~/.cache/huggingface/hub (constants.py of huggingface_hub 1.0).
QString hubCacheFolder();

/// Whether a text can be a branch, a tag or a commit. It is part of a path, and must not lead out of the
/// cache.
bool isHubRevision(const QString& name);

/// What the cache contains for an id: models--OWNER--NAME with refs, each of which is a file with the name of
/// a folder in snapshots (file_download.py of huggingface_hub 1.0).
struct CachedNetwork
{
    /// Whether the name can be an id.
    bool isId = false;
    /// Folder of all revisions; empty if the cache has nothing for the id.
    QString folder;
    /// Folder of the requested revision, by default "main"; empty if it is not in the cache.
    QString snapshot;
};

/// Returns the folder of all revisions of an id, whether it exists or not.
QString hubFolderOf(QString id);

CachedNetwork cachedNetwork(const config::NetworkName& name);

} // namespace batchpeak::engine
