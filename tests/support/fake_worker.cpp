// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later

// A worker that measures nothing: it answers immediately by a formula, and misbehaves as specified
// (fake_behavior.h lists the words). It shares the code of the trial protocol with the real worker.

#include "fake_behavior.h"
#include "fake_comparison.h"
#include "fake_speech.h"
#include "fake_training.h"
#include "stuck_process.h"
#include "trial/protocol.h"
#include "trial/trial_record.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <unistd.h>

using namespace batchpeak;
using batchpeak::test::FakeBehavior;
using batchpeak::test::say;

namespace {

class FakeWorker
{
public:
    explicit FakeWorker(FakeBehavior behavior) : m_behavior(std::move(behavior)) {}

    int run()
    {
        test::speakAs(m_behavior);
        for (const std::string& line : m_behavior.complaints)
            std::cerr << line << std::endl;
        if (m_behavior.ignoresTerminate)
            std::signal(SIGTERM, SIG_IGN);
        if (m_behavior.stuckSeconds > 0)
            test::becomeStuck(m_behavior.stuckSeconds);
        for (std::string line; std::getline(std::cin, line);) {
            test::hearParent();
            const auto message = trial::parseParentMessage(line);
            if (const auto* error = std::get_if<trial::ProtocolError>(&message)) {
                std::cerr << error->text << std::endl;
                return 3;
            }
            if (!std::visit([this](const auto& value) { return answer(value); },
                            std::get<trial::ParentMessage>(message)))
                break;
        }
        sleep(m_behavior.stuckSeconds);
        if (m_behavior.ignoresEnd)
            waitForever();
        return 0;
    }

private:
    [[noreturn]] static void waitForever()
    {
        for (;;)
            pause();
    }

    bool answer(const trial::Hello& said)
    {
        m_protocol = m_behavior.protocol == "ok" ? std::min(said.protocol, trial::protocolVersion)
                                                 : trial::firstProtocolVersion;
        if (said.protocol > m_protocol && m_behavior.protocol == "exit")
            std::exit(1);
        if (said.protocol > m_protocol && m_behavior.protocol == "complain") {
            say(trial::WorkerError{.text = "The fake worker speaks version 1 alone."});
            return true;
        }
        if (trial::knowsHeartbeats(m_protocol) && said.heartbeatSeconds > 0.0)
            test::startHeartbeats(said.heartbeatSeconds);
        const std::string& start = m_behavior.start;
        if (start == "silent")
            return true;
        if (start == "exit")
            std::exit(7);
        test::endProcess(start);
        if (start == "late")
            std::this_thread::sleep_for(std::chrono::seconds(2));
        if (start == "garbage") {
            std::cout << "{Welcome to the library!" << std::endl;
            return true;
        }
        const int greetings = start == "greets" ? 100 : start == "chatters" ? 101 : 0;
        for (int line = 0; line < greetings; ++line)
            std::cout << "Welcome to the library!" << std::endl;
        if (start == "refuse") {
            say(trial::WorkerError{.text = "The fake worker refuses to start; do not ask it.",
                                   .fatal = true});
            return false;
        }
        trial::WorkerHello hello{.protocol = m_protocol, .program = "fake-worker 1", .framework = "none"};
        if (start != "no-device")
            hello.device = {.kind = "cpu",
                            .name = "Fake device",
                            .totalBytes = FakeBehavior::totalBytes,
                            .freeBytes = FakeBehavior::totalBytes};
        const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
        if (visible && m_behavior.little == visible)
            hello.device.totalBytes = hello.device.freeBytes /= 2;
        if (start == "bound") {
            hello.device.contextBytes = FakeBehavior::totalBytes / 4;
            hello.device.freeBytes -= hello.device.contextBytes;
            hello.device.limitBytes = FakeBehavior::totalBytes / 2;
            hello.device.allocatorSettings = "fraction:0.5";
        }
        const bool isNewer = said.protocol > m_protocol && m_behavior.protocol == "newer";
        if (start == "new-version" || isNewer)
            hello.protocol = trial::protocolVersion + 1;
        say(hello);
        return true;
    }

