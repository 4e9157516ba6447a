// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trial/protocol.h"

#include <QString>

#include <cstdint>
#include <utility>

namespace batchpeak::engine {

/// Identity of the device that a worker reports: times and memory of one device do not apply to another.
///
/// A member that a program does not report matches anything. Identical devices of one computer, or of
/// several, are distinguished if they report an identifier.
struct DeviceIdentity
{
    QString name;
    QString uuid;
    std::int64_t totalBytes = 0;

    bool operator==(const DeviceIdentity&) const = default;
};

DeviceIdentity identityOf(const trial::DeviceDescription& device);
template<typename Device>
DeviceIdentity identityOf(const Device& device)
{
    return {.name = device.name, .uuid = device.uuid, .totalBytes = device.totalBytes};
}

/// Returns \p identity with its missing members filled in from \p later.
DeviceIdentity completed(DeviceIdentity identity, const DeviceIdentity& later);

/// Whether these are two different devices. Sizes of memory may differ slightly, as they do in a virtual
/// machine.
bool areTwo(const DeviceIdentity& one, const DeviceIdentity& other);

/// Returns a text for each of the two that shows how they differ: "Fake A, 8.0 GiB" and "Fake B, 16.0 GiB".
std::pair<QString, QString> comparedTexts(const DeviceIdentity& one, const DeviceIdentity& other);

/// Returns why a worker on \p now cannot continue what a worker on \p before has begun, and what to do, as
/// full sentences.
QString otherDeviceText(const DeviceIdentity& before, const DeviceIdentity& now);

} // namespace batchpeak::engine
