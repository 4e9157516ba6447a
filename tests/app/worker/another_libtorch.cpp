// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Loaded before libtorch, it makes the worker take what is loaded for torch 2.12.0.

#include <cstdint>

extern "C" std::uint64_t aoti_torch_abi_version();

std::uint64_t aoti_torch_abi_version()
{
    return std::uint64_t{2} << 56 | std::uint64_t{12} << 48;
}
