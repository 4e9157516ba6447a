// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace batchpeak::worker {

/// Resources that this process has used since it began, all its threads together.
struct ProcessUse
{
    double processorSeconds = 0.0;
    std::int64_t minorPageFaults = 0;
    std::int64_t majorPageFaults = 0;
};

/// The clock of trials [s], and the resources that the process used; tests provide their own.
class TrialClock
{
public:
    TrialClock() = default;
    TrialClock(const TrialClock&) = delete;
    TrialClock& operator=(const TrialClock&) = delete;
    virtual ~TrialClock() = default;

    /// Time since an arbitrary moment in the past. Called from any thread.
    virtual double wallSeconds() const = 0;
    virtual ProcessUse processUse() const = 0;
    /// Processor time that the calling thread needs for the same short piece of work. It is longer if the
    /// clock of the processor is lower, or the host of a virtual machine gives it less; time that the thread
    /// waits does not count.
    virtual double probeSeconds() const = 0;
};

class SystemClock : public TrialClock
{
public:
    double wallSeconds() const override;
    ProcessUse processUse() const override;
    double probeSeconds() const override;
};

} // namespace batchpeak::worker
