// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_devices.h"

#include "device/processor_watch.h"
#include "files/trusted_code.h"
#include "python_stack.h"
#include "text/errors.h"
#include "text/translated.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QProcess>

#include <algorithm>
#include <optional>

namespace batchpeak::engine {

namespace {

struct DeviceWord
{
    QString kind;
    /// Index of the device; no value stands for every device of the kind.
    std::optional<int> index;
};

DeviceWord parse(const QString& word)
{
    const QString kind = word.section(QLatin1Char(':'), 0, 0);
    if (word == QLatin1String("cpu") || word == QLatin1String("cuda"))
        return {.kind = word};
    bool isNumber = false;
    const int index = word.section(QLatin1Char(':'), 1).toInt(&isNumber);
    if (kind == QLatin1String("cuda") && isNumber && index >= 0)
        return {.kind = kind, .index = index};
    throw ExplorationError(
        Translated::tr("\"%1\" is no device; name cpu, cuda (every GPU) or cuda:N (one GPU, counted from 0).")
            .arg(word));
}

QString listed(const std::vector<device::LocalDevice>& devices)
{
    QStringList ids;
    for (const device::LocalDevice& device : devices)
        ids.append(QString::fromStdString(device.id()));
    return ids.join(QLatin1String(", "));
}

bool isProgram(const QString& path)
{
    const QFileInfo file(path);
    return file.isFile() && file.isExecutable();
}

/// Whether WaitPolicy may choose how threads wait: the user's own settings take precedence, and nothing is
/// known of other programs.
bool mayChooseWaiting(const ExplorationOptions& options)
{
    const auto isSaid = [](const char* name) { return qEnvironmentVariableIsSet(name); };
    return options.isOwnWorker() && !isSaid("OMP_WAIT_POLICY") && !isSaid("GOMP_SPINCOUNT") &&
           !isSaid("KMP_BLOCKTIME");
}

/// \throws ExplorationError  if trials cannot run in the Python that the options name
void requirePython(const trial::LoadRequest& load, const ExplorationOptions& options,
                   const ExplorationParts& parts, const QString& programFolder)
{
    if (options.python.isEmpty())
        return;
    if (!options.workerCommand.isEmpty())
        throw ExplorationError(
            Translated::tr("--with and --worker both name what runs the network; leave one of them out."));
    if (!options.isHere())
        return;
    const QString program = pythonNamed(options.python);
    const PythonStack stack = program.isEmpty() ? pythonStackNamed(options.python)
                                                : parts.pythonStackOf(program, pythonPackages(programFolder));
    if (const QString problem = problemFor(stack, load); !problem.isEmpty())
        throw ExplorationError(problem);
}

/// Takes the worker out of the processes on its device.
Telemetry telemetryFrom(device::DeviceReadings readings, std::int64_t worker)
{
    if (!readings.processes)
        return readings;
    std::vector<device::DeviceProcess>& others = *readings.processes;
    const auto own = std::erase_if(others, [worker](const device::DeviceProcess& process) {
        return worker > 0 && device::descendsFrom(process.pid, worker);
    });
    // In a container the process ids may be those of the host, and one of them may be the worker.
    if (worker > 0 && own == 0 && !others.empty()) {
        readings.processes.reset();
        return readings;
    }
    std::int64_t bytes = 0;
    for (const device::DeviceProcess& process : others)
        bytes += process.bytes.value_or(0);
    if (std::ranges::all_of(others, [](const auto& process) { return process.bytes.has_value(); }))
        readings.otherBytes = bytes;
    return readings;
}

template<typename Value, typename Pick>
std::optional<Value> picked(const std::optional<Value>& one, const std::optional<Value>& other,
                            const Pick& pick)
{
    return one && other ? std::optional<Value>(pick(*one, *other)) : one ? one : other;
}

/// Returns readings of two devices of one step as those of one: the step is as slow as the slower of them.
Telemetry worse(const Telemetry& one, const Telemetry& other)
{
    Telemetry all = one;
    const auto take = [&](const auto& pick, auto... members) {
        ((all.*members = picked(one.*members, other.*members, pick)), ...);
    };
    const auto min = [](auto a, auto b) { return std::min(a, b); };
    const auto max = [](auto a, auto b) { return std::max(a, b); };
    take(min, &Telemetry::utilizationPercent, &Telemetry::clockMegahertz, &Telemetry::maxClockMegahertz);
    take(max, &Telemetry::temperatureCelsius, &Telemetry::powerWatts, &Telemetry::powerLimitWatts,
         &Telemetry::usedBytes, &Telemetry::otherBytes, &Telemetry::uncorrectedErrors, &Telemetry::xid);
    all.throttle = std::max(one.throttle, other.throttle);
    if (all.processes && other.processes)
        all.processes->insert(all.processes->end(), other.processes->begin(), other.processes->end());
    return all;
}

} // namespace

std::vector<device::LocalDevice> chooseDevices(const QStringList& words,
                                               const device::LocalDevices& available)
{
    const auto isGpu = [](const device::LocalDevice& device) { return device.kind == "cuda"; };
    const bool hasGpu = std::ranges::any_of(available.devices, isGpu);
    const bool wasHidden = !available.restriction.empty();
    if (words.isEmpty() && !hasGpu && !wasHidden && !available.gpuProblem.empty())
        throw UnusableGpuError(Translated::tr("%1 Fix that, or explore on the CPU (--device cpu).")
                                   .arg(QString::fromStdString(available.gpuProblem)));
    const QStringList asked = !words.isEmpty() ? words
                              : hasGpu         ? QStringList(QStringLiteral("cuda"))
                                               : QStringList(QStringLiteral("cpu"));
    std::vector<device::LocalDevice> chosen;
    for (const QString& word : asked) {
        const DeviceWord wanted = parse(word);
        bool found = false;
        for (const device::LocalDevice& device : available.devices) {
            if (device.kind != wanted.kind.toStdString() || (wanted.index && device.index != *wanted.index))
                continue;
            found = true;
            const auto isSame = [&](const device::LocalDevice& other) { return other.id() == device.id(); };
            if (std::ranges::none_of(chosen, isSame))
                chosen.push_back(device);
        }
        if (!found)
            throw ExplorationError(
                Translated::tr("There is no device %1 on this computer; what there is: %2. See "
                               "batchpeak devices.")
                    .arg(word, listed(available.devices)));
    }
    return chosen;
}

std::vector<PlacedDevice> unaskedDevices(const Place& place, const ExplorationOptions& options)
{
    const std::int64_t processes = options.processes();
    const auto words = wordsAt(place.label(), options.devices);
    if (!words)
        return {};
    std::vector<device::LocalDevice> devices = devicesBehindLauncher(*words);
    if (devices.size() == 1 && devices.front().kind == "cuda") {
        while (devices.size() < static_cast<std::size_t>(processes))
            devices.push_back({.kind = "cuda", .index = devices.back().index + 1});
    }
    std::vector<PlacedDevice> placed;
    for (const DeviceGroup& group : groupsOf(devices, processes))
        placed.push_back(placedDevice(place, group));
    return placed;
}

std::vector<PlacedDevice> devicesBehindPrefixes(const ExplorationOptions& options)
{
    std::vector<PlacedDevice> placed;
    for (const QString& text : options.places) {
        const Place place = placeFromText(text);
        if (place.kind != Place::Kind::Prefix)
            throw ExplorationError(
                Translated::tr("%1 has to be asked for its devices, which is not possible here; name them "
                               "with --device.")
                    .arg(text));
        for (PlacedDevice& device : unaskedDevices(place, options)) {
            device.placeText = text;
            addDevice(placed, std::move(device));
        }
    }
    return placed;
}

bool namesOnlyPrefixes(const ExplorationOptions& options)
{
    return std::ranges::all_of(
        options.places, [](const QString& text) { return placeFromText(text).kind == Place::Kind::Prefix; });
}

std::vector<device::LocalDevice> devicesBehindLauncher(const QStringList& words)
{
    std::vector<device::LocalDevice> chosen;
    for (const QString& word : words) {
        const DeviceWord wanted = parse(word);
        chosen.push_back({.kind = wanted.kind.toStdString(), .index = wanted.index.value_or(0)});
    }
    if (chosen.empty())
        chosen.push_back({.kind = "cpu"});
    return chosen;
}

QString workerPath(const QString& programFolder)
{
    const QString name = QStringLiteral("batchpeak-worker");
    const QDir folder(programFolder);
    const QString fromEnvironment = qEnvironmentVariable("BATCHPEAK_WORKER");
    for (const QString& path :
         {folder.filePath(name), folder.filePath(QStringLiteral("../libexec/batchpeak/") + name),
          fromEnvironment}) {
        if (isProgram(path))
            return QDir::cleanPath(path);
    }
    if (!fromEnvironment.isEmpty())
        throw ExplorationError(
            Translated::tr("BATCHPEAK_WORKER names %1, which is no program; let it name batchpeak-worker.")
                .arg(fromEnvironment));
    throw ExplorationError(
        Translated::tr("batchpeak-worker, which runs the trials, was not found beside this program in %1; "
                       "install it there, or let the environment variable BATCHPEAK_WORKER name it.")
            .arg(QDir::toNativeSeparators(programFolder)));
}

WorkerCommand workerCommand(const ExplorationOptions& options, const DeviceGroup& group,
                            const QString& programFolder)
{
    const device::LocalDevice& device = group.device;
    QStringList words = QProcess::splitCommand(options.workerCommand);
    QStringList environment;
    if (words.isEmpty() && !options.python.isEmpty()) {
        const QString packages = pythonPackages(programFolder);
        const QString program = pythonNamed(options.python);
        if (group.processes > 1)
            words = QStringList(program) + torchrunArguments(group.processes);
        words << program;
        words += pythonWorkerArguments(packages) + deviceWords(device, group.processes);
        environment = pythonEnvironment(packages);
        environment << QStringLiteral("PYTHONSAFEPATH=1");
    } else if (words.isEmpty()) {
        words << workerPath(programFolder);
        words += deviceWords(device);
    }

    WorkerCommand command{.program = words.takeFirst(), .arguments = words, .environment = environment};
    if (!device.uuid.empty())
        command.environment.append(QStringLiteral("CUDA_VISIBLE_DEVICES=") +
                                   QString::fromStdString(device.uuid));
    return command;
}

WorkerCommand workerCommand(const ExplorationOptions& options, const PlacedDevice& placed,
                            const QString& programFolder)
{
    // A step of Slurm sees its own GPU alone.
    device::LocalDevice device = placed.device;
    if (placed.place.kind == Place::Kind::Slurm)
        device.index = 0;
    return placedCommand(options, placed, deviceWords(device, placed.processes), programFolder);
}

namespace {

// A killed worker loses its place in the queue, which is worth more than the two seconds that the user waits
// longer.
constexpr std::chrono::milliseconds cancelBehindLauncher = std::chrono::seconds(3);

} // namespace

/// Returns the timeouts to use; behind a launcher the start has no limit, since the length of its queue is
/// unknown.
WorkerTimeouts timeoutsFor(const ExplorationOptions& options, WorkerTimeouts timeouts)
{
    if (options.startTimeout)
        timeouts.startUp = *options.startTimeout;
    else if (!options.isHere())
        timeouts.startUp = WorkerTimeouts::unlimited;
    if (!options.isHere())
        timeouts.cancel = std::max(timeouts.cancel, cancelBehindLauncher);
    return timeouts;
}

RunDevices::RunDevices(const trial::LoadRequest& load, const ExplorationOptions& options,
                       const ExplorationParts& parts)
    : m_isHere(options.isHere()),
      m_readingsOf(parts.readingsOf),
      m_processorReadings(parts.processorReadings())
{
    const CodeContent code = requireTrust(codeOf(load.model), options.trustsCode);
    const QString folder = QCoreApplication::applicationDirPath();
    requirePython(load, options, parts, folder);
    const DeviceSetup common{.load = load,
                             .code = code,
                             .memoryLimitBytes = options.memoryLimitBytes,
                             .headroom = options.headroom,
                             .timeouts = timeoutsFor(options, parts.timeouts),
                             .memoryKills = parts.memoryKills,
                             .stuckWorkers = parts.lease->stuckWorkers(),
                             .reconnectFor = options.reconnectFor};
    const bool isOpen = parts.session && !parts.session->devices().empty();
    for (const PlacedDevice& device : isOpen ? parts.session->devices() : devicesBehindPrefixes(options)) {
        DeviceSetup setup = common;
        setup.id = device.id;
        setup.command = workerCommand(options, device, folder);
        setup.place = device.place;
        m_setups.push_back(std::move(setup));
        m_uuids.emplace_back();
    }
    if (!options.isHere())
        return;
    const std::vector<device::LocalDevice> chosen = chooseDevices(options.devices, parts.localDevices());
    for (const DeviceGroup& group : groupsOf(chosen, options.processes())) {
        const device::LocalDevice& device = group.device;
        DeviceSetup setup = common;
        setup.id = group.id;
        setup.driver = QString::fromStdString(device.driver);
        setup.command = workerCommand(options, group, folder);
        if (device.kind == "cpu" && mayChooseWaiting(options))
            setup.processorReadings = parts.processorReadings();
        m_setups.push_back(std::move(setup));
        m_uuids.push_back(device.uuid);
    }
}

std::vector<Telemetry> RunDevices::telemetry(const std::vector<std::int64_t>& workers) const
{
    std::vector<Telemetry> all(m_uuids.size());
    for (std::size_t place = 0; m_isHere && place < all.size() && place < workers.size(); ++place)
        all[place] = telemetryOf(m_uuids[place], workers[place]);
    return all;
}

void RunDevices::readTelemetry(BackgroundThread& thread, const std::vector<std::int64_t>& workers,
                               std::function<void(const std::vector<Telemetry>&)> then) const
{
    if (thread.isBusy() || !thread.makeThread())
        return;
    thread.run([devices = *this, workers](const std::stop_token&) { return devices.telemetry(workers); },
               std::move(then));
}

Telemetry RunDevices::telemetryOf(const std::string& uuid, std::int64_t worker) const
{
    if (!uuid.empty()) {
        std::optional<Telemetry> all;
        for (const QString& one : QString::fromStdString(uuid).split(QLatin1Char(','))) {
            const Telemetry readings = telemetryFrom(m_readingsOf(one.toStdString()), worker);
            all = all ? worse(*all, readings) : readings;
        }
        return *all;
    }
    std::set<std::int64_t> own{QCoreApplication::applicationPid()};
    if (worker > 0)
        own.insert(worker);
    return telemetryFrom(m_processorReadings(own), worker);
}

} // namespace batchpeak::engine
