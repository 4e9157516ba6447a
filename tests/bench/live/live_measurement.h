// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "live_report.h"
#include "search/random_source.h"
#include "sweep_recorder.h"

#include <QElapsedTimer>
#include <QEventLoop>
#include <QString>
#include <QStringList>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

/// Options of a live bench, the same for each network.
struct LiveOptions
{
    /// Path of batchpeak.
    QString program;
    QString device = QStringLiteral("cpu");
    /// Worker to use instead of batchpeak-worker; empty for batchpeak-worker.
    QString worker;
    std::optional<std::int64_t> memoryLimitBytes;
    double tolerance = 0.02;
    int explorations = 4;
    /// Number of rounds of visits to all sizes, interleaved with the explorations. Up to twice as many rounds
    /// follow, which visit only the sizes that may still be the best.
    int rounds = 12;
    /// Ratio of a visited size to the previous one.
    double ratio = 1.25;
    std::uint64_t seed = 1;
};

struct LiveNetwork
{
    QString config;
    std::optional<std::int64_t> sequenceLength;
    std::int64_t largest = 64;
};

/// Explores a network several times through the real program, interleaved with visits to every size, so that
/// changes of the computer affect both. If it is interrupted, the results so far are kept.
class LiveMeasurement
{
public:
    /// \param report  called with a line for each part that begins
    LiveMeasurement(const LiveOptions& options, const LiveNetwork& network,
                    std::function<void(const QString&)> report);
    ~LiveMeasurement();

    /// Runs the measurement; returns when all is done or interrupted. The event loop runs meanwhile.
    ///
    /// \throws config::ConfigError, engine::ExplorationError if the network cannot be run
    void run();
    /// Ends the current part immediately.
    void interrupt();

    LiveRecord record() const;

private:
    /// Returns the number of rounds before the exploration with this number, counted from 0. The last rounds
    /// follow all explorations.
    int roundsBefore(int exploration) const;
    void visit(const std::vector<std::int64_t>& sizes, int rounds);
    void explore(int number);
    std::vector<std::int64_t> sizesToVisit() const;
    /// Returns the sizes that may be the best; empty if the visits determine the best size well enough.
    std::vector<std::int64_t> sizesInDoubt() const;

    LiveOptions m_options;
    LiveNetwork m_network;
    std::function<void(const QString&)> m_report;
    SweepSetup m_setup;
    batchpeak::search::RandomSource m_random;
    QElapsedTimer m_clock;
    QEventLoop m_loop;
    bool m_isInterrupted = false;
    /// Stops the current part.
    std::function<void()> m_stop;
    int m_roundsDone = 0;
    double m_limitBytes = 0.0;
    std::vector<SweepRecorder::Row> m_rows;
    LiveRecord m_record;
};
