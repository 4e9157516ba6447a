// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/exploration_store.h"
#include "store/history_writer.h"
#include "support/files.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <functional>

using namespace batchpeak;
using namespace batchpeak::test;
using store::ExplorationStore;
using store::HistoryWriter;

namespace {

constexpr qint64 pageBytes = 4096;

store::ExplorationInfo infoOf(const QString& file)
{
    return {.started = QDateTime::fromString(QStringLiteral("2026-11-25T10:00:00.123Z"), Qt::ISODateWithMs),
            .filePath = file,
            .family = QStringLiteral("gpt2")};
}

trial::TrialRecord trialOf(int number)
{
    return {.number = number, .device = "cpu", .microBatchSize = 8, .outcome = trial::Outcome::Ok};
}

void makeNothing(const QString& /*path*/) {}

/// Creates a history of more than a hundred pages with an old modification time, so that a new write changes
/// the time on every file system, however coarse its timestamps are.
void makeFullHistory(const QString& path)
{
    {
        ExplorationStore history(path);
        for (int number = 1; number <= 60; ++number) {
            store::ExplorationInfo info = infoOf(QStringLiteral("/old-%1.yaml").arg(number));
            info.configText = QString(10'000, QLatin1Char('x'));
            history.addTrial(history.begin(info), trialOf(1));
        }
    }
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadWrite));
    QVERIFY(file.setFileTime(QDateTime::currentDateTimeUtc().addDays(-1), QFileDevice::FileModificationTime));
}

void resize(const QString& path, qint64 bytes)
{
    QVERIFY(QFile::resize(path, bytes));
}

void spoilPages(const QString& path, qint64 first, qint64 count)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadWrite) && file.size() > (first + count) * pageBytes);
    QVERIFY(file.seek(first * pageBytes));
    QCOMPARE(file.write(QByteArray(count * pageBytes, 'x')), count * pageBytes);
}

/// Overwrites every frame of the write-ahead log, including the header. SQLite does not verify the checksum
/// of a frame that it has written, and copies the frame into the database when that is closed.
void spoilLog(const QString& path)
{
    QFile log(path + QLatin1String("-wal"));
    QVERIFY(log.open(QIODevice::ReadWrite) && log.size() > 0);
    QCOMPARE(log.write(QByteArray(log.size(), 'x')), log.size());
    // Changes the modification time on every file system, however coarse its timestamps are.
    QVERIFY(log.setFileTime(QDateTime::currentDateTimeUtc().addDays(-1), QFileDevice::FileModificationTime));
}

/// Damage to a history while a program writes it, made without SQLite.
struct Damage
{
    std::function<void(const QString& path)> make = makeFullHistory;
    std::function<void(const QString& path)> damage;
    const char* message = "It was kept as";
    /// Number of other explorations that the history contains in the end.
    qsizetype others = 0;
};

} // namespace

