// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "peak_flops.h"

#include <algorithm>
#include <array>

namespace batchpeak::device {

namespace {

constexpr double tera = 1e12;

// Figures of the full chip at its boost clock. Where a data sheet only gives a figure with sparsity, half of
// it.

// NVIDIA V100 data sheet (January 2020), which includes the V100S: no TF32 and no bf16.
constexpr PeakFlops v100Sxm2{.fp32 = 15.7 * tera};
constexpr PeakFlops v100Pcie{.fp32 = 14.0 * tera};
constexpr PeakFlops v100s{.fp32 = 16.4 * tera};
// NVIDIA T4 data sheet (March 2019): the tensor cores support only fp16 and integers.
constexpr PeakFlops t4{.fp32 = 8.1 * tera};
// NVIDIA A10 data sheet (March 2021).
constexpr PeakFlops a10{.fp32 = 31.2 * tera, .tf32 = 62.5 * tera, .bf16 = 125.0 * tera};
// NVIDIA A100 data sheet (June 2021); PCIe and SXM alike.
constexpr PeakFlops a100{.fp32 = 19.5 * tera, .tf32 = 156.0 * tera, .bf16 = 312.0 * tera};
// NVIDIA A30 data sheet (April 2021).
constexpr PeakFlops a30{.fp32 = 10.3 * tera, .tf32 = 82.0 * tera, .bf16 = 165.0 * tera};
// NVIDIA L4 data sheet (March 2023): 120 and 242 with sparsity.
constexpr PeakFlops l4{.fp32 = 30.3 * tera, .tf32 = 60.0 * tera, .bf16 = 121.0 * tera};
// NVIDIA L40 data sheet (January 2023).
constexpr PeakFlops l40{.fp32 = 90.5 * tera, .tf32 = 90.5 * tera, .bf16 = 181.05 * tera};
// NVIDIA L40S data sheet (August 2023).
constexpr PeakFlops l40s{.fp32 = 91.6 * tera, .tf32 = 183.0 * tera, .bf16 = 362.05 * tera};
// NVIDIA Ampere GA102 whitepaper V2.1, tables of the RTX A6000 and the GeForce RTX 3090.
constexpr PeakFlops rtxA6000{.fp32 = 38.7 * tera, .tf32 = 77.4 * tera, .bf16 = 154.8 * tera};
constexpr PeakFlops rtx3090{.fp32 = 35.6 * tera, .tf32 = 35.6 * tera, .bf16 = 71.0 * tera};
// NVIDIA Ada whitepaper V2.1, table of the GeForce RTX 4090.
constexpr PeakFlops rtx4090{.fp32 = 82.6 * tera, .tf32 = 82.6 * tera, .bf16 = 165.2 * tera};
// NVIDIA H100 whitepaper V1.04, table 2 (dense); NVL: H100 data sheet (2024), 835 and 1,671 with sparsity.
constexpr PeakFlops h100Sxm{.fp32 = 66.9 * tera, .tf32 = 494.7 * tera, .bf16 = 989.4 * tera};
constexpr PeakFlops h100Pcie{.fp32 = 51.2 * tera, .tf32 = 378.0 * tera, .bf16 = 756.0 * tera};
constexpr PeakFlops h100Nvl{.fp32 = 60.0 * tera, .tf32 = 417.5 * tera, .bf16 = 835.5 * tera};
// NVIDIA H200 data sheet (2024): 989 and 1,979 with sparsity, NVL 835 and 1,671.
constexpr PeakFlops h200{.fp32 = 67.0 * tera, .tf32 = 494.5 * tera, .bf16 = 989.5 * tera};
constexpr PeakFlops h200Nvl{.fp32 = 60.0 * tera, .tf32 = 417.5 * tera, .bf16 = 835.5 * tera};
// NVIDIA GB200 NVL72 data sheet (2025), the GPU of an HGX B200: 2.2 P and 4.5 P with sparsity.
constexpr PeakFlops b200{.fp32 = 75.0 * tera, .tf32 = 1100.0 * tera, .bf16 = 2250.0 * tera};
// NVIDIA GH200 data sheet (2024): 989 and 1,979 with sparsity.
constexpr PeakFlops gh200{.fp32 = 67.0 * tera, .tf32 = 494.5 * tera, .bf16 = 989.5 * tera};

struct NamedPeak
{
    std::string_view name;
    PeakFlops peak;
};

// Names as nvidia-smi prints them, without the prefixes "NVIDIA " and "Tesla ", which depend on the driver's
// version.
constexpr std::array peaks{NamedPeak{"V100-SXM2-16GB", v100Sxm2},
                           NamedPeak{"V100-SXM2-32GB", v100Sxm2},
                           NamedPeak{"V100-PCIE-16GB", v100Pcie},
                           NamedPeak{"V100-PCIE-32GB", v100Pcie},
                           NamedPeak{"V100S-PCIE-32GB", v100s},
                           NamedPeak{"T4", t4},
                           NamedPeak{"A10", a10},
                           NamedPeak{"A100-SXM4-40GB", a100},
                           NamedPeak{"A100-SXM4-80GB", a100},
                           NamedPeak{"A100-PCIE-40GB", a100},
                           NamedPeak{"A100-PCIE-80GB", a100},
                           NamedPeak{"A100 80GB PCIe", a100},
                           NamedPeak{"A30", a30},
                           NamedPeak{"L4", l4},
                           NamedPeak{"L40", l40},
                           NamedPeak{"L40S", l40s},
                           NamedPeak{"RTX A6000", rtxA6000},
                           NamedPeak{"GeForce RTX 3090", rtx3090},
                           NamedPeak{"GeForce RTX 4090", rtx4090},
                           NamedPeak{"H100 80GB HBM3", h100Sxm},
                           NamedPeak{"H100 PCIe", h100Pcie},
                           NamedPeak{"H100 NVL", h100Nvl},
                           NamedPeak{"H200", h200},
                           NamedPeak{"H200 NVL", h200Nvl},
                           NamedPeak{"B200", b200},
                           NamedPeak{"GH200 480GB", gh200},
                           NamedPeak{"GH200 144G HBM3e", gh200}};

std::string_view without(std::string_view name, std::string_view prefix)
{
    return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

} // namespace

std::optional<PeakFlops> peakFlopsOf(std::string_view deviceName)
{
    const std::string_view name = without(without(deviceName, "NVIDIA "), "Tesla ");
    const auto* found = std::ranges::find(peaks, name, &NamedPeak::name);
    return found == peaks.end() ? std::nullopt : std::optional(found->peak);
}

} // namespace batchpeak::device
