// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace batchpeak::worker {

/// What this process was given since it began, all its threads together.
struct ProcessUse
{
    double processorSeconds = 0.0;
    std::int64_t minorPageFaults = 0;
    std::int64_t majorPageFaults = 0;
};

/// The time as trials see it [s], and what they were given of it; tests bring their own.
class TrialClock
{
public:
    TrialClock() = default;
    TrialClock(const TrialClock&) = delete;
    TrialClock& operator=(const TrialClock&) = delete;
    virtual ~TrialClock() = default;

    /// Since any moment in the past. Asked from any thread.
    virtual double wallSeconds() const = 0;
    virtual ProcessUse processUse() const = 0;
    /// The processor's time that the same short piece of work takes the calling thread: longer where the
    /// clock of the processor is lower, or the host of a virtual machine gives it less; not where the thread
    /// waits.
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
