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

/// Whether the recommended size is still to be measured once more in a fresh process, and what that says.
///
/// A size may run only beside what earlier trials left in memory, or only without it. Processes are started,
/// and the search goes on or ends, as Exploration decides.
class Verifier
{
public:
    /// Sizes verified in one exploration at most: a device on which so many differ is not worth more. Those
    /// that run out of memory go down from one to the next.
    static constexpr int maxVerifications = 6;

    /// \param isWanted  false where nothing is to be verified
    explicit Verifier(bool isWanted) : m_isWanted(isWanted) {}

    /// Not where the newest trial was the size's, and the first of its process.
    bool isDue(const Snapshot& snapshot, const DevicePool& pool) const;
    /// Takes up the recommended size; only while isDue().
    void begin(const Snapshot& snapshot);
    /// From begin() until a verdict, or the end of it otherwise.
    bool isUnderWay() const { return m_isUnderWay; }
    /// Whether another size is recommended by now, and no process measures this one yet.
    bool isOvertaken(const Snapshot& snapshot) const;
    /// The search goes on after all, and what no process measures yet is left.
    void dropUnlessRunning(const Snapshot& snapshot);
    /// It cannot be done.
    void giveUp();

    const Verification& verification() const { return m_verification; }
    /// How the verification of the recommended size ended, whichever was verified last; nothing where there
    /// was none.
    std::optional<Verification> verdict(const Snapshot& snapshot) const;
    /// What a verification takes [s]; only while isDue().
    /// \param startUpSeconds  until a worker holds the network
    static double neededSeconds(const Snapshot& snapshot, double startUpSeconds);
    /// That measured the size before.
    const QString& device() const { return m_device; }
    search::Proposal proposal() const;

    /// Which repetition of a disturbed trial comes next; 0 where it repeats none.
    int repetition() const { return m_repeater.repetition(); }

    /// A trial that says nothing of its size is to be repeated once, and isUnderWay() stays; two such are a
    /// size that fails. A disturbed one is repeated as TrialRepeater says, and the last one decides.
    /// \param mayRepeat  whether disturbed trials are still repeated on the device
    /// \return what the search must learn; nothing where the trial says nothing of its size for the first
    /// time
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
    /// Of a step and of a whole trial, by the trials before [s], and the relative error of what they say.
    double m_expectedSeconds = 0.0;
    double m_expectedWallSeconds = 0.0;
    double m_expectedError = 0.0;
    /// Trials of the size that nothing disturbed tell the expected time.
    bool m_isComparedWithCalm = false;
    double m_tolerance = 0.0;
};

} // namespace batchpeak::engine
