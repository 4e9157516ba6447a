// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <set>

namespace batchpeak::device {

/// Why a GPU runs below its clock, as bits of nvmlClocksEventReasons (nvml.h); the other bits are usual at
/// full load, or no slowdown.
namespace slowdown {
inline constexpr std::uint64_t hardware = 0x8;
inline constexpr std::uint64_t softwareThermal = 0x20;
inline constexpr std::uint64_t hardwareThermal = 0x40;
inline constexpr std::uint64_t powerBrake = 0x80;
} // namespace slowdown

/// Whether the times that an NVIDIA GPU gives can be trusted at this moment, and what it takes; what the
/// device or its driver does not tell is absent.
struct NvidiaCondition
{
    /// Of the streaming multiprocessors.
    std::optional<double> clockMegahertz;
    /// Bits, see above, and others.
    std::uint64_t clockReasons = 0;
    std::optional<double> temperatureCelsius;
    std::optional<double> powerWatts;
    /// Since the driver was loaded; the device counts anew every 20 to 100 ms.
    std::optional<double> energyJoules;
    /// Programs that compute there, by their number on the host.
    std::optional<std::set<unsigned>> processes;
};

} // namespace batchpeak::device
