// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trial/protocol.h"

#include <QString>

#include <cstdint>
#include <utility>

namespace batchpeak::engine {

/// Which device a worker says that it runs on: times and memory of one say nothing of another.
///
/// What a program does not tell is the same as anything. Alike devices of one computer, or of several, are
/// told apart where they tell an identifier.
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

/// With what \p later tells in the place of what \p identity does not.
DeviceIdentity completed(DeviceIdentity identity, const DeviceIdentity& later);

/// Whether these are two devices. The memory of a virtual machine may be another one by a little.
bool areTwo(const DeviceIdentity& one, const DeviceIdentity& other);

/// What tells the two apart, of each: "Fake A, 8.0 GiB" and "Fake B, 16.0 GiB".
std::pair<QString, QString> comparedTexts(const DeviceIdentity& one, const DeviceIdentity& other);

/// Why a worker on \p now cannot go on with what one on \p before has begun, and what to do, as full
/// sentences.
QString otherDeviceText(const DeviceIdentity& before, const DeviceIdentity& now);

} // namespace batchpeak::engine
