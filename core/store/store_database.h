// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSqlDatabase>
#include <QSqlQuery>
#include <QString>
#include <QVariant>

namespace batchpeak::store {

/// \throws StoreError
void openDatabase(QSqlDatabase& database);

/// Returns the name with which SQLite treats a file as one that nobody changes; it must be opened as a URI.
QString nameToRead(const QString& path);

/// A prepared statement whose failures are thrown as exceptions.
class SqlStatement
{
public:
    /// \throws StoreError
    SqlStatement(const QSqlDatabase& database, const QString& text);

    /// Binds the next placeholder.
    SqlStatement& bind(const QVariant& value);

    /// \throws StoreError
    SqlStatement& run();
    /// Goes to the next row.
    /// \return whether there is one
    /// \throws StoreError
    bool next();

    QVariant value(const char* column) const { return m_query.value(QLatin1String(column)); }
    QString text(const char* column) const { return value(column).toString(); }
    qint64 integer(const char* column) const { return value(column).toLongLong(); }

    /// Reports the file as damaged, since rows that others refer to are missing.
    /// \throws StoreError always
    [[noreturn]] void failAsDamaged() const;

    qint64 insertedId() const { return m_query.lastInsertId().toLongLong(); }
    int changedRows() const { return m_query.numRowsAffected(); }

private:
    [[noreturn]] void fail() const;
    [[noreturn]] void failBy(const QSqlError& error) const;

    QString m_path;
    QSqlQuery m_query;
};

/// Returns the text as a table needs it: a null string would become NULL, which has another meaning there.
QString notNull(const QString& text);

/// Returns a time as tables store it.
QString fromTime(const QDateTime& time);
QDateTime toTime(const QString& text);

/// Returns a number that changes with each commit of another connection.
/// \throws StoreError
qint64 dataVersion(const QSqlDatabase& database);

/// Refuses a file with a damaged page; it reads the whole file.
/// \throws StoreError if a page is damaged
void requireWhole(const QSqlDatabase& database);

/// Runs a statement without values.
/// \throws StoreError
void runSql(const QSqlDatabase& database, const QString& text);

/// A transaction: everything written until commit() is in the file together or not at all, and everything
/// read is from one point in time.
class Transaction
{
public:
    /// Reading does not block others; writing waits for another program's transaction.
    enum class Kind { Reads, Writes };

    /// \throws StoreError
    Transaction(const QSqlDatabase& database, Kind kind);
    /// Rolls back if commit() was not called.
    ~Transaction();
    Q_DISABLE_COPY_MOVE(Transaction)

    /// \throws StoreError
    void commit();

private:
    QSqlDatabase m_database;
    bool m_isOpen = true;
};

/// Version of the tables that this program writes; it is stored in the file itself (user_version).
inline constexpr int schemaVersion = 31;

/// Creates the tables if the file is new, and adds what they lack if an older program wrote it.
/// \throws StoreError if the file was written by a newer program, or is not a history of this program
void prepareSchema(const QSqlDatabase& database);

} // namespace batchpeak::store
