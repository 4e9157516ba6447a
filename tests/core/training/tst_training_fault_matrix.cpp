// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/predicted_sizes.h"
#include "support/fake_parts.h"
#include "support/fault_matrix.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "training/checkpoints/checkpoint_folder.h"
#include "training/confirmation_run.h"
#include "training_harness.h"

#include <QSignalSpy>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace batchpeak;
using namespace std::chrono_literals;
using test::faultsAt;
using test::LineFault;
using test::Particular;
using test::Station;
using test::TrainingHarness;
using training::ConfirmationRun;
using training::TrainingEnd;

namespace {

constexpr int stepsAsked = 4;
constexpr int confirmedSteps = 8;

/// Steps before the fault, and the step of the newest checkpoint by then.
struct Done
{
    int steps = 0;
    /// 0 for none.
    int checkpoint = 0;
};

struct TrainingStation
{
    Station station;
    Done done;
};

struct Row
{
    Station station;
    LineFault fault;
    Done done;
};

const QStringList numbersOfHello{
    QStringLiteral("/protocol"), QStringLiteral("/device/total_bytes"), QStringLiteral("/device/free_bytes"),
    QStringLiteral("/device/context_bytes"), QStringLiteral("/device/limit_bytes")};
const QStringList numbersOfLoaded{QStringLiteral("/parameters"), QStringLiteral("/baseline_bytes"),
                                  QStringLiteral("/limit_bytes")};
const QStringList numbersOfReady{QStringLiteral("/samples"), QStringLiteral("/held_out_samples"),
                                 QStringLiteral("/tokens_per_sample")};
const QStringList numbersOfStep{QStringLiteral("/index"), QStringLiteral("/seconds")};
const QStringList numbersOfBatch{QStringLiteral("/micro_batch_size"),
                                 QStringLiteral("/loss"),
                                 QStringLiteral("/seconds"),
                                 QStringLiteral("/optimizer_seconds"),
                                 QStringLiteral("/counted_targets"),
                                 QStringLiteral("/peak_allocated_bytes"),
                                 QStringLiteral("/peak_reserved_bytes"),
                                 QStringLiteral("/alloc_retries")};

std::vector<Particular> with(std::vector<Particular> some, const std::vector<Particular>& more)
{
    some.insert(some.end(), more.begin(), more.end());
    return some;
}

/// Returns the stations before the first batch, which training runs and confirmation runs share.
std::vector<Station> stationsOfStart(const Text& command, const std::vector<Particular>& ofReady)
{
    return {{command,
             "hello",
             "",
             "did not say hello",
             numbersOfHello,
             {{"duplicate", "said hello a second time", true}}},
            {command,
             "loaded",
             "",
             "did not load",
             numbersOfLoaded,
             {{"duplicate", "without being asked to", true}}},
            {command, "training_ready", "", "did not get ready to train", numbersOfReady,
             with({{"duplicate", "ready to train without being asked to be", true}}, ofReady)}};
}

const char* const refused = "does not keep to the trial protocol. The field";
/// Any number is a valid loss, but not every time is valid.
const std::vector<Particular> answersOtherwise{{"negative /loss", ""},
                                               {"huge /loss", ""},
                                               {"tiny /seconds", refused, true},
                                               {"huge /micro_batch_size", "for a size of 92", true},
                                               {"cancelled", "was canceled, which nobody asked for", true}};

/// Returns the stations of a training run with batches of 64 in four micro-batches and a checkpoint after
/// each second batch: requests 1, 2, 4 and 5 are batches, 3 and 6 save. Most faults are in the third batch.
std::vector<TrainingStation> stationsOfTrain()
{
    const char* silence = "no sign of life in the middle of a batch";
    const std::vector<Particular> twice{{"duplicate", ""}, {"stale", ""}};
    const std::vector<Particular> step = with(twice, {{"largest /index", ""},
                                                      {"flood", "reported steps without an end", true},
                                                      {"endless", silence, true}});
    std::vector<TrainingStation> all;
    const std::vector<Particular> unasked{{"largest /held_out_samples", "where 0 were asked for", true}};
    for (const Station& station : stationsOfStart("train", unasked))
        all.push_back({station, {}});
    all.push_back({{"train", "step", "#10", silence, numbersOfStep,
                    with(step, {{"wrong-id", "reported a step of batch 1004", true}})},
                   {.steps = 2, .checkpoint = 2}});
    all.push_back({{"train", "batch_result", "#3", silence, numbersOfBatch,
                    with(answersOtherwise, {{"wrong-id", "answered batch 1004", true},
                                            {"duplicate", "a late answer to batch 4 was left out"},
                                            {"stale", "a late answer to batch 2 was left out"}})},
                   {.steps = 2, .checkpoint = 2}});
    all.push_back({{"train",
                    "saved",
                    "#1",
                    "did not save the checkpoint within",
                    {QStringLiteral("/bytes")},
                    {{"wrong-id", "answered request 1003", true},
                     {"duplicate", "a late answer to request 3 was left out"}}},
                   {.steps = 2}});
    all.push_back({{"train", "log", "#4", silence, {}, twice}, {.steps = 2, .checkpoint = 2}});
    all.push_back({{"train", "error", "#4", silence, {}, twice}, {.steps = 2, .checkpoint = 2}});
    all.push_back({{"train", "bye"}, {}});
    // The evaluation follows the second step and precedes its checkpoint.
    all.push_back({{"evaluate", "batch_result", "#3", silence, numbersOfBatch,
                    with(answersOtherwise, {{"wrong-id", "answered batch 1003", true},
                                            {"duplicate", "a late answer to batch 3 was left out"},
                                            {"stale", "a late answer to batch 2 was left out"}})},
                   {.steps = 2}});
    return all;
}

/// Returns the stations of a confirmation run: four timed steps of each of two sizes, after three that are
/// not timed. Most faults are in the sixth step.
std::vector<TrainingStation> stationsOfConfirm()
{
    const char* silence = "no sign of life in the middle of a batch";
    const std::vector<Particular> twice{{"duplicate", ""}, {"stale", ""}};
    const std::vector<Particular> step = with(twice, {{"largest /index", ""},
                                                      {"flood", "reported steps without an end", true},
                                                      {"endless", silence, true}});
    std::vector<TrainingStation> all;
    // A confirmation run evaluates nothing.
    const std::vector<Particular> unasked{{"largest /held_out_samples", ""}};
    for (const Station& station : stationsOfStart("confirm", unasked))
        all.push_back({station, {}});
    all.push_back({{"confirm", "step", "#26", silence, numbersOfStep,
                    with(step, {{"wrong-id", "reported a step of batch 1006", true}})},
                   {.steps = 1}});
    all.push_back({{"confirm", "batch_result", "#6", silence, numbersOfBatch,
                    with(answersOtherwise, {{"wrong-id", "answered batch 1006", true},
                                            {"duplicate", "a late answer to batch 6 was left out"},
                                            {"stale", "a late answer to batch 5 was left out"}})},
                   {.steps = 1}});
    all.push_back({{"confirm", "log", "#6", silence, {}, twice}, {.steps = 1}});
    all.push_back({{"confirm", "bye"}, {}});
    return all;
}

Text wordsOf(const Row& row)
{
    const bool chats =
        row.station.message == QLatin1String("log") || row.station.message == QLatin1String("error");
    return row.fault.wordAt(row.station) + (chats ? QStringLiteral(" chat") : QString());
}

/// Shortens the timeouts that a silent worker reaches. All others are long enough for a busy computer.
void shortenWaits(const Row& row, engine::WorkerTimeouts& timeouts)
{
    timeouts.quit = timeouts.terminate = 10s;
    if (!row.fault.isSilence())
        return;
    timeouts.quit = timeouts.terminate = 50ms;
    const QString& message = row.station.message;
    if (message == QLatin1String("hello"))
        timeouts.startUp = 300ms;
    else if (message == QLatin1String("loaded"))
        timeouts.load = 300ms;
    else if (message == QLatin1String("training_ready"))
        timeouts.training = 300ms;
    else if (message == QLatin1String("saved"))
        timeouts.save = 300ms;
    else if (message != QLatin1String("bye"))
        timeouts.batch = 500ms;
}

/// Returns the time of a step of the fake worker.
double secondsOfStep(std::int64_t microBatches)
{
    return 0.01 * static_cast<double>(microBatches) + 0.001 * 64 + 0.002;
}

bool isAbout(double value, double expected)
{
    return std::abs(value - expected) <= 1e-9 * expected;
}

/// Returns the step of the newest checkpoint from which a training can resume; 0 for none.
int checkpointIn(const QString& folder)
{
    try {
        return static_cast<int>(training::CheckpointFolder(folder).newest().state.step);
    } catch (const config::ConfigError&) {
        return 0;
    }
}

std::vector<engine::PredictedSize> sizesToConfirm()
{
    engine::Snapshot exploration;
    exploration.run = engine::RunDescription{};
    exploration.run->plan.globalBatchSize = 64;
    exploration.searchState.recommendation = search::Recommendation{.size = 16};
    for (const std::int64_t size : {1, 8, 16})
        exploration.trials.push_back({.microBatchSize = size,
                                      .outcome = trial::Outcome::Ok,
                                      .relativeError = 0.001,
                                      .secondsPerStep = 0.01 + 0.001 * static_cast<double>(size),
                                      .optimizerSeconds = 0.002,
                                      .timedSteps = 5,
                                      .wallSeconds = 1.0});
    return engine::predictedSizes(exploration);
}

template<typename Stations>
void addRows(const Stations& stations)
{
    const auto add = rows<Row>();
    for (const auto& [station, done] : stations) {
        for (const LineFault& fault : faultsAt(station))
            add(QStringLiteral("%1 %2: %3")
                    .arg(station.command, station.message, fault.title())
                    .toStdString(),
                {.station = station, .fault = fault, .done = done});
    }
}

} // namespace

