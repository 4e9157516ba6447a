// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Checks whether the stated confidence is correct on this computer. Explores networks with the real program,
// interleaved with visits to every size, and judges the explorations by the visits:
//     batchpeak-bench-live --help

#include "cli/signal_relay.h"
#include "live_measurement.h"
#include "live_report.h"
#include "syntax/config_error.h"
#include "text/errors.h"
#include "workers/process_group.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <QCoreApplication>
#include <QDir>
#include <QProcess>

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

using namespace batchpeak;

namespace {

/// Exit code of a program that Ctrl-C ended.
constexpr int interruptedCode = 130;
constexpr int disturberMilliseconds = 5000;

struct Arguments
{
    std::vector<std::string> configs;
    std::string program;
    std::string worker;
    std::string device = "cpu";
    std::int64_t sequenceLength = 0;
    std::int64_t largest = 64;
    std::int64_t memoryLimit = 0;
    double tolerancePercent = 2.0;
    int explorations = 4;
    int rounds = 12;
    double ratio = 1.25;
    std::uint64_t seed = 1;
    bool isDisturbed = false;
};

/// Returns a decoder, an encoder and an image network, small enough for two cores.
std::vector<LiveNetwork> defaultNetworks(std::int64_t largest)
{
    const QDir examples(QStringLiteral(BATCHPEAK_EXAMPLES));
    return {{.config = examples.filePath(QStringLiteral("gpt2-tiny.yaml")),
             .sequenceLength = 32,
             .largest = largest},
            {.config = examples.filePath(QStringLiteral("bert-tiny.yaml")),
             .sequenceLength = 32,
             .largest = largest},
            {.config = examples.filePath(QStringLiteral("resnet18-tiny.yaml")), .largest = largest}};
}

std::vector<LiveNetwork> networksOf(const Arguments& arguments)
{
    if (arguments.configs.empty())
        return defaultNetworks(arguments.largest);
    std::vector<LiveNetwork> networks;
    for (const std::string& config : arguments.configs) {
        networks.push_back({.config = QString::fromStdString(config), .largest = arguments.largest});
        if (arguments.sequenceLength > 0)
            networks.back().sequenceLength = arguments.sequenceLength;
    }
    return networks;
}

LiveOptions optionsOf(const Arguments& arguments)
{
    LiveOptions options{.program = QString::fromStdString(arguments.program),
                        .device = QString::fromStdString(arguments.device),
                        .worker = QString::fromStdString(arguments.worker),
                        .tolerance = arguments.tolerancePercent / 100.0,
                        .explorations = arguments.explorations,
                        .rounds = arguments.rounds,
                        .ratio = arguments.ratio,
                        .seed = arguments.seed};
    if (arguments.memoryLimit > 0)
        options.memoryLimitBytes = arguments.memoryLimit;
    if (options.program.isEmpty())
        options.program = QCoreApplication::applicationDirPath() + QStringLiteral("/batchpeak");
    return options;
}

/// Runs the bundled program that keeps a core busy, until this object is destroyed.
class Disturber
{
public:
    Disturber()
    {
        engine::leadOwnGroup(m_process);
        m_process.start(QCoreApplication::applicationDirPath() + QStringLiteral("/batchpeak-disturb"), {});
        if (!m_process.waitForStarted())
            throw engine::ExplorationError(
                QStringLiteral("batchpeak-disturb, which lies beside this program, cannot be started: build "
                               "it, or leave --disturb out."));
    }
    ~Disturber()
    {
        m_process.kill();
        m_process.waitForFinished(disturberMilliseconds);
    }

private:
    QProcess m_process;
};

/// Measures the networks one after another, and prints the figures of each.
class LiveBench
{
public:
    explicit LiveBench(const Arguments& arguments)
        : m_options(optionsOf(arguments)), m_networks(networksOf(arguments))
    {
        QObject::connect(&m_signals, &cli::SignalRelay::interrupted, &m_signals, [this] {
            m_isInterrupted = true;
            std::fputs("interrupted: this is what is known so far\n", stderr);
            if (m_measurement)
                m_measurement->interrupt();
        });
    }

