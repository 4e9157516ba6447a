// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "command.h"
#include "console.h"
#include "engine/event_log.h"
#include "history/interrupted_run.h"
#include "options.h"
#include "options/option_values.h"
#include "store/exploration_store.h"
#include "store/history_writer.h"
#include "words/history_text.h"
#include "words/json_output.h"

#include <QJsonArray>
#include <QJsonObject>

#include <array>
#include <limits>
#include <string_view>
#include <vector>

namespace batchpeak::cli {

namespace {

struct Action
{
    std::string_view name;
    std::size_t ids;
};

constexpr std::array<Action, 4> actions{{{"list", 0}, {"show", 1}, {"compare", 2}, {"delete", 1}}};

store::StoredExploration found(const store::ExplorationStore& store, const std::string& id)
{
    try {
        const std::int64_t number = engine::countFromText(id, 1, std::numeric_limits<std::int64_t>::max());
        if (auto exploration = store.show(number))
            return *std::move(exploration);
    } catch (const engine::ValueError& error) {
        throw UsageError(error.quotingSentence(QStringLiteral("the number of an exploration")).toStdString());
    }
    throw UsageError("no exploration " + id + "; run `batchpeak history`");
}

void remove(store::ExplorationStore& store, qint64 exploration)
{
    if (const QString why = engine::whyInUse(store::ExplorationStore::defaultPath(), exploration);
        !why.isEmpty())
        throw UsageError(why.toStdString());
    store.remove(exploration);
}

class HistoryCommand : public Command
{
public:
    std::string name() const override { return "history"; }
    std::string summary() const override { return "List, show, compare or delete past explorations"; }
    void addOptions(Options& options) override;
    void checkOptions() const override;
    int run() override;

private:
    QJsonObject answerFrom(store::ExplorationStore& store) const;

    std::string m_action = "list";
    std::vector<std::string> m_ids;
    bool m_asJson = false;
};

void HistoryCommand::addOptions(Options& options)
{
    options.addWord("ACTION", "list|show|compare|delete",
                    "list (also without an action), show ID, compare ID ID, delete ID", m_action);
    options.addArguments("ID", "Numbers from the list", 2, m_ids);
    addJsonOption(options, m_asJson);
}

void HistoryCommand::checkOptions() const
{
    for (const Action& action : actions) {
        if (action.name != m_action)
            continue;
        if (m_ids.size() == action.ids)
            return;
        constexpr std::array needed{"no number", "the number of one exploration",
                                    "the numbers of two explorations"};
        throw UsageError("history " + m_action + " takes " + needed.at(action.ids) + ".");
    }
    throw UsageError("'" + m_action + "' is not one of list, show, compare, delete.");
}

/// Returns the document that --json prints.
QJsonObject HistoryCommand::answerFrom(store::ExplorationStore& store) const
{
    QJsonArray explorations;
    if (m_action == "list") {
        for (const store::ExplorationSummary& summary : store.list())
            explorations.append(summaryObject(summary));
        return {{QStringLiteral("explorations"), explorations}};
    }
    const store::StoredExploration first = found(store, m_ids.front());
    if (m_action == "show")
        return explorationObject(first);
    if (m_action == "compare") {
        const store::StoredExploration second = found(store, m_ids.back());
        explorations = {explorationObject(first), explorationObject(second)};
        return {{QStringLiteral("explorations"), explorations},
                {QStringLiteral("relative_performance"), engine::orNull(speedRatio(first, second))},
                {QStringLiteral("same_fidelity"), haveSameLabel(first, second)}};
    }
    remove(store, first.summary.id);
    return {{QStringLiteral("deleted"), first.summary.id}};
}

int HistoryCommand::run()
{
    try {
        const QString path = store::ExplorationStore::defaultPath();
        store::ExplorationStore store(path);
        store::HistoryWriter::takeInLeftOnes(store, path,
                                             [](const QString& sentence) { Console().remark(sentence); });
        if (m_asJson) {
            printJson(answerFrom(store));
            return exitCode::success;
        }
        QStringList lines;
        if (m_action == "list") {
            lines = historyLines(store.list());
        } else if (m_action == "show") {
            lines = explorationLines(found(store, m_ids.front()));
        } else if (m_action == "compare") {
            lines = comparisonLines(found(store, m_ids.front()), found(store, m_ids.back()));
        } else {
            remove(store, found(store, m_ids.front()).summary.id);
            lines << QStringLiteral("deleted %1").arg(QString::fromStdString(m_ids.front()));
        }
        Console().answer(lines);
        return exitCode::success;
    } catch (const store::StoreError& error) {
        throw UsageError(error.what());
    }
}

} // namespace

std::unique_ptr<Command> makeHistoryCommand()
{
    return std::make_unique<HistoryCommand>();
}

} // namespace batchpeak::cli
