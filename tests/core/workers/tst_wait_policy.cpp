// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/files.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "workers/device_runner.h"
#include "workers/wait_policy.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <optional>
#include <set>
#include <vector>

using namespace batchpeak;
using engine::DeviceRunner;
using engine::WaitPolicy;

namespace {

struct Case
{
    std::vector<double> readings;
    bool sleeps = false;
};

struct StartCase
{
    /// Processors that other programs use; no value if the worker keeps its default policy.
    std::optional<double> others;
    /// OMP_WAIT_POLICY of each worker that was started.
    QByteArray policies;

    decltype(engine::DeviceSetup::processorReadings) readings() const
    {
        if (!others)
            return {};
        return [taken = *others](const std::set<std::int64_t>&) {
            return device::DeviceReadings{.otherProcessors = taken};
        };
    }
};

std::vector<double> thenCalm(int readings)
{
    std::vector<double> all{1.0, 1.0};
    all.resize(all.size() + static_cast<std::size_t>(readings), 0.05);
    return all;
}

} // namespace

/// Tests how the threads of a worker wait while other programs run.
class WaitPolicyTest : public QObject
{
    Q_OBJECT

private slots:
    void followsTheReadings_data()
    {
        rows<Case>(
            {{"none yet", {}},
             {"a desktop at rest", {.readings = {0.1, 0.2, 0.1, 0.3}}},
             {"a burst", {.readings = {1.0, 0.1, 1.0, 0.1}}},
             {"another program", {.readings = {1.0, 0.9}, .sleeps = true}},
             {"it leaves", {.readings = thenCalm(9), .sleeps = true}},
             {"it has left", {.readings = thenCalm(10)}},
             {"it computes little",
              {.readings = {1.0, 1.0, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3}, .sleeps = true}}});
    }
    void followsTheReadings()
    {
        WaitPolicy policy;
        for (const double reading : row<Case>().readings)
            policy.look(reading);
        QCOMPARE(policy.sleeps(), row<Case>().sleeps);
        QCOMPARE(policy.environment().isEmpty(), !row<Case>().sleeps);
    }

    void restartsTheWorkerWithAnotherPolicy_data()
    {
        rows<StartCase>({{"own worker", {.others = 0.0, .policies = "<>\n<PASSIVE>\n"}},
                         {"with another program from the start", {.others = 1.0, .policies = "<PASSIVE>\n"}},
                         {"another worker", {.policies = "<>\n"}}});
    }
    void restartsTheWorkerWithAnotherPolicy()
    {
        const auto start = row<StartCase>();
        const QTemporaryDir folder;
        const QString policies = folder.filePath(QStringLiteral("heard"));
        const QString script = QStringLiteral("echo \"<$OMP_WAIT_POLICY>\" >> '%1'; exec '%2'")
                                   .arg(policies, QStringLiteral(BATCHPEAK_FAKE_WORKER));
        DeviceRunner runner(
            {.id = QStringLiteral("cpu"),
             .command = {.program = QStringLiteral("/bin/sh"), .arguments = {QStringLiteral("-c"), script}},
             .processorReadings = start.readings(),
             .load = {.model = {.family = "gpt2"}, .sequenceLength = 1}});
        const QSignalSpy ready(&runner, &DeviceRunner::ready);
        runner.start();
        TRY_COMPARE(ready.count(), 1);
        QVERIFY(!runner.renewForCompany());
        for (int reading = 0; reading < 2; ++reading)
            runner.setTelemetry({.otherProcessors = 1.0});
        if (runner.renewForCompany())
            TRY_COMPARE(ready.count(), 2);
        QCOMPARE(test::readFile(policies), start.policies);
        QVERIFY(!runner.renewForCompany());
        const QSignalSpy ended(&runner, &DeviceRunner::ended);
        runner.end();
        TRY_COMPARE(ended.count(), 1);
    }
};

BATCHPEAK_TEST(WaitPolicyTest)
#include "tst_wait_policy.moc"
