// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "replay_device.h"
#include "search/strategy.h"
#include "sweep_truth.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Settings of one search: its device, its strategy and its request.
struct SearchTask
{
    std::string strategy = "posterior";
    std::string family;
    std::uint64_t seed = 1;
    /// One of restlessWorlds(), or empty for the calm one.
    std::string world = {};
    /// Whether only divisors of a per-device batch are allowed, as in the setting `auto`.
    bool divisorsOnly = false;
    batchpeak::search::Objective objective = batchpeak::search::Objective::Micro;
    double tolerance = 0.02;
    int devices = 1;
    /// Whether a description of the network predicts the memory of a sample, with its accuracy.
    bool isDescribed = false;
    /// Above 1, the search continues until its trials are used up.
    double targetConfidence = 0.95;
    /// Number of trials after which the devices continue with the random numbers of otherSeed; 0: never.
    int trialsOfSeed = 0;
    std::uint64_t otherSeed = 0;
    /// Number of earlier searches like it on the same devices whose trials it recalls. They ran on one day
    /// each, with different random numbers, and each recalled the previous ones. Each day the device was
    /// faster or slower by one factor.
    int earlierSearches = 0;
};

/// The devices of a search, and the truth that it is judged by. Several devices of a world are equal, apart
/// from their noise.
class SearchWorld
{
public:
    /// \throws std::invalid_argument if there is no such family
    explicit SearchWorld(const SearchTask& task);

    const batchpeak::search::SearchSpace& space() const { return m_space; }
    std::vector<ReplayDevice>& devices() { return m_devices; }
    const ReplayDevice::Truth& truth() const { return m_devices.front().truth(); }

    /// True samples/s of the search's objective.
    double speed(std::int64_t size) const;
    /// Its value in the long run, including the effect of the device's restlessness.
    double longRunSpeed(std::int64_t size) const;
    /// The size with the highest speed among those that are allowed and fit. Thrashing sizes count with their
    /// actual speed.
    std::int64_t bestSize() const { return m_bestSize; }
    /// 1 - speed divided by that of the best size.
    double regret(std::int64_t size) const { return 1.0 - speed(size) / speed(m_bestSize); }
    /// Verdict over all curves that a recorded sweep leaves possible; nothing if the curve is known.
    std::optional<TruthVerdict> verdict() const;
    std::int64_t largestFit() const { return m_devices.front().largestFit(); }

    /// Cost of trying 1, 2, 4, ... to the limit on one device [s].
    double rampSeconds() const { return m_devices.front().rampSeconds(); }
    /// Cost of trying every allowed size that fits on one device [s].
    double exhaustiveSeconds() const;

private:
    /// Allowed sizes that fit.
    std::vector<std::int64_t> answers() const;

    batchpeak::search::SearchSpace m_space;
    std::vector<ReplayDevice> m_devices;
    std::int64_t m_bestSize = 1;
};
