// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "files/config_file.h"
#include "large_texts.h"

#include <QCoreApplication>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <vector>

using namespace batchpeak;

namespace {

/// Cost of opening a config file and writing a micro-batch size into it.
struct ConfigCost
{
    double seconds = 0;
    /// CPU time, which other programs affect less than wall time.
    double processorSeconds = 0;
    /// Peak memory of a process that does nothing else, in bytes.
    std::int64_t peakBytes = 0;
    /// Reason for the refusal; empty if the file was accepted.
    std::string refusal;
};

/// Returns the peak memory in bytes: VmHWM of /proc/self/status (proc(5)), which is in kibibytes.
std::int64_t peakMemory()
{
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        std::int64_t kibibytes = 0;
        if (word == "VmHWM:" && status >> kibibytes)
            return kibibytes * 1024;
    }
    return 0;
}

/// Opens \p path and writes a micro-batch size into its text, with the same code as the program.
ConfigCost costOf(const QString& path)
{
    ConfigCost cost;
    const std::clock_t processorStart = std::clock();
    const auto start = std::chrono::steady_clock::now();
    try {
        const auto file = engine::ConfigFile::open(path);
        file.withMicroBatchSize({.phase = model::Phase::Train, .microBatchSize = 66});
    } catch (const config::ConfigError& error) {
        cost.refusal = error.what();
    }
    cost.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    cost.processorSeconds = double(std::clock() - processorStart) / CLOCKS_PER_SEC;
    cost.peakBytes = peakMemory();
    return cost;
}

/// Prints the cost of one file as "seconds processor-seconds bytes refusal"; called in a child process.
int printCost(const QString& path)
{
    const ConfigCost cost = costOf(path);
    std::printf("%.6f %.6f %lld %s\n", cost.seconds, cost.processorSeconds,
                static_cast<long long>(cost.peakBytes), cost.refusal.c_str());
    return 0;
}

/// Measures a file in a separate process, so that the peak memory is that of this file alone.
ConfigCost measuredSeparately(const QString& path)
{
    QProcess process;
    process.start(QCoreApplication::applicationFilePath(), {QStringLiteral("--cost-of"), path});
    constexpr int patience = 20'000; // ms
    if (!process.waitForFinished(patience)) {
        process.kill();
        process.waitForFinished();
        return {.seconds = patience / 1e3, .refusal = "The program did not come to an end."};
    }
    if (process.exitStatus() != QProcess::NormalExit)
        return {.refusal = "The program broke down."};
    const QByteArray line = process.readAllStandardOutput().trimmed();
    const QList<QByteArray> words = line.split(' ');
    return {.seconds = words.value(0).toDouble(),
            .processorSeconds = words.value(1).toDouble(),
            .peakBytes = words.value(2).toLongLong(),
            .refusal = words.mid(3).join(' ').toStdString()};
}

/// Returns the run of median time among \p runs runs.
ConfigCost medianCost(const QString& path, int runs)
{
    std::vector<ConfigCost> costs;
    for (int i = 0; i < runs; ++i)
        costs.push_back(measuredSeparately(path));
    std::ranges::nth_element(costs, costs.begin() + runs / 2, {}, &ConfigCost::seconds);
    return costs[std::size_t(runs / 2)];
}

void printTable(const char* title, const std::vector<config::MadeText>& texts, int runs)
{
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("config.yaml"));
    std::printf("%-44s %10s %8s %8s %8s\n", title, "bytes", "ms", "CPU ms", "MB");
    for (const config::MadeText& made : texts) {
        QFile file(path);
        const bool isThere =
            file.open(QIODevice::WriteOnly) &&
            file.write(made.text.data(), qint64(made.text.size())) == qint64(made.text.size());
        file.close();
        if (!isThere) {
            std::printf("%-44s cannot be written to %s\n", made.name, qPrintable(path));
            continue;
        }
        const ConfigCost cost = medianCost(path, runs);
        std::printf("%-44s %10zu %8.1f %8.1f %8.1f  %.60s\n", made.name, made.text.size(), cost.seconds * 1e3,
                    cost.processorSeconds * 1e3, double(cost.peakBytes) / 1e6,
                    cost.refusal.substr(std::min(cost.refusal.size(), std::size_t(path.size()))).c_str());
        std::fflush(stdout);
    }
}

} // namespace

/// Measures the cost of opening large configs and writing a size into them, and of refusing hostile texts.
/// Prints the run of median time among several, with the peak memory of its process.
int main(int argc, char** argv)
{
    const QCoreApplication application(argc, argv);
    const QStringList arguments = QCoreApplication::arguments();
    if (arguments.value(1) == QLatin1String("--cost-of"))
        return printCost(arguments.value(2));
    const int runs = std::max(1, arguments.value(1, QStringLiteral("5")).toInt());
    printTable("Opened, and a size written", config::largeConfigs(1'000'000), runs);
    printTable("Refused", config::hostileTexts(), runs);
    return 0;
}
