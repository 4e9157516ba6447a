// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/fidelity.h"

#include <QDateTime>
#include <QString>
#include <QStringList>

#include <cstdint>
#include <optional>
#include <vector>

namespace batchpeak::engine {

/// A process on a device that is not Batchpeak's worker.
struct ForeignProcess
{
    std::int64_t pid = 0;
    /// Name of the program; empty if the system does not report it.
    QString name;
    std::optional<std::int64_t> bytes;

    bool operator==(const ForeignProcess&) const = default;
};

/// Reason that a device runs below its normal clock rate.
enum class Throttle { None, Power, Heat, Hardware };

/// Current readings of a device; readings that it does not provide are absent.
struct Telemetry
{
    std::optional<int> utilizationPercent;
    std::optional<int> temperatureCelsius;
    std::optional<int> clockMegahertz;
    std::optional<int> maxClockMegahertz;
    std::optional<double> powerWatts;
    std::optional<double> powerLimitWatts;
    Throttle throttle = Throttle::None;
    /// Used part of the device's memory, or of the main memory that may be used: the total, and the part that
    /// programs other than our worker hold.
    std::optional<std::int64_t> usedBytes;
    std::optional<std::int64_t> heldByOthersBytes;
    /// Programs other than our worker that compute on the device; no value if they are unknown.
    std::optional<std::vector<ForeignProcess>> otherProcesses;
    /// For a CPU: processor time that other programs take, in processors, and the number of processors.
    std::optional<double> otherProcessors;
    std::optional<int> processors;
    /// Number of uncorrectable memory errors since the driver was loaded.
    std::optional<std::int64_t> uncorrectedErrors;
    /// Code of the newest error that the driver reported (NVIDIA's "Xid") since the exploration began.
    std::optional<int> xid;

    bool operator==(const Telemetry&) const = default;
};

/// Extent to which other programs have recently disturbed the trials on a device.
struct Contention
{
    /// Share of the last trials that were disturbed, 0..1, and the number of those last trials.
    double disturbedShare = 0.0;
    int trials = 0;
    /// What disturbed the newest disturbed trial, in the worker's words: "other programs used 0.8 of 2
    /// processors".
    QString by;

    /// Whether the device is busy. On a busy device, times are less certain, and disturbed trials are not
    /// repeated.
    bool isBusy() const;
    bool operator==(const Contention&) const = default;
};

struct DeviceSnapshot
{
    /// Name of the device on the command line: "cpu" or "cuda:0".
    QString id;
    QString kind;
    QString name;
    std::int64_t totalBytes = 0;
    /// Memory that other processes held when the first worker said hello; 0 if the worker does not report it.
    std::int64_t heldByOthersBytes = 0;
    /// Memory limit, from the device or from --memory-limit; usableBytes is that limit minus the headroom.
    std::int64_t limitBytes = 0;
    std::int64_t usableBytes = 0;
    /// Memory held before the first forward pass.
    std::int64_t baselineBytes = 0;
    /// Process id of the worker; 0 if no worker runs.
    std::int64_t workerPid = 0;
    QString program;
    /// Framework that the worker uses, "torch 2.11.0". Like the next two members, it is empty if the worker
    /// does not report it.
    QString framework = {};
    QString uuid = {};
    QString driver = {};
    /// User's settings of the worker's memory allocator; empty if there are none, or if they are not
    /// reported.
    QString allocatorSettings;
    /// Kernel that last computed attention, as named by the worker; empty before, or if it is not reported.
    QString attention;
    /// What the worker runs differently than requested; see trial::Loaded::approximations.
    QStringList approximations;
    Telemetry telemetry;
    Contention contention;
    /// Number of times that a worker of this device was restarted.
    int restarts = 0;
};

/// Adds the approximations that a device's worker reports, which apply to all numbers of its run.
void addApproximations(config::Fidelity& fidelity, const DeviceSnapshot& device);

enum class LogLevel { Info, Warning, Error };

struct LogLine
{
    QDateTime time;
    LogLevel level = LogLevel::Info;
    QString text;
};

} // namespace batchpeak::engine
