// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "history_command.h"

#include "console.h"
#include "exit_code.h"
#include "history_text.h"
#include "quantity_parsing.h"
#include "store/exploration_store.h"
#include "store/store_error.h"
#include "usage_error.h"

#include <CLI/App.hpp>

#include <array>
#include <limits>
#include <string_view>

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
    const std::int64_t number = countFromText(id, 1, std::numeric_limits<std::int64_t>::max());
    if (auto exploration = store.show(number))
        return *std::move(exploration);
    throw UsageError("there is no exploration " + id + "; 'batchpeak history' lists them.");
}

} // namespace

std::string HistoryCommand::summary() const
{
    return "List, show, compare or delete past explorations";
}

void HistoryCommand::addOptions(CLI::App& app)
{
    app.add_option("ACTION", m_action, "list (also without an action), show ID, compare ID ID, delete ID")
        ->type_name("");
    app.add_option("ID", m_ids, "Numbers as the list gives them")->type_name("")->expected(0, 2);
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

int HistoryCommand::run()
{
    try {
        store::ExplorationStore store(store::ExplorationStore::defaultPath());
        QStringList lines;
        if (m_action == "list") {
            lines = historyLines(store.list());
        } else if (m_action == "show") {
            lines = explorationLines(found(store, m_ids.front()));
        } else if (m_action == "compare") {
            lines = comparisonLines(found(store, m_ids.front()), found(store, m_ids.back()));
        } else {
            store.remove(found(store, m_ids.front()).summary.id);
            lines << QStringLiteral("deleted %1").arg(QString::fromStdString(m_ids.front()));
        }
        Console console;
        for (const QString& line : lines)
            console.answer(line);
        return exitCode::success;
    } catch (const store::StoreError& error) {
        throw UsageError(error.what());
    }
}

} // namespace batchpeak::cli