    bool answer(const trial::LoadRequest& request)
    {
        if (m_behavior.load == "silent")
            return true;
        if (m_behavior.load == "exit")
            std::exit(8);
        if (m_behavior.load == "error") {
            say(trial::WorkerError{.text = "The fake worker cannot load this network.", .fatal = false});
            return true;
        }
        m_limit = request.memoryLimitBytes > 0 ? request.memoryLimitBytes : FakeBehavior::totalBytes;
        m_training.load(m_limit, request.sequenceLength);
        if (m_behavior.shortLoads-- > 0)
            m_limit /= 2;
        say(trial::Loaded{.parameters = 1000,
                          .baselineBytes = m_behavior.base,
                          .limitBytes = m_limit,
                          .approximations = m_behavior.approximations});
        return true;
    }

    bool answer(const trial::TrialRequest& request)
    {
        test::beginAnswer(request.microBatchSize);
        const std::string fault = m_behavior.faultFor(m_behavior.faults, request.microBatchSize, ++m_trials);
        trial::TrialResult result = measured(request);
        if (fault != "silent-steps")
            saySteps(request, result.secondsPerStep);
        if (breaksDown(fault, request))
            return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(m_behavior.trialMilliseconds));
        distort(fault, result);
        if (fault == "late" && m_last)
            say(*m_last);
        m_last = result;
        say(result);
        if (result.isLast) {
            sleep(m_behavior.stuckSeconds);
            std::exit(43);
        }
        return true;
    }

    bool answer(const trial::CompareRequest& request)
    {
        if (!trial::knowsComparisons(m_protocol)) {
            std::cerr << "A comparison is no message of the version that was agreed upon." << std::endl;
            std::exit(3);
        }
        m_comparison.answer(request, m_limit, m_clock);
        return true;
    }

    bool answer(const trial::TrainingRequest& request) { return m_training.answer(request); }
    bool answer(const trial::BatchRequest& request) { return m_training.answer(request); }
    bool answer(const trial::SaveRequest& request) { return m_training.answer(request); }

    // Only a hanging request can still be canceled.
    bool answer(const trial::Cancel& cancel)
    {
        if (m_behavior.ignoresCancel)
            return true;
        if (m_hanging && m_hanging->id == cancel.id)
            say(trial::TrialResult{.id = cancel.id,
                                   .microBatchSize = m_hanging->microBatchSize,
                                   .outcome = trial::Outcome::Cancelled});
        m_comparison.cancel(cancel.id);
        m_training.cancel(cancel.id);
        return true;
    }

    static bool answer(const trial::Heartbeat&) { return true; }

    static bool answer(const trial::Bye&)
    {
        test::hearBye();
        return false;
    }

    trial::TrialResult measured(const trial::TrialRequest& request)
    {
        const double seconds =
            m_behavior.secondsOf(request.microBatchSize) * std::exp(m_behavior.noise * m_normal(m_random));
        const std::int64_t bytes = m_behavior.bytesOf(request.microBatchSize);
        trial::TrialResult result{.id = request.id,
                                  .microBatchSize = request.microBatchSize,
                                  .peakAllocatedBytes = bytes,
                                  .peakReservedBytes = bytes};
        if (bytes > m_limit) {
            result.outcome = trial::Outcome::OutOfMemory;
            return result;
        }
        result.outcome = trial::Outcome::Ok;
        result.steps = request.minSteps;
        result.samples = request.minSteps * request.microBatchSize;
        result.secondsPerStep = seconds;
        result.stepSeconds.assign(static_cast<std::size_t>(request.minSteps), seconds);
        result.relativeError = 0.001;
        result.optimizerSeconds = FakeBehavior::optimizerSeconds;
        result.wallSeconds = 1.0 + request.minSteps * seconds;
        result.attention = m_behavior.attention;
        if (m_protocol > trial::firstProtocolVersion)
            result.clockSeconds = m_clock + 1.0;
        m_clock += result.wallSeconds;
        return result;
    }

