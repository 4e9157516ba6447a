// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSqlDatabase>
#include <QSqlQuery>
#include <QString>
#include <QVariant>

#include <optional>
#include <type_traits>

namespace batchpeak::store {

/// \throws StoreError
void openDatabase(QSqlDatabase& database);

/// The name by which SQLite takes a file for one that nobody changes; to be opened with URIs.
QString nameToRead(const QString& path);

/// A prepared statement whose failures are exceptions.
class SqlStatement
{
public:
    /// \throws StoreError
    SqlStatement(const QSqlDatabase& database, const QString& text);

    /// Binds the next placeholder.
    SqlStatement& bind(const QVariant& value);
    template<typename Value>
    SqlStatement& bind(const std::optional<Value>& value)
    {
        if (!value)
            return bind(QVariant());
        // Qt's drivers know no other whole number of 64 bits.
        if constexpr (std::is_integral_v<Value>)
            return bind(QVariant(static_cast<qint64>(*value)));
        else
            return bind(QVariant(*value));
    }

    /// \throws StoreError
    SqlStatement& run();
    /// Goes to the next row. \return whether there is one
    /// \throws StoreError
    bool next();

    QVariant value(const char* column) const { return m_query.value(QLatin1String(column)); }
    QString text(const char* column) const { return value(column).toString(); }
    qint64 integer(const char* column) const { return value(column).toLongLong(); }
    double real(const char* column) const { return value(column).toDouble(); }
    template<typename Value>
    std::optional<Value> optional(const char* column) const
    {
        const QVariant found = value(column);
        return found.isNull() ? std::nullopt : std::optional<Value>(found.value<Value>());
    }

    /// Rows that belong to others, which are not there.
    /// \throws StoreError
    [[noreturn]] void failAsDamaged() const;

    qint64 insertedId() const { return m_query.lastInsertId().toLongLong(); }
    int changedRows() const { return m_query.numRowsAffected(); }

private:
    [[noreturn]] void fail() const;
    [[noreturn]] void failBy(const QSqlError& error) const;

    QString m_path;
    QSqlQuery m_query;
};

/// What a table is told: a null string would be NULL in it, which means something else there.
QString notNull(const QString& text);

/// A moment as a table has it.
QString fromTime(const QDateTime& time);
QDateTime toTime(const QString& text);

/// A number that changes with each commit of another connection.
/// \throws StoreError
qint64 dataVersion(const QSqlDatabase& database);

/// Refuses a file of which any page is damaged; it reads all of it.
/// \throws StoreError
void requireWhole(const QSqlDatabase& database);

/// Runs a statement without values.
/// \throws StoreError
void runSql(const QSqlDatabase& database, const QString& text);

/// What is written from here to commit() is in the file together or not at all, and what is read is of one
/// moment.
class Transaction
{
public:
    /// Reading shuts nobody out; writing waits for another program's.
    enum class Kind { Reads, Writes };

    /// \throws StoreError
    Transaction(const QSqlDatabase& database, Kind kind);
    /// Takes all back that was not committed.
    ~Transaction();
    Q_DISABLE_COPY_MOVE(Transaction)

    /// \throws StoreError
    void commit();

private:
    QSqlDatabase m_database;
    bool m_isOpen = true;
};

/// The version of the tables that this program writes; it stands in the file itself (user_version).
inline constexpr int schemaVersion = 30;

/// Makes the tables where the file is new, and adds what they lack where an older program wrote it.
/// \throws StoreError where the file was written by a newer program, or is none of ours
void prepareSchema(const QSqlDatabase& database);

} // namespace batchpeak::store