    int run()
    {
        std::puts(liveHeading(m_options.tolerance).c_str());
        std::fflush(stdout);
        LiveFigures overall{.name = "all"};
        bool isComplete = true;
        for (const LiveNetwork& network : m_networks) {
            if (m_isInterrupted)
                break;
            isComplete = measure(network) && isComplete;
            const LiveFigures figures = figuresOf(m_measurement->record(), m_options.tolerance);
            m_measurement.reset();
            overall.add(figures);
            for (const LiveFigures::Speed& speed : figures.speeds)
                std::fprintf(stderr, "%s: %s\n", figures.name.c_str(), liveSpeedText(speed).c_str());
            std::puts(liveRow(figures).c_str());
            std::fflush(stdout);
        }
        std::printf("%s\n%s\n", liveRow(overall).c_str(), liveVerdict(overall).c_str());
        return m_isInterrupted ? interruptedCode : isComplete ? 0 : 1;
    }

private:
    /// \return whether the measurement ended without an error
    bool measure(const LiveNetwork& network)
    {
        m_measurement.emplace(m_options, network, [&](const QString& line) {
            std::fprintf(stderr, "%s: %s\n", qUtf8Printable(network.config.section(QLatin1Char('/'), -1)),
                         qUtf8Printable(line));
        });
        try {
            m_measurement->run();
            return true;
        } catch (const config::ConfigError& error) {
            std::fprintf(stderr, "%s\n", error.what());
        } catch (const engine::ExplorationError& error) {
            std::fprintf(stderr, "%s\n", qUtf8Printable(error.sentence()));
        }
        return false;
    }

    LiveOptions m_options;
    std::vector<LiveNetwork> m_networks;
    cli::SignalRelay m_signals;
    bool m_isInterrupted = false;
    /// Measurement of the current network.
    std::optional<LiveMeasurement> m_measurement;
};

} // namespace

int main(int argc, char** argv)
{
    QCoreApplication app(argc, argv);
    Arguments arguments;
    CLI::App cli(
        "Explores networks on this computer and tells whether the stated confidence can be believed. Nothing "
        "else should run meanwhile, but for what is always there.");
    cli.add_option(
        "--config", arguments.configs,
        "network to explore, may be given again; without it a decoder, an encoder and one of images");
    cli.add_option("--explorations", arguments.explorations, "of each network")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    cli.add_option("--rounds", arguments.rounds,
                   "through all sizes, between the explorations; up to twice as many follow through those of "
                   "which it is in doubt whether they are the best")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    cli.add_option("--largest", arguments.largest, "micro-batch size to consider")
        ->check(CLI::Range(1, 65535))
        ->capture_default_str();
    cli.add_option("--ratio", arguments.ratio, "from one visited size to the next")
        ->check(CLI::Range(1.0, 2.0))
        ->capture_default_str();
    cli.add_option("--device", arguments.device, "cpu or cuda:N")->capture_default_str();
    cli.add_option("--memory-limit", arguments.memoryLimit, "bytes that the device may hold");
    cli.add_option("--sequence-length", arguments.sequenceLength, "of the networks of --config")
        ->needs("--config");
    cli.add_option("--tolerance", arguments.tolerancePercent, "percent")
        ->check(CLI::Range(0.1, 50.0))
        ->capture_default_str();
    cli.add_option("--seed", arguments.seed, "of the first exploration; the next ones follow")
        ->capture_default_str();
    cli.add_flag("--disturb", arguments.isDisturbed, "keep one core busy in bursts meanwhile");
    cli.add_option("--program", arguments.program, "batchpeak; without it that beside this program");
    cli.add_option("--worker", arguments.worker, "command in the place of batchpeak-worker");
    CLI11_PARSE(cli, argc, argv);

    try {
        LiveBench bench(arguments);
        std::optional<Disturber> disturber;
        if (arguments.isDisturbed)
            disturber.emplace();
        return bench.run();
    } catch (const engine::ExplorationError& error) {
        std::fprintf(stderr, "%s\n", qUtf8Printable(error.sentence()));
        return 1;
    }
}
