// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuzz_target.h"

#include <cstddef>
#include <cstdint>

/// Entry point; libFuzzer requires this name.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    batchpeak::fuzz::run({reinterpret_cast<const char*>(data), size});
    return 0;
}
