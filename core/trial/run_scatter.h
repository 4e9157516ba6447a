// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace batchpeak::trial {

/// How far trials of the same size lie apart from run to run, learned from the trials of one process: what no
/// number of steps within one trial can show, since they share its clock, its neighbours and its memory.
///
/// It tells a person how sure one trial is. The search, which is given every step, has a model of its own.
class RunScatter
{
public:
    /// \param seconds  of one step of a trial that ended well [s], above 0
    void add(std::int64_t microBatchSize, double seconds);

    /// Standard deviation of a trial's time, relative to it: the pooled one of all sizes that were tried more
    /// than once, with 1 % as one more degree of freedom (run noise of GPUs is 0.15 to 0.6 %, of shared
    /// computers several percent). 0 where no size was repeated.
    double relativeDeviation() const;

private:
    /// Logarithms of the seconds, by size.
    std::map<std::int64_t, std::vector<double>> m_logarithms;
};

} // namespace batchpeak::trial
