// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sample_snapshots.h"

#include "snapshot/ending_text.h"
#include "snapshot/measured_sizes.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace batchpeak::test {

using namespace batchpeak::engine;

std::int64_t bytesOf(double gibibytes)
{
    return static_cast<std::int64_t>(gibibytes * gibibyte);
}

double throughputAt(double size)
{
    return size / (0.0082 + size * 0.000405);
}

double peakGibibytesAt(double size)
{
    return 9.4 + 0.262 * size;
}

trial::TrialRecord trialThat(std::optional<trial::Outcome> outcome, int number, std::int64_t size,
                             double wallSeconds)
{
    return {.number = number,
            .device = "cuda:0",
            .microBatchSize = size,
            .outcome = outcome,
            .wallSeconds = wallSeconds};
}

trial::TrialRecord comparisonOf(std::optional<trial::Outcome> outcome, int number,
                                const std::vector<std::int64_t>& sizes, const std::vector<double>& deviations)
{
    constexpr int visits = 8;
    trial::TrialRecord comparison{
        .number = number, .device = "cuda:0", .visits = visits, .outcome = outcome, .wallSeconds = 11.4};
    for (std::size_t place = 0; place < sizes.size(); ++place) {
        const auto real = static_cast<double>(sizes[place]);
        trial::ComparedRecord size{.microBatchSize = sizes[place]};
        if (outcome == trial::Outcome::Ok) {
            const double rate = throughputAt(real) * (1.0 + deviations[place]);
            size.samplesPerSecond = rate;
            size.relativeError = 0.0031;
            size.secondsPerStep = real / rate;
            size.peakReservedBytes = bytesOf(peakGibibytesAt(real));
            for (int visit = 0; visit < visits; ++visit) {
                // The values oscillate, with another phase for each size.
                const double scatter = 0.008 * std::sin(2.0 * visit + static_cast<double>(place));
                size.visits.push_back(
                    {.beginSeconds = 0.5 * visit, .samplesPerSecond = rate * (1.0 + scatter)});
            }
        }
        comparison.compared.push_back(std::move(size));
    }
    return comparison;
}

namespace {

/// \param deviation  relative deviation of the samples/s from the law
trial::TrialRecord okTrial(int number, std::int64_t size, double deviation = 0.0)
{
    const auto real = static_cast<double>(size);
    return {.number = number,
            .device = "cuda:0",
            .microBatchSize = size,
            .outcome = trial::Outcome::Ok,
            .samplesPerSecond = throughputAt(real) * (1.0 + deviation),
            .relativeError = 0.006 + 0.02 / std::sqrt(real),
            .secondsPerStep = real / throughputAt(real),
            .forwardSeconds = 0.32 * real / throughputAt(real),
            .backwardSeconds = 0.68 * real / throughputAt(real),
            .optimizerSeconds = 0.014,
            .peakAllocatedBytes = bytesOf(peakGibibytesAt(real) * 0.97),
            .peakReservedBytes = bytesOf(peakGibibytesAt(real)),
            .warmupSteps = 3,
            .timedSteps = 12,
            .wallSeconds = 5.0 + 0.02 * real};
}

/// Adds the fitted curve over from..to, with a band that is narrow at measured sizes.
void addCurve(Snapshot& snapshot, double from, double to, double spread)
{
    constexpr int samples = 150;
    for (int i = 0; i < samples; ++i) {
        const double size = from * std::pow(to / from, i / (samples - 1.0));
        double nearest = 10.0;
        for (const auto& trial : snapshot.trials) {
            if (trial.outcome == trial::Outcome::Ok)
                nearest =
                    std::min(nearest, std::abs(std::log2(size / static_cast<double>(trial.microBatchSize))));
        }
        const double half = spread * (0.012 + 0.07 * nearest);
        const double value = throughputAt(size);
        snapshot.searchState.curve.push_back({size, value, value * (1.0 - half), value * (1.0 + half)});
    }
}

/// Adds the memory line of peakGibibytesAt().
void addMemory(Snapshot& snapshot)
{
    snapshot.searchState.memory = {.constantBytes = 9.4 * gibibyte, .bytesPerSample = 0.262 * gibibyte};
    snapshot.searchState.largestPredictedFit = 241;
}

/// Another size: how many times as fast the best size is, and the probability that this size is within the
/// tolerance.
struct Rival
{
    std::int64_t size = 0;
    double factor = 1.0;
    double probability = 0.0;
};

/// Adds estimates of the measured sizes that agree with the sentences.
void addEstimates(Snapshot& snapshot, const std::vector<Rival>& rivals)
{
    const search::Recommendation& best = *snapshot.searchState.recommendation;
    auto& estimates = snapshot.searchState.estimates;
    estimates = {{best.size, best.samplesPerSecond, best.relativeError, best.confidence / 100.0}};
    for (const auto& [size, factor, probability] : rivals) {
        if (hasRun(snapshot, size))
            estimates.push_back({size, best.samplesPerSecond / factor, 0.009, probability});
    }
    std::ranges::sort(estimates, {}, &search::SizeEstimate::size);
}

/// \param base  size that the gain is relative to
void recommend(Snapshot& snapshot, std::int64_t size, int confidence, double base, const QString& reason)
{
    const auto real = static_cast<double>(size);
    snapshot.searchState.recommendation = {.size = size,
                                           .samplesPerSecond = throughputAt(real),
                                           .relativeError = 0.0086,
                                           .relativePerformance = throughputAt(real) / throughputAt(base),
                                           .confidence = confidence};
    addEstimates(snapshot, {{160, 1.019, 0.56}, {208, 1.006, 0.87}, {224, 1.004, 0.91}});
    snapshot.recommendedPeakBytes = bytesOf(peakGibibytesAt(real));
    snapshot.accumulationSteps = snapshot.run->plan.accumulationSteps(size);
    snapshot.reason = reason;
}

} // namespace

