// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/exploration_store.h"
#include "store/history_writer.h"
#include "store/program_lock.h"
#include "support/files.h"
#include "support/recorded_disk.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSignalSpy>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QTemporaryDir>
#include <QTest>

#include <cerrno>
#include <functional>
#include <memory>
#include <optional>
#include <sys/stat.h>

using namespace batchpeak;
using namespace batchpeak::test;
using namespace std::chrono_literals;
using store::ExplorationStore;
using store::HistoryWriter;

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

/// Runs a statement on a file, bypassing the store.
/// \return first value of the result
QVariant runSql(const QString& path, const char* statement)
{
    QVariant message;
    {
        QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("past"));
        database.setDatabaseName(path);
        database.open();
        QSqlQuery query(QString::fromLatin1(statement), database);
        if (query.next())
            message = query.value(0);
    }
    QSqlDatabase::removeDatabase(QStringLiteral("past"));
    return message;
}

void makeHistory(const QString& path)
{
    ExplorationStore history(path);
    history.addTrial(history.begin(infoOf(QStringLiteral("/before.yaml"))), trialOf(1));
}

constexpr auto rightsOfOthers = QFileDevice::ReadGroup | QFileDevice::ReadOther;

/// Overwrites the root page of a table in a history.
void spoilTable(const QString& path, const char* table)
{
    makeHistory(path);
    const auto query = QByteArray("SELECT rootpage FROM sqlite_master WHERE name = '") + table + "'";
    const qsizetype page = runSql(path, query.constData()).toLongLong();
    const qsizetype pageSize = runSql(path, "PRAGMA page_size").toLongLong();
    QByteArray bytes = readFile(path);
    bytes.replace((page - 1) * pageSize, pageSize, QByteArray(pageSize, 'x'));
    writeFile(path, bytes);
}

/// Place where a history cannot be written normally.
struct Place
{
    /// Location of the exploration in the end.
    enum class Found { InTheHistory, BesideIt, Nowhere };

    std::function<void(const QString& path)> make = [](const QString&) {};
    /// Makes the disk refuse writes after the first of two trials, or before the exploration begins.
    std::function<std::unique_ptr<RefusingDisk>(const QString& path)> refuse = [](const QString&) {
        return std::unique_ptr<RefusingDisk>();
    };
    bool isRefusedFromTheStart = false;
    const char* message = "";
    Found found = Found::BesideIt;
    /// Contents of the history in the end.
    const char* history = "";
};

std::unique_ptr<RefusingDisk> fullDisk(const QString& path)
{
    return std::make_unique<RefusingDisk>(QFileInfo(path).path(), ENOSPC);
}

std::unique_ptr<RefusingDisk> readOnlyDisk(const QString& path)
{
    return std::make_unique<RefusingDisk>(QFileInfo(path).path(), EROFS);
}

std::unique_ptr<RefusingDisk> readOnlyFile(const QString& path)
{
    return std::make_unique<RefusingDisk>(path, EROFS);
}

/// Connection of another program that holds a write transaction.
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

