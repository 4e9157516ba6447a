// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "strategy.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace batchpeak::engine {

/// Stands between the search, which thinks in sizes, and the devices, which lose workers.
///
/// It knows which sizes are in flight, and repeats a trial once that was lost through no proven fault of
/// its size. Lost a second time, the size is reported as void so often that the search leaves it alone,
/// without a word about larger ones. Which size is next or best is the search's decision.
class TrialPlanner
{
public:
    explicit TrialPlanner(std::unique_ptr<search::Strategy> strategy);

    /// \return nothing when the search has ended or waits for what is in flight
    std::optional<search::Proposal> next();

    /// \param measurement  of a trial that next() proposed; Void where it was lost
    /// \return whether the trial will be repeated
    bool trialEnded(const search::Measurement& measurement);

    /// Of a trial that next() did not propose.
    void verificationEnded(const search::Measurement& measurement) { m_strategy->record(measurement); }

    bool hasInFlight() const { return !m_inFlight.empty(); }
    const search::Outlook& outlook() const { return m_strategy->outlook(); }

private:
    std::unique_ptr<search::Strategy> m_strategy;
    std::vector<search::Proposal> m_inFlight;
    std::deque<search::Proposal> m_repeats;
    /// The first trial of a size that is being repeated, kept from the search until the second ends.
    std::vector<search::Measurement> m_lost;
};

} // namespace batchpeak::engine
