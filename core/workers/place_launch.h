// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "device/local_device.h"
#include "options/exploration_options.h"
#include "options/place.h"
#include "worker_process.h"

#include <QString>
#include <QStringList>

#include <optional>
#include <vector>

namespace batchpeak::engine {

/// A device at a place, and what starts a worker on it.
struct PlacedDevice
{
    Place place;
    /// Name of the device in a run: "cpu", or "n1/cuda:0" if the place has a name.
    QString id;
    /// Device as the place describes it; only its kind and its index if it has not been asked.
    device::LocalDevice device;
    /// Words before the worker's command.
    QStringList launcher;
    /// Number of processes on each node that take each step together, and the nodes if there are several.
    std::int64_t processes = 1;
    QStringList nodes = {};
    /// "libtorch 2.11.0", "torch 2.11.0, transformers 5.23.0"; empty if the place has not been asked.
    QString libraries = {};
    /// Text of the place, as the options name it; empty for this computer.
    QString placeText = {};
};

/// Devices of one computer that run trials together, or one that does so by itself.
struct DeviceGroup
{
    /// "cpu", "cuda:1", "cuda:0-3", "cuda:0+2"
    QString id;
    /// The first device. If there are several, its UUID is those of all, separated by commas.
    device::LocalDevice device;
    /// Number of processes that take each step together.
    std::int64_t processes = 1;
};

/// Returns the devices in groups that each run as many processes: one for each GPU, or all of them on a CPU.
/// GPUs that are left over are not used.
/// \throws ExplorationError  if there are fewer GPUs than processes
std::vector<DeviceGroup> groupsOf(const std::vector<device::LocalDevice>& devices, std::int64_t processes);

/// Returns the device arguments of batchpeak-worker and of the Python package.
QStringList deviceWords(const device::LocalDevice& device, std::int64_t processes = 1);

/// Returns those words of devices that mean a place or node, without its name: "cuda:1" for "n1/cuda:1".
/// \return nothing if all of the words name other places
std::optional<QStringList> wordsAt(const QString& name, const QStringList& devices);

/// Returns the devices of a place, or of one of its nodes.
/// \param node  empty for a place that is one computer
PlacedDevice placedDevice(const Place& place, const DeviceGroup& group, const QString& node = {});
PlacedDevice placedDevice(const Place& place, const device::LocalDevice& device);

/// Adds a device to those of a run. If its name is taken, as by a place that has the same name, a number
/// follows: "cpu#2".
void addDevice(std::vector<PlacedDevice>& devices, PlacedDevice device);

/// A node of a Slurm allocation, with what was allocated there.
struct SlurmNode
{
    QString name;
    int processors = 1;
    int gpus = 0;
};

/// Returns the devices of the nodes, each with a launcher that starts one step of the allocation on it.
///
/// A step gets one GPU for each of its processes and an equal part of the node's processors, or all
/// processors of a node without GPUs.
/// \param job  id of the allocation
/// \param options  with the devices: "cpu", "cuda", "cuda:N"; empty: every GPU, or the CPU of a node that has
///                 none
/// \throws ExplorationError  if the nodes have too few devices for the processes
std::vector<PlacedDevice> devicesOfNodes(const Place& place, const QString& job,
                                         const std::vector<SlurmNode>& nodes,
                                         const ExplorationOptions& options);

/// Returns the command of a worker on a device of a place: what the options name, or batchpeak-worker.
///
/// ssh and podman start the batchpeak-worker of a bundle that was sent there, else the one at the path of
/// this computer, else the one in PATH.
/// \param arguments  arguments of the worker
/// \throws ExplorationError  if a program of this computer is needed and missing
WorkerCommand placedCommand(const ExplorationOptions& options, const PlacedDevice& placed,
                            const QStringList& arguments, const QString& programFolder);

/// Returns the command that runs a script of sh at a place that is a computer of its own.
WorkerCommand placedScript(const Place& place, const QString& script, const QStringList& arguments);

/// Returns the options of salloc and sbatch for an allocation at a place: those of the user, and whole nodes
/// unless they say how much of a node is asked for.
/// \param nodes  number of nodes, unless the user's options say it
QStringList allocationWords(const Place& place, std::int64_t nodes = 1);

/// Returns the folder, in the home folder of a place, of the bundle of this version.
QString bundleFolderThere();

/// A connection to a place that was lost, or could not be made.
struct LostConnection
{
    /// What happened, and what to do about it.
    QString sentence;
    /// Whether it may come back by itself.
    bool mayReturn = false;
};

/// Returns what ended a process at a place, unless it was the process itself.
std::optional<LostConnection> lostConnection(const Place& place, const WorkerEnd& end);

} // namespace batchpeak::engine
