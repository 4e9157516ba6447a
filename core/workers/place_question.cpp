// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "place_question.h"

#include "options/option_values.h"
#include "place_session.h"
#include "process_group.h"
#include "python_stack.h"
#include "text/errors.h"
#include "text/readable_text.h"

#include <QDeadlineTimer>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <csignal>
#include <utility>

namespace batchpeak::engine {

namespace {

constexpr std::chrono::seconds longestDescription{60};

device::LocalDevice deviceFrom(const QJsonObject& told)
{
    const auto text = [&](const char* key) { return told[QLatin1String(key)].toString().toStdString(); };
    const auto bytes = [&](const char* key) { return told[QLatin1String(key)].toInteger(); };
    return {.kind = text("kind"),
            .name = text("name"),
            .uuid = text("uuid"),
            .totalBytes = bytes("total_bytes"),
            .freeBytes = bytes("free_bytes")};
}

void addDescribed(PlaceDescription& description, const QJsonObject& told)
{
    device::LocalDevice device = deviceFrom(told);
    const auto isSameKind = [&](const device::LocalDevice& other) { return other.kind == device.kind; };
    auto& devices = description.devices.devices;
    device.index = static_cast<int>(std::ranges::count_if(devices, isSameKind));
    if (device.kind == "cpu" || device.kind == "cuda")
        devices.push_back(std::move(device));
}

/// Reads a "hello" for each device, as batchpeak-worker --devices writes it, or the line that the Python
/// package writes for --describe; other lines are those of an environment.
PlaceDescription descriptionIn(const QByteArray& text)
{
    PlaceDescription description;
    for (const QByteArray& line : text.split('\n')) {
        const QJsonObject told = QJsonDocument::fromJson(line).object();
        const auto word = [&](const char* key) { return told[QLatin1String(key)].toString(); };
        if (told.contains(QLatin1String("device"))) {
            addDescribed(description, told[QLatin1String("device")].toObject());
            description.program = word("program");
            description.framework = word("framework");
        }
        // A worker that cannot start says why in the words of the protocol.
        if (word("type") == QLatin1String("error"))
            description.problem = word("text");
        for (const QJsonValue device : told[QLatin1String("devices")].toArray())
            addDescribed(description, device.toObject());
        if (!told.contains(QLatin1String("python")))
            continue;
        const PythonStack python = pythonStackFrom(told);
        description.program = QLatin1String("Python ") + python.version;
        description.framework = librariesText(python);
        description.problem = python.problem;
    }
    return description;
}

} // namespace

PlaceQuestion::PlaceQuestion(const ExplorationOptions& options, PlacedDevice computer, QString name,
                             const QString& programFolder, QObject* parent)
    : QObject(parent),
      m_computer(std::move(computer)),
      m_name(std::move(name)),
      m_isPython(!options.python.isEmpty()),
      m_limit(options.startTimeout.value_or(longestDescription)),
      m_command(placedCommand(options, m_computer,
                              {m_isPython ? QStringLiteral("--describe") : QStringLiteral("--devices")},
                              programFolder)),
      m_process(std::make_unique<QProcess>())
{
    m_process->setProcessEnvironment(m_command.wholeEnvironment());
    leadOwnGroup(*m_process);
    connect(m_process.get(), &QProcess::finished, this, [this] { answer(descriptionAtEnd()); });
    connect(m_process.get(), &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            answer(
                {.problem =
                     tr("%1 could not be started: %2.").arg(m_process->program(), m_process->errorString())});
    });
    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, [this] {
        answer({.problem =
                    tr("%1 did not say within %2 what devices it has.").arg(m_name, durationText(m_limit)),
                .isUnreachable = true});
    });
}

PlaceQuestion::~PlaceQuestion()
{
    m_process->disconnect();
    if (m_process->state() == QProcess::NotRunning)
        return;
    signalGroup(*m_process, m_group, SIGKILL);
    destroyKilled(std::move(m_process), QDeadlineTimer(std::chrono::seconds(3)));
}

void PlaceQuestion::ask()
{
    m_timer.start(m_limit);
    QTimer::singleShot(0, this, [this] {
        m_process->setStandardInputFile(QProcess::nullDevice());
        m_process->start(m_command.program, m_command.arguments);
        m_group = m_process->processId();
    });
}

