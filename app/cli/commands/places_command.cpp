// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "command.h"
#include "console.h"
#include "options.h"
#include "options/place.h"
#include "run_arguments.h"
#include "words/json_output.h"
#include "words/terminal_text.h"
#include "workers/place_bundle.h"
#include "workers/place_question.h"
#include "workers/place_session.h"

#include <QCoreApplication>
#include <QEventLoop>
#include <QJsonArray>
#include <QJsonObject>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace batchpeak::cli {

namespace {

struct PlaceAction
{
    std::string_view name;
    std::size_t fewest;
    std::size_t most;
    std::string_view takes;
};

constexpr std::size_t anyNumber = 1000;
constexpr std::array<PlaceAction, 4> placeActions{{{"list", 0, 0, "nothing"},
                                         {"add", 2, 2, "a name and a place, such as ssh:HOST"},
                                         {"remove", 1, 1, "the name of a place"},
                                         {"test", 1, anyNumber, "places or their names"}}};

class PlacesCommand : public Command
{
public:
    std::string name() const override { return "places"; }
    std::string summary() const override { return "List, add, remove or test places where trials run"; }
    void addOptions(Options& options) override;
    void checkOptions() const override;
    int run() override;

private:
    int list() const;
    int test() const;
    bool testPlace(const QString& text, Console& console) const;
    bool sendTo(const QString& text, Console& console) const;

