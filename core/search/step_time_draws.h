// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/measurement.h"

#include <cstdint>
#include <span>
#include <vector>

namespace batchpeak::search {

/// Draws of the times of micro-batches, given timed trials: joint draws from the curve model of a search, for
/// code that looks at a search's trials after its end.
///
/// The draws leave out the noise of a trial. They include the mean effect of other programs and the speed of
/// the device in the long run (LongRun). A size that was the fastest by luck is pulled toward its neighbors,
/// so that choosing it for its speed does not make its expected speed too high.
class StepTimeDraws
{
public:
    /// \param timed  trials with sound times, at least one; the same trials give the same draws
    /// \param sizes  sizes of interest besides those of the trials
    StepTimeDraws(const std::vector<Measurement>& timed, std::span<const std::int64_t> sizes);

    std::size_t count() const { return m_seconds.size(); }
    /// Returns the time of one micro-batch [s]; \p size is a size of interest or of a trial.
    double seconds(std::size_t draw, std::int64_t size) const;

private:
    /// Ascending.
    std::vector<std::int64_t> m_sizes;
    /// Times of each draw, in the order of the sizes.
    std::vector<std::vector<double>> m_seconds;
};

} // namespace batchpeak::search
