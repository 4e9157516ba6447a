// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "network/failure.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak::network;
using batchpeak::trial::Outcome;

/// Failures as messages and codes tell of them.
class FailureTest : public QObject
{
    Q_OBJECT

private slots:
    void readsMessages_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<Outcome>("outcome");
        QTest::addColumn<bool>("sticky");
        const auto row = [](const char* text, Outcome outcome, bool sticky = false) {
            QTest::newRow(text) << QByteArray(text) << outcome << sticky;
        };
        row("CUDA out of memory. Tried to allocate 2.00 GiB.", Outcome::OutOfMemory);
        row("CUDA error: out of memory", Outcome::OutOfMemory);
        row("HIP out of memory.", Outcome::OutOfMemory);
        row("XPU out of memory.", Outcome::OutOfMemory);
        row("MPS backend out of memory", Outcome::OutOfMemory);
        row("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling cublasCreate", Outcome::OutOfMemory);
        row("cuDNN error: CUDNN_STATUS_ALLOC_FAILED", Outcome::OutOfMemory);
        row("cuDNN error: CUDNN_STATUS_NOT_SUPPORTED.", Outcome::OutOfMemory);
        row("cuDNN error: CUDNN_STATUS_INTERNAL_ERROR", Outcome::OutOfMemory);
        row("cuFFT error: CUFFT_INTERNAL_ERROR", Outcome::OutOfMemory);
        row("DefaultCPUAllocator: can't allocate memory", Outcome::OutOfMemory);
        row("DefaultCPUAllocator: not enough memory", Outcome::OutOfMemory);
        row("std::bad_alloc", Outcome::OutOfMemory);
        row("NVML_SUCCESS == r INTERNAL ASSERT FAILED", Outcome::OutOfMemory);
        row("FATAL ERROR :: MODULE:PT_DEVMEM Allocation failed", Outcome::OutOfMemory);
        row("Allocation is out of device memory on current platform.", Outcome::OutOfMemory);
        row("CUBLAS_STATUS_NOT_INITIALIZED", Outcome::Failed, true);
        row("CUBLAS_STATUS_EXECUTION_FAILED", Outcome::Failed, true);
        row("CUDA error: an illegal memory access was encountered", Outcome::Failed, true);
        row("CUDA error: device-side assert triggered", Outcome::Failed, true);
        row("an illegal memory access, then out of memory", Outcome::Failed, true);
        row("CUDA error: invalid configuration argument", Outcome::Unsupported);
        row("integer out of range", Outcome::Unsupported);
        row("Storage size calculation overflowed with sizes=[1]", Outcome::Unsupported);
        row("RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)", Outcome::Unsupported);
        // As xformers and torch report a batch above 65535, with all that CUDA adds to it.
        row("CUDA error: invalid configuration argument\nCUDA kernel errors might be asynchronously reported "
            "at some other API call, so the stacktrace below might be incorrect.",
            Outcome::Unsupported);
        row("upsample_nearest_nhwc only supports output tensors with less than INT_MAX elements",
            Outcome::Unsupported);
        row("Expected canUse32BitIndexMath(input) && canUse32BitIndexMath(output) to be true, but got false.",
            Outcome::Unsupported);
        row("Input tensor is too large.", Outcome::Unsupported);
        row("CUDA error: CUBLAS_STATUS_INVALID_VALUE when calling `cublasSgemm`", Outcome::Unsupported);
        row("cuDNN error: CUDNN_STATUS_BAD_PARAM", Outcome::Unsupported);
        row("NCCL error in: ProcessGroupNCCL.cpp:94, unhandled system error", Outcome::Failed, true);
        // Two samples may well run where one does not, so the size is no limit.
        row("Expected more than 1 value per channel when training, got input size [1, 512, 1, 1]",
            Outcome::Failed);
        row("", Outcome::Failed);
    }
    void readsMessages()
    {
        QFETCH(QByteArray, text);
        QFETCH(Outcome, outcome);
        QFETCH(bool, sticky);
        const Failure failure = classifyFailureText(text.toStdString());
        QCOMPARE(failure.outcome, outcome);
        QCOMPARE(failure.sticky, sticky);
        QCOMPARE(failure.text, text.toStdString());
    }

    void readsCudaCodes_data()
    {
        QTest::addColumn<int>("code");
        QTest::addColumn<Outcome>("outcome");
        QTest::addColumn<bool>("sticky");
        QTest::addRow("memory allocation") << 2 << Outcome::OutOfMemory << false;
        for (const int code : {9, 46, 98, 701, 720, 912})
            QTest::addRow("unusable shape %d", code) << code << Outcome::Unsupported << false;
        for (const int code :
             {226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721, 810, 911, 214, 220, 709, 999})
            QTest::addRow("sticky %d", code) << code << Outcome::Failed << true;
        for (const int code : {1, 35, 100})
            QTest::addRow("failed %d", code) << code << Outcome::Failed << false;
    }
    void readsCudaCodes()
    {
        QFETCH(int, code);
        QFETCH(Outcome, outcome);
        QFETCH(bool, sticky);
        const Failure failure = classifyCudaError(code, "said so");
        QCOMPARE(failure.outcome, outcome);
        QCOMPARE(failure.sticky, sticky);
        QCOMPARE(failure.text, std::string("said so"));
    }

    void readsRequestedSizes_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<qint64>("bytes");
        QTest::newRow("gibibytes") << QByteArray("CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0")
                                   << (qint64{5} << 29);
        QTest::newRow("mebibytes") << QByteArray("Tried to allocate 20.00 MiB") << (qint64{20} << 20);
        QTest::newRow("kibibytes") << QByteArray("Tried to allocate 3 KiB") << qint64{3072};
        QTest::newRow("main memory")
            << QByteArray(
                   "DefaultCPUAllocator: can't allocate memory: you tried to allocate 4096 bytes. Error "
                   "code 12 (Cannot allocate memory)")
            << qint64{4096};
        QTest::newRow("bytes") << QByteArray("Tried to allocate 512 bytes.") << qint64{512};
        QTest::newRow("not said") << QByteArray("out of memory") << qint64{0};
        QTest::newRow("no number") << QByteArray("Tried to allocate much") << qint64{0};
        QTest::newRow("no unit") << QByteArray("Tried to allocate 7") << qint64{0};
        QTest::newRow("cut short") << QByteArray("Tried to allocate ") << qint64{0};
        QTest::newRow("absurd") << QByteArray("Tried to allocate 1e300 GiB") << qint64{0};
    }
    void readsRequestedSizes()
    {
        QFETCH(QByteArray, text);
        QFETCH(qint64, bytes);
        QCOMPARE(requestedBytes(text.toStdString()), bytes);
    }
};

BATCHPEAK_TEST(FailureTest)
#include "tst_failure.moc"
