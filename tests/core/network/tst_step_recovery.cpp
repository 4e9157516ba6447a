// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "allocation_sites.h"
#include "kernel_choice.h"
#include "network/budget_allocator.h"
#include "network/cpu_device_memory.h"
#include "network/networks/network_factory.h"
#include "step_requests.h"
#include "step_runs.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <QTest>

#include <cmath>
#include <vector>

using namespace batchpeak;
using namespace batchpeak::network;

namespace {

/// Returns the allocation sites of the second step: in the first, libraries allocate memory that they keep.
std::vector<AllocationSites::Site> sitesOfStep(const LoadRequest& request, DeviceMemory& memory)
{
    StepRunner runner(request, memory);
    runner.prepare(samples);
    runner.run(1);
    const AllocationSites step;
    runner.prepare(samples);
    runner.run(1);
    return step.sites();
}

} // namespace

/// Tests that a step that runs out of memory leaves no trace, whichever allocation failed.
class StepRecoveryTest : public QObject
{
    Q_OBJECT

private:
    CpuDeviceMemory m_memory;

private slots:
    void cleanup()
    {
        BudgetAllocator::installed().failAllocation(0);
        m_memory.setLimit(0);
        m_memory.emptyCache();
        // Each test frees all its memory, so that the next one starts from the same bytes.
        QCOMPARE(m_memory.allocatedBytes(), 0);
    }

    // failingAllocations() lets each allocation site fail once, in the first row that reaches it.
    void recoversFromEveryAllocation_data() { addRequests(); }
    void recoversFromEveryAllocation()
    {
        LoadRequest request = row<Asked>().request;
        request.model.architecture = withOneLayer(request.model.architecture);
        const std::vector<AllocationSites::Site> sites = sitesOfStep(request, m_memory);
        std::vector<std::int64_t> numbers = failingAllocations(sites);
        std::vector<double> losses;
        int failures = 0;
        {
            StepRunner runner(request, m_memory);
            for (std::size_t i = 0;; ++i) {
                // With experts, a step may make more allocations than the previous one.
                if (i == numbers.size())
                    numbers.push_back(numbers.back() + 1);
                BudgetAllocator::installed().failAllocation(numbers[i]);
                const auto failure = failureOfStep(runner, m_memory);
                BudgetAllocator::installed().failAllocation(0);
                if (!failure) {
                    losses.push_back(runner.loss());
                    break;
                }
                QCOMPARE(failure->outcome, trial::Outcome::OutOfMemory);
                QVERIFY(!failure->sticky);
                QVERIFY(runner.recover());
                QCOMPARE(m_memory.allocatedBytes(), runner.baselineBytes());
                ++failures;
                // A check after every eighth failure suffices, since traces of a failure remain.
                if (failures % 8 != 1)
                    continue;
                QVERIFY(!failureOfStep(runner, m_memory));
                losses.push_back(runner.loss());
            }
        }
        // A module from a file makes few allocations in evaluation.
        QVERIFY(sites.size() > 5);
        QVERIFY(failures > 1);
        qInfo("%d failures recovered from, of %zu allocations", failures, sites.size());
        // A failed backward may have updated some parameters.
        if (request.step.updatesInBackward)
            return;
        const double bound = differenceOfLosses(request, usesMatrixUnit());
        const std::vector<double> undisturbed = lossesOf(request, static_cast<int>(losses.size()), m_memory);
        if (bound == 0.0 && losses != undisturbed && !isReproducible(request, undisturbed))
            QSKIP("the same steps do not give the same losses twice here, without any failure");
        if (bound == 0.0)
            QCOMPARE(losses, undisturbed);
        for (std::size_t i = 0; bound > 0.0 && i < losses.size(); ++i)
            VERIFY_BELOW(std::abs(losses[i] / undisturbed[i] - 1.0), bound);
    }

private:
    /// Whether repeated runs of the same steps have these losses. A ResNet in channels_last has others in
    /// each run with four threads and without AVX-512.
    bool isReproducible(const LoadRequest& request, const std::vector<double>& losses)
    {
        constexpr int attempts = 8;
        for (int attempt = 0; attempt < attempts; ++attempt) {
            if (lossesOf(request, static_cast<int>(losses.size()), m_memory) != losses)
                return false;
        }
        return true;
    }

private slots:
    void toleratesOnlyDifferencesOfKernels_data()
    {
        using model::Precision;
        rows<Precision, bool, double>({{"fp32", {Precision::Fp32, true, 0.0}},
                                       {"bf16", {Precision::Bf16, true, 0x1p-10}},
                                       {"plain bf16", {Precision::PlainBf16, true, 0x1p-10}},
                                       {"bf16 without a matrix unit", {Precision::Bf16, false, 0.0}}});
    }
    void toleratesOnlyDifferencesOfKernels()
    {
        const auto& [precision, hasMatrixUnit, bound] = row<model::Precision, bool, double>();
        const LoadRequest request = tinyRequest(tinyGpt(), model::Phase::Train, precision);
        QCOMPARE(differenceOfLosses(request, hasMatrixUnit), bound);
    }
};

BATCHPEAK_TEST(StepRecoveryTest)
#include "tst_step_recovery.moc"