/// Tests a history that is damaged while a program writes it. SQLite caches its pages, and would not read
/// them again.
class DamagedHistoryTest : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_path = m_folder->filePath(QStringLiteral("history.sqlite"));
    }

    void isNoticedAtTheNextWrite_data()
    {
        constexpr const char* lost = "did not hold this exploration any more";
        const auto add = rows<Damage>();
        add("emptied in the first exploration of a user",
            {.make = makeNothing, .damage = [](const QString& path) { resize(path, 0); }});
        // An empty file leaves nothing to set aside.
        add("emptied", {.damage = [](const QString& path) { resize(path, 0); }, .message = lost});
        add("cut short",
            {.damage = [](const QString& path) { resize(path, QFileInfo(path).size() / 2 + 100); }});
        add("pages of garbage", {.damage = [](const QString& path) { spoilPages(path, 40, 20); }});
        add("one page of garbage", {.damage = [](const QString& path) { spoilPages(path, 50, 1); }});
        add("garbage where it begins", {.damage = [](const QString& path) { spoilPages(path, 0, 1); }});
        add("its log spoilt", {.damage = spoilLog});
        add("the log of the first exploration of a user spoilt", {.make = makeNothing, .damage = spoilLog});
        add("its log emptied",
            {.damage = [](const QString& path) { resize(path + QLatin1String("-wal"), 0); },
             .message = lost,
             .others = 60});
        // An access to the emptied mapping would end the process.
        add("its shared memory emptied",
            {.damage = [](const QString& path) { resize(path + QLatin1String("-shm"), 0); },
             .message = "",
             .others = 60});
        add("its log removed",
            {.damage = [](const QString& path) { QVERIFY(QFile::remove(path + QLatin1String("-wal"))); },
             .message = "",
             .others = 60});
    }
    void isNoticedAtTheNextWrite()
    {
        const Damage& row = test::row<Damage>();
        row.make(m_path);
        HistoryWriter writer(m_path);
        QSignalSpy message(&writer, &HistoryWriter::message);
        writer.begin(infoOf(QStringLiteral("/a.yaml")));
        writer.addTrial(trialOf(1));
        QCOMPARE(message.size(), 0);
        row.damage(m_path);
        writer.addTrial(trialOf(2));

        const bool isReported = *row.message != '\0';
        QCOMPARE(message.size(), isReported ? 1 : 0);
        if (isReported)
            VERIFY_CONTAINS(message.front().front().toString(), row.message);
        const QStringList aside =
            QDir(m_folder->path()).entryList({QStringLiteral("history.sqlite.damaged-*")}, QDir::Files);
        QCOMPARE(!aside.isEmpty(), qstrcmp(row.message, Damage().message) == 0);
        if (!aside.isEmpty())
            VERIFY_CONTAINS(message.front().front().toString(), aside.front());

        // All trials are in a sound history, which continues.
        writer.addTrial(trialOf(3));
        writer.finish({.finished = QDateTime::currentDateTimeUtc(), .status = QStringLiteral("budget")});
        QCOMPARE(message.size(), isReported ? 1 : 0);
        const ExplorationStore history(m_path);
        history.requireWhole();
        const auto explorations = history.list();
        QCOMPARE(static_cast<qsizetype>(explorations.size()), row.others + 1);
        QCOMPARE(explorations.front().info.filePath, QStringLiteral("/a.yaml"));
        QCOMPARE(explorations.front().trials, 3);
    }

    // For a history that is gone, relative names of its other files would refer to the working directory.
    void leavesTheWorkingFolderAlone()
    {
        const QString before = QDir::currentPath();
        const auto back = qScopeGuard([&] { QDir::setCurrent(before); });
        QVERIFY(QDir::setCurrent(m_folder->path()));
        writeFile(QStringLiteral("-shm"), "mine");
        QVERIFY(QDir(m_folder->path()).mkdir(QStringLiteral("history")));
        m_path = m_folder->filePath(QStringLiteral("history/history.sqlite"));
        HistoryWriter writer(m_path);
        writer.begin(infoOf(QStringLiteral("/a.yaml")));
        for (const QString& file : QDir(QStringLiteral("history")).entryList(QDir::Files))
            QVERIFY(QFile::remove(QStringLiteral("history/") + file));
        writer.addTrial(trialOf(1));
        QCOMPARE(readFile(QStringLiteral("-shm")), QByteArray("mine"));
        QCOMPARE(ExplorationStore(m_path).list().size(), std::size_t{1});
    }

    // A commit of another program, and its checkpoint of the write-ahead log, are not damage.
    void acceptsWritesOfOtherPrograms()
    {
        makeFullHistory(m_path);
        HistoryWriter writer(m_path);
        QSignalSpy message(&writer, &HistoryWriter::message);
        writer.begin(infoOf(QStringLiteral("/a.yaml")));
        {
            ExplorationStore other(m_path);
            store::ExplorationInfo info = infoOf(QStringLiteral("/b.yaml"));
            // SQLite runs a checkpoint after a thousand pages.
            info.configText = QString(5'000'000, QLatin1Char('x'));
            const QDateTime before = QFileInfo(m_path).lastModified();
            (void)other.begin(info);
            QVERIFY(QFileInfo(m_path).lastModified() != before);
        }
        writer.addTrial(trialOf(1));
        QCOMPARE(message.size(), 0);
        QCOMPARE(ExplorationStore(m_path).list().size(), std::size_t{62});
    }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_path;
};

BATCHPEAK_TEST(DamagedHistoryTest)
#include "tst_damaged_history.moc"
