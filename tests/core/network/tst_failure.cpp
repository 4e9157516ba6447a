// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "network/failure.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak::network;
using batchpeak::trial::Outcome;

/// Tests failures that are identified by messages and codes.
class FailureTest : public QObject
{
    Q_OBJECT

private slots:
    void readsMessages_data()
    {
        const auto add = rows<std::string, Outcome, bool>();
        const auto reads = [&](const char* text, Outcome outcome, bool sticky = false) {
            add(text, {text, outcome, sticky});
        };
        reads("CUDA out of memory. Tried to allocate 2.00 GiB.", Outcome::OutOfMemory);
        reads("CUDA error: out of memory", Outcome::OutOfMemory);
        reads("HIP out of memory.", Outcome::OutOfMemory);
        reads("XPU out of memory.", Outcome::OutOfMemory);
        reads("MPS backend out of memory", Outcome::OutOfMemory);
        reads("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling cublasCreate", Outcome::OutOfMemory);
        reads("cuDNN error: CUDNN_STATUS_ALLOC_FAILED", Outcome::OutOfMemory);
        reads("cuDNN error: CUDNN_STATUS_NOT_SUPPORTED.", Outcome::OutOfMemory);
        reads("cuDNN error: CUDNN_STATUS_INTERNAL_ERROR", Outcome::OutOfMemory);
        reads("cuFFT error: CUFFT_INTERNAL_ERROR", Outcome::OutOfMemory);
        reads("DefaultCPUAllocator: can't allocate memory", Outcome::OutOfMemory);
        reads("DefaultCPUAllocator: not enough memory", Outcome::OutOfMemory);
        reads("std::bad_alloc", Outcome::OutOfMemory);
        reads("NVML_SUCCESS == r INTERNAL ASSERT FAILED", Outcome::OutOfMemory);
        reads("NVML_SUCCESS == DriverAPI::get()->nvmlInit_v2_() INTERNAL ASSERT FAILED",
              Outcome::OutOfMemory);
        reads("FATAL ERROR :: MODULE:PT_DEVMEM Allocation failed", Outcome::OutOfMemory);
        reads("Allocation is out of device memory on current platform.", Outcome::OutOfMemory);
        // Reported by users, in addition to PyTorch's own "out of memory".
        for (const char* text :
             {"Triton Error [CUDA]: out of memory",
              "Triton Error [HIP]: out of memory",
              "CUDA driver error: out of memory",
              "HIP error: out of memory",
              "CUDA Error: out of memory",
              "torch.OutOfMemoryError: Allocation on device 0 would exceed allowed memory. (out of memory)",
              "CUDA_ERROR_OUT_OF_MEMORY",
              "hipErrorOutOfMemory",
              "HIP_ERROR_OutOfMemory",
              "Error Code 2: OutOfMemory (Requested size was 149635638784 bytes.)",
              "UR backend failed. UR backend returns:39 (UR_RESULT_ERROR_OUT_OF_DEVICE_MEMORY)",
              "UR_RESULT_ERROR_OUT_OF_HOST_MEMORY",
              "RESOURCE_EXHAUSTED: failed to allocate 2.00GiB",
              "CUDA error: HIPBLAS_STATUS_ALLOC_FAILED when calling `hipblasCreate(handle)`",
              "CUSOLVER_STATUS_ALLOC_FAILED",
              "cuFFT error: CUFFT_ALLOC_FAILED",
              "miopenStatusAllocFailed",
              "rocblas_status_memory_error",
              "CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED",
              "Invalid buffer size: 41.20 GiB",
              "GET was unable to find an engine to execute this computation",
              "FIND was unable to find an engine to execute this computation",
              "Unable to find a valid cuDNN algorithm to run convolution",
              "unable to mmap 4096 bytes from file: Cannot allocate memory (12)"})
            reads(text, Outcome::OutOfMemory);
        reads("CUBLAS_STATUS_NOT_INITIALIZED", Outcome::Failed, true);
        reads("CUDA error: HIPBLAS_STATUS_NOT_INITIALIZED", Outcome::Failed, true);
        reads("level_zero backend failed with error: 40 (UR_RESULT_ERROR_OUT_OF_RESOURCES)", Outcome::Failed,
              true);
        reads("level_zero backend failed with error: 20 (UR_RESULT_ERROR_DEVICE_LOST)", Outcome::Failed,
              true);
        reads("!handles_.at(i) INTERNAL ASSERT FAILED at \"CUDACachingAllocator.cpp\":430", Outcome::Failed,
              true);
        reads("CUDA driver error: device not ready", Outcome::Failed, true);
        reads("Triton Error [CUDA]: an illegal memory access was encountered", Outcome::Failed, true);
        reads("CUDA error: misaligned address", Outcome::Failed, true);
        reads("cuDNN error: CUDNN_STATUS_MAPPING_ERROR", Outcome::Failed, true);
        reads("CUDA error: uncorrectable ECC error encountered", Outcome::Failed, true);
        reads("CUDA error: the launch timed out and was terminated", Outcome::Failed, true);
        reads("CUBLAS_STATUS_EXECUTION_FAILED", Outcome::Failed, true);
        reads("CUBLAS_STATUS_INTERNAL_ERROR", Outcome::Failed, true);
        reads("CUDNN_STATUS_EXECUTION_FAILED", Outcome::Failed, true);
        reads("CUDA error: an illegal memory access was encountered", Outcome::Failed, true);
        reads("CUDA error: device-side assert triggered", Outcome::Failed, true);
        reads("an illegal memory access, then out of memory", Outcome::Failed, true);
        reads("CUDA error: invalid configuration argument", Outcome::Unsupported);
        reads("integer out of range", Outcome::Unsupported);
        reads("Storage size calculation overflowed with sizes=[1]", Outcome::Unsupported);
        reads("RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)", Outcome::Unsupported);
        // As xformers and torch report a batch above 65535, with the lines that CUDA appends.
        reads(
            "CUDA error: invalid configuration argument\nCUDA kernel errors might be asynchronously reported "
            "at some other API call, so the stacktrace below might be incorrect.",
            Outcome::Unsupported);
        reads("upsample_nearest_nhwc only supports output tensors with less than INT_MAX elements",
              Outcome::Unsupported);
        reads(
            "Expected canUse32BitIndexMath(input) && canUse32BitIndexMath(output) to be true, but got false.",
            Outcome::Unsupported);
        reads("Input tensor is too large.", Outcome::Unsupported);
        reads("CUDA error: CUBLAS_STATUS_INVALID_VALUE when calling `cublasSgemm`", Outcome::Unsupported);
        reads("cuDNN error: CUDNN_STATUS_BAD_PARAM", Outcome::Unsupported);
        reads("NCCL error in: ProcessGroupNCCL.cpp:94, unhandled system error", Outcome::Failed, true);
        // Two samples may run although one does not, so the size is no limit.
        reads("Expected more than 1 value per channel when training, got input size [1, 512, 1, 1]",
              Outcome::Failed);
        reads("", Outcome::Failed);
    }
    void readsMessages()
    {
        const auto& [text, outcome, sticky] = row<std::string, Outcome, bool>();
        const Failure failure = classifyFailureText(text);
        QCOMPARE(failure.outcome, outcome);
        QCOMPARE(failure.sticky, sticky);
        QCOMPARE(failure.text, text);
    }

