// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "confirmation_schedule.h"

#include "trial/step_statistics.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace batchpeak::training {

namespace {

/// Two rounds there and back: drift that is linear, or that changes direction once, affects both sizes alike,
/// while every change of size costs an untimed step.
constexpr int blocksOfASize = 4;

// A confirmation has no time limit.
constexpr double noLimit = std::numeric_limits<double>::infinity();

} // namespace

ConfirmationSchedule::ConfirmationSchedule(std::size_t sizes, int steps)
{
    const int blocks = std::min(blocksOfASize, steps);
    for (int block = 0; block < blocks; ++block) {
        const int ofBlock = steps * (block + 1) / blocks - steps * block / blocks;
        for (std::size_t place = 0; place < sizes; ++place) {
            const std::size_t size = block % 2 == 0 ? place : sizes - 1 - place;
            m_blocks.push_back({.size = size, .steps = ofBlock});
        }
    }
}

std::optional<ConfirmationSchedule::Step> ConfirmationSchedule::next() const
{
    if (m_blocks.empty())
        return std::nullopt;
    return Step{.size = m_blocks.front().size, .isTimed = isWarm()};
}

bool ConfirmationSchedule::isWarm() const
{
    const bool isBack = m_seen.contains(m_blocks.front().size);
    return isBack ? !m_warmup.empty() : trial::isWarm(m_warmup, noLimit);
}

void ConfirmationSchedule::take(double seconds)
{
    if (m_blocks.empty())
        return;
    if (!isWarm()) {
        m_warmup.push_back(seconds);
        return;
    }
    ++m_stepsDone;
    if (--m_blocks.front().steps == 0)
        enterNextBlock();
}

void ConfirmationSchedule::drop(std::size_t size)
{
    const bool isUnderWay = !m_blocks.empty() && m_blocks.front().size == size;
    std::erase_if(m_blocks, [size](const Block& block) { return block.size == size; });
    if (isUnderWay)
        m_warmup.clear();
}

void ConfirmationSchedule::enterNextBlock()
{
    const std::size_t before = m_blocks.front().size;
    m_seen.insert(before);
    m_blocks.erase(m_blocks.begin());
    if (!m_blocks.empty() && m_blocks.front().size != before)
        m_warmup.clear();
}

int ConfirmationSchedule::stepsInAll() const
{
    return std::accumulate(m_blocks.begin(), m_blocks.end(), m_stepsDone,
                           [](int steps, const Block& block) { return steps + block.steps; });
}

} // namespace batchpeak::training
