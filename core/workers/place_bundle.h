// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "options/place.h"

#include <QString>

#include <stop_token>

namespace batchpeak::engine {

/// Returns the archive of the bundle of this program (docs/servers.md): the one that `make bundle` has made
/// in this build folder; empty if there is none.
QString bundleArchive(const QString& programFolder);

/// What became of a bundle that was to be sent.
struct SentBundle
{
    /// Whether the place had the same archive already, so that nothing was sent.
    bool wasThere = false;
    /// Why it was not sent, as a full sentence; empty if it is there now.
    QString problem;
};

/// Unpacks an archive in the home folder of a place, where workers are looked for first. It is sent only if
/// its checksum differs from that of what is there; a broken transfer leaves what is there as it is. Waits
/// until it is done.
/// \param stop  ends the transfer
SentBundle sendBundle(const Place& place, const QString& archive, const std::stop_token& stop = {});

} // namespace batchpeak::engine