PlaceDescription PlaceQuestion::descriptionAtEnd() const
{
    const QByteArray output = m_process->readAllStandardOutput();
    const QByteArray errors = m_process->readAllStandardError();
    WorkerEnd end;
    if (m_process->exitStatus() == QProcess::NormalExit)
        end.exitCode = m_process->exitCode();
    for (const QByteArray& line : errors.split('\n')) {
        if (!line.trimmed().isEmpty())
            end.lastLines << QString::fromUtf8(line);
    }
    if (const auto loss = lostConnection(m_computer.place, end))
        return {.problem = loss->sentence, .isUnreachable = true};
    PlaceDescription description = descriptionIn(output);
    if (!description.devices.devices.empty() || !description.problem.isEmpty())
        return description;
    const QString said = lastLineOf(errors.trimmed().isEmpty() ? output : errors);
    // The exit code of a shell for a command that was not found.
    constexpr int notFound = 127;
    const bool lacksPackage = m_isPython && said.contains(QLatin1String("batchpeak_trial"));
    if (end.exitCode == notFound || lacksPackage) {
        const QString missing = lacksPackage ? tr("the package batchpeak_trial")
                                : m_isPython ? QStringLiteral("python3")
                                             : QStringLiteral("batchpeak-worker");
        description.problem = tr("%1 has not found %2 (%3).").arg(m_name, missing, said);
        description.lacksBundle = m_computer.place.isComputer();
        if (description.lacksBundle)
            description.problem += QLatin1Char(' ') + tr("Send the bundle of Batchpeak there.");
    } else {
        description.problem = tr("%1 did not say what devices it has: %2").arg(m_name, said);
    }
    return description;
}

void PlaceQuestion::answer(const PlaceDescription& description)
{
    m_timer.stop();
    if (!std::exchange(m_hasAnswered, true))
        emit answered(description);
}

PlaceTest::PlaceTest(QString text, QString programFolder, QObject* parent)
    : QObject(parent), m_text(std::move(text)), m_programFolder(std::move(programFolder))
{
    if (!m_text.isEmpty())
        m_options.places = QStringList(m_text);
}

PlaceTest::~PlaceTest() = default;

void PlaceTest::start()
{
    QTimer::singleShot(0, this, &PlaceTest::open);
}

void PlaceTest::open()
{
    emit connectionChanged({.state = Connection::State::Asking});
    try {
        if (!m_text.isEmpty())
            m_place = placeFromText(m_text);
    } catch (const UsageError& error) {
        return end(QString::fromUtf8(error.what()));
    }
    if (m_place.kind != Place::Kind::Slurm) {
        m_computers = {placedDevice(m_place, device::LocalDevice{.kind = "cpu"})};
        return askNext();
    }
    // The nodes are known with their allocation, which must last as long as they are asked.
    m_session = std::make_unique<PlaceSession>(m_options, m_programFolder);
    connect(m_session.get(), &PlaceSession::connectionChanged, this,
            [this](const PlaceSnapshot& place) { emit connectionChanged(place.connection); });
    connect(m_session.get(), &PlaceSession::failed, this, &PlaceTest::end);
    connect(m_session.get(), &PlaceSession::opened, this, [this] {
        emit connectionChanged({.state = Connection::State::Asking});
        m_computers = m_session->devices();
        askNext();
    });
    m_session->open();
}

void PlaceTest::askNext()
{
    const bool asksForPython = m_next == m_computers.size();
    if (m_next > m_computers.size())
        return end();
    const PlacedDevice& computer = m_computers[asksForPython ? 0 : m_next];
    if (asksForPython)
        m_options.python = anyPython;
    const QString name = m_place.kind == Place::Kind::Slurm ? computer.id
                         : m_text.isEmpty()                 ? tr("This computer")
                                                            : m_text;
    try {
        m_question = std::make_unique<PlaceQuestion>(m_options, computer, name, m_programFolder);
    } catch (const ExplorationError& error) {
        return take({.problem = error.sentence()});
    }
    connect(m_question.get(), &PlaceQuestion::answered, this, &PlaceTest::take);
    m_question->ask();
}

void PlaceTest::take(PlaceDescription description)
{
    // The answer comes from its process.
    if (m_question)
        m_question.release()->deleteLater();
    const bool isPython = m_next == m_computers.size();
    const auto& found = description.devices.devices;
    if (m_place.kind == Place::Kind::Slurm && !isPython) {
        // Each of its devices is asked alone.
        const PlacedDevice& asked = m_computers[m_next];
        const auto device = std::ranges::find(found, asked.device.kind, &device::LocalDevice::kind);
        m_report.devices.push_back({asked.id, device == found.end() ? asked.device : *device});
        if (device == found.end() && description.problem.isEmpty())
            description.problem =
                tr("%1 does not see %2, which Slurm has allocated.").arg(description.program, asked.id);
    } else if (m_report.devices.empty()) {
        for (const device::LocalDevice& device : found)
            m_report.devices.push_back({QString::fromStdString(device.id()), device});
    }
    QStringList& texts = description.problem.isEmpty() ? m_report.programs : m_report.problems;
    texts << (description.problem.isEmpty()
                  ? QStringLiteral("%1, %2").arg(description.program, description.framework)
                  : description.problem);
    texts.removeDuplicates();
    m_report.lacksBundle = m_report.lacksBundle || description.lacksBundle;
    if (description.isUnreachable)
        return end();
    ++m_next;
    askNext();
}

void PlaceTest::end(const QString& problem)
{
    if (!problem.isEmpty())
        m_report.problems << problem;
    emit answered(m_report);
}

} // namespace batchpeak::engine
