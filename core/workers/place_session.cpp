// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "place_session.h"

#include "options/option_values.h"
#include "place_question.h"
#include "process_group.h"
#include "run_devices.h"
#include "text/errors.h"
#include "text/readable_text.h"
#include "text/translated.h"

#include <QRegularExpression>

#include <algorithm>
#include <array>
#include <chrono>
#include <unistd.h>
#include <utility>

namespace batchpeak::engine {

namespace {

// Slurm's controller answers many users; a job that has just been queued has no reason yet.
constexpr std::chrono::seconds askQueueEvery{30};
constexpr std::chrono::seconds askQueueFirstAfter{2};
constexpr qsizetype maxErrorBytes = 1 << 16;

/// Prints the nodes of the allocation, then its job.
const char* const nodesScript = R"(
scontrol show job -d "$SLURM_JOB_ID" | sed -n 's/^ *Nodes=\([^ ]*\) CPU_IDs=\([^ ]*\) .*GRES=\([^ ]*\).*$/\1 \2 \3/p' |
while read -r nodes processors gres; do
  for node in $(scontrol show hostnames "$nodes"); do echo "batchpeak-node $node $processors $gres"; done
done
echo "batchpeak-job $SLURM_JOB_ID"
)";

/// Holds an allocation until its input ends, which it does with this program. salloc itself would keep its
/// place in the queue.
const char* const holdScript = R"(
exec 3<&0
(cat <&3 >/dev/null; kill -TERM $$) &
trap 'kill -TERM $salloc' TERM
salloc "$@" 3<&- &
salloc=$!
wait $salloc
trap '' TERM
wait $salloc
kill -TERM 0
)";

int processorsIn(const QString& ranges)
{
    int count = 0;
    for (const QString& range : ranges.split(QLatin1Char(','), Qt::SkipEmptyParts)) {
        const int first = range.section(QLatin1Char('-'), 0, 0).toInt();
        count += range.section(QLatin1Char('-'), -1).toInt() - first + 1;
    }
    return count;
}

} // namespace

struct PlaceSession::Opening
{
    ~Opening();

    QString text;
    Place place;
    /// One for a computer, or one for each node of an allocation.
    std::vector<std::unique_ptr<PlaceQuestion>> questions;
    std::size_t answers = 0;
    /// Holds an allocation.
    std::unique_ptr<QProcess> process;
    QByteArray output;
    QByteArray errors;
    /// Asks why the allocation is not given yet.
    std::unique_ptr<QProcess> queue;
    QTimer timer;
    QString job;
    Connection connection{.state = Connection::State::Asking};
    bool isOpen = false;
};

PlaceSession::Opening::~Opening()
{
    if (queue) {
        queue->disconnect();
        queue->kill();
        abandon(std::move(queue));
    }
    if (!process)
        return;
    process->disconnect();
    if (process->state() == QProcess::NotRunning)
        return;
    // It ends by itself then, and nothing has to wait for Slurm's answer.
    process->closeWriteChannel();
    abandon(std::move(process));
}

PlaceSession::PlaceSession(const ExplorationOptions& options, QString programFolder, QObject* parent)
    : QObject(parent), m_options(options), m_programFolder(std::move(programFolder))
{}

PlaceSession::~PlaceSession() = default;

QStringList PlaceSession::jobs() const
{
    QStringList jobs;
    for (const auto& opening : m_openings) {
        if (!opening->job.isEmpty())
            jobs << opening->job;
    }
    return jobs;
}

void PlaceSession::open()
{
    QTimer::singleShot(0, this, [this] {
        for (const QString& text : m_options.places) {
            if (m_problem.isEmpty())
                openPlace(text);
        }
    });
}

