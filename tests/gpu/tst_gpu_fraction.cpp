// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Included before Qt, whose keyword "slots" is a name in libtorch.
#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

#include "gpu_suite.h"

#include <algorithm>

using namespace batchpeak;
using test::mebibyte;

/// Tests the first limit of a process, which the allocator itself enforces as a fraction of the device's
/// memory.
class GpuFractionTest : public test::GpuSuite
{
    Q_OBJECT

public:
    using GpuSuite::GpuSuite;

private slots:
    void enforcesItsFirstLimit()
    {
        const std::int64_t bytes = std::min(1024 * mebibyte, memory().totalBytes() / 4);
        const std::int64_t free = memory().freeBytes();
        memory().setLimit(bytes);
        QCOMPARE(memory().limitBytes(), bytes);
        // Ballast would occupy the rest.
        QVERIFY(memory().freeBytes() > free - 2 * bytes);
        const auto options = at::TensorOptions(at::kCUDA).dtype(at::kByte);
        const at::Tensor fits = at::empty({bytes / 2}, options);
        QVERIFY_THROWS_EXCEPTION(c10::OutOfMemoryError, at::empty({bytes}, options));
        QVERIFY(memory().peakReservedBytes() >= bytes / 2);
        QVERIFY(memory().peakReservedBytes() <= bytes);
    }
};

int main(int argc, char** argv)
{
    return test::runOnGpu<GpuFractionTest>(argc, argv);
}
#include "tst_gpu_fraction.moc"
