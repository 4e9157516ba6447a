// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "store_database.h"

#include "exploration_store.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QSqlError>
#include <QUrl>

#include <algorithm>
#include <array>

namespace batchpeak::store {

namespace {

// Result codes of SQLite (sqlite3.h).
constexpr int busyCode = 5;
constexpr int lockedCode = 6;
constexpr int readOnlyCode = 8;
constexpr int ioErrorCode = 10;
constexpr int corruptCode = 11;
constexpr int fullCode = 13;
constexpr int cannotOpenCode = 14;
constexpr int notADatabaseCode = 26;
/// Extended codes contain the basic code in their lowest byte.
constexpr int plainCodeMask = 0xff;
/// SQLITE_IOERR_SHMSIZE: the memory that programs share, a file beside the history, could not be enlarged.
constexpr int sharedMemorySizeCode = ioErrorCode | (19 << 8);

StoreError::Kind kindOf(const QSqlError& error)
{
    switch (error.nativeErrorCode().toInt() & plainCodeMask) {
    case busyCode:
    case lockedCode:
        return StoreError::Kind::Busy;
    case corruptCode:
    case notADatabaseCode:
        return StoreError::Kind::Damaged;
    case readOnlyCode:
    case ioErrorCode:
    case fullCode:
    case cannotOpenCode:
        return StoreError::Kind::Unwritable;
    default:
        return StoreError::Kind::Other;
    }
}

QString sentenceOf(const QString& path, const QSqlError& error)
{
    const auto say = [&](const char* sentence) {
        return QCoreApplication::translate("batchpeak::store", sentence).arg(path);
    };
    const int code = error.nativeErrorCode().toInt();
    switch (code == sharedMemorySizeCode ? fullCode : code & plainCodeMask) {
    case busyCode:
    case lockedCode:
        return say(QT_TRANSLATE_NOOP("batchpeak::store", "The history %1 is held by another program; try "
                                                         "again when that one has ended."));
    case readOnlyCode:
        return say(QT_TRANSLATE_NOOP("batchpeak::store", "The history %1 cannot be written; give yourself "
                                                         "the right to write it and its folder."));
    case fullCode:
        return say(QT_TRANSLATE_NOOP("batchpeak::store", "There is no room for the history %1; free some "
                                                         "space on that disk."));
    case cannotOpenCode:
        return say(QT_TRANSLATE_NOOP("batchpeak::store", "The history %1 cannot be opened; give yourself the "
                                                         "right to write it and its folder, or free some "
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

const QString asOfNobody = QStringLiteral("?immutable=1");

/// Returns the path by which people know the database.
QString pathOf(const QSqlDatabase& database)
{
    const QString name = database.databaseName();
    return name.endsWith(asOfNobody) ? QUrl(name.chopped(asOfNobody.size())).toLocalFile() : name;
}

} // namespace

void openDatabase(QSqlDatabase& database)
{
    if (database.open())
        return;
    // Such a database does not even have a name.
    if (!database.isValid())
        throw StoreError(QCoreApplication::translate(
            "batchpeak::store",
            "The history cannot be used: Qt's driver for SQLite cannot be loaded. Install "
            "it, or raise the limit of memory (ulimit -v)."));
    const QSqlError error = database.lastError();
    throw StoreError(sentenceOf(pathOf(database), error), kindOf(error), pathOf(database));
}

QString nameToRead(const QString& path)
{
    return QString::fromUtf8(QUrl::fromLocalFile(QFileInfo(path).absoluteFilePath()).toEncoded()) +
           asOfNobody;
}

SqlStatement::SqlStatement(const QSqlDatabase& database, const QString& text)
    : m_path(pathOf(database)), m_query(database)
{
    m_query.setForwardOnly(true);
    if (!m_query.prepare(text))
        fail();
}

SqlStatement& SqlStatement::bind(const QVariant& value)
{
    m_query.addBindValue(value);
    return *this;
}

SqlStatement& SqlStatement::run()
{
    if (!m_query.exec())
        fail();
    return *this;
}

bool SqlStatement::next()
{
    if (m_query.next())
        return true;
    // An unreadable page ends the rows in the same way as their end.
    if (m_query.lastError().type() != QSqlError::NoError)
        fail();
    return false;
}

void SqlStatement::failAsDamaged() const
{
    failBy(QSqlError({}, {}, QSqlError::StatementError, QString::number(corruptCode)));
}

void SqlStatement::fail() const
{
    failBy(m_query.lastError());
}

void SqlStatement::failBy(const QSqlError& error) const
{
    throw StoreError(sentenceOf(m_path, error), kindOf(error), m_path);
}

QString notNull(const QString& text)
{
    return text.isNull() ? QLatin1String("") : text;
}

QString fromTime(const QDateTime& time)
{
    return notNull(time.toUTC().toString(Qt::ISODateWithMs));
}

QDateTime toTime(const QString& text)
{
    return QDateTime::fromString(text, Qt::ISODateWithMs);
}

qint64 dataVersion(const QSqlDatabase& database)
{
    SqlStatement statement(database, QStringLiteral("PRAGMA data_version"));
    return statement.run().next() ? statement.integer("data_version") : 0;
}

void requireWhole(const QSqlDatabase& database)
{
    // The check stops at the first error, and returns "ok" if there is none (sqlite.org/pragma.html).
    SqlStatement statement(database, QStringLiteral("PRAGMA quick_check(1)"));
    if (!statement.run().next() || statement.text("quick_check") != QLatin1String("ok"))
        statement.failAsDamaged();
}

void runSql(const QSqlDatabase& database, const QString& text)
{
    SqlStatement(database, text).run();
}

Transaction::Transaction(const QSqlDatabase& database, Kind kind) : m_database(database)
{
    runSql(m_database, kind == Kind::Writes ? QStringLiteral("BEGIN IMMEDIATE") : QStringLiteral("BEGIN"));
}

Transaction::~Transaction()
{
    if (m_isOpen)
        QSqlQuery(m_database).exec(QStringLiteral("ROLLBACK"));
}

void Transaction::commit()
{
    runSql(m_database, QStringLiteral("COMMIT"));
    m_isOpen = false;
}

namespace {

/// Tables of version 1. Later changes are in upgrades, so that a new file and an old one are handled in the
/// same way.
constexpr std::array tables{
    R"(CREATE TABLE exploration (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        started TEXT NOT NULL, file TEXT NOT NULL, format TEXT NOT NULL, family TEXT NOT NULL,
        parameters INTEGER NOT NULL, phase TEXT NOT NULL, numeric_precision TEXT NOT NULL, optimizer TEXT NOT NULL,
        sequence_length INTEGER NOT NULL, batch_size INTEGER NOT NULL, config_devices INTEGER NOT NULL,
        setting TEXT NOT NULL, objective TEXT NOT NULL, strategy TEXT NOT NULL, tolerance REAL NOT NULL,
        version TEXT NOT NULL,
        finished TEXT, status TEXT, failure TEXT))",
    R"(CREATE TABLE device (
        exploration INTEGER NOT NULL REFERENCES exploration(id) ON DELETE CASCADE,
        id TEXT NOT NULL, name TEXT NOT NULL, program TEXT NOT NULL,
        total_bytes INTEGER NOT NULL, limit_bytes INTEGER NOT NULL,
        PRIMARY KEY (exploration, id)))",
    R"(CREATE TABLE trial (
        exploration INTEGER NOT NULL REFERENCES exploration(id) ON DELETE CASCADE,
        number INTEGER NOT NULL, device TEXT NOT NULL, micro_batch_size INTEGER NOT NULL, outcome TEXT NOT NULL,
        samples_per_second REAL, relative_error REAL, seconds_per_step REAL,
        peak_allocated_bytes INTEGER, peak_reserved_bytes INTEGER,
        timed_steps INTEGER NOT NULL, wall_seconds REAL NOT NULL, flags TEXT NOT NULL, text TEXT NOT NULL,
        PRIMARY KEY (exploration, number)))",
    R"(CREATE TABLE recommendation (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        exploration INTEGER NOT NULL REFERENCES exploration(id) ON DELETE CASCADE,
        micro_batch_size INTEGER NOT NULL, samples_per_second REAL NOT NULL, relative_error REAL NOT NULL,
        relative_performance REAL NOT NULL, confidence INTEGER NOT NULL, reason TEXT NOT NULL))",
    "CREATE INDEX recommendation_of ON recommendation(exploration, id)"};

