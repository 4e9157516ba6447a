// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Included before Qt, whose keyword "slots" is a name in libtorch.
#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

#include "gpu_requests.h"
#include "gpu_suite.h"
#include "network/failure.h"
#include "network/step_runner.h"
#include "support/rows.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

using namespace batchpeak;
using namespace batchpeak::network;
using test::mebibyte;
using trial::LoadRequest;

namespace {

at::Tensor held(std::int64_t bytes)
{
    return at::empty({bytes}, at::TensorOptions(at::kCUDA).dtype(at::kByte));
}

// Returns the failure of the first of increasing sizes that does not fit.
Failure failureOfTooLarge(StepRunner& runner, DeviceMemory& memory)
{
    const std::int64_t before = memory.outOfMemoryCount();
    try {
        for (std::int64_t size = test::largeSize();; size *= 4) {
            runner.prepare(size);
            runner.run(1);
        }
    } catch (const std::exception& error) {
        return classifyFailure(error, memory, before);
    }
}

} // namespace

/// Tests that a GPU's memory is counted and limited, that the library recovers after running out of it, and
/// that nothing leaks.
class GpuMemoryTest : public test::GpuSuite
{
    Q_OBJECT

public:
    using GpuSuite::GpuSuite;

    /// Returns a limit that is enough for every network of the suite and can be filled quickly.
    std::int64_t limit() { return std::min(2048 * mebibyte, memory().totalBytes() / 4); }

    /// Returns limit(), or the peak of a fixed number of samples if that is lower: tiny networks would reach
    /// limit() only with more samples than kernels have blocks.
    std::int64_t limitFor(const LoadRequest& load)
    {
        // At most a quarter of the smallest size that is too large.
        const std::int64_t fits = test::isSimulated() ? 64 : 256;
        memory().setLimit(limit());
        memory().emptyCache();
        memory().resetPeaks();
        try {
            StepRunner runner(load, memory());
            runner.prepare(fits);
            runner.run(2);
        } catch (const c10::OutOfMemoryError&) {
            return limit();
        }
        return memory().peakReservedBytes();
    }

private slots:
    // The allocator enforces the first limit as a fraction of the memory, so that ballast enforces those of
    // the tests.
    void init() { memory().setLimit(0); }

    void enforcesALimit_data()
    {
        rows<std::int64_t>({{"some", limit() / 2}, {"more", limit()}, {"less", limit() / 4}});
    }
    void enforcesALimit()
    {
        const auto bytes = row<std::int64_t>();
        const std::int64_t before = memory().allocatedBytes();
        memory().setLimit(bytes);
        QCOMPARE(memory().limitBytes(), bytes);
        QCOMPARE(memory().allocatedBytes(), before);
        memory().resetPeaks();
        const std::int64_t refusals = memory().outOfMemoryCount();
        const at::Tensor fits = held(bytes / 2);
        QVERIFY_THROWS_EXCEPTION(c10::OutOfMemoryError, held(bytes));
        QCOMPARE(memory().outOfMemoryCount(), refusals + 1);
        QVERIFY(memory().peakReservedBytes() >= bytes / 2);
        QVERIFY(memory().peakReservedBytes() <= bytes);
        QVERIFY(!memory().spilled());
    }

    void countsAllocationsThatFlushTheCache()
    {
        memory().setLimit(limit());
        const std::int64_t retries = memory().allocationRetries();
        const std::int64_t refusals = memory().outOfMemoryCount();
        held(limit() / 10 * 6);
        QCOMPARE(memory().allocationRetries(), retries);
        // The freed block is in the cache; this one fits only after a flush.
        held(limit() / 10 * 7);
        // Some allocators flush in more than one step.
        QVERIFY(memory().allocationRetries() > retries);
        QCOMPARE(memory().outOfMemoryCount(), refusals);
    }

    void recoversFromTheLimit_data() { test::addRows(test::everyGpuRequest()); }
    void recoversFromTheLimit()
    {
        const std::int64_t bytes = limitFor(row<LoadRequest>());
        memory().setLimit(bytes);
        StepRunner runner(row<LoadRequest>(), memory());
        runner.prepare(2);
        runner.run(2);
        runner.prepare(2);
        runner.run(1);
        for (int repetition = 0; repetition < 3; ++repetition) {
            const Failure failure = failureOfTooLarge(runner, memory());
            QVERIFY2(failure.outcome == trial::Outcome::OutOfMemory, failure.text.c_str());
            QVERIFY(!failure.sticky);
            QVERIFY(!failure.refusedHostBytes);
            QVERIFY(failure.neededBytes > 0);
            QVERIFY(memory().peakReservedBytes() <= bytes);
            QVERIFY(runner.recover());
            runner.prepare(2);
            runner.run(1);
            QVERIFY(std::isfinite(runner.loss()));
        }
    }

    // Each exploration is like a worker's: load, sizes that fit, one that does not, and the end.
    void leaksNothingInSeveralExplorations()
    {
        const int explorations = test::isSimulated() ? 3 : 10;
        const std::vector<test::NamedRequest> requests = test::everyTraining(model::Precision::Bf16);
        std::vector<std::int64_t> limits;
        for (const test::NamedRequest& request : requests)
            limits.push_back(limitFor(request.load));
        std::optional<std::int64_t> allocated;
        std::optional<std::int64_t> reserved;
        for (int exploration = 0; exploration < explorations; ++exploration) {
            for (std::size_t i = 0; i < requests.size(); ++i) {
                const test::NamedRequest& request = requests[i];
                memory().setLimit(limits[i]);
                StepRunner runner(request.load, memory());
                // Batch normalization cannot train on a single value per channel.
                for (const std::int64_t size : {2, 3, 4}) {
                    runner.prepare(size);
                    runner.run(3);
                }
                const Failure failure = failureOfTooLarge(runner, memory());
                QVERIFY2(failure.outcome == trial::Outcome::OutOfMemory,
                         (request.name + ": " + failure.text).c_str());
                QVERIFY2(runner.recover(), request.name.c_str());
            }
            memory().setLimit(0);
            memory().synchronize();
            memory().emptyCache();
            // The first exploration creates the workspaces of libraries, which stay.
            QCOMPARE(memory().allocatedBytes(), allocated.value_or(memory().allocatedBytes()));
            QCOMPARE(memory().reservedBytes(), reserved.value_or(memory().reservedBytes()));
            allocated = memory().allocatedBytes();
            reserved = memory().reservedBytes();
        }
    }
};

int main(int argc, char** argv)
{
    return test::runOnGpu<GpuMemoryTest>(argc, argv);
}
#include "tst_gpu_memory.moc"