Snapshot withDevice()
{
    Snapshot snapshot = readySnapshot();
    snapshot.devices = {sampleGpu(QStringLiteral("cuda:0"))};
    return snapshot;
}

Snapshot emptySnapshot()
{
    return {};
}

Snapshot readySnapshot()
{
    Snapshot snapshot;
    snapshot.run =
        RunDescription{.filePath = QStringLiteral("/home/user/gpt-medium.yaml"),
                       .formatName = QStringLiteral("Cerebras params"),
                       .family = QStringLiteral("gpt2"),
                       .parameters = 354823168,
                       .precision = model::Precision::Bf16,
                       .sequenceLength = 1024,
                       .tokensPerSample = 1024.0,
                       .flopsPerSample = 2.0e11,
                       .productPrecision = model::Precision::Bf16,
                       .plan = {.globalBatchSize = 1536, .devices = 1, .setting = config::Explore{}},
                       .strategy = QStringLiteral("ramp")};
    return snapshot;
}

Snapshot trainerSnapshot()
{
    Snapshot snapshot = runningSnapshot();
    snapshot.run->filePath = QStringLiteral("/home/user/finetune/zero2.json");
    snapshot.run->formatName = QStringLiteral("DeepSpeed");
    snapshot.run->modelSource = QStringLiteral("/home/user/models/Llama-3.2-1B/config.json");
    snapshot.run->plan.knowsDevices = false;
    snapshot.run->plan.isOverAllDevices = false;
    snapshot.run->plan.microBatchKey = "train_micro_batch_size_per_gpu";
    return snapshot;
}

Snapshot startingSnapshot()
{
    Snapshot snapshot = readySnapshot();
    snapshot.state = State::Starting;
    say(snapshot, 0, QStringLiteral("starting batchpeak-worker on cuda:0"));
    return snapshot;
}