    void recognizesRefusedHostMemory_data()
    {
        rows<bool>({{"DefaultCPUAllocator: can't allocate memory", true},
                    {"unable to mmap: Cannot allocate memory (12)", true},
                    {"std::bad_alloc", true},
                    {"UR_RESULT_ERROR_OUT_OF_HOST_MEMORY", true},
                    {"CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED", true},
                    {"CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED", false},
                    {"CUDA error: out of memory", false}});
    }
    void recognizesRefusedHostMemory()
    {
        QCOMPARE(classifyFailureText(QTest::currentDataTag()).refusedHostBytes.has_value(), row<bool>());
    }

    void readsCudaCodes_data()
    {
        const auto add = rows<int, Outcome, bool>();
        add("memory allocation", {2, Outcome::OutOfMemory, false});
        for (const int code : {9, 98, 701, 720, 912})
            add("unusable shape " + std::to_string(code), {code, Outcome::Unsupported, false});
        for (const int code :
             {226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721, 810, 911, 214, 220, 709, 999, 46})
            add("sticky " + std::to_string(code), {code, Outcome::Failed, true});
        for (const int code : {1, 35, 100})
            add("failed " + std::to_string(code), {code, Outcome::Failed, false});
    }
    void readsCudaCodes()
    {
        const auto& [code, outcome, sticky] = row<int, Outcome, bool>();
        const Failure failure = classifyCudaError(code, "said so");
        QCOMPARE(failure.outcome, outcome);
        QCOMPARE(failure.sticky, sticky);
        QCOMPARE(failure.text, std::string("said so"));
    }

    void readsRequestedSizes_data()
    {
        rows<std::string, std::int64_t>(
            {{"gibibytes", {"CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0", std::int64_t{5} << 29}},
             {"mebibytes", {"Tried to allocate 20.00 MiB", std::int64_t{20} << 20}},
             {"kibibytes", {"Tried to allocate 3 KiB", 3072}},
             {"main memory",
              {"DefaultCPUAllocator: can't allocate memory: you tried to allocate 4096 bytes. Error code 12 "
               "(Cannot allocate memory)",
               4096}},
             {"bytes", {"Tried to allocate 512 bytes.", 512}},
             {"not said", {"out of memory", 0}},
             {"no number", {"Tried to allocate much", 0}},
             {"no unit", {"Tried to allocate 7", 0}},
             {"cut short", {"Tried to allocate ", 0}},
             {"absurd", {"Tried to allocate 1e300 GiB", 0}}});
    }
    void readsRequestedSizes()
    {
        const auto& [text, bytes] = row<std::string, std::int64_t>();
        QCOMPARE(requestedBytes(text), bytes);
    }
};

BATCHPEAK_TEST(FailureTest)
#include "tst_failure.moc"
