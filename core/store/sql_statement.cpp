// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sql_statement.h"

#include "exploration_store.h"

#include <QCoreApplication>
#include <QSqlError>

namespace batchpeak::store {

namespace {

// Result codes of SQLite (sqlite3.h).
constexpr int busyCode = 5;
constexpr int readOnlyCode = 8;
constexpr int corruptCode = 11;
constexpr int fullCode = 13;
constexpr int notADatabaseCode = 26;
/// Extended codes hold the plain one in their lowest byte.
constexpr int plainCodeMask = 0xff;

QString sentenceOf(const QString& path, const QSqlError& error)
{
    const auto say = [&](const char* sentence) {
        return QCoreApplication::translate("batchpeak::store", sentence).arg(path);
    };
    switch (error.nativeErrorCode().toInt() & plainCodeMask) {
    case busyCode:
        return say(QT_TRANSLATE_NOOP("batchpeak::store", "The history %1 is held by another program; try "
                                                         "again when that one has ended."));
    case readOnlyCode:
        return say(QT_TRANSLATE_NOOP("batchpeak::store", "The history %1 cannot be written; give yourself "
                                                         "the right to write it and its folder."));
    case fullCode:
        return say(QT_TRANSLATE_NOOP("batchpeak::store", "There is no room for the history %1; free some "
                                                         "space on that disk."));
    case corruptCode:
    case notADatabaseCode:
        return say(QT_TRANSLATE_NOOP("batchpeak::store", "The history %1 is damaged or no history at all; "
                                                         "move it away, and a new one is begun."));
    default:
        return QCoreApplication::translate(
                   "batchpeak::store", "The history %1 cannot be used (%2); check the file and its folder.")
            .arg(path, error.databaseText().isEmpty() ? error.text() : error.databaseText());
    }
}

} // namespace

SqlStatement::SqlStatement(const QSqlDatabase& database, const QString& text)
    : m_path(database.databaseName()), m_query(database)
{
    m_query.setForwardOnly(true);
    if (!m_query.prepare(text))
        throw StoreError(sentenceOf(m_path, m_query.lastError()));
}

SqlStatement& SqlStatement::bind(const QVariant& value)
{
    m_query.addBindValue(value);
    return *this;
}

SqlStatement& SqlStatement::run()
{
    if (!m_query.exec())
        throw StoreError(sentenceOf(m_path, m_query.lastError()));
    return *this;
}

void runSql(const QSqlDatabase& database, const QString& text)
{
    SqlStatement(database, text).run();
}

} // namespace batchpeak::store
