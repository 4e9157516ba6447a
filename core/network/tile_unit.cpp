// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tile_unit.h"

#include <cstdlib>

#ifdef __x86_64__
#include <cpuid.h>
#endif

namespace batchpeak::network {

namespace {

// Intel's Software Developer's Manual, volume 2A, CPUID: leaf 7 EDX bit 24 is AMX-TILE, leaf 0x1D EAX
// the highest palette of tile shapes.
bool announcesTilesWithoutShape()
{
#ifdef __x86_64__
    unsigned eax = 0;
    unsigned ebx = 0;
    unsigned ecx = 0;
    unsigned edx = 0;
    constexpr unsigned featureLeaf = 7;
    constexpr unsigned tileLeaf = 0x1d;
    constexpr unsigned tileBit = 1U << 24;
    if (!__get_cpuid_count(featureLeaf, 0, &eax, &ebx, &ecx, &edx) || !(edx & tileBit))
        return false;
    return !__get_cpuid_count(tileLeaf, 0, &eax, &ebx, &ecx, &edx) || eax == 0;
#else
    return false;
#endif
}

} // namespace

void avoidUndescribedTileUnit()
{
    constexpr int keepTheUsersChoice = 0;
    if (announcesTilesWithoutShape())
        setenv("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_FP16", keepTheUsersChoice);
}

} // namespace batchpeak::network
