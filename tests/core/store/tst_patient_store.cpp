// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/exploration_store.h"
#include "store/patient_store.h"
#include "support/files.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSignalSpy>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

using namespace batchpeak;
using namespace batchpeak::test;
using namespace std::chrono_literals;
using store::ExplorationStore;
using store::PatientStore;

namespace {

store::ExplorationInfo infoOf(const QString& file)
{
    return {.started = QDateTime::fromString(QStringLiteral("2026-11-25T10:00:00.123Z"), Qt::ISODateWithMs),
            .filePath = file,
            .family = QStringLiteral("gpt2")};
}

trial::TrialRecord trialOf(int number)
{
    return {.number = number,
            .device = "cpu",
            .microBatchSize = 8,
            .outcome = trial::Outcome::Ok,
            .samplesPerSecond = 31.5};
}

/// Another program that writes the history and does not come to an end.
class Holder
{
public:
    explicit Holder(const QString& path)
    {
        m_database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("holder"));
        m_database.setDatabaseName(path);
        m_database.open();
        QSqlQuery(m_database).exec(QStringLiteral("BEGIN EXCLUSIVE"));
    }
    ~Holder()
    {
        release();
        m_database.close();
        m_database = {};
        QSqlDatabase::removeDatabase(QStringLiteral("holder"));
    }
    Q_DISABLE_COPY_MOVE(Holder)
    void release() { QSqlQuery(m_database).exec(QStringLiteral("COMMIT")); }

private:
    QSqlDatabase m_database;
};

} // namespace

