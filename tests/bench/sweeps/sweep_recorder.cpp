// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sweep_recorder.h"

#include "search/random_source.h"

#include <algorithm>
#include <utility>

using namespace batchpeak;

namespace {

constexpr double timeLimitSeconds = 300.0;

} // namespace

SweepRecorder::SweepRecorder(const engine::DeviceSetup& setup, std::vector<std::int64_t> sizes,
                             int repetitions, QObject* parent)
    : QObject(parent), m_runner(setup)
{
    search::RandomSource random(1);
    for (int repetition = 1; repetition <= repetitions; ++repetition) {
        // The first pass is ascending, so that it finds what fits before larger sizes are tried again and
        // again.
        if (repetition > 1) {
            for (std::size_t i = sizes.size(); i > 1; --i)
                std::swap(sizes[i - 1],
                          sizes[static_cast<std::size_t>(random.uniform() * static_cast<double>(i))]);
        }
        for (const std::int64_t size : sizes)
            m_plan.push_back({.repetition = repetition, .size = size});
    }
    connect(&m_runner, &engine::DeviceRunner::ready, this, &SweepRecorder::startNext);
    connect(&m_runner, &engine::DeviceRunner::trialEnded, this, &SweepRecorder::take);
    connect(&m_runner, &engine::DeviceRunner::gaveUp, this, [this] { emit failed(m_runner.problem()); });
    connect(&m_runner, &engine::DeviceRunner::ended, this, &SweepRecorder::finished);
}

void SweepRecorder::startNext()
{
    while (m_next < m_plan.size() && m_smallestFailure > 0 && m_plan[m_next].size >= m_smallestFailure)
        ++m_next;
    if (m_next >= m_plan.size()) {
        m_runner.end();
        return;
    }
    m_runner.runTrial({.id = static_cast<std::int64_t>(m_next) + 1,
                       .microBatchSize = m_plan[m_next].size,
                       .timeLimitSeconds = timeLimitSeconds});
}

void SweepRecorder::take(const trial::TrialResult& result)
{
    m_rows.push_back({.repetition = m_plan[m_next].repetition, .result = result});
    if (result.outcome == trial::Outcome::OutOfMemory) {
        m_smallestFailure = m_smallestFailure > 0 ? std::min(m_smallestFailure, result.microBatchSize)
                                                  : result.microBatchSize;
    }
    ++m_next;
    emit trialEnded(static_cast<int>(m_next), static_cast<int>(m_plan.size()), result);
    if (m_runner.isFree())
        startNext();
}