namespace {

/// Adds the state of the search that the window shows in addition to the recommendation.
void addInsight(Snapshot& snapshot)
{
    using trial::Purpose;
    const std::pair<int, std::int64_t> steps[] = {{9, 64},   {14, 64},  {31, 96},  {38, 128}, {77, 160},
                                                  {84, 160}, {90, 192}, {96, 192}, {104, 192}};
    int confidence = 8;
    int trials = 2;
    for (const auto& [seconds, size] : steps) {
        snapshot.course.push_back({.elapsedSeconds = 1.0 * seconds,
                                   .trials = ++trials,
                                   .size = size,
                                   .confidence = confidence,
                                   .expectedLoss = 0.2 / confidence,
                                   .samplesPerSecond = throughputAt(static_cast<double>(size))});
        confidence = std::min(93, confidence + 5 + trials);
    }
    snapshot.elapsedSeconds = 112.0;
    snapshot.searchState.contenders = {{192, 0.41}, {224, 0.27}, {208, 0.17}, {160, 0.06}, {240, 0.04}};
    snapshot.searchState.otherContenders = 0.05;
    snapshot.underWay = {{.number = 17,
                          .sizes = {208},
                          .why = Purpose::Rival,
                          .against = 192,
                          .sentence = QStringLiteral("Now: 208, which may be faster than 192.")}};
    snapshot.next = {.sizes = {192, 224},
                     .why = Purpose::Comparison,
                     .sentence = QStringLiteral("Next: 192 and 224 interleaved, to compare them.")};
    snapshot.commands = {.skipsTrial = true,
                         .excludesSizes = true,
                         .triesSizes = true,
                         .extends = true,
                         .changesTolerance = true,
                         .changesTargetConfidence = true};
    snapshot.searchState.excluded = {96};
    snapshot.askedSizes = {176};
}

void finish(Snapshot& snapshot, FinishStatus status)
{
    snapshot.state = State::Finished;
    snapshot.finish = status;
    snapshot.canContinue = true;
    snapshot.underWay.clear();
    snapshot.next.reset();
    snapshot.progress = 1.0;
    snapshot.timeLeft.reset();
    snapshot.elapsedSeconds = 204.0;
    snapshot.ending = endingText(snapshot);
    release(snapshot.devices.front());
    say(snapshot, 204, snapshot.ending);
}

} // namespace

Snapshot earlySnapshot()
{
    Snapshot snapshot = withDevice();
    snapshot.state = State::Exploring;
    int number = 0;
    for (const std::int64_t size : {1, 4, 16, 64})
        snapshot.trials.push_back(okTrial(++number, size));
    snapshot.trials.push_back(trialThat(std::nullopt, 5, 72, 1.2));
    addCurve(snapshot, 1.0, 80.0, 1.6);
    addMemory(snapshot);
    recommend(snapshot, 64, 31, 1.0,
              QStringLiteral("Memory predicts room up to about 266. Larger sizes are being tried, so this "
                             "will very likely rise."));
    snapshot.searchState.expectedTrials = 24;
    snapshot.progress = 0.2;
    snapshot.timeLeft = search::Estimate{.likely = 161.0, .low = 96.6, .high = 273.7};
    say(snapshot, 31, QStringLiteral("trial 4, size 64: 1,910 ± 58 samples/s, 26.2 GiB"));
    say(snapshot, 31, QStringLiteral("memory: 9.4 GiB and 0.262 GiB a sample"));
    say(snapshot, 32, QStringLiteral("trial 5, size 72 started"));
    return snapshot;
}

Snapshot runningSnapshot()
{
    Snapshot snapshot = withDevice();
    snapshot.state = State::Exploring;
    int number = 0;
    for (const std::int64_t size : {1, 2, 4, 8, 16, 32, 64, 96, 128}) {
        ++number;
        snapshot.trials.push_back(okTrial(number, size, (number % 3 - 1) * 0.004));
    }
    snapshot.trials.push_back(trialThat(trial::Outcome::OutOfMemory, 10, 512, 1.4));
    snapshot.trials.push_back(trialThat(trial::Outcome::OutOfMemory, 11, 288, 2.1));
    snapshot.trials.push_back(okTrial(12, 160, 0.006));
    snapshot.trials.push_back(okTrial(13, 224, -0.018));
    snapshot.trials.push_back(okTrial(14, 192, 0.002));
    snapshot.trials.push_back(okTrial(15, 64, 0.015));
    trial::TrialRecord over = okTrial(16, 256, -0.012);
    over.withinHeadroom = false;
    snapshot.trials.push_back(over);
    trial::TrialRecord running = trialThat(std::nullopt, 17, 208, 4.1);
    running.warmupSteps = 3;
    running.timedSteps = 6;
    running.samplesPerSecond = 2288.0;
    running.relativeError = 0.016;
    running.peakReservedBytes = bytesOf(63.9);
    snapshot.trials.push_back(running);
    addCurve(snapshot, 1.0, 512.0, 1.0);
    addMemory(snapshot);
    snapshot.searchState.smallestFailure = 288;
    addInsight(snapshot);
    recommend(
        snapshot, 192, 93, 16.0,
        QStringLiteral("192 is 0.4 % faster than 224, the next best, and needs less memory. Next: 208, to "
                       "tell the two apart."));
    snapshot.smallerSize = QStringLiteral("160 is within 2 % and takes 8.4 GiB less.");
    snapshot.searchState.speedLimit = {.kind = search::SpeedLimit::Kind::LaunchBound,
                                       .probability = 0.87,
                                       .overheadShare = 0.095,
                                       .doublingGain = 0.05};
    snapshot.speedLimit = QStringLiteral("Launch-bound: 9.5 % of a step is the same at any size, and twice "
                                         "the size would gain 5 % if it fitted.");
    snapshot.searchState.expectedTrials = 24;
    snapshot.progress = 0.7;
    snapshot.timeLeft = search::Estimate{.likely = 72.0, .low = 43.2, .high = 122.4};
    snapshot.elapsedSeconds = 131.0;
    say(snapshot, 118, QStringLiteral("trial 15, size 64: 1,945 ± 22 samples/s, 26.2 GiB"));
    say(snapshot, 131, QStringLiteral("trial 16, size 256: 2,240 ± 66 samples/s, 76.5 GiB"));
    say(snapshot, 131, QStringLiteral("size 256 reaches into the headroom and is not recommended"),
        LogLevel::Warning);
    say(snapshot, 132, QStringLiteral("trial 17, size 208 started"));
    say(snapshot, 133, QStringLiteral("trial 17: warm-up done after 3 steps"));
    return snapshot;
}