void PlaceSession::openPlace(const QString& text)
{
    m_openings.push_back(std::make_unique<Opening>());
    Opening& opening = *m_openings.back();
    opening.text = text;
    try {
        opening.place = placeFromText(text);
        if (opening.place.kind == Place::Kind::Slurm)
            return allocate(opening);
        // What a prefix or a program of the user leads to is not known to answer.
        const bool answers = opening.place.kind != Place::Kind::Prefix && m_options.workerCommand.isEmpty();
        if (answers)
            return ask(opening);
    } catch (const UsageError& error) {
        return fail(QString::fromUtf8(error.what()));
    } catch (const ExplorationError& error) {
        return fail(error.sentence());
    }
    settle(opening, unaskedDevices(opening.place, m_options));
}

/// Asks a computer for its devices.
void PlaceSession::ask(Opening& opening)
{
    opening.questions.push_back(std::make_unique<PlaceQuestion>(
        m_options, placedDevice(opening.place, device::LocalDevice{.kind = "cpu"}), opening.text,
        m_programFolder));
    PlaceQuestion& question = *opening.questions.back();
    connect(&question, &PlaceQuestion::answered, this,
            [this, &opening](const PlaceDescription& description) { takeAnswer(opening, description); });
    question.ask();
}

void PlaceSession::takeAnswer(Opening& opening, const PlaceDescription& description)
{
    if (!description.problem.isEmpty())
        return fail(description.problem);
    std::vector<PlacedDevice> devices;
    try {
        const auto words = wordsAt(opening.place.label(), m_options.devices);
        const auto chosen =
            words ? chooseDevices(*words, description.devices) : std::vector<device::LocalDevice>();
        for (const DeviceGroup& group :
             words ? groupsOf(chosen, m_options.processes()) : std::vector<DeviceGroup>()) {
            devices.push_back(placedDevice(opening.place, group));
            devices.back().libraries = description.framework;
        }
    } catch (const ExplorationError& error) {
        return fail(tr("%1: %2").arg(opening.text, error.sentence()));
    }
    settle(opening, std::move(devices));
}

void PlaceSession::allocate(Opening& opening)
{
    opening.process = std::make_unique<QProcess>();
    QProcess& process = *opening.process;
    const bool isInside = qEnvironmentVariableIsSet("SLURM_JOB_ID");
    QStringList words{QStringLiteral("-c")};
    if (isInside)
        words << QLatin1String(nodesScript);
    else
        words << QLatin1String(holdScript) << QStringLiteral("sh") << QStringLiteral("--no-bell")
              << QStringLiteral("--kill-command")
              << allocationWords(opening.place, m_options.nodes.value_or(1)) << QStringLiteral("sh")
              << QStringLiteral("-c") << QLatin1String(nodesScript) + QLatin1String("\nexec sleep infinity");
    // It ends with its input, not by a signal to this program's group: salloc has to return the allocation.
    process.setChildProcessModifier([] { setsid(); });
    connect(&process, &QProcess::readyReadStandardOutput, this,
            [this, &opening] { readAllocation(opening); });
    connect(&process, &QProcess::readyReadStandardError, this, [this, &opening] {
        opening.errors = (opening.errors + opening.process->readAllStandardError()).right(maxErrorBytes);
        // salloc names the job as soon as it is in the queue.
        static const QRegularExpression pending(QStringLiteral("Pending job allocation (\\d+)"));
        const auto match = pending.match(QString::fromUtf8(opening.errors));
        if (opening.isOpen || !opening.job.isEmpty() || !match.hasMatch())
            return;
        opening.job = match.captured(1);
        setConnection(opening, {.state = Connection::State::Queued});
        opening.timer.start(askQueueFirstAfter);
    });
    connect(&process, &QProcess::finished, this, [this, &opening] { endAllocation(opening); });
    connect(&opening.timer, &QTimer::timeout, this, [this, &opening] {
        if (!opening.isOpen)
            askQueue(opening);
    });
    process.start(QStringLiteral("sh"), words);
}

void PlaceSession::setConnection(Opening& opening, const Connection& connection)
{
    if (opening.connection == connection)
        return;
    opening.connection = connection;
    emit connectionChanged({.name = opening.text, .connection = connection});
}

