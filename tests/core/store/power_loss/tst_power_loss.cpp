// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/exploration_store.h"
#include "store/history_writer.h"
#include "support/files.h"
#include "support/recorded_disk.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QDir>
#include <QFile>
#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QTemporaryDir>
#include <QTest>

#include <array>
#include <functional>
#include <memory>

using namespace batchpeak;
using namespace batchpeak::test;
using store::ExplorationStore;
using store::HistoryWriter;
using Place = ExplorationStore::Place;

namespace {

constexpr std::chrono::milliseconds patience{0};

store::ExplorationInfo infoOf(const char* file)
{
    return {.started = QDateTime::fromString(QStringLiteral("2026-11-25T10:00:00.123Z"), Qt::ISODateWithMs),
            .filePath = QString::fromUtf8(file),
            .family = QStringLiteral("gpt2")};
}

/// Returns a trial with a text longer than a page of the database, so that it takes several writes.
trial::TrialRecord trialOf(int number)
{
    return {.number = number,
            .device = "cpu",
            .microBatchSize = 8,
            .outcome = trial::Outcome::Ok,
            .samplesPerSecond = 31.5,
            .text = std::string(5000, static_cast<char>('a' + number))};
}

trial::TrialRecord comparisonOf(int number)
{
    return {.number = number,
            .device = "cpu",
            .compared = {{.microBatchSize = 28, .visits = {{1.5, 13.25}, {4.5, 13.75}}},
                         {.microBatchSize = 24, .visits = {{2.5, 12.0}}}},
            .visits = 8,
            .outcome = trial::Outcome::Ok};
}

store::ExplorationEnd endOf(const char* status)
{
    return {.finished = infoOf("").started, .status = QString::fromUtf8(status)};
}

/// Returns the contents of an exploration in one line.
QString lineOf(const store::StoredExploration& stored)
{
    QStringList words{stored.summary.info.filePath, stored.summary.info.fidelity.kind};
    for (const store::DeviceRecord& device : stored.devices)
        words << device.id + QLatin1Char('=') + device.name;
    for (const trial::TrialRecord& trial : stored.trials) {
        QStringList visits;
        for (const trial::ComparedRecord& size : trial.compared)
            visits << QString::number(size.visits.size());
        words << QStringLiteral("#%1:%2(%3)")
                     .arg(trial.number)
                     .arg(trial.text.size())
                     .arg(visits.join(QLatin1Char(' ')));
    }
    for (const store::RecommendationRecord& recommendation : stored.recommendations)
        words << QString::number(recommendation.confidence) + QLatin1Char('%');
    words << (stored.summary.end ? stored.summary.end->status : QStringLiteral("..."));
    return words.join(QLatin1Char(' '));
}

QString textOf(const ExplorationStore& store)
{
    QStringList lines;
    for (const store::ExplorationSummary& summary : store.list())
        lines.prepend(lineOf(*store.show(summary.id)));
    return lines.join(QLatin1Char('\n'));
}

/// Returns how the current program reads a history: its contents, or the error.
QString historyAt(const QString& path, Place place)
{
    if (!QFile::exists(path))
        return {};
    try {
        return textOf(ExplorationStore(path, patience, place));
    } catch (const store::StoreError& error) {
        return error.sentence();
    }
}

QStringList besidesOf(const QString& path)
{
    QStringList paths;
    const QDir folder = QFileInfo(path).dir();
    for (const QString& name : folder.entryList({QStringLiteral("*.beside-*.sqlite")}, QDir::Files))
        paths << folder.filePath(name);
    return paths;
}

/// Runs statements on a file, bypassing the store.
/// \return first value of the last statement, or the error of the first one that fails
QString runSql(const QString& path, const QStringList& statements)
{
    const QString connection = QStringLiteral("past the store");
    QString first;
    {
        QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), connection);
        database.setDatabaseName(path);
        database.open();
        QSqlQuery query(database);
        for (const QString& statement : statements) {
            const bool isDone = query.exec(statement);
            first = !isDone ? query.lastError().text() : query.next() ? query.value(0).toString() : QString();
            if (!isDone)
                break;
        }
    }
    QSqlDatabase::removeDatabase(connection);
    return first;
}

