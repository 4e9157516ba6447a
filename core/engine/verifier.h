// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "history/trial_reading.h"
#include "history/trial_repeater.h"
#include "search/strategy.h"
#include "snapshot/snapshot.h"
#include "workers/device_pool.h"

#include <QString>

#include <cstdint>
#include <map>
#include <optional>

namespace batchpeak::engine {

/// Decides whether the recommended size is still to be measured once more in a fresh process, and judges the
/// result.
///
/// A size may run only in a process with the memory that earlier trials left behind, or only without it.
/// Exploration decides when processes are started, and whether the search continues or ends.
class Verifier
{
public:
    /// Maximum number of sizes that are verified in one exploration: on a device on which so many differ,
    /// more verifications are not worth their time. Sizes that run out of memory are verified in descending
    /// order.
    static constexpr int maxVerifications = 6;

    /// \param isWanted  false if nothing is to be verified
    explicit Verifier(bool isWanted) : m_isWanted(isWanted) {}

    /// Returns whether the recommended size is to be verified. It is not if the newest trial was of this size
    /// and the first of its process.
    bool isDue(const Snapshot& snapshot, const DevicePool& pool) const;
    /// Begins the verification of the recommended size; call it only while isDue().
    void begin(const Snapshot& snapshot);
    /// Whether begin() was called and neither a verdict nor another end of the verification has followed.
    bool isUnderWay() const { return m_isUnderWay; }
    /// Whether another size is recommended by now, and no process measures this one yet.
    bool isOvertaken(const Snapshot& snapshot) const;
    /// Drops the verification, since the search continues after all, unless a process already measures the
    /// size.
    void dropUnlessRunning(const Snapshot& snapshot);
    /// Ends the verification, since it cannot be done.
    void giveUp();

    const Verification& verification() const { return m_verification; }
    /// Returns how the verification of the recommended size ended, whichever size was verified last; nothing
    /// if it was not verified.
    std::optional<Verification> verdict(const Snapshot& snapshot) const;
    /// Returns the time that a verification takes [s]; call it only while isDue().
    /// \param startUpSeconds  time until a worker has loaded the network
    static double neededSeconds(const Snapshot& snapshot, double startUpSeconds);
    /// Device that measured the size before.
    const QString& device() const { return m_device; }
    search::Proposal proposal() const;

    /// Number of the repetition of a disturbed trial that comes next; 0 if the next trial is not a
    /// repetition.
    int repetition() const { return m_repeater.repetition(); }

    /// Judges a trial. If it says nothing about its size, it is to be repeated once, and isUnderWay() stays
    /// true; after the second such trial, the size fails. A disturbed trial is repeated as TrialRepeater
    /// decides, and the last one counts.
    /// \param mayRepeat  whether disturbed trials are still repeated on the device
    /// \return what the search must learn; nothing the first time that the trial says nothing about its size
    std::optional<search::Measurement> judge(const TrialReading& reading, const DeviceSnapshot& device,
                                             bool mayRepeat);

private:
    Verification::Outcome outcomeOf(const trial::TrialRecord& trial) const;
    bool isSurprising(const trial::TrialRecord& trial) const;

    bool m_isWanted;
    bool m_isUnderWay = false;
    bool m_hasFailedOnce = false;
    TrialRepeater m_repeater;
    std::map<std::int64_t, Verification> m_verdicts;
    Verification m_verification;
    QString m_device;
    /// Expected time of a step and of a whole trial, from the trials before [s], and the relative error of
    /// these.
    double m_expectedSeconds = 0.0;
    double m_expectedWallSeconds = 0.0;
    double m_expectedError = 0.0;
    /// Whether the expected time is from undisturbed trials of the size.
    bool m_isComparedWithCalm = false;
    double m_tolerance = 0.0;
};

} // namespace batchpeak::engine
