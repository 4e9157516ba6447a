// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/snapshot.h"

namespace batchpeak::engine {

// Another program may have written the events that are read, or a disk damaged them: what is drawn and
// counted with must be possible. Sizes have the limits of options, bytes and times those of the trial
// protocol.

/// More trials, devices, and points of a curve than any exploration has.
inline constexpr int mostTrials = 1 << 16;
inline constexpr std::size_t mostDevices = 1 << 12;
inline constexpr std::size_t mostPoints = 1 << 14;

bool isPossible(const trial::ComparedRecord& size);
bool isPossible(const trial::TrialRecord& trial);
bool isPossible(const RecalledTrial& recalled);
bool isPossible(const search::SizeEstimate& estimate);
bool isPossible(const search::CurvePoint& point);
bool isPossible(const search::Contender& contender);
bool isPossible(const search::MemoryLine& line);
bool isPossible(const search::Estimate& estimate);
bool isPossible(const search::Recommendation& recommendation);
bool isPossible(const search::SearchState& state);
bool isPossible(const RunDescription& run);
bool isPossible(const trial::Link& link);
bool isPossible(const DeviceSnapshot& device);
bool isPossible(const CoursePoint& point);
bool isPossible(const TrialPlan& plan);
bool isPossible(const PredictedSize& size);
/// Whether the state is possible, without its trials, its course and its log.
bool isPossible(const Snapshot& snapshot);

} // namespace batchpeak::engine
