// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

namespace batchpeak::training {

/// Which size takes the next step, where sizes are compared in one process: by blocks in turn and back (A B B
/// A A B B A), so that what drifts meanwhile, as a clock that falls, falls on all of them alike.
///
/// Steps after a change of size are not timed: a size's first ones until they agree as those of a trial must,
/// and one step wherever it comes back, after which caches hold what it needs.
class ConfirmationSchedule
{
public:
    ConfirmationSchedule() = default;
    /// \param steps  timed ones of each size, at least 1
    ConfirmationSchedule(std::size_t sizes, int steps);

    struct Step
    {
        /// The place of the size, from 0.
        std::size_t size = 0;
        bool isTimed = false;

        bool operator==(const Step&) const = default;
    };
    /// Nothing when all is done.
    std::optional<Step> next() const;
    /// The step of next() is done.
    void take(double seconds);
    /// That size takes no more steps.
    void drop(std::size_t size);

    /// Timed steps; those of a dropped size count as far as they were done.
    int stepsDone() const { return m_stepsDone; }
    int stepsInAll() const;

private:
    struct Block
    {
        std::size_t size = 0;
        int steps = 0;
    };

    bool isWarm() const;
    void enterNextBlock();

    /// The one under way first.
    std::vector<Block> m_blocks;
    int m_stepsDone = 0;
    std::set<std::size_t> m_seen;
    /// Seconds of the steps that were not timed since the last change of size.
    std::vector<double> m_warmup;
};

} // namespace batchpeak::training
