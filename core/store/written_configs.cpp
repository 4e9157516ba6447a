// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Configs that were written, and their previous contents.
#include "exploration_store.h"

#include "record_rows.h"
#include "store_database.h"

namespace batchpeak::store {

// The names of the columns.
template<typename Fields>
void visitFields(WrittenConfig& written, Fields& fields)
{
    fields.value("time", written.time);
    fields.value("file", written.filePath);
    fields.value("before", written.before);
    fields.value("after", written.after);
}

qint64 ExplorationStore::addWritten(const WrittenConfig& written)
{
    Transaction transaction(database(), Transaction::Kind::Writes);
    const qint64 id = rowOf(written).insert(database(), QStringLiteral("INSERT INTO written_config"));
    SqlStatement(database(),
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
    SqlStatement row(database(),
                     QStringLiteral("SELECT * FROM written_config WHERE file = ? ORDER BY id DESC LIMIT 1"));
    if (!row.bind(notNull(filePath)).run().next())
        return std::nullopt;
    auto written = recordFrom<WrittenConfig>(row);
    written.id = row.integer("id");
    return written;
}

void ExplorationStore::removeWritten(qint64 id)
{
    SqlStatement(database(), QStringLiteral("DELETE FROM written_config WHERE id = ?")).bind(id).run();
}

} // namespace batchpeak::store