/// Writes a history with one exploration like the first version of the tables.
void writeFirstVersion(const QString& path, bool hasLog)
{
    QDir().mkpath(QFileInfo(path).path());
    runSql(path,
           {hasLog ? QStringLiteral("PRAGMA journal_mode = WAL")
                   : QStringLiteral("PRAGMA journal_mode = DELETE"),
            QStringLiteral(
                "CREATE TABLE exploration (id INTEGER PRIMARY KEY AUTOINCREMENT, started TEXT NOT NULL, "
                "file TEXT NOT NULL, format TEXT NOT NULL, family TEXT NOT NULL, parameters INTEGER NOT "
                "NULL, phase TEXT NOT NULL, numeric_precision TEXT NOT NULL, optimizer TEXT NOT NULL, "
                "sequence_length INTEGER NOT NULL, batch_size INTEGER NOT NULL, config_devices INTEGER "
                "NOT NULL, setting TEXT NOT NULL, objective TEXT NOT NULL, strategy TEXT NOT NULL, "
                "tolerance REAL NOT NULL, version TEXT NOT NULL, finished TEXT, status TEXT, failure "
                "TEXT)"),
            QStringLiteral(
                "CREATE TABLE device (exploration INTEGER NOT NULL REFERENCES exploration(id) ON DELETE "
                "CASCADE, id TEXT NOT NULL, name TEXT NOT NULL, program TEXT NOT NULL, total_bytes "
                "INTEGER NOT NULL, limit_bytes INTEGER NOT NULL, PRIMARY KEY (exploration, id))"),
            QStringLiteral(
                "CREATE TABLE trial (exploration INTEGER NOT NULL REFERENCES exploration(id) ON DELETE "
                "CASCADE, number INTEGER NOT NULL, device TEXT NOT NULL, micro_batch_size INTEGER NOT "
                "NULL, outcome TEXT NOT NULL, samples_per_second REAL, relative_error REAL, "
                "seconds_per_step REAL, peak_allocated_bytes INTEGER, peak_reserved_bytes INTEGER, "
                "timed_steps INTEGER NOT NULL, wall_seconds REAL NOT NULL, flags TEXT NOT NULL, text "
                "TEXT NOT NULL, PRIMARY KEY (exploration, number))"),
            QStringLiteral(
                "CREATE TABLE recommendation (id INTEGER PRIMARY KEY AUTOINCREMENT, exploration INTEGER "
                "NOT NULL REFERENCES exploration(id) ON DELETE CASCADE, micro_batch_size INTEGER NOT "
                "NULL, samples_per_second REAL NOT NULL, relative_error REAL NOT NULL, "
                "relative_performance REAL NOT NULL, confidence INTEGER NOT NULL, reason TEXT NOT "
                "NULL)"),
            QStringLiteral("CREATE INDEX recommendation_of ON recommendation(exploration, id)"),
            QStringLiteral("INSERT INTO exploration VALUES (1, '2026-03-04T05:06:07.000Z', '/old.yaml', '', "
                           "'gpt2', 1, 'train', 'bf16', 'adamw', 128, 512, 2, '', '', 'ramp', 0.05, '0.1.0', "
                           "NULL, NULL, NULL)"),
            QStringLiteral(
                "INSERT INTO trial VALUES (1, 1, 'cpu', 8, 'ok', 12.5, 0.004, 0.64, 1, 1, 5, 6.5, '', "
                "'')"),
            QStringLiteral("INSERT INTO recommendation VALUES (1, 1, 8, 12.5, 0.01, 1.25, 50, '')"),
            QStringLiteral("PRAGMA user_version = 1")});
}

/// Use of a history during which the power may fail at any moment.
struct Life
{
    Place place = Place::ThisComputer;
    /// Creates the initial files.
    std::function<void(const QString& path)> prepare = [](const QString&) {};
    /// Uses the history, and calls \p returned after each call of the store. Everything that the call wrote
    /// is durable from then on.
    std::function<void(const QString& path, const std::function<void()>& returned)> live;
    /// Returns the durable contents that can be read.
    std::function<QString(const QString& path)> read;
    /// Returns a further problem after a power loss; empty if there is none.
    std::function<QString(const QString& path)> problem = [](const QString&) { return QString(); };
};

void exploreTwice(const QString& path, Place place, const std::function<void()>& returned)
{
    for (const char* file : {"/a.yaml", "/b.yaml"}) {
        ExplorationStore store(path, patience, place);
        returned();
        const qint64 id = store.begin(infoOf(file));
        returned();
        store.setFidelity(id, {.kind = QStringLiteral("approximate"), .reasons = {}, .replaced = {}});
        returned();
        for (const char* name : {"one", "another"}) {
            store.addDevice(id, {.id = QStringLiteral("cpu"), .name = QString::fromUtf8(name)});
            returned();
        }
        for (const int number : {1, 2, 3}) {
            store.addTrial(id, trialOf(number));
            returned();
            store.addRecommendation(id, {.microBatchSize = 8, .confidence = 10 * number});
            returned();
        }
        store.addTrial(id, comparisonOf(4));
        returned();
        store.finish(id, endOf("confident"));
        returned();
        if (id > 1) {
            store.remove(1);
            returned();
        }
    }
}

