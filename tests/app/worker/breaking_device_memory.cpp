// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "breaking_device_memory.h"

#include <c10/util/Exception.h>

#include <fstream>
#include <new>
#include <stdexcept>
#include <utility>

namespace batchpeak::test {

namespace {

[[noreturn]] void throwCudaError(int code, const char* text)
{
    throw c10::AcceleratorError({__func__, __FILE__, __LINE__}, code, text);
}

} // namespace

BreakingDeviceMemory::BreakingDeviceMemory(std::string breakdown, std::filesystem::path onceFile)
    : m_breakdown(std::move(breakdown)),
      m_onceFile(std::move(onceFile)),
      m_isOver(!m_onceFile.empty() && std::filesystem::exists(m_onceFile))
{}

void BreakingDeviceMemory::resetPeaks()
{
    m_memory.resetPeaks();
    m_isDue = true;
}

void BreakingDeviceMemory::synchronize()
{
    m_memory.synchronize();
    if (!m_isDue || std::exchange(m_isOver, true))
        return;
    if (!m_onceFile.empty())
        std::ofstream(m_onceFile) << '.';
    breakDown();
}

void BreakingDeviceMemory::breakDown()
{
    if (m_breakdown == "illegal-access")
        throwCudaError(700, "CUDA error: an illegal memory access was encountered");
    if (m_breakdown == "index-out-of-range")
        throwCudaError(710, "CUDA error: device-side assert triggered");
    if (m_breakdown == "too-many-blocks")
        throwCudaError(9, "CUDA error: invalid configuration argument");
    if (m_breakdown == "cublas")
        TORCH_CHECK(false, "CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`");
    if (m_breakdown == "nccl")
        TORCH_CHECK_WITH(DistBackendError, false, "NCCL error in: a test, unhandled system error");
    if (m_breakdown == "host-memory")
        throw std::bad_alloc();
    if (m_breakdown != "lost-memory")
        throw std::invalid_argument("There is no breakdown called " + m_breakdown + '.');
    m_lostBytes = 512;
    TORCH_CHECK_WITH(OutOfMemoryError, false, "CUDA out of memory. Tried to allocate 2.00 GiB.");
}

} // namespace batchpeak::test
