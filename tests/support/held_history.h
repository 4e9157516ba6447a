// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSqlDatabase>
#include <QSqlQuery>
#include <QString>

namespace batchpeak::test {

/// Keeps a history open as another program would, during the lifetime of this object.
class OtherProgram
{
public:
    explicit OtherProgram(const QString& historyPath)
        : m_database(QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), connection()))
    {
        m_database.setDatabaseName(historyPath);
        m_database.open();
    }
    ~OtherProgram()
    {
        run("COMMIT");
        m_database.close();
        m_database = {};
        QSqlDatabase::removeDatabase(connection());
    }
    Q_DISABLE_COPY_MOVE(OtherProgram)

    bool run(const char* statement) { return QSqlQuery(m_database).exec(QString::fromUtf8(statement)); }

    /// Locks the history for readers too, whom a write-ahead log does not block otherwise.
    bool hold() { return run("PRAGMA locking_mode = EXCLUSIVE") && run("BEGIN EXCLUSIVE"); }

private:
    static QString connection() { return QStringLiteral("another program"); }

    QSqlDatabase m_database;
};

} // namespace batchpeak::test