void explorePatiently(const QString& path, const std::function<void()>& returned)
{
    HistoryWriter writer(path);
    for (const char* file : {"/a.yaml", "/b.yaml"}) {
        writer.begin(infoOf(file));
        returned();
        writer.addDevice({.id = QStringLiteral("cpu")});
        returned();
        writer.addTrial(trialOf(1));
        returned();
        writer.finish(endOf("budget"));
        returned();
        writer.reopen();
        returned();
        writer.addTrial(comparisonOf(2));
        returned();
        writer.addRecommendation({.microBatchSize = 8, .confidence = 90});
        returned();
        writer.finish(endOf("confident"));
        returned();
    }
}

const QByteArray damage = QByteArray("precious notes\n").repeated(100);

QString withoutDamagedFile(const QString& path)
{
    const QDir folder = QFileInfo(path).dir();
    for (const QString& name : folder.entryList(QDir::Files)) {
        if (readFile(folder.filePath(name)) == damage)
            return {};
    }
    return QStringLiteral("the damaged history is gone: ") + folder.entryList().join(QLatin1Char(' '));
}

} // namespace

/// Tests power failures during the life of a history, at each of its system calls.
class PowerLossTest : public QObject
{
    Q_OBJECT

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void losesNothing_data()
    {
        const auto add = rows<Life>();
        const auto readHere = [](const QString& path) { return historyAt(path, Place::ThisComputer); };
        const auto readThere = [](const QString& path) { return historyAt(path, Place::Network); };
        for (const Place place : {Place::ThisComputer, Place::Network}) {
            const bool isHere = place == Place::ThisComputer;
            const std::string with = isHere ? ", with a log" : ", with a journal";
            const auto live = [place](const QString& path, const std::function<void()>& returned) {
                exploreTwice(path, place, returned);
            };
            const auto read = [place](const QString& path) { return historyAt(path, place); };
            add("a new history" + with, {.place = place, .live = live, .read = read});
            add("one of the first version" + with,
                {.place = place,
                 .prepare = [isHere](const QString& path) { writeFirstVersion(path, isHere); },
                 .live = live,
                 .read = read});
        }
        add("one that comes from another computer",
            {.prepare =
                 [](const QString& path) {
                     ExplorationStore(path, patience, Place::Network).begin(infoOf("/there.yaml"));
                 },
             .live =
                 [](const QString& path, const std::function<void()>& returned) {
                     exploreTwice(path, Place::ThisComputer, returned);
                 },
             .read = readHere});
        add("one that goes to another computer",
            {.place = Place::Network,
             .prepare = [](const QString& path) { ExplorationStore(path).begin(infoOf("/here.yaml")); },
             .live =
                 [](const QString& path, const std::function<void()>& returned) {
                     exploreTwice(path, Place::Network, returned);
                 },
             .read = readThere});
        add("written patiently", {.live = explorePatiently, .read = readHere});
        add("a damaged one", {.prepare =
                                  [](const QString& path) {
                                      QDir().mkpath(QFileInfo(path).path());
                                      writeFile(path, damage);
                                  },
                              .live = explorePatiently,
                              .read =
                                  [](const QString& path) {
                                      return readFile(path) == damage ? QString()
                                                                      : historyAt(path, Place::ThisComputer);
                                  },
                              .problem = withoutDamagedFile});
        add("one with a file beside it that it takes in",
            {.prepare =
                 [](const QString& path) {
                     ExplorationStore(path).begin(infoOf("/before.yaml"));
                     ExplorationStore left(QFileInfo(path).path() + QStringLiteral("/h.beside-1.sqlite"));
                     left.addTrial(left.begin(infoOf("/left.yaml")), trialOf(1));
                 },
             .live = explorePatiently,
             .read =
                 [](const QString& path) {
                     HistoryWriter(path).begin(infoOf("/next.yaml"));
                     return historyAt(path, Place::ThisComputer);
                 }});
        add("one of another program, and a file beside it",
            {.prepare =
                 [](const QString& path) {
                     QDir().mkpath(QFileInfo(path).path());
                     runSql(path, {QStringLiteral("CREATE TABLE songs (title TEXT)")});
                 },
             .live =
                 [](const QString& path, const std::function<void()>& returned) {
                     HistoryWriter writer(path);
                     writer.begin(infoOf("/a.yaml"));
                     returned();
                     writer.addTrial(trialOf(1));
                     returned();
                     writer.addTrial(comparisonOf(2));
                     returned();
                     writer.finish(endOf("confident"));
                     returned();
                 },
             .read =
                 [](const QString& path) {
                     const QStringList besides = besidesOf(path);
                     return besides.isEmpty() ? QString() : historyAt(besides.front(), Place::ThisComputer);
                 }});
    }
    void losesNothing()
    {
        const Life& life = row<Life>();
        life.prepare(path());
        const QTemporaryDir read;
        const auto readCopy = [&](const RecordedDisk& disk, std::size_t operations) {
            // Restores the files as if all writes were synced.
            const WithoutSyncs quick;
            disk.restore(read.filePath(QStringLiteral("copy")), operations, Unsynced::Kept, 0);
            return life.read(pathIn(read.filePath(QStringLiteral("copy"))));
        };
        struct Promise
        {
            std::size_t operations = 0;
            QString text;
        };
        RecordedDisk disk(m_folder->path());
        std::vector<std::size_t> returns{disk.operations()};
        life.live(path(), [&] { returns.push_back(disk.operations()); });
        disk.stop();
        std::vector<Promise> promises;
        for (const std::size_t operations : returns)
            promises.push_back({operations, readCopy(disk, operations)});
        // Without durable contents, the test would check nothing.
        QVERIFY2(promises.back().text.contains(QStringLiteral("/b.yaml")) ||
                     promises.back().text.contains(QStringLiteral("/a.yaml")),
                 qPrintable(promises.back().text));

        const WithoutSyncs quick;
        const bool triesAll = qEnvironmentVariableIsSet("BATCHPEAK_EVERY_POWER_LOSS");
        std::size_t points = 0;
        std::size_t promised = 0;
        for (std::size_t cut = returns.front(); cut <= disk.operations(); ++cut) {
            while (promised + 1 < promises.size() && promises[promised + 1].operations <= cut)
                ++promised;
            const std::size_t next = std::min(promised + 1, promises.size() - 1);
            constexpr std::array variants{Unsynced::Lost, Unsynced::Some, Unsynced::Torn};
            for (std::size_t variant = 0; variant < variants.size(); ++variant) {
                // Neighboring cuts leave nearly the same files, and trying all variants takes 30 s of CPU
                // time.
                if (variant != cut % variants.size() && cut % 2 == 1 && !triesAll)
                    continue;
                const Unsynced unsynced = variants[variant];
                ++points;
                const QString after = read.filePath(QStringLiteral("after"));
                disk.restore(after, cut, unsynced, static_cast<std::uint32_t>(cut));
                const QString found = life.read(pathIn(after));
                const QString problem = problemAfter(life, pathIn(after));
                const bool isWhole = found == promises[promised].text || found == promises[next].text;
                QVERIFY2(isWhole && problem.isEmpty(),
                         qPrintable(QStringLiteral("Power loss before operation %1 of %2, variant %3: %4\n"
                                                   "There is\n%5\nThere must be\n%6\nor\n%7")
                                        .arg(cut)
                                        .arg(disk.operations())
                                        .arg(static_cast<int>(unsynced))
                                        .arg(problem, found, promises[promised].text, promises[next].text)));
            }
        }
        qInfo("%zu power losses", points);
        QVERIFY2(points >= 200, "So few cuts are no test of what a power loss leaves.");
    }

private:
    static QString pathIn(const QString& folder)
    {
        return folder + QStringLiteral("/data/batchpeak/h.sqlite");
    }
    QString path() const { return pathIn(m_folder->path()); }

    static QString problemAfter(const Life& life, const QString& path)
    {
        const QString ours = life.problem(path);
        if (!ours.isEmpty())
            return ours;
        for (const QString& file : QStringList{path} + besidesOf(path)) {
            if (!QFile::exists(file) || readFile(file) == damage)
                continue;
            const QString verdict = runSql(file, {QStringLiteral("PRAGMA integrity_check")});
            if (verdict != QStringLiteral("ok"))
                return verdict;
        }
        return {};
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

BATCHPEAK_TEST(PowerLossTest)
#include "tst_power_loss.moc"
