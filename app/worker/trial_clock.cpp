// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "trial_clock.h"

#include <chrono>

#include <sys/resource.h>

namespace batchpeak::worker {

namespace {

double inSeconds(const timeval& time)
{
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

} // namespace

double SystemClock::wallSeconds() const
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

ProcessUse SystemClock::processUse() const
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return {.processorSeconds = inSeconds(usage.ru_utime) + inSeconds(usage.ru_stime),
            .minorPageFaults = usage.ru_minflt,
            .majorPageFaults = usage.ru_majflt};
}

} // namespace batchpeak::worker
