// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/held_memory.h"
#include "trial/trial_request.h"

#include <ATen/cpu/Utils.h>

#include <QByteArray>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace batchpeak::network {

/// Whether the processor has all these capabilities, as ATen detects them.
template<std::size_t count>
bool hasAbilities(const std::array<const char*, count>& abilities)
{
    const auto found = at::cpu::get_cpu_capabilities();
    return std::ranges::all_of(abilities, [&](const char* ability) {
        const auto place = found.find(ability);
        return place != found.end() && place->second.isBool() && place->second.toBool();
    });
}

/// Returns the user's limit for the instruction sets of oneDNN, as a value of ONEDNN_MAX_CPU_ISA; empty if
/// there is no limit.
inline QByteArray maxInstructions()
{
    const QByteArray max = qgetenv("ONEDNN_MAX_CPU_ISA").toUpper();
    return max == "ALL" || max == "DEFAULT" ? QByteArray() : max;
}

/// Whether oneDNN computes products of two bytes on a matrix unit here (Intel AMX).
inline bool usesMatrixUnit()
{
    const QByteArray max = maxInstructions();
    return hasAbilities(std::array{"amx_tile", "amx_bf16"}) && (max.isEmpty() || max.contains("AMX"));
}

/// Whether oneDNN computes products of bf16 with AVX512-BF16 here, and without a matrix unit.
inline bool usesBlocks()
{
    const QByteArray max = maxInstructions();
    const bool isNarrower = max == "AVX512_CORE" || max == "AVX512_CORE_VNNI" ||
                            (!max.isEmpty() && !max.startsWith("AVX512") && !max.startsWith("AVX10"));
    return hasAbilities(std::array{"avx512_bf16"}) && !usesMatrixUnit() && !isNarrower;
}

/// Returns the memory that oneDNN 3.10 takes for each thread while it multiplies \p rows rows of bf16 by a
/// matrix of depth \p depth, if usesBlocks(): 64 columns of the matrix, packed, with a depth of 512 at most,
/// or 1024 for a matrix that is deeper than that; and sums in fp32 of these columns for 256 rows at most
/// (compute_blocking_heuristic_avx512 and init_aux_values of cpu/x64/matmul/brgemm_matmul_utils.cpp). The
/// measured value was 1 KiB more. It holds for contiguous rows whose size is not a power of two of 8 KiB or
/// more, and not for gradients of weights; in both of these cases the rows are packed too.
inline double blockBytesPerThread(std::int64_t rows, std::int64_t depth)
{
    constexpr double columns = 64.0;
    constexpr std::int64_t deep = 1024;
    const auto packed = static_cast<double>(depth > deep ? deep : std::min(depth, deep / 2));
    const auto summed = static_cast<double>(std::min<std::int64_t>(rows, 256));
    return columns * (2.0 * packed + 4.0 * summed);
}

/// Whether oneDNN accumulates whole products of bf16 in fp32 here, as with AVX512 and without AVX512-BF16.
inline bool widensResults()
{
    const QByteArray max = maxInstructions();
    const bool isNarrower = !max.isEmpty() && !max.startsWith("AVX512") && !max.startsWith("AVX10");
    return hasAbilities(std::array{"avx512_f", "avx512_bw", "avx512_dq", "avx512_vl"}) && !usesMatrixUnit() &&
           !usesBlocks() && !isNarrower;
}

/// Returns the memory that oneDNN 3.10 takes temporarily for a result of bf16 with \p elements numbers, if
/// widensResults(): the whole result in fp32 (book_acc_scratchpad of cpu/matmul/gemm_based_common.hpp). Each
/// thread rounds its part up to 64 numbers, and 128 bytes align all; nothing else was measured in 60 products
/// with 1, 2, 3, 4 and 8 threads. It holds for one product: of several at once oneDNN widens as many as there
/// are threads.
inline double widenedBytes(std::int64_t elements)
{
    return 4.0 * static_cast<double>(elements);
}

/// Returns the largest relative difference between two losses of the same step: 0, except for products on a
/// matrix unit, which oneDNN may accumulate in another order the second time. A logit at the boundary between
/// two numbers of its dtype then becomes the other one, which differs by eps of itself. In a network that has
/// learned little, logits are below an eighth of the loss, the logarithm of the number of choices, so the
/// loss changes by less than an eighth of eps.
inline double differenceOfLosses(const trial::LoadRequest& request, bool hasMatrixUnit)
{
    constexpr double epsOfBf16 = 0x1p-7;
    const model::ElementBytes bytes = model::elementBytes(request.precision, request.tuning);
    const bool isNarrow = bytes.product < 4.0 || bytes.frozen < 4.0;
    return hasMatrixUnit && isNarrow ? epsOfBf16 / 8.0 : 0.0;
}

} // namespace batchpeak::network
