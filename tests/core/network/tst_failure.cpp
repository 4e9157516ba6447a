// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cpu_device_memory.h"
#include "failure.h"

#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

#include <QTest>

#include <exception>
#include <functional>
#include <new>
#include <stdexcept>

using namespace batchpeak::network;
using batchpeak::trial::Outcome;

namespace {

using Throw = std::function<void()>;

void throwAccelerator(int code)
{
    throw c10::AcceleratorError({__func__, __FILE__, __LINE__}, code, "CUDA error: out of memory");
}

} // namespace

class FailureTest : public QObject
{
    Q_OBJECT

private:
    CpuDeviceMemory m_memory;

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
        row("mat1 and mat2 shapes cannot be multiplied", Outcome::Failed);
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

    // The allocator's count and the type tell more than the text, which libraries change.
    void trustsEvidenceInOrder_data()
    {
        QTest::addColumn<Throw>("fail");
        QTest::addColumn<Outcome>("outcome");
        QTest::addColumn<bool>("sticky");
        QTest::newRow("type alone") << Throw([] {
            TORCH_CHECK_WITH(OutOfMemoryError, false, "no words for it");
        }) << Outcome::OutOfMemory << false;
        QTest::newRow("host memory") << Throw([] { throw std::bad_alloc(); }) << Outcome::OutOfMemory
                                     << false;
        QTest::newRow("type lost in a script")
            << Throw([] { throw std::runtime_error("CPU out of memory."); }) << Outcome::OutOfMemory << false;
        QTest::newRow("code against text") << Throw([] { throwAccelerator(700); }) << Outcome::Failed << true;
        QTest::newRow("code of memory")
            << Throw([] { throwAccelerator(2); }) << Outcome::OutOfMemory << false;
        QTest::newRow("count alone") << Throw([] {
            try {
                at::empty({std::int64_t{1} << 50});
            } catch (const c10::Error&) {
                throw std::runtime_error("something else");
            }
        }) << Outcome::OutOfMemory << false;
        QTest::newRow("nothing of memory")
            << Throw([] { throw std::runtime_error("bad shape"); }) << Outcome::Failed << false;
    }
    void trustsEvidenceInOrder()
    {
        QFETCH(Throw, fail);
        QFETCH(Outcome, outcome);
        QFETCH(bool, sticky);
        const std::int64_t before = m_memory.outOfMemoryCount();
        try {
            fail();
            QFAIL("nothing was thrown");
        } catch (const std::exception& error) {
            const Failure failure = classifyFailure(error, m_memory, before);
            QCOMPARE(failure.outcome, outcome);
            QCOMPARE(failure.sticky, sticky);
            QVERIFY(!failure.text.empty());
        }
    }
};

QTEST_APPLESS_MAIN(FailureTest)
#include "tst_failure.moc"
