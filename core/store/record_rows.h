// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "exploration_records.h"
#include "store_database.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <concepts>
#include <optional>
#include <string>
#include <vector>

namespace batchpeak::store {

/// Flags, and the phrases on fidelity, have one line each.
inline constexpr QChar lineSeparator = QLatin1Char('\n');

/// Collects the columns of one row, as a visitor of visitFields().
class RowWriter
{
public:
    template<typename Value>
    RowWriter& value(const char* column, const Value& member)
    {
        m_columns.append(QString::fromLatin1(column));
        m_values.append(valueOf(member));
        return *this;
    }

    /// \param into  such as "INSERT INTO device"
    /// \return number of the new row
    /// \throws StoreError
    qint64 insert(const QSqlDatabase& database, const QString& into) const
    {
        const QString places = QStringList(m_columns.size(), QStringLiteral("?")).join(QLatin1Char(','));
        const QString columns = m_columns.join(QLatin1Char(','));
        SqlStatement statement(database, QStringLiteral("%1 (%2) VALUES (%3)").arg(into, columns, places));
        return bindAll(statement).run().insertedId();
    }
    /// Replaces these columns in the row of an exploration.
    /// \throws StoreError
    void update(const QSqlDatabase& database, qint64 exploration) const
    {
        const QString columns = m_columns.join(QLatin1String(" = ?, "));
        SqlStatement statement(database,
                               QStringLiteral("UPDATE exploration SET %1 = ? WHERE id = ?").arg(columns));
        bindAll(statement).bind(exploration).run();
    }

private:
    SqlStatement& bindAll(SqlStatement& statement) const
    {
        for (const QVariant& value : m_values)
            statement.bind(value);
        return statement;
    }

    // Qt's drivers have no other 64-bit integer type.
    static QVariant valueOf(std::integral auto value) { return static_cast<qint64>(value); }
    static QVariant valueOf(double value) { return value; }
    static QVariant valueOf(const QString& text) { return notNull(text); }
    static QVariant valueOf(const std::string& text) { return valueOf(QString::fromStdString(text)); }
    // An empty file is not a missing one.
    static QVariant valueOf(const QByteArray& bytes) { return bytes.isNull() ? QByteArray("") : bytes; }
    static QVariant valueOf(const QDateTime& time) { return fromTime(time); }
    static QVariant valueOf(const QStringList& lines) { return valueOf(lines.join(lineSeparator)); }
    static QVariant valueOf(trial::Outcome outcome) { return QString::fromUtf8(trial::toText(outcome)); }
    template<typename Value>
    static QVariant valueOf(const std::optional<Value>& value)
    {
        return value ? valueOf(*value) : QVariant();
    }
    /// Returns a JSON array with an array of four numbers for each estimate.
    static QVariant valueOf(const std::vector<EstimateRecord>& estimates)
    {
        if (estimates.empty())
            return valueOf(QString());
        QJsonArray rows;
        for (const EstimateRecord& estimate : estimates)
            rows.append(QJsonArray{estimate.microBatchSize, estimate.samplesPerSecond, estimate.relativeError,
                                   estimate.probabilityWithin});
        return QString::fromUtf8(QJsonDocument(rows).toJson(QJsonDocument::Compact));
    }

    QStringList m_columns;
    QVariantList m_values;
};

/// Reads what RowWriter has written, as a visitor of visitFields().
class RowReader
{
public:
    explicit RowReader(const SqlStatement& row) : m_row(row) {}

    template<typename Value>
    void value(const char* column, Value& member)
    {
        take(m_row.value(column), member);
    }

private:
    template<std::integral Value>
    static void take(const QVariant& value, Value& member)
    {
        member = static_cast<Value>(value.toLongLong());
    }
    static void take(const QVariant& value, double& member) { member = value.toDouble(); }
    static void take(const QVariant& value, QString& member) { member = value.toString(); }
    static void take(const QVariant& value, std::string& member) { member = value.toString().toStdString(); }
    static void take(const QVariant& value, QByteArray& member) { member = value.toByteArray(); }
    static void take(const QVariant& value, QDateTime& member) { member = toTime(value.toString()); }
    static void take(const QVariant& value, QStringList& member)
    {
        member = value.toString().split(lineSeparator, Qt::SkipEmptyParts);
    }
    static void take(const QVariant& value, std::optional<trial::Outcome>& member)
    {
        // No word, or an unknown one, means that the trial did not run well.
        member =
            trial::fromText<trial::Outcome>(value.toString().toStdString()).value_or(trial::Outcome::Failed);
    }
    template<typename Value>
    static void take(const QVariant& value, std::optional<Value>& member)
    {
        if (!value.isNull())
            take(value, member.emplace());
    }
    /// An older program stored no estimates.
    static void take(const QVariant& value, std::vector<EstimateRecord>& member)
    {
        const QJsonDocument document = QJsonDocument::fromJson(value.toString().toUtf8());
        for (const QJsonValue row : document.array())
            member.push_back({.microBatchSize = row[0].toInteger(),
                              .samplesPerSecond = row[1].toDouble(),
                              .relativeError = row[2].toDouble(),
                              .probabilityWithin = row[3].toDouble()});
    }

    const SqlStatement& m_row;
};

template<typename Record>
RowWriter rowOf(Record record)
{
    RowWriter row;
    visitFields(record, row);
    return row;
}

template<typename Record>
Record recordFrom(const SqlStatement& statement)
{
    RowReader row(statement);
    Record record;
    visitFields(record, row);
    return record;
}

} // namespace batchpeak::store
