// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/measurement.h"

#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace batchpeak::training {

/// Samples/s with their standard error, relative.
struct PredictedSpeed
{
    double samplesPerSecond = 0.0;
    double relativeError = 0.0;
};

/// The times of an exploration's trials, and what whole optimizer steps take by them.
///
/// Which trials ran well enough to be added, and which sizes are worth comparing, is for the caller.
class TrialTimes
{
public:
    /// \param trial  with a sound time, and when it ended
    void add(const search::Measurement& trial);
    /// Leaves that size out, whatever trials say of it: it did not fit once, or not well.
    void exclude(std::int64_t microBatchSize);

    /// Ascending, each once; those left out are none of them.
    std::vector<std::int64_t> sizes() const;

    /// Of whole optimizer steps of \p batch samples on one device, spread evenly over micro-batches of at
    /// most each of \p microBatchSizes, in their order; only where there are sizes().
    std::vector<PredictedSpeed> predict(std::int64_t batch,
                                        const std::vector<std::int64_t>& microBatchSizes) const;
    /// Typical time of an optimizer step [s]; 0 where no trial told it, and then no prediction holds it.
    double optimizerSeconds() const;

private:
    /// Of the sizes that are not left out, the trials that count.
    std::vector<search::Measurement> counted() const;

    std::map<std::int64_t, std::vector<search::Measurement>> m_trials;
    std::set<std::int64_t> m_excluded;
};

} // namespace batchpeak::training
