// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "unlike_devices.h"

#include "text/readable_text.h"
#include "text/translated.h"

#include <QStringList>

#include <algorithm>

namespace batchpeak::engine {

namespace {

// Drivers and other programs use slightly more memory on one device than on another.
constexpr double alike = 1.05;

/// Returns the device with the least memory; null if no device reports its memory.
const DeviceSnapshot* minOf(const std::vector<DeviceSnapshot>& devices)
{
    const DeviceSnapshot* min = nullptr;
    for (const DeviceSnapshot& device : devices) {
        if (device.usableBytes > 0 && (!min || device.usableBytes < min->usableBytes))
            min = &device;
    }
    return min;
}

/// Returns \p text of each device that has clearly more memory than the one with the least.
template<typename Text>
QStringList ofLarger(const std::vector<DeviceSnapshot>& devices, const Text& text)
{
    QStringList larger;
    const DeviceSnapshot* const min = minOf(devices);
    for (const DeviceSnapshot& device : devices) {
        if (static_cast<double>(device.usableBytes) > alike * static_cast<double>(min ? min->usableBytes : 0))
            larger.append(text(device));
    }
    return larger;
}

} // namespace

QString unlikeDevicesText(const std::vector<DeviceSnapshot>& devices, const QLocale& locale)
{
    const QStringList larger = ofLarger(devices, [&](const DeviceSnapshot& device) {
        return Translated::tr("%1 of %2", "memory of a device")
            .arg(bytesText(device.usableBytes, locale), device.id);
    });
    if (larger.isEmpty())
        return {};
    const DeviceSnapshot& min = *minOf(devices);
    return Translated::tr("All devices use the same size, so %1 limits it: %2 of its memory may be used, "
                          "compared with %3. Measurements of all devices are combined; to find a size for "
                          "one device, explore on that device only.")
        .arg(min.id, bytesText(min.usableBytes, locale), larger.join(QLatin1String(", ")));
}

QString unusedMemoryText(const Snapshot& snapshot, const QLocale& locale)
{
    const auto& recommendation = snapshot.searchState.recommendation;
    const auto& memory = snapshot.searchState.memory;
    if (!recommendation || recommendation->reason.kind != search::Reason::Kind::MemoryEnds ||
        snapshot.recommendedPeakBytes <= 0)
        return {};
    const QStringList larger = ofLarger(snapshot.devices, [&](const DeviceSnapshot& device) {
        QString unused =
            Translated::tr("%1 of %2 stay unused", "memory of a device")
                .arg(bytesText(device.usableBytes - snapshot.recommendedPeakBytes, locale), device.id);
        if (!memory || memory->bytesPerSample <= 0.0)
            return unused;
        const double room = static_cast<double>(device.usableBytes) - memory->constantBytes;
        return Translated::tr("%1 (this device would fit a size of about %2)")
            .arg(unused, numberText(static_cast<std::int64_t>(room / memory->bytesPerSample), locale));
    });
    return larger.isEmpty() ? QString()
                            : Translated::tr("%1 limits the common size: %2.")
                                  .arg(minOf(snapshot.devices)->id, larger.join(QLatin1String("; ")));
}

} // namespace batchpeak::engine
