// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "command.h"
#include "console.h"
#include "options.h"
#include "options/place.h"
#include "run_arguments.h"
#include "text/shell_quoting.h"
#include "words/json_output.h"
#include "words/terminal_text.h"
#include "workers/place_bundle.h"
#include "workers/place_question.h"

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

QStringList rowFor(const QString& id, const device::LocalDevice& device)
{
    const auto memory = [](std::int64_t bytes) { return bytes > 0 ? bytesText(bytes) : QStringLiteral("-"); };
    return {id, device.name.empty() ? QStringLiteral("-") : QString::fromStdString(device.name),
            memory(device.totalBytes), memory(device.freeBytes)};
}

/// Tests a place, and says once what it waits for.
engine::PlaceReport reportOn(const QString& text, Console& console)
{
    engine::PlaceTest test(text, QCoreApplication::applicationDirPath());
    engine::PlaceReport report;
    QEventLoop loop;
    QObject::connect(&test, &engine::PlaceTest::connectionChanged, &loop,
                     [&](const engine::Connection& connection) {
                         if (connection.state == engine::Connection::State::Queued)
                             console.remark(QStringLiteral("%1: %2").arg(text, connectionText(connection)));
                     });
    QObject::connect(&test, &engine::PlaceTest::answered, &loop, [&](const engine::PlaceReport& answer) {
        report = answer;
        loop.quit();
    });
    test.start();
    loop.exec();
    return report;
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
    engine::placeFromText(text);
    const engine::PlaceReport report = reportOn(text, console);
    std::vector<QStringList> rows{
        {QStringLiteral("DEVICE"), QStringLiteral("NAME"), QStringLiteral("MEMORY"), QStringLiteral("FREE")}};
    for (const auto& [id, device] : report.devices)
        rows.push_back(rowFor(id, device));
    console.answer(text);
    if (rows.size() > 1)
        console.answer(alignedLines(rows));
    for (const QString& program : report.programs)
        console.answer(QStringLiteral("runs      %1").arg(program));
    for (const QString& missing : report.problems)
        console.answer(QStringLiteral("missing   %1").arg(missing));
    if (report.lacksBundle && !m_sendsBundle)
        console.answer(QStringLiteral("to send it: batchpeak places test %1 --send-bundle")
                           .arg(engine::quotedForShell(text)));
    return report.runsTrials();
}

} // namespace

std::unique_ptr<Command> makePlacesCommand()
{
    return std::make_unique<PlacesCommand>();
}

} // namespace batchpeak::cli
