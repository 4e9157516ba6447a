// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration_harness.h"
#include "support/event_spy.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "workers/device_lease.h"

#include <QTest>

#include <functional>

using namespace batchpeak;
using engine::DeviceLease;
using test::ExplorationHarness;
using test::row;
using test::rows;
using Holder = DeviceLease::Holder;
using Holders = std::vector<std::optional<Holder>>;

namespace {

/// Records the holder after each change of the lease.
Holders& watched(const DeviceLease& lease, Holders& holders)
{
    QObject::connect(&lease, &DeviceLease::changed, &lease, [&] { holders.push_back(lease.holder()); });
    return holders;
}

} // namespace

/// Tests which run may use the devices, and every way in which an exploration releases them.
class DeviceLeaseTest : public QObject
{
    Q_OBJECT

private slots:
    void hasOneHolder()
    {
        DeviceLease lease;
        QVERIFY(!lease.holder());
        DeviceLease::Hold hold = lease.take(Holder::Training);
        QCOMPARE(lease.holder(), Holder::Training);
        for (const Holder asking : {Holder::Exploration, Holder::Training, Holder::Confirmation})
            QVERIFY_THROWS_EXCEPTION(engine::DeviceInUse, lease.take(asking));
        QCOMPARE(lease.holder(), Holder::Training);
        hold.reset();
        QVERIFY(!lease.holder());
        hold = lease.take(Holder::Confirmation);
        QCOMPARE(lease.holder(), Holder::Confirmation);
    }

    void explainsTheObstacle_data()
    {
        rows<Holder, const char*>(
            {{"exploration",
              {Holder::Exploration, "An exploration uses the device. Stop it, or wait until it has ended."}},
             {"training", {Holder::Training, "A training run uses the device. Stop it first."}},
             {"confirmation",
              {Holder::Confirmation,
               "The recommendation is being confirmed, which uses the device. Stop that first."}}});
    }
    void explainsTheObstacle()
    {
        const auto& [holder, sentence] = row<Holder, const char*>();
        DeviceLease lease;
        QCOMPARE(lease.obstacleFor(Holder::Exploration), QString());
        const DeviceLease::Hold hold = lease.take(holder);
        for (const Holder asking : {Holder::Exploration, Holder::Training, Holder::Confirmation})
            QCOMPARE(lease.obstacleFor(asking), asking == holder ? QString() : QLatin1String(sentence));
        try {
            lease.take(holder);
            QFAIL("It was taken twice.");
        } catch (const engine::DeviceInUse& error) {
            QCOMPARE(error.sentence(), QLatin1String(sentence));
            QCOMPARE(error.holder(), holder);
        }
    }

    void isReleasedAtTheEnd_data()
    {
        using Options = engine::ExplorationOptions;
        const auto asDefault = [](Options&) {};
        rows<const char*, std::function<void(Options&)>>(
            {{"all is well", {"", asDefault}},
             {"verified", {"", [](Options& options) { options.verify = true; }}},
             {"nothing fits", {"slope=1900000000", asDefault}},
             {"no trial gives a result", {"trial=unsupported", asDefault}},
             {"its worker crashes in each trial", {"trial=kill", asDefault}},
             {"its worker does not start", {"start=exit", asDefault}},
             {"there is no such program",
              {"", [](Options& options) { options.workerCommand = QStringLiteral("/no/such/worker"); }}},
             {"there is no such device",
              {"", [](Options& options) { options.devices = {QStringLiteral("cuda:7")}; }}}});
    }
    void isReleasedAtTheEnd()
    {
        const auto& [words, change] = row<const char*, std::function<void(engine::ExplorationOptions&)>>();
        ExplorationHarness harness(words);
        change(harness.options);
        Holders holders;
        watched(*harness.parts.lease, holders);
        bool isFreeAtTheEnd = false;
        engine::onEvent<engine::Finished>(harness.exploration(), this, [&](const auto&) {
            isFreeAtTheEnd = !harness.parts.lease->holder();
        });
        QVERIFY(harness.runToEnd());
        QVERIFY(isFreeAtTheEnd);
        QCOMPARE(holders, (Holders{Holder::Exploration, std::nullopt}));
    }

    void isReleasedAfterAStop()
    {
        ExplorationHarness harness("trial=hang");
        test::EventSpy<engine::TrialStarted> started(harness.exploration());
        test::EventSpy<engine::Finished> ended(harness.exploration());
        harness.exploration().start();
        QVERIFY(started.wait(30000));
        harness.exploration().stop();
        // Its worker is still being ended.
        QCOMPARE(harness.parts.lease->holder(), Holder::Exploration);
        QVERIFY(ended.wait(30000));
        QVERIFY(!harness.parts.lease->holder());
    }

    void isReleasedWhenTheExplorationIsDestroyed()
    {
        ExplorationHarness harness("trial=hang");
        test::EventSpy<engine::TrialStarted> started(harness.exploration());
        harness.exploration().start();
        QVERIFY(started.wait(30000));
        bool isNoWorkerLeft = false;
        connect(harness.parts.lease.get(), &DeviceLease::changed, this,
                [&] { isNoWorkerLeft = harness.isNoWorkerLeft(); });
        harness.destroyExploration();
        QVERIFY(!harness.parts.lease->holder());
        QVERIFY(isNoWorkerLeft);
    }

    void isTakenAtEachStart()
    {
        ExplorationHarness harness;
        Holders holders;
        watched(*harness.parts.lease, holders);
        QVERIFY(harness.runToEnd());
        QVERIFY(harness.runToEnd());
        QCOMPARE(holders, (Holders{Holder::Exploration, std::nullopt, Holder::Exploration, std::nullopt}));
    }

    void isRequiredToStartAnExploration()
    {
        ExplorationHarness harness;
        DeviceLease::Hold hold = harness.parts.lease->take(Holder::Confirmation);
        QVERIFY_THROWS_EXCEPTION(engine::DeviceInUse, harness.exploration().start());
        QCOMPARE(harness.snapshot().state, engine::State::Idle);
        QCOMPARE(harness.parts.lease->holder(), Holder::Confirmation);
        hold.reset();
        QVERIFY(harness.runToEnd());
        QCOMPARE(harness.trials(), QStringLiteral("1 ok, 2 ok, 4 ok"));
    }

    void keepsAFinishedExplorationIfNoneCanStart()
    {
        ExplorationHarness harness;
        QVERIFY(harness.runToEnd());
        const DeviceLease::Hold hold = harness.parts.lease->take(Holder::Training);
        QVERIFY_THROWS_EXCEPTION(engine::DeviceInUse, harness.exploration().start());
        QCOMPARE(harness.snapshot().state, engine::State::Finished);
        QCOMPARE(harness.trials(), QStringLiteral("1 ok, 2 ok, 4 ok"));
    }
};

BATCHPEAK_TEST(DeviceLeaseTest)
#include "tst_device_lease.moc"