class PatientStoreTest : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_path = m_folder->filePath(QStringLiteral("history.sqlite"));
    }

    void waitsForAnotherProgram()
    {
        {
            const ExplorationStore made(m_path);
        }
        Holder holder(m_path);
        PatientStore patient(m_path, 1ms);
        QSignalSpy said(&patient, &PatientStore::said);
        patient.begin(infoOf(QStringLiteral("/a.yaml")));
        for (const int number : {1, 2, 3})
            patient.addTrial(trialOf(number));
        QVERIFY(patient.waits());
        QCOMPARE(said.size(), 1);
        QVERIFY(said.front().front().toString().contains(QStringLiteral("is held by another program")));
        holder.release();
        QTRY_VERIFY(!patient.waits());
        QCOMPARE(said.size(), 2);
        QVERIFY(said.back().front().toString().contains(QStringLiteral("is free again")));
        patient.finish({.finished = QDateTime::currentDateTimeUtc(), .status = QStringLiteral("confident")});
        QCOMPARE(kept(), QStringLiteral("/a.yaml: 3 trials, confident"));
    }

    void keepsBesideItWhatItNeverTakes()
    {
        {
            const ExplorationStore made(m_path);
        }
        {
            const Holder holder(m_path);
            PatientStore patient(m_path, 1ms);
            QSignalSpy said(&patient, &PatientStore::said);
            patient.begin(infoOf(QStringLiteral("/a.yaml")));
            patient.addDevice({.id = QStringLiteral("cpu")});
            patient.addTrial(trialOf(1));
            patient.addRecommendation({.microBatchSize = 8, .samplesPerSecond = 31.5});
            patient.finish(
                {.finished = QDateTime::currentDateTimeUtc(), .status = QStringLiteral("confident")});
            // The next exploration does not wait for it.
            patient.begin(infoOf(QStringLiteral("/b.yaml")));
            patient.addTrial(trialOf(1));
        }
        QCOMPARE(besides().size(), 2);
        QCOMPARE(kept(), QString());

        PatientStore next(m_path);
        QSignalSpy said(&next, &PatientStore::said);
        next.begin(infoOf(QStringLiteral("/c.yaml")));
        QCOMPARE(said.size(), 2);
        QVERIFY2(said.front().front().toString().contains(QStringLiteral("took in 1 exploration")),
                 qPrintable(said.front().front().toString()));
        QCOMPARE(besides().size(), 0);
        QStringList lines = kept().split(QLatin1Char('\n'));
        lines.sort();
        QCOMPARE(lines, (QStringList{QStringLiteral("/a.yaml: 1 trials, confident"),
                                     QStringLiteral("/b.yaml: 1 trials, not finished"),
                                     QStringLiteral("/c.yaml: 0 trials, not finished")}));
    }

    // As after a crash between the two.
    void takesNothingInTwice()
    {
        ExplorationStore other(m_folder->filePath(QStringLiteral("other.sqlite")));
        (void)other.begin(infoOf(QStringLiteral("/a.yaml")));
        ExplorationStore history(m_path);
        for (int again = 0; again < 2; ++again)
            QCOMPARE(history.takeIn(m_folder->filePath(QStringLiteral("other.sqlite"))), 1);
        QCOMPARE(kept(), QStringLiteral("/a.yaml: 0 trials, not finished"));
    }

    void setsADamagedHistoryAside_data()
    {
        rows<QByteArray>({{"no database", QByteArray("precious notes\n").repeated(100)},
                          {"a header alone", QByteArray("SQLite format 3\0", 16) + QByteArray(2000, 'x')}});
    }
    void setsADamagedHistoryAside()
    {
        const QByteArray bytes = row<QByteArray>();
        writeFile(m_path, bytes);
        PatientStore patient(m_path);
        QSignalSpy said(&patient, &PatientStore::said);
        patient.begin(infoOf(QStringLiteral("/a.yaml")));
        QCOMPARE(said.size(), 1);
        const QStringList damaged =
            QDir(m_folder->path()).entryList({QStringLiteral("history.sqlite.damaged-*")}, QDir::Files);
        QCOMPARE(damaged.size(), 1);
        QVERIFY2(said.front().front().toString().contains(damaged.front()),
                 qPrintable(said.front().front().toString()));
        QCOMPARE(readFile(m_folder->filePath(damaged.front())), bytes);
        QCOMPARE(kept(), QStringLiteral("/a.yaml: 0 trials, not finished"));
    }

    // Of another program, or of a later one: neither is ours to move.
    void leavesForeignFilesAlone_data()
    {
        rows<const char*>({{"another program's", "CREATE TABLE songs (title TEXT)"},
                           {"a later one's", "PRAGMA user_version = 1000"}});
    }
    void leavesForeignFilesAlone()
    {
        {
            QSqlDatabase database =
                QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("foreign"));
            database.setDatabaseName(m_path);
            QVERIFY(database.open());
            QVERIFY(QSqlQuery(database).exec(QString::fromLatin1(row<const char*>())));
            database.close();
        }
        QSqlDatabase::removeDatabase(QStringLiteral("foreign"));
        const QByteArray before = readFile(m_path);
        {
            PatientStore patient(m_path);
            QSignalSpy said(&patient, &PatientStore::said);
            patient.begin(infoOf(QStringLiteral("/a.yaml")));
            patient.addTrial(trialOf(1));
            QCOMPARE(said.size(), 1);
            QVERIFY(said.front().front().toString().contains(QStringLiteral("This exploration is kept in")));
        }
        QCOMPARE(readFile(m_path), before);
        QCOMPARE(besides().size(), 1);
    }

    void saysOnceWhereNothingCanBeKept()
    {
        PatientStore patient(QStringLiteral("/proc/nowhere/history.sqlite"));
        QSignalSpy said(&patient, &PatientStore::said);
        patient.begin(infoOf(QStringLiteral("/a.yaml")));
        patient.addTrial(trialOf(1));
        patient.finish({});
        QCOMPARE(said.size(), 1);
        QVERIFY(said.front().front().toString().contains(
            QStringLiteral("Nothing more of this exploration is kept")));
    }

    void isForItsUserAlone()
    {
        writeFile(m_path, QByteArray());
        QFile::setPermissions(m_path, QFileDevice::ReadOwner | QFileDevice::WriteOwner |
                                          QFileDevice::ReadOther | QFileDevice::ReadGroup);
        const ExplorationStore store(m_path);
        for (const QFileInfo& file : QDir(m_folder->path()).entryInfoList(QDir::Files)) {
            QVERIFY2(!(file.permissions() & (QFileDevice::ReadOther | QFileDevice::ReadGroup)),
                     qPrintable(file.fileName()));
        }
    }

private:
    QStringList besides() const
    {
        return QDir(m_folder->path()).entryList({QStringLiteral("history.beside-*.sqlite")}, QDir::Files);
    }
    /// A line for each exploration, the newest first.
    QString kept() const
    {
        QStringList lines;
        for (const store::ExplorationSummary& summary : ExplorationStore(m_path).list())
            lines << QStringLiteral("%1: %2 trials, %3")
                         .arg(summary.info.filePath)
                         .arg(summary.trials)
                         .arg(summary.end ? summary.end->status : QStringLiteral("not finished"));
        return lines.join(QLatin1Char('\n'));
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_path;
};

BATCHPEAK_TEST(PatientStoreTest)
#include "tst_patient_store.moc"
