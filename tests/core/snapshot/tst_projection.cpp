// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/projection.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak;
using engine::Snapshot;
using search::Objective;

namespace {

// 1 ms a message and 1 GB/s.
const trial::Link link{
    .processes = 2, .alphaSeconds = 1e-3, .betaSecondsPerByte = 1e-9, .relativeError = 0.05};

trial::TrialRecord trialOf(std::int64_t size, double seconds, std::optional<double> reduction)
{
    return {.microBatchSize = size,
            .outcome = trial::Outcome::Ok,
            .secondsPerStep = seconds,
            .optimizerSeconds = 0.1,
            .reductionSeconds = reduction};
}

/// A run of 1,024 samples on that many devices, of which two processes took the steps. A micro-batch of 4
/// takes 0.5 s, one of 8 takes 0.9 s, and 25 million parameters are 100 MB of gradients.
Snapshot snapshotOf(std::int64_t devices, Objective objective, std::optional<double> reduction)
{
    Snapshot snapshot;
    snapshot.run = engine::RunDescription{.parameters = 25'000'000, .processes = 2, .objective = objective};
    snapshot.run->plan = {.globalBatchSize = 1024, .devices = devices};
    snapshot.devices = {engine::DeviceSnapshot{.id = QStringLiteral("cuda:0-1"), .link = link}};
    snapshot.trials = {trialOf(4, 0.5, reduction), trialOf(8, 0.9, reduction)};
    return snapshot;
}

} // namespace

class ProjectionTest : public QObject
{
    Q_OBJECT

private slots:
    void timesARing()
    {
        QCOMPARE(engine::ringSeconds(link, 1e8, 2), 1e-3 + 0.05);
        QCOMPARE(engine::ringSeconds(link, 1e8, 4), 3 * (1e-3 + 0.025));
        QCOMPARE(engine::ringSeconds(link, 1e8, 1), 0.0);
    }

    void projectsTheReduction_data()
    {
        // From 2 to 8 processes: a round around the ring takes 7 * (1 ms + 12.5 ms) instead of 51 ms.
        constexpr double more = 7 * 0.0135 - 0.051;
        rows<Objective, double, double>(
            {{"once in a step", {Objective::Effective, 0.05, 8 * 128 / (16 * 0.85 + 0.05 + 2 * more + 0.1)}},
             {"in each micro-batch", {Objective::Effective, 0.0, 8 * 128 / (16 * (0.9 + 3 * more) + 0.1)}},
             {"of a micro-batch", {Objective::Micro, 0.2, 8 * 8 / (0.9 + 2 * more)}}});
    }
    void projectsTheReduction()
    {
        const auto& [objective, reduction, speed] = row<Objective, double, double>();
        const auto projection = engine::projectionOf(
            snapshotOf(8, objective, reduction > 0.0 ? std::optional(reduction) : std::nullopt));
        QVERIFY(projection);
        QCOMPARE(projection->processes, 8);
        QCOMPARE(projection->microBatchSize, 8);
        QCOMPARE(projection->samplesPerSecond, speed);
    }

    void projectsOnlyToMore_data()
    {
        rows<int, bool>({{"as measured", {2, false}},
                         {"one more", {3, true}},
                         {"the most", {1024, true}},
                         {"beyond", {1025, false}}});
    }
    void projectsOnlyToMore()
    {
        const auto& [devices, isProjected] = row<int, bool>();
        const Snapshot snapshot = snapshotOf(devices, Objective::Effective, 0.2);
        QCOMPARE(engine::projectionOf(snapshot).has_value(), isProjected);
        QCOMPARE(!engine::projectionText(snapshot).isEmpty(), isProjected);
    }

    void needsALink()
    {
        Snapshot snapshot = snapshotOf(8, Objective::Effective, 0.2);
        snapshot.devices.front().link.reset();
        QVERIFY(!engine::projectionOf(snapshot));
    }
};

BATCHPEAK_TEST(ProjectionTest)
#include "tst_projection.moc"
