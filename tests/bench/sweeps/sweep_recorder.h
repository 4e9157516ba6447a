// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan/exploration_plan.h"
#include "search/random_source.h"
#include "snapshot/snapshot.h"
#include "trial/trial_result.h"
#include "workers/device_runner.h"

#include <QElapsedTimer>
#include <QObject>

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

/// The measured network, and the worker and device of the measurement.
struct SweepSetup
{
    batchpeak::engine::ExplorationPlan plan;
    batchpeak::engine::DeviceSetup device;
};

/// \throws config::ConfigError, engine::ExplorationError if the network cannot be run as the options specify
SweepSetup planSweep(const QString& configPath, const batchpeak::engine::ExplorationOptions& options);

/// Returns ascending sizes from 1, each larger than the last by at least this ratio, in addition to the
/// multiples of 8 near the small ones.
std::vector<std::int64_t> sweepGrid(std::int64_t largest, double ratio);

struct PlannedVisit
{
    int visit = 0;
    std::int64_t size = 1;
};

/// Plans passes through all sizes, each in a random order, so that a slow drift of the device does not look
/// like a property of some sizes. The very first pass is ascending: it finds which sizes fit before larger
/// ones are tried repeatedly.
///
/// \param sizes  sizes in ascending order
/// \param first  number of the first pass, from 1
std::vector<PlannedVisit> passesThrough(std::vector<std::int64_t> sizes, int first, int passes,
                                        batchpeak::search::RandomSource& random);

/// Runs the trials of a sweep one after another on one worker, once the event loop runs. A size that does not
/// fit, and all above it, are not tried again.
class SweepRecorder : public QObject
{
public:
    struct Row
    {
        int visit = 0;
        /// Start of the timed steps, counted from the start of the sweep [s].
        double clockSeconds = 0.0;
        batchpeak::trial::TrialResult result;
    };

    /// \param passEnded  called after each pass
    /// \param ended      called once, when the worker has ended: with the reason why the sweep was given up,
    ///        or an empty text if it was not
    SweepRecorder(const batchpeak::engine::DeviceSetup& setup, std::vector<PlannedVisit> planned,
                  std::function<void()> passEnded, std::function<void(const QString& problem)> ended);

    /// Ends the current trial immediately; ended() follows.
    void stop();

    const batchpeak::engine::DeviceSnapshot& device() const { return m_runner.snapshot(); }
    /// Rows in the order of measurement.
    const std::vector<Row>& rows() const { return m_rows; }

private:
    void startNext();
    void take(const batchpeak::trial::TrialResult& result);

    batchpeak::engine::DeviceRunner m_runner;
    std::vector<PlannedVisit> m_planned;
    std::function<void()> m_passEnded;
    QElapsedTimer m_clock;
    std::size_t m_next = 0;
    bool m_isStopped = false;
    std::int64_t m_smallestFailure = std::numeric_limits<std::int64_t>::max();
    std::vector<Row> m_rows;
};
