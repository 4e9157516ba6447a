// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "network/budget_allocator.h"
#include "network/cpu_device_memory.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <c10/core/CPUAllocator.h>
#include <c10/util/Exception.h>

#include <QTest>

#include <malloc.h>
#include <sys/resource.h>

#include <cstdint>
#include <cstring>

using namespace batchpeak::network;

namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

c10::DataPtr take(std::int64_t bytes)
{
    return c10::GetCPUAllocator()->allocate(static_cast<std::size_t>(bytes));
}

} // namespace

class BudgetAllocatorTest : public QObject
{
    Q_OBJECT

private:
    BudgetAllocator& m_allocator = BudgetAllocator::installed();

private slots:
    void init()
    {
        m_allocator.setBudget(64 * mebibyte);
        m_allocator.resetPeak();
        QCOMPARE(m_allocator.counters().allocated, 0);
    }

    void roundsSizesUp_data()
    {
        rows<std::int64_t, std::int64_t>({{"nothing", {0, 0}},
                                          {"one byte", {1, 512}},
                                          {"a whole step", {512, 512}},
                                          {"one more", {513, 1024}},
                                          {"large", {2 * mebibyte + 1, 2 * mebibyte + 512}}});
    }
    void roundsSizesUp()
    {
        const auto& [bytes, counted] = row<std::int64_t, std::int64_t>();
        {
            const c10::DataPtr data = take(bytes);
            QCOMPARE(m_allocator.counters().allocated, counted);
            QCOMPARE(data.get(), data.get_context());
            QCOMPARE(reinterpret_cast<std::uintptr_t>(data.get()) % 64, std::uintptr_t{0});
        }
        QCOMPARE(m_allocator.counters().allocated, 0);
        QCOMPARE(m_allocator.counters().peakAllocated, counted);
    }

    void refusesAllocationsBeyondTheBudget()
    {
        m_allocator.setBudget(1024);
        const std::int64_t refusals = m_allocator.counters().refusals;
        const c10::DataPtr whole = take(1024);
        QVERIFY_THROWS_EXCEPTION(c10::OutOfMemoryError, take(1));
        QCOMPARE(m_allocator.counters().refusals, refusals + 1);
        QCOMPARE(m_allocator.counters().neededAtLastRefusal, 1536);
        QCOMPARE(m_allocator.counters().allocated, 1024);
        m_allocator.setBudget(1535);
        QVERIFY_THROWS_EXCEPTION(c10::OutOfMemoryError, take(1));
        m_allocator.setBudget(1536);
        QVERIFY(take(1).get());
    }

    void refusesAbsurdSizes()
    {
        m_allocator.setBudget(INT64_MAX);
        QVERIFY_THROWS_EXCEPTION(c10::OutOfMemoryError, take(INT64_MAX));
        // More than any address space: the system refuses, not the budget.
        QVERIFY_THROWS_EXCEPTION(c10::OutOfMemoryError, take(INT64_MAX / 4));
        QCOMPARE(m_allocator.counters().allocated, 0);
    }

    // The time of a step includes page faults, as in the user's own torch.
    void releasesLargeBlocks()
    {
        m_allocator.setBudget(512 * mebibyte);
        const auto faultsOfFilling = [] {
            const c10::DataPtr data = take(256 * mebibyte);
            rusage before{};
            rusage after{};
            getrusage(RUSAGE_THREAD, &before);
            std::memset(data.get(), 1, 256 * mebibyte);
            getrusage(RUSAGE_THREAD, &after);
            return after.ru_minflt - before.ru_minflt;
        };
        faultsOfFilling();
        // At least one for each huge page, if the system provides them.
        QVERIFY(faultsOfFilling() >= 256 / 2 - 1);
    }

    // A trainer uses one size only, so malloc must not adapt to larger blocks of another size.
    void eachSizePaysItsOwnPageFaults()
    {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("A sanitizer brings its own malloc.");
#endif
        m_allocator.setBudget(512 * mebibyte);
        const auto begin = [this](std::int64_t size) {
            m_allocator.beginSize(size);
            m_allocator.emptyCache();
        };
        // Page faults occur in blocks that malloc requests from the kernel.
        const auto isOfKernel = [](std::int64_t bytes) {
            const auto before = mallinfo2().hblks;
            const c10::DataPtr block = take(bytes);
            return mallinfo2().hblks > before;
        };
        begin(2);
        QVERIFY(isOfKernel(30 * mebibyte));
        begin(1);
        QVERIFY(isOfKernel(24 * mebibyte));
        begin(2);
        QVERIFY(isOfKernel(30 * mebibyte));
        QVERIFY(!isOfKernel(24 * mebibyte));
    }

    void failsOneAllocationOnDemand()
    {
        m_allocator.failAllocation(3);
        const c10::DataPtr first = take(1);
        const c10::DataPtr second = take(1);
        QVERIFY_THROWS_EXCEPTION(c10::OutOfMemoryError, take(1));
        QVERIFY(take(1).get());
    }

    void reservesMemoryInAdditionToTensors()
    {
        QCOMPARE(tensorBytesWithin(0), 0);
        QCOMPARE(tensorBytesWithin(200 * mebibyte), 0);
        QCOMPARE(tensorBytesWithin(1300 * mebibyte), 1000 * mebibyte);
    }
};

BATCHPEAK_TEST(BudgetAllocatorTest)
#include "tst_budget_allocator.moc"