    std::string m_action = "list";
    std::vector<std::string> m_words;
    bool m_sendsBundle = false;
    bool m_asJson = false;
};

/// Opens a place and waits for its devices.
/// \return why it cannot be opened; empty if it is open
QString openError(engine::PlaceSession& session)
{
    QString problem;
    QEventLoop loop;
    QObject::connect(&session, &engine::PlaceSession::opened, &loop, &QEventLoop::quit);
    QObject::connect(&session, &engine::PlaceSession::failed, &loop, [&](const QString& sentence) {
        problem = sentence;
        loop.quit();
    });
    session.open();
    loop.exec();
    return problem;
}

QStringList rowFor(const QString& id, const device::LocalDevice& device)
{
    const auto memory = [](std::int64_t bytes) { return bytes > 0 ? bytesText(bytes) : QStringLiteral("-"); };
    return {id, device.name.empty() ? QStringLiteral("-") : QString::fromStdString(device.name),
            memory(device.totalBytes), memory(device.freeBytes)};
}

/// Returns the device of that kind; one without a name if there is none.
device::LocalDevice firstOf(const std::string& kind, const device::LocalDevices& found)
{
    const auto device = std::ranges::find(found.devices, kind, &device::LocalDevice::kind);
    return device == found.devices.end() ? device::LocalDevice{.kind = kind} : *device;
}

engine::PlaceDescription askedOf(const engine::ExplorationOptions& options,
                                 const engine::PlacedDevice& computer, const QString& place)
{
    engine::PlaceQuestion question(options, computer, place, QCoreApplication::applicationDirPath());
    engine::PlaceDescription answer;
    QEventLoop loop;
    QObject::connect(&question, &engine::PlaceQuestion::answered, &loop,
                     [&](const engine::PlaceDescription& description) {
                         answer = description;
                         loop.quit();
                     });
    question.ask();
    loop.exec();
    return answer;
}

void PlacesCommand::addOptions(Options& options)
{
    options.addWord("ACTION", "list|add|remove|test",
                    "list (also without an action), add NAME PLACE, remove NAME, test PLACE...", m_action);
    options.addArguments("NAME", "Names and places", anyNumber, m_words);
    options.addFlag("--send-bundle",
                    "With test: send the bundle that `make bundle` has made, unless it is there",
                    m_sendsBundle);
    addJsonOption(options, m_asJson);
}

void PlacesCommand::checkOptions() const
{
    const auto action = std::ranges::find(placeActions, m_action, &PlaceAction::name);
    if (action == placeActions.end())
        throw UsageError("'" + m_action + "' is not one of list, add, remove, test.");
    if (m_words.size() < action->fewest || m_words.size() > action->most)
        throw UsageError("places " + m_action + " takes " + std::string(action->takes) + ".");
    if (m_sendsBundle && m_action != "test")
        throw UsageError("--send-bundle belongs to places test.");
}

int PlacesCommand::run()
{
    if (m_action == "list")
        return list();
    if (m_action == "test")
        return test();
    const QString name = QString::fromStdString(m_words.front());
    if (m_action == "add")
        engine::savePlace(name, QString::fromStdString(m_words.back()));
    else if (!engine::removePlace(name))
        throw UsageError("there is no place '" + m_words.front() + "'; see `batchpeak places list`.");
    Console().answer(m_action == "add" ? QStringLiteral("saved %1").arg(name)
                                       : QStringLiteral("removed %1").arg(name));
    return exitCode::success;
}

int PlacesCommand::list() const
{
    const QMap<QString, QString> places = engine::savedPlaces();
    if (m_asJson) {
        QJsonArray listed;
        for (auto place = places.begin(); place != places.end(); ++place)
            listed.append(
                QJsonObject{{QStringLiteral("name"), place.key()}, {QStringLiteral("place"), place.value()}});
        printJson({{QStringLiteral("places"), listed}});
        return exitCode::success;
    }
    Console console;
    if (places.isEmpty()) {
        console.remark(QStringLiteral("No place is saved. To save one: batchpeak places add NAME ssh:HOST"));
        return exitCode::success;
    }
    std::vector<QStringList> rows{{QStringLiteral("NAME"), QStringLiteral("PLACE")}};
    for (auto place = places.begin(); place != places.end(); ++place)
        rows.push_back({place.key(), place.value()});
    console.answer(alignedLines(rows));
    return exitCode::success;
}

int PlacesCommand::test() const
{
    Console console;
    bool isGood = true;
    for (const std::string& word : m_words) {
        const QString text = QString::fromStdString(word);
        try {
            isGood = (!m_sendsBundle || sendTo(text, console)) && testPlace(text, console) && isGood;
        } catch (const UsageError& error) {
            printError(QString::fromUtf8(error.what()));
            isGood = false;
        }
    }
    return isGood ? exitCode::success : exitCode::noTrials;
}

bool PlacesCommand::sendTo(const QString& text, Console& console) const
{
    const engine::Place place = engine::placeFromText(text);
    if (!place.isComputer()) {
        console.remark(
            QStringLiteral("%1: nothing is sent; its computers share their files with this one.").arg(text));
        return true;
    }
    const QString archive = engine::bundleArchive(QCoreApplication::applicationDirPath());
    if (archive.isEmpty())
        throw UsageError("there is no bundle to send; make it with `make bundle`.");
    const engine::SentBundle sent = engine::sendBundle(place, archive);
    if (!sent.problem.isEmpty())
        printError(sent.problem);
    else
        console.remark((sent.wasThere ? QStringLiteral("%1 has this bundle already.")
                                      : QStringLiteral("%1 has received the bundle."))
                           .arg(text));
    return sent.problem.isEmpty();
}

/// Prints what a place has.
/// \return whether trials can run there, by either program
bool PlacesCommand::testPlace(const QString& text, Console& console) const
{
    engine::ExplorationOptions options{.places = {text}};
    const engine::Place place = engine::placeFromText(text);
    std::vector<QStringList> rows{
        {QStringLiteral("DEVICE"), QStringLiteral("NAME"), QStringLiteral("MEMORY"), QStringLiteral("FREE")}};
    QStringList programs;
    QStringList problems;
    const auto take = [&](const engine::PlaceDescription& found) {
        if (!found.problem.isEmpty())
            problems << found.problem;
        else
            programs << QStringLiteral("%1, %2").arg(found.program, found.framework);
    };
    const auto addRows = [&](const engine::PlaceDescription& found) {
        for (const device::LocalDevice& device : found.devices.devices)
            rows.push_back(rowFor(QString::fromStdString(device.id()), device));
    };
    // The nodes of Slurm are known with their allocation, which must last as long as they are asked.
    engine::PlaceSession session(options, QCoreApplication::applicationDirPath());
    engine::PlacedDevice computer = engine::placedDevice(place, device::LocalDevice{.kind = "cpu"});
    if (place.kind == engine::Place::Kind::Slurm) {
        if (const QString problem = openError(session); !problem.isEmpty()) {
            printError(problem);
            return false;
        }
        for (const engine::PlacedDevice& device : session.devices()) {
            const engine::PlaceDescription found = askedOf(options, device, device.id);
            rows.push_back(rowFor(device.id, firstOf(device.device.kind, found.devices)));
            take(found);
        }
        computer = session.devices().front();
    } else {
        const engine::PlaceDescription found = askedOf(options, computer, text);
        addRows(found);
        take(found);
    }
    options.python = engine::anyPython;
    const engine::PlaceDescription python = askedOf(options, computer, text);
    if (rows.size() == 1)
        addRows(python);
    take(python);
    programs.removeDuplicates();
    problems.removeDuplicates();
    console.answer(text);
    if (rows.size() > 1)
        console.answer(alignedLines(rows));
    for (const QString& program : programs)
        console.answer(QStringLiteral("runs      %1").arg(program));
    for (const QString& missing : problems)
        console.answer(QStringLiteral("missing   %1").arg(missing));
    return !programs.isEmpty();
}

} // namespace

std::unique_ptr<Command> makePlacesCommand()
{
    return std::make_unique<PlacesCommand>();
}

} // namespace batchpeak::cli
