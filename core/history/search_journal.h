// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/enum_names.h"
#include "search/measurement.h"
#include "search/strategy.h"
#include "trial_planner.h"

#include <QByteArray>
#include <QString>

#include <cstdint>
#include <optional>
#include <vector>

namespace batchpeak::engine {

/// A call to a TrialPlanner that changes what it says later. A search has no randomness and no clock of its
/// own, so that the same calls in the same order produce the same planner again, with exactly the same
/// numbers.
struct PlannerCall
{
    enum class Kind {
        Next,
        GiveBack,
        TrialEnded,
        DeviceLost,
        /// Adds \c size trials.
        Continue,
        TryNow,
        Exclude,
        Allow,
        TrialSkipped,
        /// Adds \c size trials.
        Extend,
        /// Sets the tolerance to \c share; the next kind uses \c share too.
        SetTolerance,
        SetTargetConfidence,
        VerificationEnded,
        /// Comes before all others: what an earlier exploration measured.
        Recall
    };
    Kind kind = Kind::Next;
    QString device = {};
    /// Number of the trial that ended; 0 in every other call.
    int trial = 0;
    std::optional<search::Measurement> measurement = {};
    std::vector<search::Measurement> recalled = {};
    std::int64_t size = 0;
    double share = 0.0;
    /// For Continue and Extend, the seconds that are added to the time budget.
    double seconds = 0.0;
    /// Time of the call: seconds since the start of the exploration, the same without pauses, and
    /// milliseconds since 1970.
    double clockSeconds = 0.0;
    double elapsedSeconds = 0.0;
    std::int64_t time = 0;
};

constexpr model::EnumNames<PlannerCall::Kind, 14> wordsOf(PlannerCall::Kind)
{
    using enum PlannerCall::Kind;
    return {{{Next, "next"},
             {GiveBack, "give_back"},
             {TrialEnded, "trial_ended"},
             {DeviceLost, "device_lost"},
             {Continue, "go_on"},
             {TryNow, "try_now"},
             {Exclude, "exclude"},
             {Allow, "allow"},
             {TrialSkipped, "trial_skipped"},
             {Extend, "extend"},
             {SetTolerance, "set_tolerance"},
             {SetTargetConfidence, "set_confidence"},
             {VerificationEnded, "verification_ended"},
             {Recall, "recall"}}};
}

/// Reply of a planner to a call; empty except for Next and TrialEnded.
struct PlannerReply
{
    std::optional<search::Proposal> proposal;
    FollowUp followUp = FollowUp::None;
};

PlannerReply apply(const PlannerCall& call, TrialPlanner& planner);

// Stored form: JSON objects in one line, whose numbers are read back exactly.

QByteArray toText(const PlannerCall& call);
/// \return nothing if the text is not a call, as one of a newer program, or contains impossible values
std::optional<PlannerCall> plannerCallFrom(const QByteArray& text);

QByteArray toText(const search::SearchSpace& space);
std::optional<search::SearchSpace> searchSpaceFrom(const QByteArray& text);

/// Makes the calls in their order. If a planner proposes something other than what was run, as that of a
/// newer program may, it is told what was run.
void applyAll(const std::vector<PlannerCall>& calls, TrialPlanner& planner);

/// Returns the devices on which a trial may have been under way after these calls.
std::vector<QString> devicesUnderWay(const std::vector<PlannerCall>& calls);

} // namespace batchpeak::engine
