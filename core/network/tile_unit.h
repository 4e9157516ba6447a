// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace batchpeak::network {

/// Keeps oneDNN from a matrix unit (Intel AMX) that the processor announces but does not describe.
/// Some virtual machines pass the unit on and hide CPUID leaf 0x1D, which holds the shape of its
/// tiles: oneDNN then runs unconfigured tiles, and the first bf16 product ends the process with SIGILL
/// (seen with oneDNN of torch 2.11.0 in a Firecracker guest; without AMX the same product works).
///
/// Call it before the first product. A choice of the user's in ONEDNN_MAX_CPU_ISA is respected.
void avoidUndescribedTileUnit();

} // namespace batchpeak::network
