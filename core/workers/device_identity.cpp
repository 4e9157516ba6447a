// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "device_identity.h"

#include "text/readable_text.h"
#include "text/translated.h"

#include <QStringList>

#include <algorithm>
#include <cmath>

namespace batchpeak::engine {

namespace {

// Firmware and kernels reserve slightly varying amounts of the memory.
constexpr double littleMemory = 0.01;

bool differ(const QString& one, const QString& other)
{
    return !one.isEmpty() && !other.isEmpty() && one != other;
}

bool differ(std::int64_t one, std::int64_t other)
{
    const auto [less, more] = std::minmax({static_cast<double>(one), static_cast<double>(other)});
    return less > 0.0 && more - less > littleMemory * more;
}

} // namespace

DeviceIdentity identityOf(const trial::DeviceDescription& device)
{
    return {.name = QString::fromStdString(device.name),
            .uuid = QString::fromStdString(device.uuid),
            .totalBytes = device.totalBytes};
}

DeviceIdentity completed(DeviceIdentity identity, const DeviceIdentity& later)
{
    if (identity.name.isEmpty())
        identity.name = later.name;
    if (identity.uuid.isEmpty())
        identity.uuid = later.uuid;
    if (identity.totalBytes == 0)
        identity.totalBytes = later.totalBytes;
    return identity;
}

bool areTwo(const DeviceIdentity& one, const DeviceIdentity& other)
{
    return differ(one.name, other.name) || differ(one.uuid, other.uuid) ||
           differ(one.totalBytes, other.totalBytes);
}

std::pair<QString, QString> comparedTexts(const DeviceIdentity& one, const DeviceIdentity& other)
{
    QStringList ofOne;
    QStringList ofOther;
    const auto add = [&](const QString& first, const QString& second) {
        ofOne.append(first);
        ofOther.append(second);
    };
    if (differ(one.name, other.name))
        add(one.name, other.name);
    if (differ(one.uuid, other.uuid))
        add(one.uuid, other.uuid);
    if (differ(one.totalBytes, other.totalBytes)) {
        const auto [first, second] = comparedBytesText(one.totalBytes, other.totalBytes);
        add(first, second);
    }
    return {ofOne.join(QLatin1String(", ")), ofOther.join(QLatin1String(", "))};
}

QString otherDeviceText(const DeviceIdentity& before, const DeviceIdentity& now)
{
    const auto [then, there] = comparedTexts(before, now);
    return Translated::tr(
               "The worker runs on another device than the one before it: %1 where it was %2. What "
               "two devices measure is not mixed. Keep all workers on one, as by a launcher that "
               "names the computer, or start anew.")
        .arg(there, then);
}

} // namespace batchpeak::engine
