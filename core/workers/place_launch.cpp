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

PlacedDevice placedDevice(const Place& place, const device::LocalDevice& device, const QString& node)
{
    const QString label = node.isEmpty() ? place.label() : node;
    const QString id = QString::fromStdString(device.id());
    PlacedDevice placed{.place = place,
                        .id = label.isEmpty() ? id : label + QLatin1Char('/') + id,
                        .device = device,
                        .launcher = launcherOf(place)};
    // A prefix may say where the number of the device belongs.
    for (QString& word : placed.launcher) {
        word.replace(QLatin1String("{index}"), QString::number(device.index));
        word.replace(QLatin1String("{device}"), id);
    }
    return placed;
}

void addDevice(std::vector<PlacedDevice>& devices, PlacedDevice device)
{
    const QString id = device.id;
    const auto isTaken = [&](const PlacedDevice& other) { return other.id == device.id; };
    for (int number = 2; std::ranges::any_of(devices, isTaken); ++number)
        device.id = id + QLatin1Char('#') + QString::number(number);
    devices.push_back(std::move(device));
}

std::vector<PlacedDevice> devicesOfNodes(const Place& place, const QString& job,
                                         const std::vector<SlurmNode>& nodes, const QStringList& devices)
{
    std::vector<PlacedDevice> placed;
    const auto add = [&](const SlurmNode& node, const device::LocalDevice& device, QStringList words) {
        PlacedDevice one = placedDevice(place, device, node.name);
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
                                    QStringLiteral("--nodes=1"),
                                    QStringLiteral("--ntasks=1"),
                                    QStringLiteral("--nodelist=") + node.name};
        one.launcher += words;
        placed.push_back(std::move(one));
    };
    for (const SlurmNode& node : nodes) {
        const int gpus = std::min(node.gpus, node.processors);
        for (int index = 0; index < gpus; ++index) {
            const device::LocalDevice gpu{.kind = "cuda", .index = index};
            if (devices.isEmpty() || isMeant(gpu, devices))
                add(node, gpu,
                    {QStringLiteral("--gpus=1"),
                     QStringLiteral("--cpus-per-task=%1").arg(node.processors / gpus)});
        }
        const device::LocalDevice cpu{.kind = "cpu"};
        if (devices.isEmpty() ? gpus == 0 : isMeant(cpu, devices))
            add(node, cpu, {QStringLiteral("--cpus-per-task=%1").arg(node.processors)});
    }
    return placed;
}

WorkerCommand placedScript(const Place& place, const QString& script, const QStringList& arguments)
{
    return commandAt(place, launcherOf(place), shellWords(script, arguments));
}

QStringList allocationWords(const Place& place)
{
    QStringList words{QStringLiteral("--job-name=batchpeak"), QStringLiteral("--no-kill")};
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
        words = QStringList(pythonNamed(options.python)) + pythonWorkerArguments(packages) + arguments;
        environment = pythonEnvironment(packages);
    } else if (words.isEmpty() && !options.python.isEmpty()) {
        const QString program = options.python == anyPython ? QStringLiteral("python3") : options.python;
        words = QStringList(program) + pythonWorkerWords() + arguments;
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
