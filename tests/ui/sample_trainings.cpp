// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sample_trainings.h"

#include "sample_snapshots.h"

#include <cmath>
#include <limits>

namespace batchpeak::test {

using namespace batchpeak::training;
using accumulation::GrowthDecision;

namespace {

constexpr std::int64_t batch = 1536;
constexpr std::int64_t tokens = 1024;

// Returns pseudorandom noise between -1 and 1, the same in every run.
double noiseOf(std::int64_t step)
{
    const double turns = std::sin(static_cast<double>(step) * 12.9898) * 43758.5453;
    return 2.0 * (turns - std::floor(turns)) - 1.0;
}

double lossAt(std::int64_t step)
{
    const auto real = static_cast<double>(step);
    return 2.6 + 7.9 * std::exp(-real / 38.0) + 0.6 * std::exp(-real / 400.0);
}

StepRecord stepAt(std::int64_t step, std::int64_t microBatchSize, std::int64_t batchSize = batch)
{
    const auto real = static_cast<double>(microBatchSize);
    const double warmUp = step == 1 ? 0.55 : 1.0;
    const double rate = throughputAt(real) * 0.97 * warmUp * (1.0 + 0.012 * noiseOf(step));
    return {.step = step,
            .batchSize = batchSize,
            .microBatchSize = microBatchSize,
            .accumulationSteps = (batchSize + microBatchSize - 1) / microBatchSize,
            .loss = lossAt(step) * (1.0 + 0.02 * noiseOf(step + 1)),
            .seconds = static_cast<double>(batchSize) / rate,
            .optimizerSeconds = 0.011,
            .samplesPerSecond = rate,
            .tokensPerSecond = rate * static_cast<double>(tokens),
            .peakAllocatedBytes = bytesOf(peakGibibytesAt(real) * 0.97),
            .peakReservedBytes = bytesOf(peakGibibytesAt(real))};
}

void evaluate(TrainingSnapshot& snapshot, std::int64_t step)
{
    StepRecord record = stepAt(step, 192);
    record.phase = model::Phase::Eval;
    record.loss = lossAt(step) * 1.03;
    snapshot.evaluations.push_back(record);
}

void addTimes(TrainingSnapshot& snapshot)
{
    double seconds = 0.0;
    double samples = 0.0;
    for (const StepRecord& step : snapshot.steps) {
        snapshot.elapsedSeconds += step.seconds;
        if (step.step == 1)
            continue;
        seconds += step.seconds;
        samples += static_cast<double>(step.batchSize);
    }
    snapshot.samplesPerSecond = seconds > 0.0 ? samples / seconds : 0.0;
    const auto left = snapshot.run->steps - snapshot.steps.back().step;
    snapshot.secondsLeft = static_cast<double>(left) * seconds / static_cast<double>(snapshot.steps.size());
    snapshot.microBatchSize = snapshot.steps.back().microBatchSize;
    snapshot.evaluationMicroBatchSize = 384;
}

TrainingSnapshot begunTraining(std::int64_t microBatchSize)
{
    TrainingSnapshot snapshot = readyTraining();
    snapshot.state = TrainingState::Training;
    snapshot.device = sampleGpu(QStringLiteral("cuda:0"));
    snapshot.microBatchSize = microBatchSize;
    snapshot.schedule.push_back({.microBatchSize = microBatchSize, .batchSize = batch});
    say(snapshot, 0, QStringLiteral("starting batchpeak-worker on cuda:0"));
    say(snapshot, 4, QStringLiteral("1,536 samples a step: 8 micro-batches of 192"));
    return snapshot;
}

} // namespace

TrainingSnapshot readyTraining()
{
    TrainingSnapshot snapshot;
    snapshot.run = TrainingDescription{.run = *readySnapshot().run,
                                       .data = QStringLiteral("synthetic, 24,576 samples an epoch"),
                                       .learningRate = 3e-4,
                                       .batchSize = batch,
                                       .steps = 1000};
    return snapshot;
}

TrainingSnapshot midwayTraining()
{
    TrainingSnapshot snapshot = begunTraining(192);
    for (std::int64_t step = 1; step <= 340; ++step) {
        snapshot.steps.push_back(stepAt(step, 192));
        if (step % 50 == 0)
            evaluate(snapshot, step);
    }
    addTimes(snapshot);
    snapshot.microBatchesDone = 5;
    snapshot.checkpoint = QStringLiteral("/home/user/run/step-000300");
    say(snapshot, 214, QStringLiteral("step 300: checkpoint step-000300, 1.32 GiB"));
    say(snapshot, 226, QStringLiteral("step 300: evaluation loss 3.021"));
    return snapshot;
}

TrainingSnapshot halvingTraining()
{
    TrainingSnapshot snapshot = begunTraining(batch);
    snapshot.run->halvesAutomatically = true;
    using Reason = SizeChange::Reason;
    for (std::int64_t size = batch; size > 192; size /= 2) {
        snapshot.changes.push_back({.step = 1, .from = size, .to = size / 2});
        say(snapshot, 6,
            QStringLiteral("step 1: out of memory at micro-batch %1, going on with %2")
                .arg(size)
                .arg(size / 2),
            engine::LogLevel::Warning);
    }
    for (std::int64_t step = 1; step <= 120; ++step) {
        const std::int64_t size = step < 70 ? 192 : step < 95 ? 96 : 48;
        snapshot.steps.push_back(stepAt(step, size));
    }
    snapshot.changes.push_back({.step = 70, .from = 192, .to = 96});
    snapshot.changes.push_back({.step = 95, .from = 96, .to = 48, .reason = Reason::Thrashing});
    snapshot.changes.push_back({.step = 40, .phase = model::Phase::Eval, .from = 768, .to = 384});
    for (const std::int64_t step : {40, 80, 120})
        evaluate(snapshot, step);
    snapshot.outOfMemoryEvents = 5;
    snapshot.run->steps = 160;
    addTimes(snapshot);
    say(snapshot, 71, QStringLiteral("step 70: out of memory at micro-batch 192, going on with 96"),
        engine::LogLevel::Warning);
    say(snapshot, 96, QStringLiteral("step 95: the allocator flushed its cache in two steps; 48 from now on"),
        engine::LogLevel::Warning);
    return snapshot;
}

TrainingSnapshot growthTraining()
{
    TrainingSnapshot snapshot = begunTraining(32);
    snapshot.schedule.clear();
    snapshot.run->growth = QStringLiteral("epoch < 9 ? 32 : 16");
    std::int64_t size = 32;
    std::int64_t step = 0;
    for (std::int64_t epoch = 0; epoch < 9; ++epoch) {
        const std::int64_t increment = epoch == 0 ? 0 : 32;
        const GrowthDecision decided = accumulation::decideGrowth(size, increment, 241);
        size = decided.batchSize;
        snapshot.schedule.push_back({.epoch = epoch,
                                     .step = step + 1,
                                     .increment = increment,
                                     .decision = decided.kind,
                                     .microBatchSize = size,
                                     .batchSize = size * 8});
        const std::int64_t steps = 24576 / (size * 8 * 4);
        for (std::int64_t i = 0; i < steps; ++i) {
            snapshot.steps.push_back(stepAt(++step, size, size * 8));
            snapshot.steps.back().epoch = epoch;
        }
        evaluate(snapshot, step);
        say(snapshot, static_cast<int>(10 + step),
            decided.kind == GrowthDecision::Kind::PassesMaximum
                ? QStringLiteral("epoch %1: growth by 32 ignored, 256 is above the maximum 241").arg(epoch)
                : QStringLiteral("epoch %1: micro-batch %2, batch %3").arg(epoch).arg(size).arg(size * 8));
    }
    snapshot.run->steps = step + 20;
    addTimes(snapshot);
    return snapshot;
}

TrainingSnapshot completedTraining()
{
    TrainingSnapshot snapshot = midwayTraining();
    snapshot.run->steps = 340;
    snapshot.state = TrainingState::Finished;
    snapshot.end = TrainingEnd::Completed;
    snapshot.secondsLeft.reset();
    snapshot.microBatchesDone = 0;
    release(snapshot.device);
    snapshot.checkpoint = QStringLiteral("/home/user/run/step-000340");
    say(snapshot, 240, QStringLiteral("step 340: checkpoint step-000340, 1.32 GiB"));
    say(snapshot, 241, QStringLiteral("finished: completed"));
    return snapshot;
}

TrainingSnapshot failedTraining()
{
    TrainingSnapshot snapshot = midwayTraining();
    snapshot.steps.resize(57);
    snapshot.evaluations.resize(1);
    snapshot.state = TrainingState::Failed;
    snapshot.end = TrainingEnd::Failed;
    snapshot.secondsLeft.reset();
    snapshot.checkpoint.clear();
    release(snapshot.device);
    snapshot.failure = QStringLiteral(
        "The worker on cuda:0 was ended by signal 11 in step 58. What it had learned is lost; see the log "
        "for "
        "its last words, and train with a checkpoint folder to go on from there another time.");
    say(snapshot, 60, QStringLiteral("worker ended with signal 11"), engine::LogLevel::Error);
    return snapshot;
}

TrainingSnapshot nothingFitsTraining()
{
    TrainingSnapshot snapshot = begunTraining(batch);
    snapshot.state = TrainingState::Finished;
    snapshot.end = TrainingEnd::NothingFits;
    release(snapshot.device);
    snapshot.outOfMemoryEvents = 11;
    snapshot.failure = QStringLiteral(
        "Not enough memory even for batch_size=1: 9.7 GiB are needed at least, and 7.4 GiB are there. Use a "
        "shorter sequence, a smaller network, or a device with more memory.");
    return snapshot;
}

TrainingSnapshot divergedTraining()
{
    TrainingSnapshot snapshot = midwayTraining();
    snapshot.steps.resize(100);
    for (std::size_t i = 50; i < 60; ++i)
        snapshot.steps[i].loss *= 1.0 + 0.1 * static_cast<double>(i - 49);
    for (std::size_t i = 60; i < snapshot.steps.size(); ++i)
        snapshot.steps[i].loss = std::numeric_limits<double>::quiet_NaN();
    return snapshot;
}

TrainingSnapshot longTraining(std::int64_t steps)
{
    TrainingSnapshot snapshot = begunTraining(192);
    snapshot.run->steps = steps;
    for (std::int64_t step = 1; step <= steps; ++step) {
        snapshot.steps.push_back(stepAt(step, 192));
        if (step % 997 == 0)
            snapshot.steps.back().loss += 4.0;
        if (step % 100 == 0)
            evaluate(snapshot, step);
    }
    addTimes(snapshot);
    return snapshot;
}

TrainingSnapshot predictedTraining()
{
    TrainingSnapshot snapshot = midwayTraining();
    snapshot.run->heldOutSamples = 1228;
    snapshot.run->data = QStringLiteral("synthetic, 23,348 samples an epoch, 1,228 held out");
    for (StepRecord& step : snapshot.steps)
        step.predictedSamplesPerSecond = throughputAt(192.0) * 0.985;
    snapshot.overPrediction =
        snapshot.samplesPerSecond / snapshot.steps.back().predictedSamplesPerSecond - 1.0;
    return snapshot;
}

std::vector<TrainingSnapshot> earlierTrainings()
{
    TrainingSnapshot small = midwayTraining();
    small.steps.resize(300);
    small.run->learningRate = 1e-3;
    for (StepRecord& step : small.steps) {
        const StepRecord slower = stepAt(step.step, 64);
        step.microBatchSize = slower.microBatchSize;
        step.accumulationSteps = slower.accumulationSteps;
        step.samplesPerSecond = slower.samplesPerSecond;
        step.loss = slower.loss * (0.93 + 0.1 * std::exp(-static_cast<double>(step.step) / 60.0));
    }
    small.samplesPerSecond = small.steps.back().samplesPerSecond;
    small.state = TrainingState::Finished;
    small.end = TrainingEnd::Interrupted;
    TrainingSnapshot halved = halvingTraining();
    halved.state = TrainingState::Finished;
    halved.end = TrainingEnd::Completed;
    return {halved, small, divergedTraining()};
}

TrainingSnapshot adapterTraining()
{
    TrainingSnapshot snapshot = midwayTraining();
    const engine::RunDescription adapter = adapterRun();
    engine::RunDescription& run = snapshot.run->run;
    run.parameters = adapter.parameters;
    run.frozenParameters = adapter.frozenParameters;
    run.tuning = adapter.tuning;
    run.fidelity = adapter.fidelity;
    return snapshot;
}

std::vector<SampleTraining> allTrainings()
{
    return {{QStringLiteral("training-form"), readyTraining()},
            {QStringLiteral("training-waiting"), readyTraining()},
            {QStringLiteral("training-options"), readyTraining()},
            {QStringLiteral("training-more"), readyTraining()},
            {QStringLiteral("training-predicted"), predictedTraining()},
            {QStringLiteral("training-compared"), predictedTraining()},
            {QStringLiteral("training"), midwayTraining()},
            {QStringLiteral("training-halving"), halvingTraining()},
            {QStringLiteral("training-growth"), growthTraining()},
            {QStringLiteral("training-completed"), completedTraining()},
            {QStringLiteral("training-failed"), failedTraining()},
            {QStringLiteral("training-nothing-fits"), nothingFitsTraining()},
            {QStringLiteral("training-diverged"), divergedTraining()},
            {QStringLiteral("training-adapter"), adapterTraining()},
            {QStringLiteral("training-long"), longTraining(10000)}};
}

ConfirmationSnapshot runningConfirmation()
{
    return {
        .isRunning = true,
        .batchSize = batch,
        .sizes = {{.predicted = {.microBatchSize = 192, .accumulationSteps = 8, .samplesPerSecond = 2236.0},
                   .achievedSamplesPerSecond = 2219.0,
                   .relativeError = 0.004,
                   .steps = 6,
                   .peakReservedBytes = bytesOf(60.1)},
                  {.predicted = {.microBatchSize = 224, .accumulationSteps = 7, .samplesPerSecond = 2229.0}}},
        .stepsDone = 6,
        .stepsInAll = 20};
}

ConfirmationSnapshot doneConfirmation()
{
    ConfirmationSnapshot snapshot = runningConfirmation();
    snapshot.isRunning = false;
    snapshot.sizes.front().steps = 10;
    snapshot.sizes.front().relativeError = 0.003;
    snapshot.sizes.back().achievedSamplesPerSecond = 2170.0;
    snapshot.sizes.back().relativeError = 0.005;
    snapshot.sizes.back().steps = 10;
    snapshot.sizes.back().peakReservedBytes = bytesOf(68.9);
    snapshot.stepsDone = 20;
    return snapshot;
}

ConfirmationSnapshot failedConfirmation()
{
    ConfirmationSnapshot snapshot = runningConfirmation();
    snapshot.isRunning = false;
    snapshot.sizes.front().ranOutOfMemory = true;
    snapshot.sizes.front().achievedSamplesPerSecond.reset();
    snapshot.sizes.front().relativeError.reset();
    snapshot.failure = QStringLiteral("The worker on cuda:0 ended before its first step. See its last words "
                                      "in the log, and confirm again.");
    return snapshot;
}

} // namespace batchpeak::test
