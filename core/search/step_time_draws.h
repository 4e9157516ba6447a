// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/measurement.h"

#include <cstdint>
#include <span>
#include <vector>

namespace batchpeak::search {

/// The times of micro-batches as timed trials leave them possible: joint draws of the curve that a search
/// reckons with, for whoever looks at a search's trials after its end.
///
/// The noise of a trial is not in them; what other programs take in the mean, and how fast the device goes on
/// (LongRun), are. A size that was the fastest by luck is drawn back to its neighbors, so
/// that choosing it for its speed does not make the expectation too high.
class StepTimeDraws
{
public:
    /// \param timed  trials with sound times, at least one; the same trials give the same draws
    /// \param sizes  what is asked for beside the trials' own sizes
    StepTimeDraws(const std::vector<Measurement>& timed, std::span<const std::int64_t> sizes);

    std::size_t count() const { return m_seconds.size(); }
    /// Of one micro-batch [s]; \p size is one of those asked for or tried.
    double seconds(std::size_t draw, std::int64_t size) const;

private:
    /// Ascending.
    std::vector<std::int64_t> m_sizes;
    /// Of each draw, in the order of the sizes.
    std::vector<std::vector<double>> m_seconds;
};

} // namespace batchpeak::search