Snapshot comparingSnapshot()
{
    Snapshot snapshot = runningSnapshot();
    snapshot.trials.back() = comparisonOf(trial::Outcome::Ok, 17, {160, 192, 224}, {-0.008, 0.006, -0.02});
    snapshot.trials.push_back(comparisonOf(std::nullopt, 18, {192, 208}, {}));
    snapshot.trials.back().wallSeconds = 3.2;
    auto& recommendation = *snapshot.searchState.recommendation;
    recommendation.expectedLoss = 0.006;
    snapshot.reason =
        QStringLiteral("192 is 0.4 % faster than 224, the next best, and needs less memory. Next: "
                       "comparing 192 and 208.");
    say(snapshot, 145,
        QStringLiteral("Trial 17: compared 160, 192 and 224 in 8 visits each: 192 is 1.3 % ± 0.2 "
                       "faster than 224"));
    say(snapshot, 146, QStringLiteral("Trial 18: comparing 192 and 208 on cuda:0."));
    return snapshot;
}

Snapshot pairsSnapshot()
{
    Snapshot snapshot = runningSnapshot();
    snapshot.trials.pop_back();
    snapshot.underWay.clear();
    snapshot.devices.front().name = QStringLiteral("NVIDIA H100 80GB HBM3");
    int number = 16;
    const auto compare = [&](const std::vector<std::int64_t>& sizes, const std::vector<double>& deviations) {
        snapshot.trials.push_back(comparisonOf(trial::Outcome::Ok, ++number, sizes, deviations));
    };
    compare({160, 192, 224}, {-0.008, 0.006, -0.02});
    compare({192, 224}, {0.012, -0.014});
    compare({192, 208}, {0.004, -0.009});
    compare({192, 208}, {-0.004, -0.012});
    compare({176, 192}, {-0.01, 0.003});
    addEstimates(snapshot, {{160, 1.014, 0.81}, {176, 1.019, 0.53}, {208, 1.006, 0.9}, {224, 1.007, 0.88}});
    for (auto& trial : snapshot.trials) {
        if (trial.outcome == trial::Outcome::Ok && !trial.isComparison())
            trial.joulesPerSample = 0.3 + 4.0 / static_cast<double>(trial.microBatchSize);
    }
    snapshot.reason = QStringLiteral("192 is 0.6 % faster than 208, the next best, and needs less memory.");
    return snapshot;
}

Snapshot pausedSnapshot()
{
    Snapshot snapshot = runningSnapshot();
    snapshot.state = State::Paused;
    snapshot.trials.pop_back();
    snapshot.timeLeft.reset();
    return snapshot;
}

Snapshot choosingSnapshot()
{
    Snapshot snapshot = comparingSnapshot();
    snapshot.trials.back().outcome = trial::Outcome::Ok;
    snapshot.thinkingSeconds = 3.0;
    return snapshot;
}

Snapshot stalledSnapshot()
{
    Snapshot snapshot = runningSnapshot();
    snapshot.stalledSeconds = 12.0;
    return snapshot;
}