/// Tests the fault matrix of training runs and of confirmation runs: every fault of a worker, in place of a
/// message or in one, ends as docs/trial-protocol.md specifies, no step is counted that was not done, and a
/// checkpoint is either complete or absent.
class TrainingFaultMatrixTest : public QObject
{
    Q_OBJECT

private slots:
    void trainingEndsAsSpecified_data() { addRows(stationsOfTrain()); }
    void trainingEndsAsSpecified()
    {
        const auto& [station, fault, done] = row<Row>();
        TrainingHarness harness(wordsOf(row<Row>()));
        shortenWaits(row<Row>(), harness.parts.timeouts);
        harness.options.run.setting = config::Fixed{.microBatchSize = 16};
        harness.options.checkpointFolder = harness.path(QStringLiteral("checkpoints"));
        harness.options.checkpointEvery = 2;
        if (station.command == QLatin1String("evaluate")) {
            harness.options.evaluateEvery = 2;
            harness.options.evaluationBatches = 1;
        }
        std::int64_t fewest = 0;
        std::int64_t max = 0;
        connect(&harness.run(), &training::TrainingRun::snapshotChanged, this,
                [&](const training::TrainingSnapshot& now) {
                    fewest = std::min(fewest, now.microBatchesDone);
                    max = std::max(max, now.microBatchesDone);
                });
        QVERIFY2(harness.runToEnd(), qPrintable(harness.log()));
        QVERIFY(fewest == 0 && max <= 4);

        const training::TrainingSnapshot& snapshot = harness.snapshot();
        const QString log = harness.log();
        VERIFY_CONTAINS(log, fault.said);
        QVERIFY2(snapshot.end == (fault.doesHarm ? TrainingEnd::Failed : TrainingEnd::Completed),
                 qPrintable(log));
        QCOMPARE(snapshot.failure.isEmpty(), !fault.doesHarm);
        // A message directly before the end of the worker counts.
        const bool endsAfterMessage = fault.name == QLatin1String("end-after");
        const bool endsBatch =
            station.command == QLatin1String("train") && station.message == QLatin1String("batch_result");
        // The checkpoint of the second step is saved; an evaluation precedes it.
        const bool isSaved = endsAfterMessage && station.message == QLatin1String("saved");
        QCOMPARE(static_cast<int>(snapshot.steps.size()),
                 fault.doesHarm ? done.steps + (endsAfterMessage && endsBatch ? 1 : 0) : stepsAsked);
        QCOMPARE(checkpointIn(harness.options.checkpointFolder), !fault.doesHarm ? stepsAsked
                                                                 : isSaved       ? done.steps
                                                                                 : done.checkpoint);
        for (const training::StepRecord& step : snapshot.steps) {
            QVERIFY(isAbout(step.seconds, secondsOfStep(4)));
            QVERIFY(isAbout(step.samplesPerSecond, 64 / secondsOfStep(4)));
            QCOMPARE(step.peakReservedBytes, 260'000'000);
            QCOMPARE(step.allocationRetries, 0);
        }
        QCOMPARE(harness.finishedSignals(), 1);
        QVERIFY(harness.isNoWorkerLeft());
    }

