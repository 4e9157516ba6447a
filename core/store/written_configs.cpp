// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Configs that were written, and their previous contents.
#include "exploration_store.h"

#include "store_database.h"

#include <QSqlDatabase>

namespace batchpeak::store {

namespace {

// Returns bytes that are not NULL even if they are empty.
QByteArray notNull(const QByteArray& bytes)
{
    return bytes.isNull() ? QByteArray("") : bytes;
}

} // namespace

qint64 ExplorationStore::addWritten(const WrittenConfig& written)
{
    const QSqlDatabase database = QSqlDatabase::database(m_connection);
    Transaction transaction(database, Transaction::Kind::Writes);
    SqlStatement statement(database, QStringLiteral("INSERT INTO written_config (time, file, before, after) "
                                                    "VALUES (?, ?, ?, ?)"));
    statement.bind(fromTime(written.time)).bind(notNull(written.filePath));
    // An empty file is not a missing one.
    statement.bind(written.before ? QVariant(notNull(*written.before)) : QVariant());
    const qint64 id = statement.bind(notNull(written.after)).run().insertedId();
    SqlStatement(database,
                 QStringLiteral("DELETE FROM written_config WHERE file = ? AND id NOT IN (SELECT id "
                                "FROM written_config WHERE file = ? ORDER BY id DESC LIMIT ?)"))
        .bind(notNull(written.filePath))
        .bind(notNull(written.filePath))
        .bind(keptWritings)
        .run();
    transaction.commit();
    return id;
}

std::optional<WrittenConfig> ExplorationStore::lastWritten(const QString& filePath) const
{
    SqlStatement row(QSqlDatabase::database(m_connection),
                     QStringLiteral("SELECT * FROM written_config WHERE file = ? ORDER BY id DESC LIMIT 1"));
    if (!row.bind(notNull(filePath)).run().next())
        return std::nullopt;
    return WrittenConfig{.id = row.integer("id"),
                         .time = toTime(row.text("time")),
                         .filePath = row.text("file"),
                         .before = row.optional<QByteArray>("before"),
                         .after = row.value("after").toByteArray()};
}

void ExplorationStore::removeWritten(qint64 id)
{
    SqlStatement(QSqlDatabase::database(m_connection),
                 QStringLiteral("DELETE FROM written_config WHERE id = ?"))
        .bind(id)
        .run();
}

} // namespace batchpeak::store
