// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/strategy.h"
#include "snapshot/snapshot.h"
#include "trial/comparison.h"
#include "trial/trial_request.h"
#include "trial_repeater.h"

#include <QString>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace batchpeak::engine {

/// What follows a trial.
enum class FollowUp {
    /// The search was told of the trial.
    None,
    /// The trial is run once more, since it was lost or disturbed.
    Repeated,
    /// The trial was lost a second time, and its size is not tried again.
    LeftOut,
    /// The search was told of the trial, and no more trials are repeated on its device.
    NoMoreRepetitions
};

/// Connects the search, which deals with sizes, to the devices, which lose workers and are disturbed.
///
/// It knows which sizes are being tried, and repeats a lost trial once if its size is not proven to be the
/// cause. If it is lost a second time, both are reported as void, so that the search leaves the size alone
/// and concludes nothing about larger ones. Disturbed trials are repeated on their device as TrialRepeater
/// decides, and the search is told of each.
/// A comparison is not repeated: a disturbance affects its visits alike, and a lost comparison may be
/// proposed again. The search decides which size is next or best.
class TrialPlanner
{
public:
    /// \param maxTrials  trial budget of the search, repeated trials included
    /// \param repeatsDisturbed  whether a disturbed trial is run once more
    TrialPlanner(std::unique_ptr<search::Strategy> strategy, int maxTrials, bool repeatsDisturbed = true,
                 std::int64_t processes = 1);

    /// \return nothing if the search has ended or waits for running trials
    std::optional<search::Proposal> next(const QString& device);
    /// Withdraws what next() last proposed for the device, as if it had not been proposed.
    void giveBack(const QString& device);
    /// Takes \p measurement as that of the trial on the device, whatever next() proposed.
    void takeAsRun(const QString& device, const search::Measurement& measurement);

    /// \param measurement  measurement of a trial that next() proposed for this device; void if the trial was
    ///                     lost
    FollowUp trialEnded(const QString& device, const search::Measurement& measurement);
    /// Handles a device that runs no more trials, and so does not repeat any.
    void deviceLost(const QString& device);
    /// Revokes the end of the search, for \p moreTrials more trials.
    void continueSearch(int moreTrials);

    /// Recalls measurements as search::Strategy does; call it before the first trial.
    void recall(const std::vector<search::Measurement>& measurements) { m_strategy->recall(measurements); }

    // Commands of a person, as in search::Strategy; the search state contains their effects.

    search::Abilities abilities() const { return m_strategy->abilities(); }
    /// Makes the next trial one of this size; repetitions of a disturbed trial that would come after it are
    /// dropped.
    void tryNow(std::int64_t size);
    void setExcluded(std::int64_t size, bool isExcluded);
    /// Handles a trial that next() proposed for this device and a person canceled. It says nothing.
    void trialSkipped(const QString& device);
    void extend(int moreTrials);
    void setTolerance(double tolerance) { m_strategy->setTolerance(tolerance); }
    void setTargetConfidence(double probability) { m_strategy->setTargetConfidence(probability); }

    /// Whether continueSearch() would find another trial after the end of the search.
    bool canContinue() { return !m_repeats.empty() || m_strategy->canContinue(); }

    /// Records a trial that next() did not propose.
    void verificationEnded(const search::Measurement& measurement) { m_strategy->record(measurement); }

    /// Whether more is to be learned: from running trials that next() proposed, from those to be repeated, or
    /// from sizes that a person asked for.
    bool expectsMore() const;
    /// Number of the repetition that the next trial of the device will be; 0 if it is not a repetition.
    int repetition(const QString& device) const;
    bool repeatsOn(const QString& device) const;
    /// Returns the state of the search. A search that has no size left to try is still searching while more
    /// is to be learned, and one that has ended is while it has sizes that a person asked for. The next trial
    /// is the one that next() would propose.
    search::SearchState searchState() const;

private:
    /// Origin of a proposal: the strategy, the device's own disturbed trial, a lost trial, or a person.
    enum class Origin { Strategy, Disturbed, Lost, Asked };
    struct Flight
    {
        QString device;
        search::Proposal proposal;
        Origin origin = Origin::Strategy;
    };
    struct Repetition
    {
        TrialRepeater repeater;
        /// Proposal to run on the device before anything else.
        std::optional<search::Proposal> proposal;
    };

    /// Withdraws the trial under way on the device, as if it had not begun; returns nothing if there is none.
    std::optional<Flight> withdraw(const QString& device);
    std::optional<search::Proposal> nextAsked(const QString& device);
    bool awaitsAsked() const;
    std::optional<search::NextTrial> nextTrial() const;
    std::vector<std::int64_t> sizesUnderWay() const;
    FollowUp take(const search::Measurement& measurement, const search::Proposal& proposal);

    std::unique_ptr<search::Strategy> m_strategy;
    int m_maxTrials;
    bool m_repeatsDisturbed;
    /// Factor from the speeds of the search, which are those of one process, to those of all.
    double m_processes;
    int m_trials = 0;
    std::vector<Flight> m_inFlight;
    std::map<QString, Repetition> m_repetitions;
    /// Lost trials to repeat, on whichever device is free.
    std::deque<search::Proposal> m_repeats;
    /// Sizes that a person asked for and that have not begun yet.
    std::deque<std::int64_t> m_asked;
    /// First trials of sizes that are being repeated; the search is not told of one until the second ends.
    std::vector<search::Measurement> m_lost;
};

/// Returns what the search may assume of these devices: the memory of the one with the least, since every
/// size must fit on all, and the largest baseline.
search::SearchSpace spaceOn(const std::vector<DeviceSnapshot>& devices, search::SearchSpace space);

/// Returns the record of a trial at its beginning, without its device.
trial::TrialRecord recordFor(const search::Proposal& proposal, std::int64_t number);

/// Returns the request to a worker for a size that the search proposes, with a time limit that follows from
/// the predicted time, if there is one.
trial::TrialRequest requestFor(const search::Proposal& proposal, std::int64_t id);

/// Returns the request for a proposal that compares sizes.
trial::CompareRequest comparisonFor(const search::Proposal& proposal, std::int64_t id);

} // namespace batchpeak::engine
