// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/measurement.h"
#include "search/strategy.h"
#include "trial_planner.h"

#include <QByteArray>
#include <QString>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::engine {

/// One thing that a TrialPlanner is asked or told which changes what it says later. A search has no chance and
/// no clock of its own, so that the same calls in the same order make the same planner again, number by
/// number.
struct PlannerCall
{
    enum class Kind {
        Next,
        GiveBack,
        TrialEnded,
        DeviceLost,
        /// By size, as number of trials.
        GoOn,
        TryNow,
        Exclude,
        Allow,
        TrialSkipped,
        /// By size, as number of trials.
        Extend,
        /// To share, as the next.
        SetTolerance,
        SetTargetConfidence,
        VerificationEnded
    };
    Kind kind = Kind::Next;
    QString device = {};
    /// Number of the trial that ended; 0 in every other call.
    int trial = 0;
    std::optional<search::Measurement> measurement = {};
    std::int64_t size = 0;
    double share = 0.0;
};

/// What a planner answers to a call: nothing but of Next, and of TrialEnded.
struct PlannerReply
{
    std::optional<search::Proposal> proposal;
    FollowUp followUp = FollowUp::None;
};

PlannerReply apply(const PlannerCall& call, TrialPlanner& planner);

// As they are kept: objects of JSON in one line, whose numbers are read as the very same.

QByteArray toText(const PlannerCall& call);
/// \return nothing for a text that is no call, as that of a later program
std::optional<PlannerCall> plannerCallFrom(const QByteArray& text);

QByteArray toText(const search::SearchSpace& space);
std::optional<search::SearchSpace> searchSpaceFrom(const QByteArray& text);

/// A search as it is kept: what it was asked, and all that it was told since.
struct SearchJournal
{
    QString strategy;
    search::SearchSpace space;
    bool repeatsDisturbed = true;
    std::vector<PlannerCall> calls;
};

/// The planner as it was after the last call. Trials that ran at that moment count as if they had not been
/// proposed.
/// \throws std::invalid_argument as search::makeStrategy does
TrialPlanner
plannerFrom(const SearchJournal& journal,
            const std::function<std::unique_ptr<search::Strategy>(std::string_view, const search::SearchSpace&)>&
                makeStrategy = search::makeStrategy);

} // namespace batchpeak::engine
