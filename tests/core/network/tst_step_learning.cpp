// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "network/cpu_device_memory.h"
#include "step_requests.h"
#include "step_runs.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <QTest>

#include <cmath>

using namespace batchpeak;
using namespace batchpeak::network;

/// Tests that steps of every network learn, with each option that a request can set.
class StepLearningTest : public QObject
{
    Q_OBJECT

private:
    CpuDeviceMemory m_memory;

private slots:
    void learns_data()
    {
        addRequests();
        addSharedNetworks();
    }
    void learns()
    {
        const auto& [request, choices] = row<Asked>();
        StepRunner runner(request, m_memory);
        runner.prepare(samples);
        runner.run(1);
        const double first = runner.loss();
        // In an untrained network, all classes are about equally probable.
        QVERIFY2(std::abs(first - std::log(choices)) < 0.3, qPrintable(QString::number(first)));
        // The loop runs to twice the decrease that is verified, so that random dropout does not pass as
        // learning.
        const bool trains = request.phase == model::Phase::Train;
        for (int step = 0; step < (trains ? 40 : 5) && runner.loss() > first - 0.02; ++step)
            runner.run(1);
        const double last = runner.loss();
        QVERIFY(std::isfinite(last));
        // Sums over samples in another order round differently.
        if (request.phase == model::Phase::Eval)
            VERIFY_BELOW(std::abs(last / first - 1), 1e-5);
        else
            QVERIFY2(last < first - 0.01, qPrintable(QString::number(last)));
    }
};

BATCHPEAK_TEST(StepLearningTest)
#include "tst_step_learning.moc"
