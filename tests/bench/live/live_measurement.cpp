// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "live_measurement.h"

#include "explorer_process.h"
#include "text/errors.h"

#include <QFileInfo>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

using namespace batchpeak;

namespace {

/// The visits suffice once a forecaster who knows all of them would be right with a probability of
/// sufficientShare. Otherwise, sizes that are within the tolerance of the best with a probability of at least
/// minShareInDoubt are visited again.
constexpr double sufficientShare = 0.97;
constexpr double minShareInDoubt = 0.02;
constexpr int roundsAtOnce = 3;

engine::ExplorationOptions sweepOptions(const LiveOptions& options, const LiveNetwork& network)
{
    return {.devices = {options.device},
            .memoryLimitBytes = options.memoryLimitBytes,
            .setting = config::Explore{},
            .sequenceLength = network.sequenceLength,
            .workerCommand = options.worker};
}

} // namespace

LiveMeasurement::LiveMeasurement(const LiveOptions& options, const LiveNetwork& network,
                                 std::function<void(const QString&)> report)
    : m_options(options), m_network(network), m_report(std::move(report)), m_random(options.seed)
{
    m_record.name = QFileInfo(network.config).completeBaseName().toStdString();
}

LiveMeasurement::~LiveMeasurement() = default;

void LiveMeasurement::run()
{
    m_setup = planSweep(m_network.config, sweepOptions(m_options, m_network));
    m_clock.start();
    for (int number = 0; number <= m_options.explorations && !m_isInterrupted; ++number) {
        visit(sizesToVisit(), roundsBefore(number + 1) - roundsBefore(number));
        if (number < m_options.explorations && !m_isInterrupted)
            explore(number);
    }
    for (int more = 0; more < 2 * m_options.rounds && !m_isInterrupted; more += roundsAtOnce) {
        const std::vector<std::int64_t> sizes = sizesInDoubt();
        if (sizes.size() < 2)
            return;
        visit(sizes, std::min(roundsAtOnce, 2 * m_options.rounds - more));
    }
}

void LiveMeasurement::interrupt()
{
    m_isInterrupted = true;
    if (m_stop)
        m_stop();
}

int LiveMeasurement::roundsBefore(int exploration) const
{
    return m_options.rounds * exploration / (m_options.explorations + 1);
}

std::vector<std::int64_t> LiveMeasurement::sizesToVisit() const
{
    const std::vector<std::int64_t> grid = sweepGrid(m_network.largest, m_options.ratio);
    std::set<std::int64_t> sizes(grid.begin(), grid.end());
    for (const LiveExploration& exploration : m_record.explorations)
        sizes.insert(exploration.size);
    // Neither a size that failed nor a larger one is tried again.
    for (const SweepRecorder::Row& row : m_rows) {
        if (row.result.outcome != trial::Outcome::Ok)
            sizes.erase(sizes.lower_bound(row.result.microBatchSize), sizes.end());
    }
    return {sizes.begin(), sizes.end()};
}

std::vector<std::int64_t> LiveMeasurement::sizesInDoubt() const
{
    const LiveRecord seen = record();
    std::vector<std::int64_t> sizes;
    if (seen.visits.empty() || seen.answers.empty())
        return sizes;
    const SweepTruth truth(seen.visits);
    const TruthVerdict verdict = verdictOf(truth, seen, m_options.tolerance);
    if (verdict.perfectShare() < sufficientShare) {
        std::ranges::copy_if(seen.answers, std::back_inserter(sizes),
                             [&](std::int64_t size) { return verdict.shareWithin(size) >= minShareInDoubt; });
    }
    return sizes;
}

void LiveMeasurement::visit(const std::vector<std::int64_t>& sizes, int rounds)
{
    if (rounds == 0)
        return;
    m_report(QStringLiteral("%1 rounds through %2 sizes").arg(rounds).arg(sizes.size()));
    const double began = static_cast<double>(m_clock.nsecsElapsed()) * 1e-9;
    QString problem;
    SweepRecorder recorder(
        m_setup.device, passesThrough(sizes, m_roundsDone + 1, rounds, m_random), [] {},
        [&](const QString& why) {
            problem = why;
            m_loop.quit();
        });
    m_stop = [&] { recorder.stop(); };
    m_loop.exec();
    m_stop = {};
    m_roundsDone += rounds;
    m_limitBytes = static_cast<double>(recorder.device().limitBytes);
    for (SweepRecorder::Row row : recorder.rows()) {
        row.clockSeconds += began;
        m_rows.push_back(std::move(row));
    }
    if (!problem.isEmpty() && !m_isInterrupted)
        throw engine::ExplorationError(problem);
}

void LiveMeasurement::explore(int number)
{
    m_report(QStringLiteral("exploration %1 of %2").arg(number + 1).arg(m_options.explorations));
    QStringList arguments{
        QStringLiteral("explore"),     m_network.config,
        QStringLiteral("--setting"),   QStringLiteral("explore"),
        QStringLiteral("--objective"), QStringLiteral("micro"),
        QStringLiteral("--device"),    m_options.device,
        QStringLiteral("--max"),       QString::number(m_network.largest),
        QStringLiteral("--tolerance"), QString::number(100.0 * m_options.tolerance),
        QStringLiteral("--seed"),      QString::number(m_options.seed + static_cast<std::uint64_t>(number))};
    if (m_network.sequenceLength)
        arguments += {QStringLiteral("--sequence-length"), QString::number(*m_network.sequenceLength)};
    if (m_options.memoryLimitBytes)
        arguments += {QStringLiteral("--memory-limit"), QString::number(*m_options.memoryLimitBytes)};
    if (!m_options.worker.isEmpty())
        arguments += {QStringLiteral("--worker"), m_options.worker};
    ExplorerProcess explorer(m_options.program, arguments, [this] { m_loop.quit(); });
    m_stop = [&] { explorer.interrupt(); };
    m_loop.exec();
    m_stop = {};
    const ExplorerEnd end = explorer.end();
    if (end.exploration) {
        m_record.explorations.push_back(*end.exploration);
        m_report(QStringLiteral("  found %1, stated %2 %")
                     .arg(end.exploration->size)
                     .arg(100.0 * end.exploration->stated, 0, 'f', 0));
    } else if (!m_isInterrupted) {
        ++m_record.failures;
        m_record.outOfMemoryOfFailures += end.outOfMemory;
        m_report(QStringLiteral("  ended without a size: %1").arg(explorer.lastWords()));
    }
}

LiveRecord LiveMeasurement::record() const
{
    LiveRecord record = m_record;
    const double usable = (1.0 - m_setup.device.headroom) * m_limitBytes;
    std::map<std::int64_t, bool> answers;
    for (const SweepRecorder::Row& row : m_rows) {
        const trial::TrialResult& result = row.result;
        if (result.outcome != trial::Outcome::Ok || result.stepSeconds.empty())
            continue;
        record.visits.push_back(
            visitOf(row.visit, result.microBatchSize, row.clockSeconds, result.stepSeconds));
        const auto [answer, isNew] = answers.try_emplace(result.microBatchSize, true);
        const bool fits = m_limitBytes <= 0.0 || static_cast<double>(result.peakReservedBytes) <= usable;
        answer->second = answer->second && fits && result.allocationRetries == 0;
    }
    for (const auto& [size, isAllowed] : answers) {
        if (isAllowed)
            record.answers.push_back(size);
    }
    return record;
}
