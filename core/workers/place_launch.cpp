// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "place_launch.h"

#include "python_stack.h"
#include "run_devices.h"
#include "text/errors.h"
#include "text/shell_quoting.h"
#include "text/translated.h"

#include <QProcess>

#include <algorithm>
#include <array>
#include <iterator>
#include <span>

namespace batchpeak::engine {

namespace {

/// Starts the first program that exists. It does not replace the shell, so that an exit code of 255 is ssh's
/// own (ssh(1), EXIT STATUS).
const QLatin1String workerScript(
    R"(w=$1/libexec/batchpeak/batchpeak-worker; [ -x "$w" ] || w=$2; [ -x "$w" ] || w=batchpeak-worker; shift 2; "$w" "$@")");
const QLatin1String pythonScript(
    R"(PYTHONPATH=$1/share/batchpeak/python${PYTHONPATH:+:$PYTHONPATH}; export PYTHONPATH; p=$2; shift 2; "$p" "$@")");

QStringList shellWords(const QString& script, const QStringList& arguments)
{
    return QStringList{QStringLiteral("sh"), QStringLiteral("-c"), script, QStringLiteral("sh")} + arguments;
}

/// Runs a script with the folder of the bundle as its first argument; $HOME is that of the place.
QStringList bundleWords(const QString& script, const QStringList& arguments)
{
    return shellWords(QStringLiteral("b=$HOME/") + bundleFolderThere() +
                          QStringLiteral("; set -- \"$b\" \"$@\"; ") + script,
                      arguments);
}

/// Returns ssh with the options that keep it from asking, and from waiting forever for a computer that is
/// gone.
QStringList sshWords(const Place& place)
{
    // The first value of an option counts, so the user's own come first.
    QStringList words{QStringLiteral("ssh")};
    words += place.words;
    for (const char* option :
         {"BatchMode=yes", "ConnectTimeout=10", "ServerAliveInterval=5", "ServerAliveCountMax=3"})
        words << QStringLiteral("-o") << QLatin1String(option);
    words << QStringLiteral("-T");
    return words;
}

QStringList launcherOf(const Place& place)
{
    switch (place.kind) {
    case Place::Kind::Ssh:
        return sshWords(place) + QStringList{QStringLiteral("--"), place.target};
    case Place::Kind::Podman:
        return QStringList{QStringLiteral("podman"), QStringLiteral("exec"), QStringLiteral("-i")} +
               place.words + QStringList{place.target};
    case Place::Kind::Prefix:
    case Place::Kind::Slurm:
        break;
    }
    return place.words;
}

WorkerCommand commandAt(const Place& place, const QStringList& launcher, const QStringList& words)
{
    QStringList all = launcher;
    // ssh joins its arguments for a shell.
    if (place.kind == Place::Kind::Ssh)
        all << quotedForShell(words);
    else
        all += words;
    return {.program = all.takeFirst(), .arguments = all, .isLauncher = true};
}

/// Starts what follows on each of several nodes: torchrun takes these variables as its options.
const QLatin1String nodeScript(
    R"sh(export PET_NODE_RANK=$SLURM_NODEID PET_MASTER_PORT=$((20000 + (SLURM_JOB_ID * 97 + SLURM_STEP_ID) % 20000)); exec "$@")sh");

/// Returns the interpreter with what starts the processes of a node, before the interpreter of each of them.
QStringList torchrunWords(const QString& program, const PlacedDevice& placed)
{
    QStringList node;
    if (placed.nodes.size() > 1)
        node << QStringLiteral("--nnodes=%1").arg(placed.nodes.size())
             << QStringLiteral("--master-addr=") + placed.nodes.first();
    if (placed.processes * std::max<qsizetype>(1, placed.nodes.size()) == 1)
        return {};
    return QStringList(program) + torchrunArguments(placed.processes, node);
}

/// Returns the name of several devices of one kind: "cuda:0-3", "cuda:0+2".
QString groupId(const std::vector<device::LocalDevice>& devices)
{
    QString id = QString::fromStdString(devices.front().id());
    const int first = devices.front().index;
    const auto count = static_cast<int>(devices.size());
    if (count > 1 && devices.back().index == first + count - 1)
        return id + QStringLiteral("-%1").arg(devices.back().index);
    for (std::size_t place = 1; place < devices.size(); ++place)
        id += QStringLiteral("+%1").arg(devices[place].index);
    return id;
}

bool isMeant(const device::LocalDevice& device, const QStringList& words)
{
    const QString id = QString::fromStdString(device.id());
    return words.contains(id) || words.contains(QString::fromStdString(device.kind));
}

/// A text that a launcher writes, and what it means.
struct Row
{
    const char* text;
    /// Slurm's name of a job's state that means the same (squeue(1), JOB STATE CODES).
    const char* state = nullptr;
    const char* sentence;
    bool mayReturn;
};

// The texts of OpenSSH's ssh.c, sshconnect.c, sshconnect2.c, packet.c and clientloop.c, in the order of their
// weight: the first one decides.
constexpr std::array sshRows{
    Row{.text = "REMOTE HOST IDENTIFICATION HAS CHANGED",
        .sentence = QT_TRANSLATE_NOOP("batchpeak::engine::Translated",
                                      "The host key of %1 is not the one that ssh knows. If the "
                                      "computer was set up again, run `ssh-keygen -R %1`, and "
                                      "`ssh %1` once to accept its new key."),
        .mayReturn = false},
    Row{.text = "Host key verification failed",
        .sentence = QT_TRANSLATE_NOOP("batchpeak::engine::Translated",
                                      "ssh does not know the host key of %1 yet. Run `ssh %1` "
                                      "once and accept it."),
        .mayReturn = false},
    Row{.text = "Permission denied",
        .sentence = QT_TRANSLATE_NOOP("batchpeak::engine::Translated",
                                      "%1 accepts no key of yours, and Batchpeak types no "
                                      "password. Run `ssh-copy-id %1`, or load your key with "
                                      "`ssh-add`."),
        .mayReturn = false},
    Row{.text = "Could not resolve hostname",
        .sentence = QT_TRANSLATE_NOOP("batchpeak::engine::Translated",
                                      "There is no computer %1 in this network; correct its "
                                      "name, or connect to its network."),
        .mayReturn = true},
};

// slurmstepd and srun: src/slurmd/slurmstepd/req.c, src/common/slurm_errno.c.
constexpr std::array slurmRows{
    Row{.text = "DUE TO TIME LIMIT",
        .state = "TIMEOUT",
        .sentence = QT_TRANSLATE_NOOP("batchpeak::engine::Translated",
                                      "The time limit of the Slurm job was reached. A place such as "
                                      "\"slurm --time=2:00:00\" asks for more."),
        .mayReturn = false},
    Row{.text = "DUE TO PREEMPTION",
        .state = "PREEMPTED",
        .sentence =
            QT_TRANSLATE_NOOP("batchpeak::engine::Translated", "Another job preempted the Slurm job."),
        .mayReturn = true},
    Row{.text = "DUE TO NODE FAILURE",
        .state = "NODE_FAIL",
        .sentence = QT_TRANSLATE_NOOP("batchpeak::engine::Translated", "A node of the Slurm job failed."),
        .mayReturn = true},
    Row{.text = "CANCELLED AT",
        .state = "CANCELLED",
        .sentence =
            QT_TRANSLATE_NOOP("batchpeak::engine::Translated", "The Slurm job or its step was canceled."),
        .mayReturn = true},
    Row{.text = "Required node not available",
        .sentence = QT_TRANSLATE_NOOP("batchpeak::engine::Translated", "A node of the Slurm job is down."),
        .mayReturn = true},
    Row{.text = "Unable to contact slurm controller",
        .sentence = QT_TRANSLATE_NOOP("batchpeak::engine::Translated", "Slurm's controller does not answer."),
        .mayReturn = true},
    Row{.text = "Job/step already completing or completed",
        .sentence = QT_TRANSLATE_NOOP("batchpeak::engine::Translated", "The Slurm job has ended."),
        .mayReturn = true},
    Row{.text = "Invalid job id",
        .sentence = QT_TRANSLATE_NOOP("batchpeak::engine::Translated", "The Slurm job has ended."),
        .mayReturn = true},
};

template<std::size_t N>
const Row* firstIn(const QStringList& lines, const std::array<Row, N>& rows)
{
    const auto row = std::ranges::find_if(rows, [&](const Row& candidate) {
        return std::ranges::any_of(lines, [&](const QString& line) {
            return line.contains(QLatin1String(candidate.text)) || line == QLatin1String(candidate.state);
        });
    });
    return row == rows.end() ? nullptr : &*row;
}

/// Whether options of salloc say what each node gives.
bool namesResources(const QStringList& words)
{
    return std::ranges::any_of(words, [](const QString& word) {
        return std::ranges::any_of(
            std::array{"--gpus", "--gres", "--exclusive", "--cpus", "--ntasks", "--mem", "--tres", "-c", "-n",
                       "-G"},
            [&](const char* option) { return word.startsWith(QLatin1String(option)); });
    });
}

QString lastOf(const QStringList& lines)
{
    return lines.isEmpty() ? Translated::tr("it said nothing") : lines.last().trimmed();
}

} // namespace

std::vector<DeviceGroup> groupsOf(const std::vector<device::LocalDevice>& devices, std::int64_t processes)
{
    const auto isCpu = [](const device::LocalDevice& device) { return device.kind == "cpu"; };
    const auto count = static_cast<std::size_t>(processes);
    std::vector<DeviceGroup> groups;
    std::vector<device::LocalDevice> gpus;
    for (const device::LocalDevice& device : devices) {
        if (isCpu(device)) {
            groups.push_back(
                {.id = QString::fromStdString(device.id()), .device = device, .processes = processes});
            continue;
        }
        gpus.push_back(device);
        if (gpus.size() < count)
            continue;
        device::LocalDevice all = gpus.front();
        for (std::size_t place = 1; place < count; ++place)
            all.uuid += (all.uuid.empty() ? "" : ",") + gpus[place].uuid;
        groups.push_back({.id = groupId(gpus), .device = all, .processes = processes});
        gpus.clear();
    }
    if (groups.empty())
        throw ExplorationError(
            Translated::tr("%1 processes take a step together, and there are %2 GPUs for them; ask for fewer "
                           "with --processes.")
                .arg(processes)
                .arg(gpus.size()));
    return groups;
}

QStringList deviceWords(const device::LocalDevice& device, std::int64_t processes)
{
    const bool isBound = device.kind == "cpu" || !device.uuid.empty() || processes > 1;
    return {QStringLiteral("--device"), QString::fromStdString(isBound ? device.kind : device.id())};
}

std::optional<QStringList> wordsAt(const QString& name, const QStringList& devices)
{
    QStringList words;
    for (const QString& device : devices) {
        if (!device.contains(QLatin1Char('/')))
            words << device;
        else if (device.section(QLatin1Char('/'), 0, -2).split(QLatin1Char('+')).contains(name))
            words << device.section(QLatin1Char('/'), -1);
    }
    return words.isEmpty() && !devices.isEmpty() ? std::nullopt : std::optional(words);
}

PlacedDevice placedDevice(const Place& place, const DeviceGroup& group, const QString& node)
{
    const QString label = node.isEmpty() ? place.label() : node;
    PlacedDevice placed{.place = place,
                        .id = label.isEmpty() ? group.id : label + QLatin1Char('/') + group.id,
                        .device = group.device,
                        .launcher = launcherOf(place),
                        .processes = group.processes};
    // A prefix may say where the number of the device belongs.
    for (QString& word : placed.launcher) {
        word.replace(QLatin1String("{index}"), QString::number(group.device.index));
        word.replace(QLatin1String("{device}"), group.id);
    }
    return placed;
}

PlacedDevice placedDevice(const Place& place, const device::LocalDevice& device)
{
    return placedDevice(place, {.id = QString::fromStdString(device.id()), .device = device}, {});
}

void addDevice(std::vector<PlacedDevice>& devices, PlacedDevice device)
{
    const QString id = device.id;
    const auto isTaken = [&](const PlacedDevice& other) { return other.id == device.id; };
    for (int number = 2; std::ranges::any_of(devices, isTaken); ++number)
        device.id = id + QLatin1Char('#') + QString::number(number);
    devices.push_back(std::move(device));
}

namespace {

/// A step on one node or several: the devices on each of them, and its share of a node's processors.
struct SlurmStep
{
    DeviceGroup group;
    int gpus = 0;
    std::int64_t processors = 1;
};

/// Returns the steps that fit on a node at the same time.
std::vector<SlurmStep> stepsOn(const SlurmNode& node, const QStringList& devices, std::int64_t processes)
{
    const auto words = wordsAt(node.name, devices);
    if (!words)
        return {};
    std::vector<device::LocalDevice> meant;
    const int gpus = std::min(node.gpus, node.processors);
    for (int index = 0; index < gpus; ++index) {
        const device::LocalDevice gpu{.kind = "cuda", .index = index};
        if (words->isEmpty() || isMeant(gpu, *words))
            meant.push_back(gpu);
    }
    const device::LocalDevice cpu{.kind = "cpu"};
    if (words->isEmpty() ? gpus == 0 : isMeant(cpu, *words))
        meant.push_back(cpu);
    if (meant.empty())
        return {};
    std::vector<SlurmStep> steps;
    for (const DeviceGroup& group : groupsOf(meant, processes)) {
        const bool isCpu = group.device.kind == "cpu";
        steps.push_back({.group = group,
                         .gpus = isCpu ? 0 : static_cast<int>(processes),
                         .processors = isCpu ? node.processors : node.processors / gpus * processes});
    }
    return steps;
}

} // namespace

std::vector<PlacedDevice> devicesOfNodes(const Place& place, const QString& job,
                                         const std::vector<SlurmNode>& nodes,
                                         const ExplorationOptions& options)
{
    const std::int64_t together = options.nodes.value_or(1);
    std::vector<PlacedDevice> placed;
    const auto add = [&](const QStringList& names, const SlurmStep& step) {
        PlacedDevice one = placedDevice(place, step.group, names.join(QLatin1Char('+')));
        one.nodes = names;
        // srun takes these variables of an allocation for options of the step, which contradict its own.
        one.launcher = QStringList{QStringLiteral("env")};
        for (const char* name : {"SLURM_GPUS", "SLURM_GPUS_PER_NODE", "SLURM_GPUS_PER_TASK",
                                 "SLURM_GPUS_PER_SOCKET", "SLURM_NTASKS_PER_NODE", "SLURM_NTASKS_PER_GPU"})
            one.launcher << QStringLiteral("-u") << QLatin1String(name);
        one.launcher += QStringList{QStringLiteral("srun"),
                                    QStringLiteral("--jobid=") + job,
                                    QStringLiteral("--job-name=batchpeak"),
                                    QStringLiteral("--mpi=none"),
                                    QStringLiteral("--exact"),
                                    QStringLiteral("--nodes=%1").arg(names.size()),
                                    QStringLiteral("--ntasks=%1").arg(names.size()),
                                    QStringLiteral("--nodelist=") + names.join(QLatin1Char(','))};
        if (names.size() > 1)
            one.launcher << QStringLiteral("--ntasks-per-node=1") << QStringLiteral("--input=0")
                         << QStringLiteral("--kill-on-bad-exit=1");
        if (step.gpus > 0)
            one.launcher << (names.size() > 1 ? QStringLiteral("--gpus-per-node=%1")
                                              : QStringLiteral("--gpus=%1"))
                                .arg(step.gpus);
        one.launcher << QStringLiteral("--cpus-per-task=%1").arg(step.processors);
        placed.push_back(std::move(one));
    };
    for (std::size_t first = 0; first + together <= nodes.size(); first += together) {
        QStringList names;
        // Nodes that take steps together have as many devices as the poorest of them.
        std::vector<SlurmStep> steps;
        for (const SlurmNode& node : std::span(nodes).subspan(first, together)) {
            const auto here = stepsOn(node, options.devices, options.processesPerNode.value_or(1));
            if (names.isEmpty() || here.size() < steps.size())
                steps = here;
            names << node.name;
        }
        for (const SlurmStep& step : steps)
            add(names, step);
    }
    if (nodes.size() < static_cast<std::size_t>(together))
        throw ExplorationError(
            Translated::tr("%1 nodes take a step together, and the allocation has %2; ask for more of them "
                           "with -N.")
                .arg(together)
                .arg(nodes.size()));
    return placed;
}

WorkerCommand placedScript(const Place& place, const QString& script, const QStringList& arguments)
{
    return commandAt(place, launcherOf(place), shellWords(script, arguments));
}

QStringList allocationWords(const Place& place, std::int64_t nodes)
{
    QStringList words{QStringLiteral("--job-name=batchpeak"), QStringLiteral("--no-kill")};
    // What the user says comes later, and so counts.
    if (nodes > 1)
        words << QStringLiteral("--nodes=%1").arg(nodes);
    if (!place.target.isEmpty())
        words << QStringLiteral("--partition=") + place.target;
    // Neighbors on a node would disturb the times of trials.
    if (!namesResources(place.words))
        words << QStringLiteral("--exclusive") << QStringLiteral("--mem=0");
    return words + place.words;
}

QString bundleFolderThere()
{
    return QStringLiteral(".cache/batchpeak/batchpeak-" BATCHPEAK_VERSION);
}

WorkerCommand placedCommand(const ExplorationOptions& options, const PlacedDevice& placed,
                            const QStringList& arguments, const QString& programFolder)
{
    const bool isElsewhere = placed.place.isComputer();
    // The nodes of a cluster share their files with this computer; an empty prefix leads to itself.
    const bool sharesFiles = placed.place.kind == Place::Kind::Slurm || placed.launcher.isEmpty();
    QStringList words = QProcess::splitCommand(options.workerCommand);
    QStringList environment;
    if (words.isEmpty() && !options.python.isEmpty() && sharesFiles) {
        const QString packages = pythonPackages(programFolder);
        const QString program = pythonNamed(options.python);
        words = torchrunWords(program, placed) + QStringList(program) + pythonWorkerArguments(packages) +
                arguments;
        if (placed.nodes.size() > 1)
            words = shellWords(nodeScript, words);
        environment = pythonEnvironment(packages);
    } else if (words.isEmpty() && !options.python.isEmpty()) {
        const QString program = options.python == anyPython ? QStringLiteral("python3") : options.python;
        words = torchrunWords(program, placed) + QStringList(program) + pythonWorkerWords() + arguments;
        words = isElsewhere ? bundleWords(pythonScript, words) : words;
    } else if (words.isEmpty() && isElsewhere) {
        QString here;
        try {
            here = workerPath(programFolder);
        } catch (const ExplorationError&) {
            // It may be there all the same.
        }
        words = bundleWords(workerScript, QStringList(here) + arguments);
    } else if (words.isEmpty()) {
        words = QStringList(workerPath(programFolder)) + arguments;
    }
    // CUDA may count the GPUs in a different order than the driver's library.
    if (!placed.device.uuid.empty())
        words = QStringList{QStringLiteral("env"), QStringLiteral("CUDA_VISIBLE_DEVICES=") +
                                                       QString::fromStdString(placed.device.uuid)} +
                words;
    WorkerCommand command = commandAt(placed.place, placed.launcher, words);
    command.environment = environment;
    return command;
}

std::optional<LostConnection> lostConnection(const Place& place, const WorkerEnd& end)
{
    const auto of = [&](const Row& row) {
        return LostConnection{.sentence = Translated::tr(row.sentence).arg(place.target),
                              .mayReturn = row.mayReturn};
    };
    if (place.kind == Place::Kind::Slurm) {
        const Row* const row = firstIn(end.lastLines, slurmRows);
        return row ? std::optional(of(*row)) : std::nullopt;
    }
    // ssh's own exit code for any error (ssh(1), EXIT STATUS).
    constexpr int sshError = 255;
    if (place.kind != Place::Kind::Ssh || end.exitCode != sshError)
        return std::nullopt;
    if (const Row* const row = firstIn(end.lastLines, sshRows))
        return of(*row);
    return LostConnection{
        .sentence =
            Translated::tr("There is no connection to %1 (%2).").arg(place.target, lastOf(end.lastLines)),
        .mayReturn = true};
}

} // namespace batchpeak::engine