/// Asks Slurm why the allocation is not given yet.
void PlaceSession::askQueue(Opening& opening)
{
    opening.timer.start(askQueueEvery);
    if (opening.queue && opening.queue->state() != QProcess::NotRunning)
        return;
    opening.queue = std::make_unique<QProcess>();
    connect(opening.queue.get(), &QProcess::finished, this, [this, &opening] {
        takeReason(opening, QString::fromUtf8(opening.queue->readAllStandardOutput().trimmed()));
    });
    opening.queue->start(QStringLiteral("squeue"),
                         {QStringLiteral("--noheader"), QStringLiteral("--format=%r"),
                          QStringLiteral("--jobs=") + opening.job});
}

void PlaceSession::takeReason(Opening& opening, const QString& reason)
{
    // squeue(1), JOB REASON CODES: "None" is the reason of a job that has not been looked at yet.
    if (opening.isOpen || reason.isEmpty() || reason == QLatin1String("None") ||
        reason == opening.connection.reason)
        return;
    emit logged(LogLevel::Warning, tr("Slurm has not given what %1 asks for yet. Its reason for job %2: %3.")
                                       .arg(opening.text, opening.job, reason));
    setConnection(opening, {.state = Connection::State::Queued, .reason = reason});
}

void PlaceSession::readAllocation(Opening& opening)
{
    opening.output += opening.process->readAllStandardOutput();
    static const QRegularExpression job(QStringLiteral("batchpeak-job (\\S+)"));
    const auto match = job.match(QString::fromUtf8(opening.output));
    if (opening.isOpen || !match.hasMatch())
        return;
    opening.timer.stop();
    opening.job = match.captured(1);
    const std::vector<SlurmNode> nodes = slurmNodesIn(opening.output);
    std::vector<PlacedDevice> devices;
    try {
        devices = devicesOfNodes(opening.place, opening.job, nodes, m_options);
    } catch (const ExplorationError& error) {
        return fail(error.sentence());
    }
    if (devices.empty())
        return fail(tr("No node of Slurm job %1 has a device that was asked for: %2.")
                        .arg(opening.job, m_options.devices.join(QLatin1String(", "))));
    QStringList names;
    for (const SlurmNode& node : nodes)
        names << node.name;
    emit logged(LogLevel::Info,
                tr("Slurm job %1 runs on %2.").arg(opening.job, names.join(QLatin1String(", "))));
    for (const SlurmNode& node : nodes) {
        if (node.gpus > node.processors)
            emit logged(LogLevel::Warning,
                        tr("%1 was allocated %2 GPUs and only %3 processors, so %3 GPUs are used; a place "
                           "such as \"slurm --cpus-per-gpu=1\" asks for a processor for each.")
                            .arg(node.name)
                            .arg(node.gpus)
                            .arg(node.processors));
    }
    // Only several nodes can be unlike, and a program of the user has no words for the question.
    if (nodes.size() > 1 && m_options.workerCommand.isEmpty() && m_options.nodes.value_or(1) == 1)
        return askNodes(opening, std::move(devices));
    settle(opening, std::move(devices));
}

/// Asks each node what its devices are, by a step on the first of them.
void PlaceSession::askNodes(Opening& opening, std::vector<PlacedDevice> devices)
{
    const auto all = std::make_shared<std::vector<PlacedDevice>>(std::move(devices));
    QStringList nodes;
    std::vector<PlacedDevice> firsts;
    for (const PlacedDevice& device : *all) {
        if (nodes.contains(device.nodes.first()))
            continue;
        nodes << device.nodes.first();
        firsts.push_back(device);
        firsts.back().processes = 1;
    }
    for (const PlacedDevice& first : firsts) {
        opening.questions.push_back(
            std::make_unique<PlaceQuestion>(m_options, first, first.id, m_programFolder));
        const auto take = [this, &opening, all, node = first.nodes.first(),
                           count = firsts.size()](const PlaceDescription& told) {
            for (PlacedDevice& device : *all) {
                const auto isSame = [&](const device::LocalDevice& one) {
                    return one.kind == device.device.kind;
                };
                const auto found = std::ranges::find_if(told.devices.devices, isSame);
                if (device.nodes.first() != node || found == told.devices.devices.end())
                    continue;
                device.device.name = found->name;
                device.device.totalBytes = found->totalBytes;
                device.device.driver = found->driver;
                device.libraries = told.framework;
            }
            // What a node cannot run, its worker says.
            if (++opening.answers == count)
                settle(opening, std::move(*all));
        };
        connect(opening.questions.back().get(), &PlaceQuestion::answered, this, take);
        opening.questions.back()->ask();
    }
}

