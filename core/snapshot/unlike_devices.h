// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot.h"

#include <QLocale>
#include <QString>

#include <vector>

namespace batchpeak::engine {

/// Returns a text for the time before the first trial: which device determines a size that all of them share,
/// and how much more memory others have. Empty if they may use about the same memory.
QString unlikeDevicesText(const std::vector<DeviceSnapshot>& devices, const QLocale& locale = QLocale());

/// Returns how much memory of larger devices the recommended size leaves unused since a smaller device
/// determines it, and what they could hold. Empty if memory does not limit the sizes, or the devices are
/// alike.
QString unusedMemoryText(const Snapshot& snapshot, const QLocale& locale = QLocale());

} // namespace batchpeak::engine