class HistoryWriterTest : public QObject
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
        HistoryWriter writer(m_path, 1ms);
        QSignalSpy message(&writer, &HistoryWriter::message);
        writer.begin(infoOf(QStringLiteral("/a.yaml")));
        for (const int number : {1, 2, 3})
            writer.addTrial(trialOf(number));
        QVERIFY(writer.waits());
        QCOMPARE(message.size(), 1);
        QVERIFY(message.front().front().toString().contains(QStringLiteral("is held by another program")));
        holder.release();
        TRY_VERIFY(!writer.waits());
        QCOMPARE(message.size(), 2);
        QVERIFY(message.back().front().toString().contains(QStringLiteral("is free again")));
        writer.finish({.finished = QDateTime::currentDateTimeUtc(), .status = QStringLiteral("confident")});
        QCOMPARE(kept(), QStringLiteral("/a.yaml: 3 trials, confident"));
    }

    void keepsExplorationsBesideALockedHistory()
    {
        {
            const ExplorationStore made(m_path);
        }
        {
            const Holder holder(m_path);
            HistoryWriter writer(m_path, 1ms);
            QSignalSpy message(&writer, &HistoryWriter::message);
            writer.begin(infoOf(QStringLiteral("/a.yaml")));
            writer.addDevice({.id = QStringLiteral("cpu")});
            writer.addTrial(trialOf(1));
            writer.addRecommendation({.microBatchSize = 8, .samplesPerSecond = 31.5});
            writer.finish(
                {.finished = QDateTime::currentDateTimeUtc(), .status = QStringLiteral("confident")});
            // The next exploration does not wait for it.
            writer.begin(infoOf(QStringLiteral("/b.yaml")));
            writer.addTrial(trialOf(1));
        }
        QCOMPARE(besides().size(), 2);
        QCOMPARE(kept(), QString());

        HistoryWriter next(m_path);
        QSignalSpy message(&next, &HistoryWriter::message);
        next.begin(infoOf(QStringLiteral("/c.yaml")));
        QCOMPARE(message.size(), 2);
        QVERIFY2(message.front().front().toString().contains(QStringLiteral("took in 1 exploration")),
                 qPrintable(message.front().front().toString()));
        QCOMPARE(besides().size(), 0);
        QStringList lines = kept().split(QLatin1Char('\n'));
        lines.sort();
        QCOMPARE(lines, (QStringList{QStringLiteral("/a.yaml: 1 trials, confident"),
                                     QStringLiteral("/b.yaml: 1 trials, not finished"),
                                     QStringLiteral("/c.yaml: 0 trials, not finished")}));
    }

    void boundsTheLogOfAnExploration_data()
    {
        rows<bool>({{"written as it comes", false}, {"while the history is held", true}});
    }
    void boundsTheLogOfAnExploration()
    {
        {
            const ExplorationStore made(m_path);
        }
        std::vector<store::LogRecord> lines;
        for (int number = 0; number < 4000; ++number)
            lines.push_back({.time = QDateTime::currentDateTimeUtc(), .text = QString::number(number)});
        Holder holder(m_path);
        if (!row<bool>())
            holder.release();
        HistoryWriter writer(m_path, 1ms);
        writer.begin(infoOf(QStringLiteral("/a.yaml")));
        for (auto some = lines.cbegin(); some != lines.cend(); some += 800)
            writer.addLog({some, some + 800});
        QCOMPARE(writer.waits(), row<bool>());
        holder.release();
        TRY_VERIFY(!writer.waits());
        const auto isBounded = [&] {
            const auto log = ExplorationStore(m_path).show(1)->log;
            return log.size() == store::keptLogLines && log.front().text == QLatin1String("3000") &&
                   log.back().text == QLatin1String("3999") &&
                   runSql(m_path, "SELECT count(*) FROM log_line").toInt() == 1000;
        };
        QVERIFY(isBounded());
        // A history that is rewritten after damage does not contain more lines.
        writer.leave();
        writeFile(m_path, QByteArray("precious notes\n").repeated(1000));
        for (const char* ending : {"-wal", "-shm"})
            QFile::remove(m_path + QLatin1String(ending));
        writer.addTrial(trialOf(1));
        QVERIFY(isBounded());
        // An older program kept all lines.
        runSql(m_path, "WITH RECURSIVE more(number) AS (SELECT 5001 UNION ALL SELECT number + 1 FROM more "
                       "WHERE number < 8000) INSERT INTO log_line SELECT 1, number, '', 0, number FROM more");
        const auto log = ExplorationStore(m_path).show(1)->log;
        QCOMPARE(log.size(), store::keptLogLines);
        QCOMPARE(log.back().text, QStringLiteral("8000"));
    }

    // A crash may happen between the import of a file and its removal.
    void importsNothingTwice()
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
        HistoryWriter writer(m_path);
        QSignalSpy message(&writer, &HistoryWriter::message);
        writer.begin(infoOf(QStringLiteral("/a.yaml")));
        QCOMPARE(message.size(), 1);
        const QStringList damaged =
            QDir(m_folder->path()).entryList({QStringLiteral("history.sqlite.damaged-*")}, QDir::Files);
        QCOMPARE(damaged.size(), 1);
        QVERIFY2(message.front().front().toString().contains(damaged.front()),
                 qPrintable(message.front().front().toString()));
        QCOMPARE(readFile(m_folder->filePath(damaged.front())), bytes);
        QCOMPARE(kept(), QStringLiteral("/a.yaml: 0 trials, not finished"));
    }

    // A file of another program or of a later version must not be moved.
    void leavesForeignFilesAlone_data()
    {
        rows<const char*>({{"another program's", "CREATE TABLE songs (title TEXT)"},
                           {"a later one's", "PRAGMA user_version = 1000"},
                           {"of no version of ours", "PRAGMA user_version = -5"}});
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
        QFile::setPermissions(m_path, QFile::permissions(m_path) | rightsOfOthers);
        const QByteArray before = readFile(m_path);
        {
            HistoryWriter writer(m_path);
            QSignalSpy message(&writer, &HistoryWriter::message);
            writer.begin(infoOf(QStringLiteral("/a.yaml")));
            writer.addTrial(trialOf(1));
            QCOMPARE(message.size(), 1);
            QVERIFY(
                message.front().front().toString().contains(QStringLiteral("This exploration is kept in")));
        }
        QCOMPARE(readFile(m_path), before);
        QVERIFY(QFile::permissions(m_path).testFlags(rightsOfOthers));
        QCOMPARE(besides().size(), 1);
    }

    void reportsOnceThatNothingCanBeKept()
    {
        HistoryWriter writer(QStringLiteral("/proc/nowhere/history.sqlite"));
        QSignalSpy message(&writer, &HistoryWriter::message);
        writer.begin(infoOf(QStringLiteral("/a.yaml")));
        writer.addTrial(trialOf(1));
        writer.finish({});
        QCOMPARE(message.size(), 1);
        QVERIFY(message.front().front().toString().contains(
            QStringLiteral("Nothing more of this exploration is kept")));
    }

    void continuesInBadPlaces_data()
    {
        using enum Place::Found;
        constexpr auto before = "/before.yaml: 1 trials, not finished";
        constexpr auto whole = "/a.yaml: 2 trials, confident";
        const auto add = rows<Place>();
        add("a full disk", {.refuse = fullDisk,
                            .isRefusedFromTheStart = true,
                            .message = "Nothing more of this exploration is kept",
                            .found = Nowhere});
        add("a disk that fills up", {.make = makeHistory,
                                     .refuse = fullDisk,
                                     .message = "There is no room for the history",
                                     .found = InTheHistory,
                                     .history = "/a.yaml: 1 trials, not finished\n"
                                                "/before.yaml: 1 trials, not finished"});
        add("a read-only disk", {.refuse = readOnlyDisk,
                                 .isRefusedFromTheStart = true,
                                 .message = "Nothing more of this exploration is kept",
                                 .found = Nowhere});
        add("a history on a read-only disk", {.make = makeHistory,
                                              .refuse = readOnlyDisk,
                                              .isRefusedFromTheStart = true,
                                              .message = "Nothing more of this exploration is kept",
                                              .found = Nowhere,
                                              .history = before});
        add("a read-only history", {.make = makeHistory,
                                    .refuse = readOnlyFile,
                                    .isRefusedFromTheStart = true,
                                    .message = "This exploration is kept in",
                                    .history = before});
        add("a spoilt page of the explorations",
            {.make = [](const QString& path) { spoilTable(path, "exploration"); },
             .message = "It was kept as",
             .found = InTheHistory,
             .history = whole});
        add("a spoilt page of the trials", {.make = [](const QString& path) { spoilTable(path, "trial"); },
                                            .message = "It was kept as",
                                            .found = InTheHistory,
                                            .history = whole});
        add("a few words", {.make = [](const QString& path) { writeFile(path, "notes"); },
                            .message = "It was kept as",
                            .found = InTheHistory,
                            .history = whole});
        add("damage behind a link", {.make =
                                         [](const QString& path) {
                                             writeFile(path + QStringLiteral(".elsewhere"),
                                                       QByteArray(5000, 'x'));
                                             QFile::link(path + QStringLiteral(".elsewhere"), path);
                                         },
                                     .message = "It was kept as",
                                     .found = InTheHistory,
                                     .history = whole});
        add("a folder", {.make = [](const QString& path) { QDir().mkpath(path); },
                         .message = "This exploration is kept in"});
        add("a pipe",
            {.make = [](const QString& path) { ::mkfifo(QFile::encodeName(path).constData(), 0600); },
             .message = "This exploration is kept in"});
        add("a link to where nothing stays",
            {.make = [](const QString& path) { QFile::link(QStringLiteral("/dev/null"), path); },
             .message = "This exploration is kept in"});
        add("a link to a folder that is not there",
            {.make = [](const QString& path) { QFile::link(QStringLiteral("/nowhere/h.sqlite"), path); },
             .message = "This exploration is kept in"});
    }
    void continuesInBadPlaces()
    {
        const Place& place = row<Place>();
        place.make(m_path);
        {
            std::unique_ptr<RefusingDisk> refusing;
            HistoryWriter writer(m_path);
            QSignalSpy message(&writer, &HistoryWriter::message);
            if (place.isRefusedFromTheStart)
                refusing = place.refuse(m_path);
            writer.begin(infoOf(QStringLiteral("/a.yaml")));
            writer.addTrial(trialOf(1));
            if (!refusing)
                refusing = place.refuse(m_path);
            writer.addTrial(trialOf(2));
            writer.finish(
                {.finished = QDateTime::currentDateTimeUtc(), .status = QStringLiteral("confident")});
            QVERIFY(!writer.waits());
            QCOMPARE(message.size(), 1);
            VERIFY_CONTAINS(message.front().front().toString(), place.message);
        }
        const bool isHistory = QFileInfo(m_path).isFile() && QFileInfo(m_path).size() > 0;
        QCOMPARE(isHistory ? kept() : QString(), QString::fromUtf8(place.history));
        QCOMPARE(besides().size(), place.found == Place::Found::BesideIt ? 1 : 0);
        if (place.found == Place::Found::BesideIt)
            QCOMPARE(keptIn(m_folder->filePath(besides().front())),
                     QStringLiteral("/a.yaml: 2 trials, confident"));
    }

    void writesThroughALink()
    {
        const QString elsewhere = m_folder->filePath(QStringLiteral("elsewhere.sqlite"));
        makeHistory(elsewhere);
        QVERIFY(QFile::link(elsewhere, m_path));
        {
            HistoryWriter writer(m_path);
            QSignalSpy message(&writer, &HistoryWriter::message);
            writer.begin(infoOf(QStringLiteral("/a.yaml")));
            QCOMPARE(message.size(), 0);
        }
        QVERIFY(QFileInfo(m_path).isSymLink());
        QCOMPARE(keptIn(elsewhere),
                 QStringLiteral("/a.yaml: 0 trials, not finished\n/before.yaml: 1 trials, not finished"));
    }

    // A program wrote the file because it could not write the history, and the file has been damaged since.
    void setsADamagedFileBesideItAside_data()
    {
        using Damage = std::function<void(const QString& path)>;
        rows<Damage>({{"no database", [](const QString& path) { writeFile(path, QByteArray(5000, 'x')); }},
                      {"rows of a trial that is not there", [](const QString& path) {
                           {
                               ExplorationStore store(path);
                               trial::TrialRecord trial = trialOf(1);
                               trial.compared = {{.microBatchSize = 8}, {.microBatchSize = 16}};
                               store.addTrial(store.begin(infoOf(QStringLiteral("/0.yaml"))), trial);
                           }
                           runSql(path, "DELETE FROM trial");
                       }}});
    }
    void setsADamagedFileBesideItAside()
    {
        const QString beside = m_folder->filePath(QStringLiteral("history.beside-1.sqlite"));
        row<std::function<void(const QString& path)>>()(beside);
        for (const int start : {1, 2}) {
            HistoryWriter writer(m_path);
            QSignalSpy message(&writer, &HistoryWriter::message);
            writer.begin(infoOf(QStringLiteral("/%1.yaml").arg(start)));
            // The message appears only once.
            QCOMPARE(message.size(), start == 1 ? 1 : 0);
            if (start == 1)
                VERIFY_CONTAINS(message.front().front().toString(), "history.beside-1.sqlite.damaged-");
        }
        QCOMPARE(besides().size(), 0);
        QCOMPARE(kept(), QStringLiteral("/2.yaml: 0 trials, not finished\n/1.yaml: 0 trials, not finished"));
    }

    void continuesInANewHistoryAfterItsEnd()
    {
        HistoryWriter writer(m_path);
        QSignalSpy message(&writer, &HistoryWriter::message);
        writer.begin(infoOf(QStringLiteral("/a.yaml")));
        writer.addTrial(trialOf(1));
        writer.finish({.finished = QDateTime::currentDateTimeUtc(), .status = QStringLiteral("budget")});
        writeFile(m_path, QByteArray(5000, 'x'));
        writer.reopen();
        writer.addTrial(trialOf(2));
        QCOMPARE(message.size(), 1);
        QCOMPARE(kept(), QStringLiteral("/a.yaml: 2 trials, not finished"));
    }

    // The history is deleted, moved or replaced while it is in use.
    void rewritesALostExploration_data()
    {
        using Lose = std::function<void(const QString& path)>;
        const Lose removeAll = [](const QString& path) {
            const QDir folder = QFileInfo(path).dir();
            for (const QString& name : folder.entryList({QFileInfo(path).fileName() + QLatin1Char('*')}))
                QFile::remove(folder.filePath(name));
        };
        const Lose deleteNewest = [](const QString& path) {
            ExplorationStore history(path);
            history.remove(history.list().front().id);
        };
        const Lose moveAway = [](const QString& path) {
            QFile::rename(path, path + QDateTime::currentDateTime().toString(Qt::ISODateWithMs));
        };
        const Lose replace = [removeAll](const QString& path) {
            removeAll(path);
            ExplorationStore(path).begin(
                {.started = QDateTime::currentDateTimeUtc(), .filePath = QStringLiteral("/other.yaml")});
        };
        rows<Lose, const char*>(
            {{"it is deleted", {deleteNewest, ""}},
             {"the history is removed", {removeAll, ""}},
             {"the history is moved away", {moveAway, ""}},
             {"the history is another one", {replace, "\n/other.yaml: 0 trials, not finished"}}});
    }
    void rewritesALostExploration()
    {
        const auto& [lose, others] = row<std::function<void(const QString& path)>, const char*>();
        HistoryWriter writer(m_path);
        QSignalSpy message(&writer, &HistoryWriter::message);
        writer.begin(infoOf(QStringLiteral("/a.yaml")));
        writer.addTrial(trialOf(1));
        lose(m_path);
        // This call updates a row that should exist, and inserts none.
        writer.setFidelity({.kind = QStringLiteral("approximate")});
        QCOMPARE(message.size(), 1);
        VERIFY_CONTAINS(message.front().front().toString(), "did not hold this exploration any more");
        QVERIFY(HistoryWriter::isUnderWay(m_path, ExplorationStore(m_path).list().front().id));
        QCOMPARE(kept(), QLatin1String("/a.yaml: 1 trials, not finished") + QLatin1String(others));
        // The same is true after its end.
        writer.finish({.finished = QDateTime::currentDateTimeUtc(), .status = QStringLiteral("budget")});
        lose(m_path);
        writer.reopen();
        writer.addTrial(trialOf(2));
        QCOMPARE(message.size(), 2);
        QCOMPARE(kept(), QLatin1String("/a.yaml: 2 trials, not finished") + QLatin1String(others));
    }

    void rewritesALostFileBesideTheHistory()
    {
        QVERIFY(QDir().mkpath(m_path));
        HistoryWriter writer(m_path);
        writer.begin(infoOf(QStringLiteral("/a.yaml")));
        writer.addTrial(trialOf(1));
        for (const QString& name :
             QDir(m_folder->path()).entryList({QStringLiteral("history.beside-*")}, QDir::Files))
            QVERIFY(QFile::remove(m_folder->filePath(name)));
        writer.addTrial(trialOf(2));
        QCOMPARE(besides().size(), 1);
        const QString beside = m_folder->filePath(besides().front());
        QCOMPARE(keptIn(beside), QStringLiteral("/a.yaml: 2 trials, not finished"));
        QVERIFY(store::ProgramLock::isHeld(beside + QStringLiteral(".lock")));
    }

    // An exploration is also under way if it is written elsewhere, since the history shows it as cut off.
    void isUnderWayUntilItIsOver_data()
    {
        using Refuse = std::function<std::unique_ptr<RefusingDisk>(const QString& path)>;
        const Refuse takesNoTrial = [](const QString& path) {
            runSql(path, "CREATE TRIGGER none BEFORE INSERT ON trial BEGIN SELECT RAISE(ABORT, 'none'); END");
            return nullptr;
        };
        rows<Refuse, const char*>({{"in the history", {[](const QString&) { return nullptr; }, ""}},
                                   {"set aside", {takesNoTrial, "This exploration is kept in"}},
                                   {"given up", {readOnlyDisk, "Nothing more of this exploration is kept"}}});
    }
    void isUnderWayUntilItIsOver()
    {
        using Refuse = std::function<std::unique_ptr<RefusingDisk>(const QString& path)>;
        const auto& [refuse, sentence] = row<Refuse, const char*>();
        {
            std::unique_ptr<RefusingDisk> refusing;
            HistoryWriter writer(m_path);
            QSignalSpy message(&writer, &HistoryWriter::message);
            writer.begin(infoOf(QStringLiteral("/a.yaml")));
            QVERIFY(HistoryWriter::isUnderWay(m_path, 1));
            refusing = refuse(m_path);
            writer.addTrial(trialOf(1));
            QVERIFY(!writer.waits());
            QCOMPARE(message.isEmpty(), *sentence == '\0');
            if (!message.isEmpty())
                VERIFY_CONTAINS(message.front().front().toString(), sentence);
            QVERIFY(HistoryWriter::isUnderWay(m_path, 1));
            writer.leave();
        }
        QVERIFY(!HistoryWriter::isUnderWay(m_path, 1));
    }

    void isUnderWayAfterItIsResumed()
    {
        makeHistory(m_path);
        const auto stored = ExplorationStore(m_path).show(1);
        // Without a write-ahead log, no program can read the history while another one writes.
        runSql(m_path, "PRAGMA journal_mode = DELETE");
        const Holder holder(m_path);
        HistoryWriter writer(m_path, 1h);
        writer.resumeFrom(*stored);
        QVERIFY(writer.waits());
        QVERIFY(HistoryWriter::isUnderWay(m_path, 1));
    }

    void isAccessibleOnlyToItsUser_data()
    {
        rows<bool>({{"a new one", false}, {"one that an older program left", true}});
    }
    void isAccessibleOnlyToItsUser()
    {
        // Keeps the history open, so that the write-ahead log exists.
        std::optional<ExplorationStore> open;
        if (row<bool>()) {
            makeHistory(m_path);
            (void)open.emplace(m_path, 5s, ExplorationStore::Place::ThisComputer)
                .begin(infoOf(QStringLiteral("/open.yaml")));
            for (const QFileInfo& file : filesOfTheHistory())
                QFile::setPermissions(file.filePath(), file.permissions() | rightsOfOthers);
            QVERIFY(filesOfTheHistory().size() > 1);
        }
        const ExplorationStore store(m_path);
        for (const QFileInfo& file : filesOfTheHistory())
            QVERIFY2(!file.permissions().testAnyFlags(rightsOfOthers), qPrintable(file.fileName()));
    }

private:
    QFileInfoList filesOfTheHistory() const { return QDir(m_folder->path()).entryInfoList(QDir::Files); }
    QStringList besides() const
    {
        return QDir(m_folder->path()).entryList({QStringLiteral("history.beside-*.sqlite")}, QDir::Files);
    }
    QString kept() const { return keptIn(m_path); }
    /// Returns a line for each exploration, the newest first.
    static QString keptIn(const QString& path)
    {
        QStringList lines;
        for (const store::ExplorationSummary& summary : ExplorationStore(path).list())
            lines << QStringLiteral("%1: %2 trials, %3")
                         .arg(summary.info.filePath)
                         .arg(summary.trials)
                         .arg(summary.end ? summary.end->status : QStringLiteral("not finished"));
        return lines.join(QLatin1Char('\n'));
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_path;
};

BATCHPEAK_TEST(HistoryWriterTest)
#include "tst_history_writer.moc"
