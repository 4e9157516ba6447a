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

/// One thing that a TrialPlanner is asked or told which changes what it says later. A search has no chance
/// and no clock of its own, so that the same calls in the same order make the same planner again, number by
/// number.
struct PlannerCall
{
    enum class Kind {
        Next,
        GiveBack,
        TrialEnded,
        DeviceLost,
        /// By size, as number of trials.
        Continue,
        TryNow,
        Exclude,
        Allow,
        TrialSkipped,
        /// By size, as number of trials.
        Extend,
        /// To share, as the next.
        SetTolerance,
        SetTargetConfidence,
        VerificationEnded,
        /// Before all others: what an earlier exploration measured.
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
    /// Of Continue and Extend, what is added to the time that may be spent.
    double seconds = 0.0;
    /// When it was made: since the start of the exploration, the same without pauses, and in milliseconds
    /// since 1970.
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

/// What a planner answers to a call: nothing but of Next, and of TrialEnded.
struct PlannerReply
{
    std::optional<search::Proposal> proposal;
    FollowUp followUp = FollowUp::None;
};

PlannerReply apply(const PlannerCall& call, TrialPlanner& planner);

// As they are kept: objects of JSON in one line, whose numbers are read as the very same.

QByteArray toText(const PlannerCall& call);
/// \return nothing for a text that is no call, as that of a later program, or says what no call can
std::optional<PlannerCall> plannerCallFrom(const QByteArray& text);

QByteArray toText(const search::SearchSpace& space);
std::optional<search::SearchSpace> searchSpaceFrom(const QByteArray& text);

/// Makes them in their order. A planner that proposes something else than was run, as that of a later program
/// may, is told what was.
void applyAll(const std::vector<PlannerCall>& calls, TrialPlanner& planner);

/// The devices on which a trial may have been under way after these.
std::vector<QString> devicesUnderWay(const std::vector<PlannerCall>& calls);

} // namespace batchpeak::engine