void PlaceSession::endAllocation(Opening& opening)
{
    opening.timer.stop();
    const QString said = lastLineOf(opening.errors);
    if (!opening.isOpen)
        return fail(tr("Slurm gave nothing for %1: %2").arg(opening.text, said));
    if (qEnvironmentVariableIsSet("SLURM_JOB_ID"))
        return;
    m_isLost = true;
    // salloc says that its allocation was revoked, not always why.
    opening.process.release()->deleteLater();
    opening.process = std::make_unique<QProcess>();
    connect(opening.process.get(), &QProcess::finished, this, [this, &opening, said] {
        const QString state = QString::fromUtf8(opening.process->readAllStandardOutput().trimmed());
        const auto why = lostConnection(opening.place, {.lastLines = {said, state}});
        emit lost(why ? why->sentence : tr("Slurm job %1 has ended (%2).").arg(opening.job, said));
    });
    opening.process->start(QStringLiteral("squeue"),
                           {QStringLiteral("--noheader"), QStringLiteral("--states=all"),
                            QStringLiteral("--format=%T"), QStringLiteral("--jobs=") + opening.job});
}

std::vector<PlaceSnapshot> PlaceSession::pending() const
{
    std::vector<PlaceSnapshot> places;
    for (const auto& opening : m_openings) {
        if (!opening->isOpen)
            places.push_back({.name = opening->text, .connection = opening->connection});
    }
    return places;
}

void PlaceSession::settle(Opening& opening, std::vector<PlacedDevice> devices)
{
    opening.isOpen = true;
    for (PlacedDevice& device : devices) {
        device.placeText = opening.text;
        addDevice(m_devices, std::move(device));
    }
    const auto isOpen = [](const auto& one) { return one->isOpen; };
    if (m_openings.size() == static_cast<std::size_t>(m_options.places.size()) &&
        std::ranges::all_of(m_openings, isOpen))
        m_devices.empty() ? fail(tr("No place has a device that --device names.")) : emit opened();
}

void PlaceSession::fail(const QString& sentence)
{
    if (m_problem.isEmpty())
        emit failed(m_problem = sentence);
}

std::vector<SlurmNode> slurmNodesIn(const QByteArray& text)
{
    static const QRegularExpression line(QStringLiteral("^batchpeak-node (\\S+) ([0-9,-]+)(?: (\\S*))?$"),
                                         QRegularExpression::MultilineOption);
    // "gpu:2(IDX:0-1)", "gpu:a100:4(IDX:0-3),nic:1"
    static const QRegularExpression gpus(QStringLiteral("\\bgpu(?::[^:,(]*[^0-9:,(][^:,(]*)?:(\\d+)"));
    std::vector<SlurmNode> nodes;
    auto matches = line.globalMatch(QString::fromUtf8(text));
    while (matches.hasNext()) {
        const auto match = matches.next();
        SlurmNode node{.name = match.captured(1), .processors = processorsIn(match.captured(2))};
        auto counts = gpus.globalMatch(match.captured(3));
        while (counts.hasNext())
            node.gpus += counts.next().captured(1).toInt();
        nodes.push_back(std::move(node));
    }
    return nodes;
}

} // namespace batchpeak::engine
