// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/device_runner.h"
#include "trial/trial_result.h"

#include <QObject>

#include <cstdint>
#include <vector>

/// Measures every size of a grid several times on one device. Each repetition is a pass through all sizes in
/// an order of its own, so that a slow drift of the device does not look like a property of some sizes.
///
/// A size that does not fit, and those above it, are measured no more.
class SweepRecorder : public QObject
{
    Q_OBJECT

public:
    struct Row
    {
        int repetition = 0;
        batchpeak::trial::TrialResult result;
    };

    /// \param sizes  ascending
    SweepRecorder(const batchpeak::engine::DeviceSetup& setup, std::vector<std::int64_t> sizes,
                  int repetitions, QObject* parent = nullptr);

    void start() { m_runner.start(); }
    const std::vector<Row>& rows() const { return m_rows; }
    const batchpeak::engine::DeviceSnapshot& device() const { return m_runner.snapshot(); }

signals:
    void trialEnded(int done, int planned, const batchpeak::trial::TrialResult& result);
    void finished();
    void failed(const QString& problem);

private:
    void startNext();
    void take(const batchpeak::trial::TrialResult& result);

    struct Planned
    {
        int repetition = 0;
        std::int64_t size = 1;
    };

    batchpeak::engine::DeviceRunner m_runner;
    std::vector<Planned> m_plan;
    std::size_t m_next = 0;
    std::int64_t m_smallestFailure = 0;
    std::vector<Row> m_rows;
};
