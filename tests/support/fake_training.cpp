// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "fake_training.h"

#include "accumulation/micro_batches.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <thread>
#include <unistd.h>

namespace batchpeak::test {

namespace {

constexpr double optimizerSeconds = FakeBehavior::optimizerSeconds;

accumulation::EvenSpread spreadOf(const trial::BatchRequest& request)
{
    return accumulation::evenSpread(request.samples, request.microBatchSize);
}

// A test uses it to check that the worker is killed in the middle of a batch, although its steps show that it
// is alive.
[[noreturn]] void sayStepsForever(std::int64_t id)
{
    for (int index = 0;; ++index) {
        say(trial::Step{.id = id, .index = index, .seconds = 0.01});
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
}

} // namespace

void FakeTraining::load(std::int64_t limit, std::int64_t tokensPerSample)
{
    m_limit = limit;
    m_tokensPerSample = tokensPerSample;
}

bool FakeTraining::answer(const trial::TrainingRequest& request)
{
    if (m_behavior.training == "silent")
        return true;
    endProcess(m_behavior.training);
    if (m_behavior.training == "unknown") {
        say(trial::WorkerError{.text = "The message type \"training\" is unknown."});
        return true;
    }
    if (m_behavior.training == "error") {
        say(trial::WorkerError{.text = "The fake worker cannot read this data.", .fatal = true});
        return false;
    }
    if (!request.checkpoint.empty() && !(std::ifstream(request.checkpoint) >> m_stepsDone)) {
        say(trial::WorkerError{.text = "The file " + request.checkpoint + " was cut short.", .fatal = true});
        return false;
    }
    const bool isSynthetic = request.data.kind == trial::DataKind::Synthetic;
    const std::int64_t samples = isSynthetic ? request.data.samples : m_behavior.samples;
    // A program that does not know held-out samples holds out none.
    m_heldOut = m_behavior.training == "all" ? 0 : request.data.heldOut.of(samples);
    say(trial::TrainingReady{
        .samples = samples - m_heldOut, .heldOutSamples = m_heldOut, .tokensPerSample = m_tokensPerSample});
    return true;
}

bool FakeTraining::answer(const trial::BatchRequest& request)
{
    beginAnswer(request.microBatchSize);
    const std::string fault = faultFor(request);
    trial::BatchResult result = resultOf(request);
    if (result.outcome == trial::Outcome::Ok)
        saySteps(request);
    if (breaksDown(fault, request))
        return true;
    distort(fault, result);
    if (fault == "late" && m_last)
        say(*m_last);
    if (result.outcome == trial::Outcome::Ok && request.phase == model::Phase::Train)
        ++m_stepsDone;
    m_last = result;
    say(result);
    if (result.isLast) {
        sleep(m_behavior.stuckSeconds);
        std::exit(43);
    }
    return true;
}

bool FakeTraining::answer(const trial::SaveRequest& request)
{
    beginAnswer(0);
    if (m_behavior.save == "silent")
        return true;
    endProcess(m_behavior.save);
    if (m_behavior.save == "fail") {
        say(trial::Saved{.id = request.id, .problem = "The fake disk is full; make room on it."});
        return true;
    }
    const std::string file = m_behavior.save == "link" ? request.path + ".elsewhere" : request.path;
    std::ofstream(file) << m_stepsDone;
    if (file != request.path)
        std::filesystem::create_symlink(file, request.path);
    say(trial::Saved{.id = request.id, .bytes = m_behavior.base});
    return true;
}

void FakeTraining::cancel(std::int64_t id)
{
    if (m_hanging && m_hanging->id == id)
        say(trial::BatchResult{
            .id = id, .microBatchSize = m_hanging->microBatchSize, .outcome = trial::Outcome::Cancelled});
}

std::string FakeTraining::faultFor(const trial::BatchRequest& request)
{
    if (request.phase == model::Phase::Train)
        return m_behavior.faultFor(m_behavior.batchFaults, request.microBatchSize, ++m_batches);
    return m_behavior.faultFor(m_behavior.evaluationFaults, request.microBatchSize, ++m_evaluations);
}

void FakeTraining::saySteps(const trial::BatchRequest& request) const
{
    const std::int64_t microBatches = spreadOf(request).microBatches();
    for (int index = 0; index < microBatches; ++index) {
        if (index + 1 == microBatches)
            std::this_thread::sleep_for(std::chrono::milliseconds(m_behavior.pauseMilliseconds));
        say(trial::Step{.id = request.id, .index = index, .seconds = m_behavior.alpha});
    }
}

// Commits faults after which no result is sent.
bool FakeTraining::breaksDown(const std::string& fault, const trial::BatchRequest& request)
{
    endProcess(fault);
    if (fault == "endless")
        sayStepsForever(request.id);
    if (fault == "garbage")
        std::cout << "{\"type\":\"batch_result\",\"id\":" << std::endl;
    else if (fault == "trial-result")
        say(trial::TrialResult{.id = request.id, .microBatchSize = 1, .outcome = trial::Outcome::Cancelled});
    else if (fault == "hang")
        m_hanging = request;
    else
        return false;
    return true;
}

trial::BatchResult FakeTraining::resultOf(const trial::BatchRequest& request) const
{
    const accumulation::EvenSpread spread = spreadOf(request);
    const std::int64_t bytes = m_behavior.base + m_behavior.slope * spread.largest();
    trial::BatchResult result{.id = request.id,
                              .microBatchSize = request.microBatchSize,
                              .outcome = trial::Outcome::OutOfMemory,
                              .peakAllocatedBytes = bytes,
                              .peakReservedBytes = bytes};
    if (bytes > m_limit)
        return result;
    result.outcome = trial::Outcome::Ok;
    result.loss = lossOf(request);
    result.seconds = m_behavior.alpha * static_cast<double>(spread.microBatches()) +
                     m_behavior.beta * static_cast<double>(request.samples);
    if (request.phase == model::Phase::Train) {
        result.seconds += optimizerSeconds;
        result.optimizerSeconds = optimizerSeconds;
    }
    result.countedTargets = request.samples * m_tokensPerSample;
    return result;
}

void FakeTraining::distort(const std::string& fault, trial::BatchResult& result)
{
    if (distortAnswer(fault, result))
        return;
    if (fault == "nan") {
        result.loss = std::numeric_limits<double>::quiet_NaN();
    } else if (fault == "slow") {
        result.seconds *= 1.5;
    }
}

// The loss decreases with the steps; the samples of a batch change it slightly.
double FakeTraining::lossOf(const trial::BatchRequest& request) const
{
    const std::int64_t mixed = request.epoch * 31 + request.first * 7 + request.samples;
    return 4.0 / (1.0 + 0.1 * static_cast<double>(m_stepsDone)) + 0.0001 * static_cast<double>(mixed % 97);
}

} // namespace batchpeak::test
