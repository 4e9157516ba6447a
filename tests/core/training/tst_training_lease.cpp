// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/event_spy.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "training/confirmation_run.h"
#include "training_harness.h"
#include "workers/device_lease.h"

#include <QTest>

#include <functional>

using namespace batchpeak;
using engine::DeviceLease;
using test::row;
using test::rows;
using test::TrainingHarness;
using training::ConfirmationRun;
using training::TrainingOptions;
using Holder = DeviceLease::Holder;
using Holders = std::vector<std::optional<Holder>>;

namespace {

/// Two sizes that divide a batch of 64.
const std::vector<engine::PredictedSize> twoSizes{
    {.microBatchSize = 16, .accumulationSteps = 4, .samplesPerSecond = 1000.0},
    {.microBatchSize = 8, .accumulationSteps = 8, .samplesPerSecond = 900.0}};

} // namespace

/// Tests every way in which a training run and a confirmation run release the device that they have taken.
class TrainingLeaseTest : public QObject
{
    Q_OBJECT

    Holders m_holders;

    void watch(const DeviceLease& lease)
    {
        m_holders.clear();
        connect(&lease, &DeviceLease::changed, this, [&] { m_holders.push_back(lease.holder()); });
    }

    static void start(ConfirmationRun& run, const TrainingHarness& harness)
    {
        run.start(QStringLiteral("config.yaml"), harness.contents, harness.options, twoSizes, 2);
    }

private slots:
    void trainingReleasesTheDeviceAtTheEnd_data()
    {
        const auto asDefault = [](TrainingOptions&) {};
        rows<const char*, std::function<void(TrainingOptions&)>>(
            {{"all is well", {"", asDefault}},
             {"after a search for the maximum",
              {"", [](TrainingOptions& options) { options.maximum = training::MaximumWay::Binary; }}},
             {"nothing fits", {"slope=1950000000", asDefault}},
             {"nothing fits in the search for the maximum",
              {"slope=1950000000",
               [](TrainingOptions& options) { options.maximum = training::MaximumWay::Binary; }}},
             {"a batch fails", {"batch=failed#2", asDefault}},
             {"its worker crashes", {"batch=abort#3", asDefault}},
             {"its worker does not start", {"start=exit", asDefault}}});
    }
    void trainingReleasesTheDeviceAtTheEnd()
    {
        const auto& [words, change] = row<const char*, std::function<void(TrainingOptions&)>>();
        TrainingHarness harness(words);
        change(harness.options);
        watch(*harness.parts.lease);
        bool isFreeAtTheEnd = false;
        engine::onEvent<training::TrainingFinished>(
            harness.run(), this, [&](const auto&) { isFreeAtTheEnd = !harness.parts.lease->holder(); });
        QVERIFY(harness.runToEnd());
        QVERIFY(isFreeAtTheEnd);
        QCOMPARE(m_holders, (Holders{Holder::Training, std::nullopt}));
    }

    void trainingReleasesTheDeviceWhenStopped()
    {
        TrainingHarness harness;
        harness.options.steps = 1000;
        engine::onEvent<training::StepDone>(harness.run(), this, [&](const auto&) { harness.run().stop(); });
        QVERIFY(harness.runToEnd());
        QCOMPARE(harness.snapshot().end, training::TrainingEnd::Interrupted);
        QVERIFY(!harness.parts.lease->holder());
    }

    void trainingReleasesTheDeviceWhenDestroyed()
    {
        TrainingHarness harness("batch=hang#2");
        test::EventSpy<training::StepDone> stepDone(harness.run());
        harness.run().start();
        QVERIFY(stepDone.wait(30000));
        bool isNoWorkerLeft = false;
        connect(harness.parts.lease.get(), &DeviceLease::changed, this,
                [&] { isNoWorkerLeft = harness.isNoWorkerLeft(); });
        harness.destroyRun();
        QVERIFY(!harness.parts.lease->holder());
        QVERIFY(isNoWorkerLeft);
    }

    void trainingDoesNotStartWithoutTheDevice()
    {
        TrainingHarness harness;
        DeviceLease::Hold hold = harness.parts.lease->take(Holder::Exploration);
        QVERIFY_THROWS_EXCEPTION(engine::DeviceInUse, harness.run().start());
        QCOMPARE(harness.snapshot().state, training::TrainingState::Idle);
        QCOMPARE(harness.parts.lease->holder(), Holder::Exploration);
        hold.reset();
        QVERIFY(harness.runToEnd());
        QCOMPARE(harness.snapshot().end, training::TrainingEnd::Completed);
    }

    void confirmationReleasesTheDeviceAtTheEnd_data()
    {
        rows<const char*>({{"all is well", ""},
                           {"neither size fits", "batch=oom"},
                           {"memory stays lost", "batch=lost-memory@16"},
                           {"a step fails", "batch=failed#6"},
                           {"its worker crashes", "batch=abort#6"},
                           {"its worker does not start", "start=exit"}});
    }
    void confirmationReleasesTheDeviceAtTheEnd()
    {
        const TrainingHarness harness(row<const char*>());
        watch(*harness.parts.lease);
        ConfirmationRun run(harness.parts);
        bool isFreeAtTheEnd = false;
        connect(&run, &ConfirmationRun::finished, this,
                [&] { isFreeAtTheEnd = !harness.parts.lease->holder(); });
        QSignalSpy finished(&run, &ConfirmationRun::finished);
        start(run, harness);
        QVERIFY(finished.count() > 0 || finished.wait(30000));
        QVERIFY(isFreeAtTheEnd);
        QCOMPARE(m_holders, (Holders{Holder::Confirmation, std::nullopt}));
    }

    void confirmationReleasesTheDeviceWhenStopped()
    {
        const TrainingHarness harness("load=silent");
        ConfirmationRun run(harness.parts);
        QSignalSpy finished(&run, &ConfirmationRun::finished);
        start(run, harness);
        run.stop();
        QVERIFY(finished.count() > 0 || finished.wait(30000));
        QVERIFY(!harness.parts.lease->holder());
    }

    void confirmationReleasesTheDeviceWhenDestroyed()
    {
        const TrainingHarness harness("load=silent");
        auto run = std::make_unique<ConfirmationRun>(harness.parts);
        start(*run, harness);
        QCOMPARE(harness.parts.lease->holder(), Holder::Confirmation);
        run.reset();
        QVERIFY(!harness.parts.lease->holder());
    }

    void confirmationTakesNoDeviceIfItsSetupFails()
    {
        TrainingHarness harness;
        harness.options.run.devices = {QStringLiteral("cuda:7")};
        ConfirmationRun run(harness.parts);
        QVERIFY_THROWS_EXCEPTION(engine::ExplorationError, start(run, harness));
        QVERIFY(!harness.parts.lease->holder());
    }

    void confirmationDoesNotStartWithoutTheDevice()
    {
        const TrainingHarness harness;
        const DeviceLease::Hold hold = harness.parts.lease->take(Holder::Training);
        ConfirmationRun run(harness.parts);
        QVERIFY_THROWS_EXCEPTION(engine::DeviceInUse, start(run, harness));
        QVERIFY(!run.snapshot().isRunning);
        QCOMPARE(harness.parts.lease->holder(), Holder::Training);
    }
};

BATCHPEAK_TEST(TrainingLeaseTest)
#include "tst_training_lease.moc"
