// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sample_parts.h"
#include "sample_snapshots.h"

namespace batchpeak::ui::test {

using namespace batchpeak::engine;

Snapshot verifyingSnapshot()
{
    Snapshot snapshot = runningSnapshot();
    snapshot.trials.back() = okTrial(17, 208, -0.004);
    snapshot.state = State::Verifying;
    recommend(snapshot, 192, 96, 16.0,
              QStringLiteral("192 is 0.4 % faster than 224 and 2.1 % faster than 128."));
    snapshot.trials.push_back(trialThat(TrialState::Running, 18, 192, 1.1));
    snapshot.trials.back().isVerification = true;
    snapshot.verification = Verification{.size = 192, .expectedSamplesPerSecond = 2266.0};
    snapshot.searchState.expectedTrials = 18;
    snapshot.progress = 0.94;
    snapshot.secondsLeft = 6.0;
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
    snapshot.state = State::Finished;
    snapshot.finish = FinishStatus::Confident;
    snapshot.progress = 1.0;
    snapshot.secondsLeft.reset();
    snapshot.elapsedSeconds = 204.0;
    snapshot.recommendedJoulesPerSample = 0.318;
    snapshot.devices.front().workerPid = 0;
    snapshot.devices.front().telemetry = {};
    say(snapshot, 204, QStringLiteral("finished: confident"));
    return snapshot;
}

Snapshot doubtfulSnapshot()
{
    Snapshot snapshot = finishedSnapshot();
    snapshot.finish = FinishStatus::Budget;
    snapshot.verification->outcome = Verification::Outcome::Slower;
    recommend(snapshot, 192, 69, 16.0,
              QStringLiteral("192 is 0.4 % faster than 224, the next best; memory predicts room up to about "
                             "266. Sizes are hard to tell apart: other programs disturbed 44 % of the last "
                             "trials."));
    return snapshot;
}

Snapshot nothingFitsSnapshot()
{
    Snapshot snapshot = withDevice();
    auto& device = snapshot.devices.front();
    device.limitBytes = bytesOf(8.0);
    device.usableBytes = bytesOf(8.0 * 0.92);
    device.workerPid = 0;
    device.telemetry = {};
    snapshot.state = State::Finished;
    snapshot.finish = FinishStatus::NothingFits;
    snapshot.trials.push_back(trialThat(TrialState::OutOfMemory, 1, 1, 1.9));
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
    snapshot.devices.front().workerPid = 0;
    snapshot.devices.front().telemetry = {};
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

} // namespace batchpeak::ui::test
