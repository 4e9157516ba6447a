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

/// What is asked of a live bench, the same for each network.
struct LiveOptions
{
    /// batchpeak.
    QString program;
    QString device = QStringLiteral("cpu");
    /// In the place of batchpeak-worker; empty stands for that.
    QString worker;
    std::optional<std::int64_t> memoryLimitBytes;
    double tolerance = 0.02;
    int explorations = 4;
    /// Through all sizes, between the explorations; up to twice as many follow through the sizes of which
    /// these leave in doubt whether they are the best.
    int rounds = 12;
    /// From one visited size to the next.
    double ratio = 1.25;
    std::uint64_t seed = 1;
};

struct LiveNetwork
{
    QString config;
    std::optional<std::int64_t> sequenceLength;
    std::int64_t largest = 64;
};

/// Explores a network several times through the real program and visits every size in between, in turn, so
/// that what changes on the computer meanwhile falls on both. What is already known stays when it is
/// interrupted.
class LiveMeasurement
{
public:
    /// \param tell  hears a line for each part that begins
    LiveMeasurement(const LiveOptions& options, const LiveNetwork& network,
                    std::function<void(const QString&)> tell);
    ~LiveMeasurement();

    /// Returns when all is done or was interrupted; the event loop runs meanwhile.
    ///
    /// \throws config::ConfigError, engine::ExplorationError where the network cannot be run
    void run();
    /// Ends at once what is under way.
    void interrupt();

    LiveRecord record() const;

private:
    /// Rounds before the exploration of this number, from 0; the last ones come after all explorations.
    int roundsBefore(int exploration) const;
    void visit(const std::vector<std::int64_t>& sizes, int rounds);
    void explore(int number);
    std::vector<std::int64_t> sizesToVisit() const;
    /// Nothing where the visits tell well enough which size is best.
    std::vector<std::int64_t> sizesInDoubt() const;

    LiveOptions m_options;
    LiveNetwork m_network;
    std::function<void(const QString&)> m_tell;
    SweepSetup m_setup;
    batchpeak::search::RandomSource m_random;
    QElapsedTimer m_clock;
    QEventLoop m_loop;
    bool m_isInterrupted = false;
    /// Of the part that is under way.
    std::function<void()> m_stop;
    int m_roundsDone = 0;
    double m_limitBytes = 0.0;
    std::vector<SweepRecorder::Row> m_rows;
    LiveRecord m_record;
};
