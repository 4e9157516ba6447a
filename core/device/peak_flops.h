// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string_view>

namespace batchpeak::device {

/// What a device could compute in a second at most, by its vendor's data sheet: floating-point operations of
/// dense matrices, without the factor of two for sparse ones.
struct PeakFlops
{
    /// Outside tensor cores.
    double fp32 = 0.0;
    /// 0 where the device has no such arithmetic in hardware.
    double tf32 = 0.0;
    /// Products of bf16 added up in fp32; 0 as above.
    double bf16 = 0.0;

    bool operator==(const PeakFlops&) const = default;
};

/// The peak of a device by the name that its driver gives it: "NVIDIA H100 80GB HBM3".
///
/// Nothing is guessed: a part of a GPU (MIG, vGPU), a mobile or a changed one has another name and no peak
/// here, and neither has a processor.
std::optional<PeakFlops> peakFlopsOf(std::string_view deviceName);

} // namespace batchpeak::device
