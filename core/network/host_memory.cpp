// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "host_memory.h"

#include <ATen/ops/from_blob.h>
#include <ATen/ops/zeros.h>

#include <cstdlib>
#include <new>

namespace batchpeak::network {

at::Tensor hostZeros(std::int64_t elements, at::ScalarType type, at::Device device)
{
    if (!device.is_cpu())
        return at::zeros({elements}, at::TensorOptions(at::kCPU).dtype(type).pinned_memory(true));
    const auto size = static_cast<std::size_t>(elements);
    void* memory = std::calloc(size > 0 ? size : 1, c10::elementSize(type));
    if (!memory)
        throw std::bad_alloc();
    return at::from_blob(
        memory, {elements}, [](void* block) { std::free(block); }, at::TensorOptions(at::kCPU).dtype(type));
}

} // namespace batchpeak::network
