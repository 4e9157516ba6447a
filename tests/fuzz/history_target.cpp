// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuzz_target.h"
#include "history/interrupted_run.h"
#include "history/past_exploration.h"
#include "history/search_journal.h"
#include "history/stored_snapshot.h"
#include "store/exploration_store.h"
#include "support/files.h"

#include <QCoreApplication>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QTemporaryDir>

#include <algorithm>

namespace batchpeak::fuzz {

namespace {

using store::ExplorationStore;

/// A history with one exploration that has rows in every table.
class SampleHistory
{
public:
    SampleHistory()
    {
        ExplorationStore history(m_path);
        const qint64 id = history.begin({.started = QDateTime::currentDateTimeUtc(),
                                         .filePath = QStringLiteral("/config.yaml"),
                                         .family = QStringLiteral("gpt2"),
                                         .setting = QStringLiteral("explore"),
                                         .version = QStringLiteral(BATCHPEAK_VERSION),
                                         .loadRequest = QStringLiteral("{}")});
        history.addDevice(id, {.id = QStringLiteral("cpu"), .name = QStringLiteral("A")});
        trial::TrialRecord trial{
            .number = 1, .device = "cpu", .microBatchSize = 8, .outcome = trial::Outcome::Ok};
        trial.flags = {"a flag"};
        history.addTrial(id, trial, {QByteArrayLiteral(R"({"call":"next","device":"cpu"})")});
        trial.number = 2;
        trial.visits = 1;
        trial.compared = {{.microBatchSize = 4, .visits = {{.beginSeconds = 0.0, .samplesPerSecond = 1.0}}}};
        history.addTrial(id, trial);
        history.setSearchSpace(id, engine::toText(search::SearchSpace()));
        search::Measurement measurement{
            .size = 8, .outcome = trial::Outcome::Ok, .secondsPerStep = 0.1, .stepSeconds = {0.1}};
        const engine::PlannerCall recall{.kind = engine::PlannerCall::Kind::Recall,
                                         .recalled = {measurement}};
        measurement.compared = {{.microBatchSize = 8, .visits = {{1.0, 0.1, {0.1}}}}};
        const engine::PlannerCall ended{.kind = engine::PlannerCall::Kind::TrialEnded,
                                        .measurement = measurement};
        history.addSearchCalls(id, {engine::toText(recall), engine::toText(ended)});
        history.addLog(id,
                       {{.time = QDateTime::currentDateTimeUtc(), .level = 0, .text = QStringLiteral("x")}});
        history.addRecommendation(id, {.microBatchSize = 8});
        history.finish(id, {.status = QStringLiteral("confident")});
    }

    /// Copies the history into a file with that name.
    /// \return path of the copy
    QString copy(const QString& name) const
    {
        const QString path = m_folder.filePath(name);
        for (const char* part : {"", "-wal", "-shm"})
            QFile::remove(path + QLatin1String(part));
        QFile::copy(m_path, path);
        return path;
    }

private:
    QTemporaryDir m_folder{QStringLiteral("/dev/shm/batchpeak-fuzz-XXXXXX")};
    QString m_path = m_folder.filePath(QStringLiteral("history.sqlite"));
};

/// Returns the text as a number, as NULL or as text, since SQLite stores values of any type in any column.
QVariant valueOf(const QString& text)
{
    bool isNumber = false;
    if (const qlonglong whole = text.toLongLong(&isNumber); isNumber)
        return whole;
    if (const double real = text.toDouble(&isNumber); isNumber)
        return real;
    return text == QLatin1String("null") ? QVariant() : QVariant(text);
}

/// Changes the history as the text says: each line names a table, a column, and the new value of that column
/// in all rows.
void change(const QString& path, std::string_view text)
{
    {
        QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("fuzz"));
        database.setDatabaseName(path);
        require(database.open(), "the history can be changed");
        QSqlQuery query(database);
        query.exec(QStringLiteral("PRAGMA synchronous=OFF"));
        query.exec(QStringLiteral("PRAGMA foreign_keys=OFF"));
        const auto all = QString::fromUtf8(text.data(), qsizetype(text.size()));
        for (const QString& line : all.split(QLatin1Char('\n'))) {
            const QString table = line.section(QLatin1Char(' '), 0, 0);
            const QString column = line.section(QLatin1Char(' '), 1, 1);
            const auto isWord = [](const QString& word) {
                return !word.isEmpty() && std::ranges::all_of(word, [](QChar letter) {
                    return letter == QLatin1Char('_') ||
                           (letter >= QLatin1Char('a') && letter <= QLatin1Char('z'));
                });
            };
            if (!isWord(table) || !isWord(column) ||
                !query.prepare(QStringLiteral("UPDATE OR IGNORE %1 SET %2 = ?").arg(table, column)))
                continue;
            query.addBindValue(valueOf(line.section(QLatin1Char(' '), 2)));
            query.exec();
        }
    }
    QSqlDatabase::removeDatabase(QStringLiteral("fuzz"));
}

void readAll(const QString& path)
{
    const ExplorationStore history(path);
    for (const store::ExplorationSummary& summary : history.list()) {
        const auto stored = history.show(summary.id);
        if (!stored)
            continue;
        engine::StoredSearch search(*stored);
        engine::snapshotOf(search, {});
        engine::resumeError(path, *stored);
    }
}

} // namespace

void run(std::string_view text)
{
    static int argc = 0;
    static const QCoreApplication application(argc, nullptr);
    static const SampleHistory sample;
    const QString path = sample.copy(QStringLiteral("hostile.sqlite"));
    change(path, text);
    mayRefuse<store::StoreError>([&] {
        readAll(path);
        engine::RunDescription run;
        run.loadRequest = QStringLiteral("{}");
        engine::recalledTrials(path, run, {{.name = QStringLiteral("A")}}, 0);
        const QString own = sample.copy(QStringLiteral("own.sqlite"));
        ExplorationStore(own).takeIn(path);
        readAll(own);
    });
}

} // namespace batchpeak::fuzz
