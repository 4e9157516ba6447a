// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sweep_command.h"

#include "engine/config_file.h"
#include "engine/device_runner.h"
#include "engine/errors.h"
#include "engine/run_devices.h"
#include "search/random_source.h"

#include <QCoreApplication>
#include <QElapsedTimer>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <numeric>
#include <utility>

using namespace batchpeak;

namespace {

constexpr double timeLimitSeconds = 300.0;

struct Planned
{
    int visit = 0;
    std::int64_t size = 1;
};

std::vector<Planned> passesThrough(std::vector<std::int64_t> sizes, int visits)
{
    search::RandomSource random(1);
    std::vector<Planned> planned;
    for (int visit = 1; visit <= visits; ++visit) {
        // The first pass is ascending, so that it finds what fits before larger sizes are tried again and
        // again.
        if (visit > 1) {
            for (std::size_t i = sizes.size(); i > 1; --i)
                std::swap(sizes[i - 1],
                          sizes[static_cast<std::size_t>(random.uniform() * static_cast<double>(i))]);
        }
        for (const std::int64_t size : sizes)
            planned.push_back({.visit = visit, .size = size});
    }
    return planned;
}

/// Runs trials one after another until the event loop ends.
class SweepRecorder : public QObject
{
public:
    SweepRecorder(const engine::DeviceSetup& setup, std::vector<Planned> planned,
                  std::function<void()> passEnded)
        : m_runner(setup), m_planned(std::move(planned)), m_passEnded(std::move(passEnded))
    {
        m_clock.start();
        connect(&m_runner, &engine::DeviceRunner::ready, this, &SweepRecorder::startNext);
        connect(&m_runner, &engine::DeviceRunner::trialEnded, this, &SweepRecorder::take);
        connect(&m_runner, &engine::DeviceRunner::ended, qApp, &QCoreApplication::quit);
        connect(&m_runner, &engine::DeviceRunner::gaveUp, this, [this] {
            std::fprintf(stderr, "%s\n", qUtf8Printable(m_runner.problem()));
            QCoreApplication::exit(1);
        });
        QMetaObject::invokeMethod(&m_runner, &engine::DeviceRunner::start, Qt::QueuedConnection);
    }

    const engine::DeviceSnapshot& device() const { return m_runner.snapshot(); }
    const std::vector<Sweep::Row>& rows() const { return m_rows; }

private:
    void startNext()
    {
        while (m_next < m_planned.size() && m_planned[m_next].size >= m_smallestFailure)
            ++m_next;
        if (m_next >= m_planned.size()) {
            m_runner.end();
            return;
        }
        m_runner.runTrial({.id = static_cast<std::int64_t>(m_next) + 1,
                           .microBatchSize = m_planned[m_next].size,
                           .timeLimitSeconds = timeLimitSeconds});
    }

    void take(const trial::TrialResult& result)
    {
        const int visit = m_planned[m_next].visit;
        const double now = static_cast<double>(m_clock.nsecsElapsed()) * 1e-9;
        const double timed = std::reduce(result.stepSeconds.begin(), result.stepSeconds.end()) +
                             result.steps * result.optimizerSeconds.value_or(0.0);
        m_rows.push_back({.visit = visit, .clockSeconds = now - timed, .result = result});
        if (result.outcome == trial::Outcome::OutOfMemory)
            m_smallestFailure = std::min(m_smallestFailure, result.microBatchSize);
        ++m_next;
        std::fprintf(stderr, "%zu of %zu: %lld %s %.5f s\n", m_next, m_planned.size(),
                     static_cast<long long>(result.microBatchSize), toText(result.outcome).data(),
                     result.secondsPerStep);
        if (m_next >= m_planned.size() || m_planned[m_next].visit != visit)
            m_passEnded();
        if (m_runner.isFree())
            startNext();
    }

    engine::DeviceRunner m_runner;
    std::vector<Planned> m_planned;
    std::function<void()> m_passEnded;
    QElapsedTimer m_clock;
    std::size_t m_next = 0;
    std::int64_t m_smallestFailure = std::numeric_limits<std::int64_t>::max();
    std::vector<Sweep::Row> m_rows;
};

} // namespace

SweepCommand::SweepCommand()
{
    m_parser.addPositionalArgument(QStringLiteral("CONFIG"), QStringLiteral("config of the network"));
    m_parser.addOption({QStringLiteral("device"), QStringLiteral("cpu, cuda:N"), QStringLiteral("NAME"),
                        QStringLiteral("cpu")});
    m_parser.addOption({QStringLiteral("memory-limit"), QStringLiteral("what the device may hold"),
                        QStringLiteral("BYTES")});
    m_parser.addOption(
        {QStringLiteral("sequence-length"), QStringLiteral("instead of the config's"), QStringLiteral("N")});
    m_parser.addOption({QStringLiteral("phase"), QStringLiteral("train or eval"), QStringLiteral("WORD"),
                        QStringLiteral("train")});
    m_parser.addHelpOption();
}

std::optional<Sweep> SweepCommand::run(const std::vector<std::int64_t>& sizes, int visits,
                                       const std::function<void(const Sweep&)>& keep)
{
    engine::ExplorationOptions options{
        .devices = {m_parser.value(QStringLiteral("device"))}, .headroom = 0.0, .setting = config::Explore{}};
    if (m_parser.isSet(QStringLiteral("memory-limit")))
        options.memoryLimitBytes = m_parser.value(QStringLiteral("memory-limit")).toLongLong();
    if (m_parser.isSet(QStringLiteral("sequence-length")))
        options.sequenceLength = m_parser.value(QStringLiteral("sequence-length")).toLongLong();
    const std::string word = m_parser.value(QStringLiteral("phase")).toStdString();
    const auto phase = model::fromText<model::Phase>(word);
    if (!phase) {
        std::fprintf(stderr, "--phase is train or eval, and not '%s'.\n", word.c_str());
        return std::nullopt;
    }
    options.phase = *phase;
    const QString path = m_parser.positionalArguments().constFirst();
    try {
        const auto plan = engine::planExploration(path, engine::ConfigFile::open(path).contents(), options);
        const auto device = engine::chooseDevices(options.devices, device::localDevices()).front();
        std::optional<SweepRecorder> recorder;
        const auto sweep = [&] {
            return Sweep{.plan = plan, .device = recorder->device(), .rows = recorder->rows()};
        };
        recorder.emplace(engine::DeviceSetup{.id = QString::fromStdString(device.id()),
                                             .command = engine::workerCommand(
                                                 options, device, QCoreApplication::applicationDirPath()),
                                             .load = plan.load,
                                             .memoryLimitBytes = options.memoryLimitBytes,
                                             .headroom = options.headroom},
                         passesThrough(sizes, visits), [&] {
                             if (keep)
                                 keep(sweep());
                         });
        if (QCoreApplication::exec() == 0)
            return sweep();
    } catch (const config::ConfigError& error) {
        std::fprintf(stderr, "%s\n", error.what());
    } catch (const engine::ExplorationError& error) {
        std::fprintf(stderr, "%s\n", qUtf8Printable(error.sentence()));
    }
    return std::nullopt;
}