Snapshot verifyingSnapshot()
{
    Snapshot snapshot = runningSnapshot();
    snapshot.trials.back() = okTrial(17, 208, -0.013);
    snapshot.state = State::Verifying;
    recommend(snapshot, 192, 96, 16.0,
              QStringLiteral("192 is 0.4 % faster than 224 and 5.2 % faster than 128."));
    snapshot.trials.push_back(trialThat(std::nullopt, 18, 192, 1.1));
    snapshot.trials.back().isVerification = true;
    snapshot.verification = Verification{.size = 192, .expectedSamplesPerSecond = 2266.0};
    snapshot.searchState.expectedTrials = 18;
    snapshot.progress = 0.94;
    snapshot.timeLeft = search::Estimate{.likely = 6.0, .low = 3.6, .high = 10.2};
    say(snapshot, 203, QStringLiteral("Verifying 192 in a fresh process."));
    return snapshot;
}

Snapshot finishedSnapshot()
{
    Snapshot snapshot = verifyingSnapshot();
    snapshot.trials.back() = okTrial(18, 192, 0.001);
    snapshot.trials.back().isVerification = true;
    snapshot.verification->outcome = Verification::Outcome::Confirmed;
    snapshot.verification->samplesPerSecond = 2268.0;
    snapshot.recommendedJoulesPerSample = 0.318;
    finish(snapshot, FinishStatus::Confident);
    return snapshot;
}

Snapshot doubtfulSnapshot()
{
    Snapshot snapshot = finishedSnapshot();
    snapshot.finish = FinishStatus::Budget;
    snapshot.verification->outcome = Verification::Outcome::Slower;
    recommend(
        snapshot, 192, 69, 16.0,
        QStringLiteral("192 is 0.4 % faster than 224, the next best; about 266 should fit in "
                       "memory. Sizes are hard to tell apart: other programs disturbed 44 % of the last "
                       "trials."));
    snapshot.searchState.recommendation->expectedLoss = 0.0004;
    snapshot.searchState.continuation = search::ContinuationEstimate{
        .size = 192, .rival = 224, .seconds = 700.0, .gain = 0.006, .maxGain = 0.023};
    snapshot.ending = endingText(snapshot);
    return snapshot;
}

Snapshot continuationSnapshot()
{
    Snapshot snapshot = comparingSnapshot();
    snapshot.trials.back() = comparisonOf(trial::Outcome::Ok, 18, {192, 208}, {0.009, 0.0});
    snapshot.searchState.status = search::SearchState::Status::Exhausted;
    snapshot.searchState.continuation = search::ContinuationEstimate{
        .size = 192, .rival = 208, .seconds = 2400.0, .gain = 0.004, .maxGain = 0.021};
    recommend(snapshot, 192, 84, 16.0,
              QStringLiteral("192 and 208 cannot be told apart; 192 has the lower expected loss."));
    snapshot.searchState.recommendation->expectedLoss = 0.008;
    finish(snapshot, FinishStatus::Exhausted);
    return snapshot;
}

Snapshot nothingFitsSnapshot()
{
    Snapshot snapshot = withDevice();
    auto& device = snapshot.devices.front();
    device.limitBytes = bytesOf(8.0);
    device.usableBytes = bytesOf(8.0 * 0.92);
    release(device);
    snapshot.state = State::Finished;
    snapshot.finish = FinishStatus::NothingFits;
    snapshot.trials.push_back(trialThat(trial::Outcome::OutOfMemory, 1, 1, 1.9));
    snapshot.searchState.status = search::SearchState::Status::NothingFits;
    snapshot.searchState.smallestFailure = 1;
    snapshot.failure =
        QStringLiteral("Not even 1 sample fits into 7.4 GiB: it would need at least 9.7 GiB. Use a "
                       "shorter sequence, a smaller network, or a device with more memory.");
    snapshot.progress = 1.0;
    snapshot.elapsedSeconds = 6.0;
    say(snapshot, 6, QStringLiteral("trial 1, size 1: out of memory"));
    return snapshot;
}

Snapshot failedSnapshot()
{
    Snapshot snapshot = withDevice();
    release(snapshot.devices.front());
    snapshot.state = State::Failed;
    snapshot.finish = FinishStatus::Failed;
    snapshot.failure =
        QStringLiteral("The worker on cuda:0 ended twice before it was ready. See the log for its last "
                       "words, mend their cause, and restart.");
    say(snapshot, 1, QStringLiteral("starting batchpeak-worker on cuda:0"));
    say(snapshot, 3,
        QStringLiteral("worker ended with exit code 127: error while loading shared libraries: "
                       "libtorch_cpu.so: cannot open shared object file"),
        LogLevel::Error);
    say(snapshot, 4, QStringLiteral("starting it again"), LogLevel::Warning);
    say(snapshot, 6, QStringLiteral("worker ended with exit code 127"), LogLevel::Error);
    return snapshot;
}

