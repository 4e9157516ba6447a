// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later

// If this library is loaded before libtorch, the worker treats libtorch as version 2.12.0.

#include <cstdint>

extern "C" std::uint64_t aoti_torch_abi_version();

std::uint64_t aoti_torch_abi_version()
{
    return std::uint64_t{2} << 56 | std::uint64_t{12} << 48;
}
