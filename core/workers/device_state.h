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

/// A program of somebody else on a device.
struct ForeignProcess
{
    std::int64_t pid = 0;
    /// Empty where the system does not tell.
    QString name;
    std::optional<std::int64_t> bytes;

    bool operator==(const ForeignProcess&) const = default;
};

/// What keeps a device below its clock.
enum class Throttle { None, Power, Heat, Hardware };

/// Readings of a device at present; those that it cannot give are absent.
struct Telemetry
{
    std::optional<int> utilizationPercent;
    std::optional<int> temperatureCelsius;
    std::optional<int> clockMegahertz;
    std::optional<int> maxClockMegahertz;
    std::optional<double> powerWatts;
    std::optional<double> powerLimitWatts;
    Throttle throttle = Throttle::None;
    /// Of the device's memory, or of the main memory that may be used: what is in use, whoever by, and what
    /// programs beside our worker hold of it.
    std::optional<std::int64_t> usedBytes;
    std::optional<std::int64_t> heldByOthersBytes;
    /// Programs beside our worker that compute there; nothing where nobody tells.
    std::optional<std::vector<ForeignProcess>> otherProcesses;
    /// Of a CPU, processors' worth of time that other programs take, and how many there are.
    std::optional<double> otherProcessors;
    std::optional<int> processors;
    /// Errors of its memory that could not be corrected, since the driver was loaded.
    std::optional<std::int64_t> uncorrectedErrors;
    /// Number of the newest error that the driver reported (NVIDIA's "Xid") since the exploration began.
    std::optional<int> xid;

    bool operator==(const Telemetry&) const = default;
};

/// How far other programs disturb the trials on a device of late.
struct Contention
{
    /// Share of the last trials that something disturbed, 0..1, and how many those are.
    double disturbedShare = 0.0;
    int trials = 0;
    /// What disturbed the newest of them, in the worker's words: "other programs used 0.8 of 2 processors".
    QString by;

    /// Of a device that is, times are less sure, and no trial is repeated.
    bool isBusy() const;
    bool operator==(const Contention&) const = default;
};

struct DeviceSnapshot
{
    /// "cpu" or "cuda:0": the word of the command line.
    QString id;
    QString kind;
    QString name;
    std::int64_t totalBytes = 0;
    /// What other processes held when the first worker said hello; 0 where the worker does not tell.
    std::int64_t heldByOthersBytes = 0;
    /// What the device, or --memory-limit, allows; usableBytes is that less the headroom.
    std::int64_t limitBytes = 0;
    std::int64_t usableBytes = 0;
    /// Held before the first forward pass.
    std::int64_t baselineBytes = 0;
    /// 0 when no worker runs.
    std::int64_t workerPid = 0;
    QString program;
    /// What it computes with: "torch 2.11.0"; empty where it does not tell, as the next two.
    QString framework = {};
    QString uuid = {};
    QString driver = {};
    /// What the user has set of the worker's allocator; empty for nothing, and where it is not told.
    QString allocatorSettings;
    /// The kernel that computed attention last, in the worker's word; empty before, and where it is not told.
    QString attention;
    /// What its worker says that it runs otherwise than asked, as trial::Loaded has it.
    QStringList approximations;
    Telemetry telemetry;
    Contention contention;
    /// How many times a worker of this device had to be started anew.
    int restarts = 0;
};

/// What a device's worker says of itself holds for all numbers of its run.
void addApproximations(config::Fidelity& fidelity, const DeviceSnapshot& device);

enum class LogLevel { Info, Warning, Error };

struct LogLine
{
    QDateTime time;
    LogLevel level = LogLevel::Info;
    QString text;
};

} // namespace batchpeak::engine
