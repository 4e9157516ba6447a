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
    /// The search knows of it.
    None,
    /// It is tried once more: it was lost, or something disturbed it.
    Repeated,
    /// It was lost a second time, and is not tried again.
    LeftOut,
    /// The search knows of it, and no more trials are repeated on its device.
    NoMoreRepetitions
};

/// Stands between the search, which thinks in sizes, and the devices, which lose workers and are disturbed.
///
/// It knows which sizes are in flight, and repeats a trial once that was lost through no proven fault of
/// its size. Lost a second time, the size is reported as void so often that the search leaves it alone,
/// without a word about larger ones. Disturbed trials are repeated on their device as TrialRepeater says, and
/// the search is told of each.
/// A comparison is not repeated: its visits bear a disturbance together, and a lost one may be proposed anew.
/// Which size is next or best is the search's decision.
class TrialPlanner
{
public:
    /// \param maxTrials  of the search, the repeated ones included
    /// \param repeatsDisturbed  whether a trial that something disturbed is run once more
    TrialPlanner(std::unique_ptr<search::Strategy> strategy, int maxTrials, bool repeatsDisturbed = true);

    /// \return nothing when the search has ended or waits for what is in flight
    std::optional<search::Proposal> next(const QString& device);
    /// What next() proposed last for the device is not run after all: it counts as if it had not been
    /// proposed.
    void giveBack(const QString& device);
    /// What runs on the device is a trial that this may be of, whatever next() proposed.
    void takeAsRun(const QString& device, const search::Measurement& measurement);

    /// \param measurement  of a trial that next() proposed for this device; void where it was lost
    FollowUp trialEnded(const QString& device, const search::Measurement& measurement);
    /// The device runs no more trials, and so does not repeat any.
    void deviceLost(const QString& device);
    /// Takes the end of the search back for so many more trials.
    void continueSearch(int moreTrials);

    /// As of search::Strategy, before the first trial.
    void recall(const std::vector<search::Measurement>& measurements) { m_strategy->recall(measurements); }

    // What a person wishes, as of search::Strategy; the search state has what follows from it.

    search::Abilities abilities() const { return m_strategy->abilities(); }
    /// The next trial is of this size; repetitions of a disturbed one that it comes before are left.
    void tryNow(std::int64_t size);
    void setExcluded(std::int64_t size, bool isExcluded);
    /// A trial that next() proposed for this device was canceled by a person, and says nothing.
    void trialSkipped(const QString& device);
    void extend(int moreTrials);
    void setTolerance(double tolerance) { m_strategy->setTolerance(tolerance); }
    void setTargetConfidence(double probability) { m_strategy->setTargetConfidence(probability); }

    /// After its end continueSearch() would find another trial.
    bool canContinue() { return !m_repeats.empty() || m_strategy->canContinue(); }

    /// Of a trial that next() did not propose.
    void verificationEnded(const search::Measurement& measurement) { m_strategy->record(measurement); }

    /// Of trials that next() proposed and that run, or of those to be repeated, more is to be learned.
    bool expectsMore() const;
    /// Which repetition the next trial of the device will be: 0 where it repeats none.
    int repetition(const QString& device) const;
    bool repeatsOn(const QString& device) const;
    /// A search that has no size left to try waits for what is still to be learned, and one that has ended
    /// for what a person asked for. What comes next is what next() would say.
    search::SearchState searchState() const;

private:
    /// Where a proposal is from: the strategy, the device's own disturbed trial, a lost one, or a person.
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
        /// To be run on the device before anything else.
        std::optional<search::Proposal> proposal;
    };

    /// Takes back what is under way on the device, as if it had not begun; nothing where nothing is.
    std::optional<Flight> withdraw(const QString& device);
    std::optional<search::Proposal> nextAsked(const QString& device);
    bool awaitsAsked() const;
    std::optional<search::NextTrial> nextTrial() const;
    std::vector<std::int64_t> sizesUnderWay() const;
    FollowUp take(const search::Measurement& measurement, const search::Proposal& proposal);

    std::unique_ptr<search::Strategy> m_strategy;
    int m_maxTrials;
    bool m_repeatsDisturbed;
    int m_trials = 0;
    std::vector<Flight> m_inFlight;
    std::map<QString, Repetition> m_repetitions;
    /// Lost ones, for whichever device is free.
    std::deque<search::Proposal> m_repeats;
    /// By a person, and not begun yet.
    std::deque<std::int64_t> m_asked;
    /// The first trial of a size that is being repeated, kept from the search until the second ends.
    std::vector<search::Measurement> m_lost;
};

/// What the search may assume of these devices: the memory of the least of them, since every size must
/// fit all, and the largest baseline.
search::SearchSpace spaceOn(const std::vector<DeviceSnapshot>& devices, search::SearchSpace space);

/// The trial as it begins, but for its device.
trial::TrialRecord recordFor(const search::Proposal& proposal, std::int64_t number);

/// A size that the search proposes, as a worker is asked for it: with a time limit that follows from the
/// predicted time, where there is one.
trial::TrialRequest requestFor(const search::Proposal& proposal, std::int64_t id);

/// The same of a proposal that compares sizes.
trial::CompareRequest comparisonFor(const search::Proposal& proposal, std::int64_t id);

} // namespace batchpeak::engine