Snapshot gpuUnusableSnapshot()
{
    Snapshot snapshot = readySnapshot();
    snapshot.state = State::Failed;
    snapshot.finish = FinishStatus::Failed;
    snapshot.gpuIsUnusable = true;
    snapshot.failure = QStringLiteral("An NVIDIA driver is here, but its management library says: "
                                      "Driver/library version mismatch. Fix that, "
                                      "or explore on the CPU (in a terminal: --device cpu).");
    return snapshot;
}

Snapshot everyOutcomeSnapshot()
{
    Snapshot snapshot = withDevice();
    snapshot.devices.push_back(sampleGpu(QStringLiteral("cuda:1")));
    snapshot.state = State::Exploring;
    snapshot.trials.push_back(okTrial(1, 1));
    snapshot.trials.push_back(okTrial(2, 8));
    snapshot.trials.push_back(okTrial(3, 64));
    trial::TrialRecord cut = okTrial(4, 16, -0.05);
    cut.flags.emplace_back("abandoned");
    cut.abandoned = true;
    trial::TrialRecord disturbed = okTrial(5, 32, -0.08);
    disturbed.flags.emplace_back("disturbed: another program began to use the GPU");
    disturbed.disturbed = true;
    trial::TrialRecord repeated = okTrial(6, 32);
    repeated.flags.emplace_back("repetition");
    repeated.repetition = 1;
    repeated.joulesPerSample = 0.42;
    trial::TrialRecord thrashing = okTrial(7, 240, -0.3);
    thrashing.thrashes = true;
    trial::TrialRecord over = okTrial(8, 250);
    over.withinHeadroom = false;
    snapshot.trials.insert(snapshot.trials.end(), {cut, disturbed, repeated, thrashing, over});
    int number = 8;
    for (const trial::Outcome outcome :
         {trial::Outcome::OutOfMemory, trial::Outcome::Unsupported, trial::Outcome::Failed,
          trial::Outcome::Timeout, trial::Outcome::Cancelled, trial::Outcome::Crashed}) {
        snapshot.trials.push_back(trialThat(outcome, ++number, 300, 2.0));
        snapshot.trials.back().device = "cuda:1";
    }
    snapshot.trials.push_back(trialThat(std::nullopt, 15, 96, 0.4));
    addCurve(snapshot, 1.0, 300.0, 1.4);
    addMemory(snapshot);
    recommend(snapshot, 64, 55, 1.0, QStringLiteral("64 is the fastest of three sizes so far. Next: 96."));
    snapshot.searchState.expectedTrials = 30;
    snapshot.progress = 0.4;
    say(snapshot, 40, QStringLiteral("trial 14, size 300: the worker crashed"), LogLevel::Error);
    return snapshot;
}

Snapshot cpuSnapshot()
{
    Snapshot snapshot = readySnapshot();
    snapshot.run->plan.globalBatchSize = 64;
    snapshot.run->precision = model::Precision::Fp32;
    snapshot.state = State::Exploring;
    snapshot.devices = {{.id = QStringLiteral("cpu"),
                         .kind = QStringLiteral("cpu"),
                         .name = QStringLiteral("AMD EPYC 9B14"),
                         .totalBytes = bytesOf(15.6),
                         .limitBytes = bytesOf(12.0),
                         .usableBytes = bytesOf(12.0 * 0.92),
                         .baselineBytes = bytesOf(0.12),
                         .workerPid = 7311}};
    int number = 0;
    for (const std::int64_t size : {1, 2, 4, 8, 16}) {
        trial::TrialRecord trial = okTrial(++number, size);
        const auto real = static_cast<double>(size);
        trial.device = "cpu";
        trial.samplesPerSecond = real / (0.11 + 0.39 * real);
        trial.relativeError = 0.004;
        trial.peakReservedBytes = bytesOf(0.14 + 0.031 * real);
        snapshot.trials.push_back(trial);
    }
    snapshot.trials.push_back(trialThat(std::nullopt, 6, 32, 3.4));
    for (int i = 0; i < 125; ++i) {
        const double size = std::pow(1.03, i);
        const double value = size / (0.11 + 0.39 * size);
        snapshot.searchState.curve.push_back({size, value, value * 0.985, value * 1.015});
    }
    snapshot.searchState.memory = {.constantBytes = 0.14 * gibibyte, .bytesPerSample = 0.031 * gibibyte};
    snapshot.searchState.expectedTrials = 11;
    snapshot.searchState.recommendation = {.size = 16,
                                           .samplesPerSecond = 2.519,
                                           .relativeError = 0.004,
                                           .relativePerformance = 1.26,
                                           .confidence = 62};
    snapshot.recommendedPeakBytes = bytesOf(0.636);
    snapshot.accumulationSteps = 4;
    snapshot.reason = QStringLiteral("16 is 5.1 % faster than 8, the next best. Next: 32.");
    snapshot.progress = 0.5;
    snapshot.timeLeft = search::Estimate{.likely = 38.0, .low = 22.8, .high = 64.6};
    say(snapshot, 12, QStringLiteral("trial 6, size 32 started"));
    return snapshot;
}

