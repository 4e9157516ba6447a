// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sweep_command.h"

#include "syntax/config_error.h"
#include "text/errors.h"

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
        const SweepSetup setup = planSweep(path, options);
        search::RandomSource random(1);
        std::optional<SweepRecorder> recorder;
        const auto sweep = [&] {
            return Sweep{.plan = setup.plan, .device = recorder->device(), .rows = recorder->rows()};
        };
        const auto passEnded = [&] {
            if (keep)
                keep(sweep());
        };
        recorder.emplace(setup.device, passesThrough(sizes, 1, visits, random), passEnded,
                         [](const QString& problem) {
                             if (!problem.isEmpty())
                                 std::fprintf(stderr, "%s\n", qUtf8Printable(problem));
                             QCoreApplication::exit(problem.isEmpty() ? 0 : 1);
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
