// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "worker/trial_clock.h"

namespace batchpeak::worker {

/// Clock whose readings a test sets.
class ScriptedClock : public TrialClock
{
public:
    double wallSeconds() const override { return wall; }
    ProcessUse processUse() const override { return use; }
    double probeSeconds() const override { return probe; }

    double wall = 100.0;
    ProcessUse use;
    double probe = 50e-6;
};

} // namespace batchpeak::worker
