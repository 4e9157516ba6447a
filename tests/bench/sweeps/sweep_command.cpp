// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sweep_command.h"

#include "engine/config_file.h"
#include "engine/errors.h"
#include "engine/run_devices.h"

#include <QCoreApplication>

#include <cstdio>

using namespace batchpeak;

SweepCommand::SweepCommand()
{
    m_parser.addPositionalArgument(QStringLiteral("CONFIG"), QStringLiteral("config of the network"));
    m_parser.addOption({QStringLiteral("device"), QStringLiteral("cpu, cuda:N"), QStringLiteral("NAME"),
                        QStringLiteral("cpu")});
    m_parser.addOption({QStringLiteral("memory-limit"), QStringLiteral("what the device may hold"),
                        QStringLiteral("BYTES")});
    m_parser.addOption(
        {QStringLiteral("sequence-length"), QStringLiteral("instead of the config's"), QStringLiteral("N")});
    m_parser.addHelpOption();
}

engine::DeviceSetup SweepCommand::setup()
{
    engine::ExplorationOptions options{
        .devices = {m_parser.value(QStringLiteral("device"))}, .headroom = 0.0, .setting = config::Explore{}};
    if (m_parser.isSet(QStringLiteral("memory-limit")))
        options.memoryLimitBytes = m_parser.value(QStringLiteral("memory-limit")).toLongLong();
    if (m_parser.isSet(QStringLiteral("sequence-length")))
        options.sequenceLength = m_parser.value(QStringLiteral("sequence-length")).toLongLong();
    const QString path = m_parser.positionalArguments().constFirst();
    m_plan = engine::planExploration(path, engine::ConfigFile::open(path).contents(), options);
    const device::LocalDevice device = engine::chooseDevices(options.devices, device::localDevices()).front();
    return {.id = QString::fromStdString(device.id()),
            .command = engine::workerCommand(options, device, QCoreApplication::applicationDirPath()),
            .load = m_plan.load,
            .memoryLimitBytes = options.memoryLimitBytes,
            .headroom = options.headroom};
}

int SweepCommand::run(const std::vector<std::int64_t>& sizes, int repetitions,
                      const std::function<int(const SweepRecorder&)>& finish)
{
    try {
        SweepRecorder recorder(setup(), sizes, repetitions);
        QObject::connect(&recorder, &SweepRecorder::trialEnded, qApp,
                         [](int done, int planned, const trial::TrialResult& result) {
                             std::fprintf(stderr, "%d of %d: %lld %s %.5f s\n", done, planned,
                                          static_cast<long long>(result.microBatchSize),
                                          toText(result.outcome).data(), result.secondsPerStep);
                         });
        QObject::connect(&recorder, &SweepRecorder::failed, qApp, [](const QString& problem) {
            std::fprintf(stderr, "%s\n", qUtf8Printable(problem));
            QCoreApplication::exit(1);
        });
        QObject::connect(&recorder, &SweepRecorder::finished, qApp,
                         [&] { QCoreApplication::exit(finish(recorder)); });
        QMetaObject::invokeMethod(&recorder, &SweepRecorder::start, Qt::QueuedConnection);
        return QCoreApplication::exec();
    } catch (const config::ConfigError& error) {
        std::fprintf(stderr, "%s\n", error.what());
    } catch (const engine::ExplorationError& error) {
        std::fprintf(stderr, "%s\n", qUtf8Printable(error.sentence()));
    }
    return 1;
}
