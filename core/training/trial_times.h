// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace batchpeak::training {

/// The times of one trial that ran within the memory there is.
struct TimedTrial
{
    std::int64_t microBatchSize = 0;
    /// Of one micro-batch.
    double seconds = 0.0;
    /// Of one optimizer step; nothing where the trial does not tell, or there is none.
    std::optional<double> optimizerSeconds;
    /// Something else than the size moved its times.
    bool isDisturbed = false;
};

/// The times of an exploration's trials, and what whole optimizer steps take by them.
///
/// Which trials ran well enough to be added, and which sizes are worth comparing, is for the caller.
class TrialTimes
{
public:
    void add(const TimedTrial& trial);
    /// Leaves that size out, whatever trials say of it: it did not fit once, or not well.
    void exclude(std::int64_t microBatchSize);

    /// Ascending, each once; those left out are none of them.
    std::vector<std::int64_t> sizes() const;

    /// Samples/s of whole optimizer steps of \p batch samples on one device, spread evenly over micro-batches
    /// of at most \p microBatchSize; only where there are sizes().
    double samplesPerSecond(std::int64_t batch, std::int64_t microBatchSize) const;
    /// Whether any trial told the time of the optimizer step; else samplesPerSecond() reckons without it.
    bool knowOptimizer() const;

private:
    /// Typical values of the trials of one size.
    struct Times
    {
        double seconds = 0.0;
        std::optional<double> optimizerSeconds;
    };
    static Times typical(const std::vector<TimedTrial>& trials);
    /// By size, of those that are not left out.
    std::map<std::int64_t, Times> typicalTimes() const;

    std::map<std::int64_t, std::vector<TimedTrial>> m_trials;
    std::set<std::int64_t> m_excluded;
};

} // namespace batchpeak::training