    static void saySteps(const trial::TrialRequest& request, double seconds)
    {
        if (seconds <= 0)
            return;
        for (int index = 0; index < 2; ++index)
            say(trial::Step{
                .id = request.id, .phase = trial::StepPhase::Warmup, .index = index, .seconds = seconds});
        for (int index = 0; index < request.minSteps; ++index)
            say(trial::Step{.id = request.id, .index = index, .seconds = seconds});
    }

    // Commits faults after which no result is sent.
    bool breaksDown(const std::string& fault, const trial::TrialRequest& request)
    {
        test::endProcess(fault);
        if (fault == "garbage")
            std::cout << "{\"type\":\"result\",\"id\":" << std::endl;
        else if (fault == "long-line")
            std::cout << std::string(trial::maxLineBytes + 10, 'x') << std::endl;
        else if (fault == "zero-steps")
            std::cout << R"({"type":"result","id":)" << request.id << R"(,"micro_batch_size":)"
                      << request.microBatchSize
                      << R"(,"outcome":"ok","steps":0,"seconds_per_step":0.1,"peak_reserved_bytes":1})"
                      << std::endl;
        else if (fault == "hang")
            m_hanging = request;
        else
            return false;
        return true;
    }

    void distort(const std::string& fault, trial::TrialResult& result) const
    {
        if (test::distortAnswer(fault, result))
            return;
        if (fault == "bare") {
            result.stepSeconds.clear();
            result.clockSeconds.reset();
            result.relativeError.reset();
            result.optimizerSeconds.reset();
            result.peakAllocatedBytes = 0;
            result.samples = 0;
            result.wallSeconds = 0.0;
        } else if (fault == "spill") {
            result.peakReservedBytes = FakeBehavior::totalBytes + 1;
        } else if (fault == "over-headroom") {
            result.peakReservedBytes = m_limit + 1;
        } else if (fault == "slow") {
            result.secondsPerStep *= 1.5;
        } else if (fault == "crawl") {
            result.secondsPerStep *= 3.0;
            result.stepSeconds.assign(result.stepSeconds.size(), result.secondsPerStep);
        } else if (fault == "fast") {
            result.secondsPerStep *= 0.5;
        } else if (fault == "disturbed") {
            result.flags.push_back(trial::disturbedBy("other programs used 1.0 of 2 processors"));
        } else if (fault == "contended") {
            result.flags.push_back(trial::disturbedBy("other programs used 1.0 of 2 processors"));
            result.readings.contention = 0.5;
        } else if (fault == "disturbed-slow") {
            result.secondsPerStep *= 2.0;
            result.flags.emplace_back(trial::flag::disturbed);
        } else if (fault == "comparison") {
            const trial::Visit visit{.seconds = 1.0, .stepSeconds = {1.0}};
            result.compared = {{.microBatchSize = 1, .visits = {visit}},
                               {.microBatchSize = 2, .visits = {visit}}};
        } else if (fault == "energy") {
            result.readings.energyJoules = 2.0 * static_cast<double>(result.samples);
        }
    }

    FakeBehavior m_behavior;
    test::FakeTraining m_training{m_behavior};
    test::FakeComparison m_comparison{m_behavior};
    int m_protocol = trial::firstProtocolVersion;
    /// Time since the hello by the formulas [s].
    double m_clock = 0.0;
    std::int64_t m_limit = 0;
    std::int64_t m_trials = 0;
    std::mt19937 m_random{std::random_device()()};
    std::normal_distribution<double> m_normal;
    std::optional<trial::TrialRequest> m_hanging;
    std::optional<trial::TrialResult> m_last;
};

} // namespace

int main(int argc, char** argv)
{
    FakeBehavior behavior = FakeBehavior::parse({argv + 1, argv + argc});
    behavior.countStart();
    return FakeWorker(std::move(behavior)).run();
}
