// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace batchpeak::worker {

/// The time as trials see it [s]; tests bring their own.
class TrialClock
{
public:
    TrialClock() = default;
    TrialClock(const TrialClock&) = delete;
    TrialClock& operator=(const TrialClock&) = delete;
    virtual ~TrialClock() = default;

    /// Since any moment in the past. Asked from any thread.
    virtual double wallSeconds() const = 0;
    /// That the threads of this process were given by the processor, all together.
    virtual double processorSeconds() const = 0;
};

class SystemClock : public TrialClock
{
public:
    double wallSeconds() const override;
    double processorSeconds() const override;
};

} // namespace batchpeak::worker