/// Changes of each version after the first one: the first of them turns version 1 into version 2.
constexpr std::array upgrades{
    "ALTER TABLE trial ADD COLUMN joules_per_sample REAL",
    "ALTER TABLE trial ADD COLUMN optimizer_seconds REAL",
    "ALTER TABLE recommendation ADD COLUMN expected_loss REAL",
    "ALTER TABLE exploration ADD COLUMN ending TEXT",
    "ALTER TABLE trial ADD COLUMN visits INTEGER NOT NULL DEFAULT 0",
    R"(CREATE TABLE compared_size (
        exploration INTEGER NOT NULL, trial INTEGER NOT NULL,
        place INTEGER NOT NULL, micro_batch_size INTEGER NOT NULL,
        samples_per_second REAL, relative_error REAL, seconds_per_step REAL, peak_reserved_bytes INTEGER,
        PRIMARY KEY (exploration, trial, place),
        FOREIGN KEY (exploration, trial) REFERENCES trial(exploration, number) ON DELETE CASCADE))",
    R"(CREATE TABLE visit (
        exploration INTEGER NOT NULL, trial INTEGER NOT NULL,
        place INTEGER NOT NULL, number INTEGER NOT NULL,
        begin_seconds REAL NOT NULL, samples_per_second REAL NOT NULL,
        PRIMARY KEY (exploration, trial, place, number),
        FOREIGN KEY (exploration, trial, place) REFERENCES compared_size(exploration, trial, place)
            ON DELETE CASCADE))",
    "ALTER TABLE trial ADD COLUMN attention TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE exploration ADD COLUMN frozen_parameters INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE exploration ADD COLUMN tuning TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE exploration ADD COLUMN fidelity TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE exploration ADD COLUMN approximations TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE exploration ADD COLUMN replaced TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE exploration ADD COLUMN assumed TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE exploration ADD COLUMN config_text TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE exploration ADD COLUMN config_hash TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE exploration ADD COLUMN chosen_model TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE exploration ADD COLUMN command TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE exploration ADD COLUMN load_request TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE exploration ADD COLUMN headroom REAL NOT NULL DEFAULT 0.08",
    "ALTER TABLE exploration ADD COLUMN search_space TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE device ADD COLUMN framework TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE device ADD COLUMN uuid TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE device ADD COLUMN driver TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE trial ADD COLUMN details TEXT NOT NULL DEFAULT ''",
    R"(CREATE TABLE search_call (
        exploration INTEGER NOT NULL REFERENCES exploration(id) ON DELETE CASCADE,
        number INTEGER NOT NULL, call TEXT NOT NULL,
        PRIMARY KEY (exploration, number)))",
    R"(CREATE TABLE log_line (
        exploration INTEGER NOT NULL REFERENCES exploration(id) ON DELETE CASCADE,
        number INTEGER NOT NULL, time TEXT NOT NULL, level INTEGER NOT NULL, text TEXT NOT NULL,
        PRIMARY KEY (exploration, number)))",
    R"(CREATE TABLE written_config (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        time TEXT NOT NULL, file TEXT NOT NULL, before BLOB, after BLOB NOT NULL))",
    "ALTER TABLE recommendation ADD COLUMN estimates TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE exploration ADD COLUMN processes INTEGER NOT NULL DEFAULT 1"};
