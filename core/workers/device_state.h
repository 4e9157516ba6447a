// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/fidelity.h"
#include "device/local_device.h"
#include "trial/protocol.h"

#include <QDateTime>
#include <QString>
#include <QStringList>

#include <cstdint>

namespace batchpeak::engine {

using device::Throttle;

/// Current readings of a device. The worker is not among the processes, which have no value if it cannot be
/// told apart from them.
using Telemetry = device::DeviceReadings;

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

/// How a device at a place is reached, or a place whose devices are not known yet.
struct Connection
{
    enum class State {
        /// It is a device of this computer.
        Here,
        /// The place is asked for its devices.
        Asking,
        /// Slurm has not given the allocation yet.
        Queued,
        /// Its worker starts, and loads the network.
        Starting,
        Connected,
        /// Nothing is heard of its worker, which may be a link that was cut without a message.
        Silent,
        /// The connection was lost, and the place is tried again.
        Lost,
        GivenUp,
        /// No worker runs, as in a pause and after the end.
        Off
    };
    State state = State::Here;
    /// For Queued, Slurm's own word for the reason, "Resources", empty if it is not known; for Lost and
    /// GivenUp, what happened, as a full sentence.
    QString reason = {};
    /// For Lost, until when the place is tried again; for Silent, when it counts as lost.
    QDateTime until = {};

    /// Whether the user should look into it.
    bool isConcern() const;
    bool operator==(const Connection&) const = default;
};

/// Returns the word of a state in events: "lost".
QString toText(Connection::State state);
/// Returns the connection in a phrase: "connection lost, trying again until 18:20:31"; empty for Here.
QString connectionText(const Connection& connection);

/// A place that is being opened, so that its devices are not known yet.
struct PlaceSnapshot
{
    /// The place as the options name it.
    QString name;
    Connection connection;

    bool operator==(const PlaceSnapshot&) const = default;
};

/// Returns the kind of the device of an id: "cuda" for "n1/cuda:0".
QString kindOfDevice(const QString& id);

struct DeviceSnapshot
{
    /// Name of the device on the command line: "cpu" or "cuda:0"; at a place that has a name: "n1/cuda:0".
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
    /// Link between the processes that take steps together, if it was measured.
    std::optional<trial::Link> link = {};
    Telemetry telemetry;
    Contention contention;
    Connection connection = {};
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