RunDescription adapterRun()
{
    RunDescription run = *readySnapshot().run;
    run.filePath = QStringLiteral("/home/user/finetune/qlora.yaml");
    run.formatName = QStringLiteral("axolotl");
    run.family = QStringLiteral("llama");
    run.parameters = 6746804224;
    run.frozenParameters = 6738415616;
    run.tuning = {.adapter = model::AdapterKind::Lora,
                  .rank = 16,
                  .alpha = 32.0,
                  .dropout = 0.05,
                  .targets = {{.projection = model::Projection::Query, .layers = {}},
                              {.projection = model::Projection::Value, .layers = {}}},
                  .trainedParts = {},
                  .frozenWeights = model::FrozenWeights::Nf4};
    run.fidelity.addReason("a loss in chunks");
    run.fidelity.addReason("a 4-bit base without a fused kernel");
    run.fidelity.addAssumed("packed texts of 512 tokens");
    return run;
}

Snapshot adapterSnapshot()
{
    Snapshot snapshot = runningSnapshot();
    const config::BatchPlan plan = snapshot.run->plan;
    snapshot.run = adapterRun();
    snapshot.run->plan = plan;
    return snapshot;
}

Snapshot anotherRunSnapshot()
{
    Snapshot snapshot = finishedSnapshot();
    snapshot.run->fidelity.addReplaced("another precision");
    snapshot.run->fidelity.addReplaced("another sequence length");
    return snapshot;
}

std::vector<SampleSnapshot> allSamples()
{
    return {{QStringLiteral("empty"), emptySnapshot()},
            {QStringLiteral("ready"), readySnapshot()},
            {QStringLiteral("starting"), startingSnapshot()},
            {QStringLiteral("early"), earlySnapshot()},
            {QStringLiteral("running"), runningSnapshot()},
            {QStringLiteral("comparing"), comparingSnapshot()},
            {QStringLiteral("pairs"), pairsSnapshot()},
            {QStringLiteral("zoomed"), pairsSnapshot()},
            {QStringLiteral("utilization"), pairsSnapshot()},
            {QStringLiteral("energy"), pairsSnapshot()},
            {QStringLiteral("paused"), pausedSnapshot()},
            {QStringLiteral("choosing"), choosingSnapshot()},
            {QStringLiteral("stalled"), stalledSnapshot()},
            {QStringLiteral("verifying"), verifyingSnapshot()},
            {QStringLiteral("finished"), finishedSnapshot()},
            {QStringLiteral("doubtful"), doubtfulSnapshot()},
            {QStringLiteral("prospect"), continuationSnapshot()},
            {QStringLiteral("nothing-fits"), nothingFitsSnapshot()},
            {QStringLiteral("failed"), failedSnapshot()},
            {QStringLiteral("gpu-unusable"), gpuUnusableSnapshot()},
            {QStringLiteral("every-outcome"), everyOutcomeSnapshot()},
            {QStringLiteral("trainer"), trainerSnapshot()},
            {QStringLiteral("adapter"), adapterSnapshot()},
            {QStringLiteral("another-run"), anotherRunSnapshot()},
            {QStringLiteral("cpu"), cpuSnapshot()}};
}

} // namespace batchpeak::test
