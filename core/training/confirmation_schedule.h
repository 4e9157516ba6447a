// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

namespace batchpeak::training {

/// Decides which size runs the next step when sizes are compared in one process. Blocks of steps are
/// interleaved there and back (A B B A A B B A), so that drift, such as a falling clock rate, affects all
/// sizes alike.
///
/// Steps after a change of size are not timed. For a size's first block, these are its first steps until they
/// agree as those of a trial must; for later blocks, one step, after which the caches are filled.
class ConfirmationSchedule
{
public:
    ConfirmationSchedule() = default;
    /// \param steps  number of timed steps of each size, at least 1
    ConfirmationSchedule(std::size_t sizes, int steps);

    struct Step
    {
        /// Index of the size, from 0.
        std::size_t size = 0;
        bool isTimed = false;

        bool operator==(const Step&) const = default;
    };
    /// Returns the next step; nothing if all steps are done.
    std::optional<Step> next() const;
    /// Records that the step of next() is done.
    void take(double seconds);
    /// Removes the remaining steps of that size.
    void drop(std::size_t size);

    /// Number of timed steps done, including those of dropped sizes.
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

    /// Remaining blocks; the first is under way.
    std::vector<Block> m_blocks;
    int m_stepsDone = 0;
    std::set<std::size_t> m_seen;
    /// Durations in seconds of the untimed steps since the last change of size.
    std::vector<double> m_warmup;
};

} // namespace batchpeak::training
