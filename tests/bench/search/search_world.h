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

/// One search to be run: on which device, by which strategy, asked for what.
struct SearchTask
{
    std::string strategy = "posterior";
    std::string family;
    std::uint64_t seed = 1;
    /// One of restlessWorlds(), or empty for the calm one.
    std::string world = {};
    /// Only divisors of a per-device batch are allowed, as in the setting `auto`.
    bool divisorsOnly = false;
    batchpeak::search::Objective objective = batchpeak::search::Objective::Micro;
    double tolerance = 0.02;
    int devices = 1;
    /// A description of the network tells what a sample takes, as well as it says.
    bool isDescribed = false;
    /// Above 1: the search goes on until its trials are used up.
    double targetConfidence = 0.95;
    /// From the end of so many trials on, the chance on the devices is that of otherSeed; 0: never.
    int trialsOfSeed = 0;
    std::uint64_t otherSeed = 0;
    /// It recalls the trials of so many searches like it on the same devices, one a day, by other chance,
    /// each of which recalled those before. Each day the device was faster or slower by one factor.
    int earlierSearches = 0;
};

/// What a search runs on, and the truth that it is judged by. Several devices of a world are equal, apart
/// from their noise.
class SearchWorld
{
public:
    /// \throws std::invalid_argument where there is no such family
    explicit SearchWorld(const SearchTask& task);

    const batchpeak::search::SearchSpace& space() const { return m_space; }
    std::vector<ReplayDevice>& devices() { return m_devices; }
    const ReplayDevice::Truth& truth() const { return m_devices.front().truth(); }

    /// True samples/s of what the search maximizes.
    double speed(std::int64_t size) const;
    /// The same as it is in the long run, with what the device's restlessness takes.
    double longRunSpeed(std::int64_t size) const;
    /// The size with the highest speed among those that are allowed and fit. Thrashing ones count as slow as
    /// they are.
    std::int64_t bestSize() const { return m_bestSize; }
    /// 1 - speed over that of the best size.
    double regret(std::int64_t size) const { return 1.0 - speed(size) / speed(m_bestSize); }
    /// What all curves say that a recorded sweep leaves possible; nothing where the curve is known.
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
