// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string_view>

namespace batchpeak::device {

/// Peak performance of a device by its vendor's data sheet: floating-point operations per second on dense
/// matrices, without the factor of two for sparse ones.
struct PeakFlops
{
    /// Peak in fp32 outside tensor cores.
    double fp32 = 0.0;
    /// Peak in TF32; 0 if the hardware does not support it.
    double tf32 = 0.0;
    /// Peak in bf16 with accumulation in fp32; 0 if the hardware does not support it.
    double bf16 = 0.0;

    bool operator==(const PeakFlops&) const = default;
};

/// Returns the peak of a device by the name that its driver reports: "NVIDIA H100 80GB HBM3".
///
/// Returns nothing for an unknown name rather than guess: part of a GPU (MIG, vGPU), a mobile GPU or a
/// modified one has another name, and no peak is known for a CPU either.
std::optional<PeakFlops> peakFlopsOf(std::string_view deviceName);

} // namespace batchpeak::device
