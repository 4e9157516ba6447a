// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace batchpeak::training {

/// Returns when the disk has the contents of a file, or the names in a folder: what comes later is then later
/// there too, even when the power fails.
/// \throws config::ConfigError  with the system's reason: here a full disk may show that took a write before
void syncToDisk(const QString& path);

/// Gives a folder its last name. Where there is a folder of that name, it is exchanged for the new one and
/// removed: at no time is there none.
/// \throws config::ConfigError
void giveName(const QString& folder, const QString& name);

} // namespace batchpeak::training
