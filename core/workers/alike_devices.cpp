// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "alike_devices.h"

#include "text/readable_text.h"

#include <QLocale>

#include <algorithm>

namespace batchpeak::engine {

namespace {

// Drivers keep slightly more memory on one device than on another; the next larger GPU of a make has half as
// much again.
constexpr double sameMemory = 1.05;

bool areAlike(const PlacedDevice& one, const PlacedDevice& other)
{
    const auto [less, more] = std::minmax(one.device.totalBytes, other.device.totalBytes);
    return one.device.kind == other.device.kind && one.device.name == other.device.name &&
           one.device.driver == other.device.driver && one.libraries == other.libraries &&
           static_cast<double>(more) <= sameMemory * static_cast<double>(less);
}

QString nameOf(const PlacedDevice& device)
{
    return QString::fromStdString(device.device.name.empty() ? device.device.kind : device.device.name);
}

/// Returns what distinguishes a device from another of the same name.
QString distinction(const PlacedDevice& device)
{
    QStringList parts{bytesText(device.device.totalBytes, QLocale())};
    for (const QString& part : {QString::fromStdString(device.device.driver), device.libraries}) {
        if (!part.isEmpty())
            parts << part;
    }
    return parts.join(QLatin1String(", "));
}

} // namespace

std::vector<AlikeDevices> alikeDevices(const std::vector<PlacedDevice>& devices)
{
    std::vector<const PlacedDevice*> firsts;
    std::vector<AlikeDevices> groups;
    for (const PlacedDevice& device : devices) {
        const auto first =
            std::ranges::find_if(firsts, [&](const auto* other) { return areAlike(device, *other); });
        if (first != firsts.end()) {
            groups[static_cast<std::size_t>(first - firsts.begin())].devices.push_back(device);
            continue;
        }
        firsts.push_back(&device);
        groups.push_back({.name = nameOf(device), .devices = {device}});
    }
    for (std::size_t place = 0; place < groups.size(); ++place) {
        const auto isSame = [&](const PlacedDevice* other) {
            return nameOf(*other) == nameOf(*firsts[place]);
        };
        if (std::ranges::count_if(firsts, isSame) > 1)
            groups[place].name += QStringLiteral(" (%1)").arg(distinction(*firsts[place]));
    }
    return groups;
}

std::vector<std::vector<PlacedDevice>> evenParts(const std::vector<PlacedDevice>& devices, std::size_t count)
{
    const std::size_t parts = std::min(count, devices.size());
    const auto at = [&](std::size_t part) {
        return devices.begin() + static_cast<std::ptrdiff_t>(part * devices.size() / parts);
    };
    std::vector<std::vector<PlacedDevice>> all;
    for (std::size_t part = 0; part < parts; ++part)
        all.emplace_back(at(part), at(part + 1));
    return all;
}

QStringList wordsFor(const std::vector<PlacedDevice>& devices)
{
    QStringList places;
    QStringList ids;
    for (const PlacedDevice& device : devices) {
        if (!device.placeText.isEmpty() && !places.contains(device.placeText))
            places << device.placeText;
        // Without what addDevice() put behind it: the device has that name at its place.
        if (const QString id = device.id.section(QLatin1Char('#'), 0, 0); !ids.contains(id))
            ids << id;
    }
    QStringList words;
    for (const QString& place : places)
        words << QStringLiteral("--on") << place;
    for (const QString& id : ids)
        words << QStringLiteral("--device") << id;
    return words;
}

} // namespace batchpeak::engine
