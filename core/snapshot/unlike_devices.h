// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot.h"

#include <QLocale>
#include <QString>

#include <vector>

namespace batchpeak::engine {

/// Before the first trial: which of the devices decides a size that all of them share, and what others have
/// more. Empty where they may use about the same memory.
QString unlikeDevicesText(const std::vector<DeviceSnapshot>& devices, const QLocale& locale = QLocale());

/// What the recommended size leaves unused of larger devices since a smaller one decides, and how much they
/// could hold. Empty where it is not memory that ends the sizes, or the devices are alike.
QString unusedMemoryText(const Snapshot& snapshot, const QLocale& locale = QLocale());

} // namespace batchpeak::engine