static_assert(1 + upgrades.size() == schemaVersion);

int versionOf(const QSqlDatabase& database)
{
    SqlStatement statement(database, QStringLiteral("PRAGMA user_version"));
    statement.run();
    return statement.next() ? static_cast<int>(statement.integer("user_version")) : 0;
}

bool isEmpty(const QSqlDatabase& database)
{
    SqlStatement statement(database, QStringLiteral("SELECT name FROM sqlite_master LIMIT 1"));
    return !statement.run().next();
}

/// Whether the file has our tables, since other programs number their versions as well.
bool hasOurTables(const QSqlDatabase& database)
{
    SqlStatement statement(
        database,
        QStringLiteral("SELECT name FROM pragma_table_info('trial') WHERE name = 'micro_batch_size'"));
    return statement.run().next();
}

/// \throws StoreError
void refuseForeign(const QSqlDatabase& database, int version)
{
    const QString path = pathOf(database);
    if (version > schemaVersion) {
        throw StoreError(QCoreApplication::translate(
                             "batchpeak::store", "The history %1 was written by a newer Batchpeak; use that "
                                                 "one, or move the file away and a new one is begun.")
                             .arg(path));
    }
    if (version < 0 || !(version == 0 ? isEmpty(database) : hasOurTables(database))) {
        throw StoreError(QCoreApplication::translate(
                             "batchpeak::store", "The file %1 belongs to another program; move it away, and "
                                                 "a history is begun in its place.")
                             .arg(path));
    }
}

} // namespace

void prepareSchema(const QSqlDatabase& database)
{
    const int found = versionOf(database);
    // This comes before anything is written, which may be impossible.
    refuseForeign(database, found);
    if (found == schemaVersion)
        return;
    // If two programs start at once, only one of them may create the tables, and the other must then see
    // them.
    Transaction transaction(database, Transaction::Kind::Writes);
    const int version = versionOf(database);
    refuseForeign(database, version);
    if (version == 0) {
        for (const char* table : tables)
            runSql(database, QString::fromLatin1(table));
    }
    for (std::size_t done = std::max(version, 1) - 1; done < upgrades.size(); ++done)
        runSql(database, QString::fromLatin1(upgrades[done]));
    runSql(database, QStringLiteral("PRAGMA user_version = %1").arg(schemaVersion));
    transaction.commit();
}

} // namespace batchpeak::store