    void confirmationEndsAsSpecified_data() { addRows(stationsOfConfirm()); }
    void confirmationEndsAsSpecified()
    {
        const auto& [station, fault, done] = row<Row>();
        engine::ExplorationParts parts = test::fakeParts();
        shortenWaits(row<Row>(), parts.timeouts);
        ConfirmationRun run(parts);
        QTemporaryDir folder;
        training::TrainingOptions options;
        options.run.workerCommand = test::fakeWorkerCommand(wordsOf(row<Row>()), folder);
        QStringList log;
        connect(&run, &ConfirmationRun::logged, this,
                [&log](engine::LogLevel, const QString& text) { log.append(text); });
        QSignalSpy finished(&run, &ConfirmationRun::finished);
        run.start(QStringLiteral("config.yaml"), test::smallConfig(64), options, sizesToConfirm(), 4);
        QVERIFY(finished.count() > 0 || finished.wait(30'000));

        const training::ConfirmationSnapshot& snapshot = run.snapshot();
        VERIFY_CONTAINS(snapshot.failure + log.join(QLatin1Char('\n')), fault.said);
        QCOMPARE(snapshot.failure.isEmpty(), !fault.doesHarm);
        QCOMPARE(snapshot.stepsDone, fault.doesHarm ? done.steps : confirmedSteps);
        for (const training::ConfirmedSize& size : snapshot.sizes) {
            if (!size.achievedSamplesPerSecond)
                continue;
            const double speed = 64 / secondsOfStep(size.predicted.accumulationSteps);
            QVERIFY(isAbout(*size.achievedSamplesPerSecond, speed));
            QVERIFY(isAbout(*size.meanSamplesPerSecond, speed));
            QCOMPARE(size.peakReservedBytes, 100'000'000 + 10'000'000 * size.predicted.microBatchSize);
        }
        QCOMPARE(finished.count(), 1);
        QVERIFY(!snapshot.isRunning && !snapshot.isStopped);
    }

    void cleanup()
    {
        if (QTest::currentDataTag())
            m_table.add(row<Row>().station, row<Row>().fault, !QTest::currentTestFailed());
    }

    void cleanupTestCase() { std::printf("%s\n", qPrintable(m_table.text())); }

private:
    test::FaultTable m_table;
};

BATCHPEAK_TEST(TrainingFaultMatrixTest)
#include "tst_training_fault_matrix.moc"
