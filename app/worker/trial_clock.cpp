// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "trial_clock.h"

#include "network/step_runner.h"

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
    return network::steadySeconds();
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
