// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/exploration_store.h"
#include "store/history_writer.h"
#include "store/store_database.h"
#include "support/error_of.h"
#include "support/files.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QSqlRecord>
#include <QTemporaryDir>
#include <QTest>

#include <memory>
#include <utility>

using namespace batchpeak;
using namespace batchpeak::store;

namespace {

/// Contents of the files of tests/data/histories, as the current program would record them. writtenBy()
/// removes what an older one did not record.
namespace recorded {

QDateTime at(int hour, int minute, int milliseconds = 0)
{
    return {QDate(2026, 3, 4), QTime(hour, minute, 7, milliseconds), Qt::UTC};
}

ExplorationInfo info(const char* file, int hour)
{
    return {.started = at(hour, 6, 125),
            .filePath = QString::fromUtf8(file),
            .formatName = QStringLiteral("Cerebras params"),
            .family = QStringLiteral("gpt2"),
            .parameters = 124439808,
            .frozenParameters = 124000000,
            .tuning = QStringLiteral("{\"rank\":8}"),
            .phase = QStringLiteral("train"),
            .precision = QStringLiteral("bf16"),
            .optimizer = QStringLiteral("adamw"),
            .sequenceLength = 128,
            .globalBatchSize = 512,
            .configDevices = 2,
            .setting = QStringLiteral("explore"),
            .objective = QStringLiteral("micro"),
            .strategy = QStringLiteral("ramp"),
            .tolerance = 0.05,
            .version = QStringLiteral("0.1.0"),
            .fidelity = {.kind = QStringLiteral("another_run"),
                         .reasons = {QStringLiteral("a 4-bit base"), QStringLiteral("no dropout, nor noise")},
                         .replaced = {QStringLiteral("another precision")},
                         .assumed = {QStringLiteral("samples of 8 tokens")}}};
}

DeviceRecord device(const char* id)
{
    return {.id = QString::fromUtf8(id),
            .name = QStringLiteral("NVIDIA H100 80GB HBM3"),
            .program = QStringLiteral("batchpeak-worker 0.1.0"),
            .totalBytes = qint64{80} << 30,
            .limitBytes = qint64{76} << 30};
}

trial::TrialRecord measured(int number, const char* device, qint64 size, double samplesPerSecond,
                            const std::vector<std::string>& flags = {})
{
    trial::TrialRecord trial{.number = number,
                             .device = device,
                             .microBatchSize = size,
                             .outcome = trial::Outcome::Ok,
                             .samplesPerSecond = samplesPerSecond,
                             .relativeError = 0.004,
                             .secondsPerStep = static_cast<double>(size) / samplesPerSecond,
                             .optimizerSeconds = 0.021,
                             .peakAllocatedBytes = size * 500'000'000,
                             .peakReservedBytes = size * 600'000'000,
                             .timedSteps = 5,
                             .wallSeconds = 6.5,
                             .joulesPerSample = 0.42,
                             .attention = "cudnn"};
    trial::addFlags(trial, flags);
    return trial;
}

trial::TrialRecord notMeasured(int number, const char* device, qint64 size, trial::Outcome outcome,
                               const char* text)
{
    return {.number = number,
            .device = device,
            .microBatchSize = size,
            .outcome = outcome,
            .wallSeconds = 1.25,
            .text = text};
}

trial::TrialRecord comparison(int number)
{
    trial::TrialRecord trial{.number = number,
                             .device = "cuda:0",
                             .compared = {{.microBatchSize = 28,
                                           .samplesPerSecond = 13.5,
                                           .relativeError = 0.002,
                                           .secondsPerStep = 2.0625,
                                           .peakReservedBytes = 16'800'000'000,
                                           .visits = {{1.5, 13.25}, {4.5, 13.75}}},
                                          {.microBatchSize = 24, .visits = {{2.5, 12.0}}}},
                             .visits = 8,
                             .outcome = trial::Outcome::Ok,
                             .timedSteps = 9,
                             .wallSeconds = 16.5};
    trial::addFlags(trial, {"disturbed"});
    return trial;
}

RecommendationRecord recommendation(qint64 size, double samplesPerSecond, int confidence, const char* reason)
{
    return {.microBatchSize = size,
            .samplesPerSecond = samplesPerSecond,
            .relativeError = 0.01,
            .relativePerformance = 1.25,
            .confidence = confidence,
            .expectedLoss = 0.008,
            .reason = QString::fromUtf8(reason),
            .estimates = {{1, 2.5, 0.03, 0.0}, {size, samplesPerSecond, 0.01, 0.5}}};
}

StoredExploration recommending()
{
    return {.summary = {.id = 1,
                        .info = info("/home/someone/größe 1.yaml", 5),
                        .end = ExplorationEnd{.finished = at(5, 28),
                                              .status = QStringLiteral("confident"),
                                              .ending = QStringLiteral("Target confidence reached.")}},
            .devices = {device("cuda:0"), device("cuda:1")},
            // The third one ended before the second.
            .trials = {measured(1, "cuda:0", 8, 12.5),
                       notMeasured(3, "cuda:0", 128, trial::Outcome::OutOfMemory,
                                   "CUDA out of memory, it's 3 GiB short"),
                       measured(2, "cuda:1", 64, 11.5,
                                {"disturbed: other programs used 0.8 of 2 processors", "repetition"}),
                       measured(4, "cuda:0", 96, 10.5, {"within the headroom", "thrashes", "abandoned"}),
                       comparison(5), measured(6, "cuda:0", 24, 13.25, {"verification"})},
            .recommendations = {recommendation(8, 12.5, 2, "8 is the only one."),
                                recommendation(24, 13.25, 96, "24 leads.")}};
}

/// Returns an exploration that was cut off by the end of the program.
StoredExploration cutOff()
{
    return {.summary = {.id = 2, .info = info("/home/someone/2.yaml", 6)},
            .devices = {device("cpu")},
            .trials = {measured(1, "cpu", 4, 2.5),
                       notMeasured(2, "cpu", 16, trial::Outcome::Timeout, "No step within 60 s."),
                       notMeasured(3, "cpu", 8, trial::Outcome::Cancelled, "")},
            .recommendations = {recommendation(4, 2.5, 40, "4 is the only one.")}};
}

StoredExploration failed()
{
    return {.summary = {.id = 3,
                        .info = info("/home/someone/3.yaml", 7),
                        .end = ExplorationEnd{.finished = at(5, 58),
                                              .status = QStringLiteral("failed"),
                                              .failure = QStringLiteral("The worker went away 3 times.")}},
            .trials = {notMeasured(1, "cuda:0", 1, trial::Outcome::Unsupported, "no kernel"),
                       notMeasured(2, "cuda:0", 1, trial::Outcome::Failed, "ValueError: 3"),
                       notMeasured(3, "cuda:0", 2, trial::Outcome::Crashed, "The worker\nwent away.")}};
}

/// Returns an exploration that began last and was deleted: no list contains it, but its ID is used.
StoredExploration deleted()
{
    return {.summary = {.id = 4, .info = info("/home/someone/4.yaml", 8)},
            .trials = {measured(1, "cpu", 4, 2.5)}};
}

} // namespace recorded

/// Removes the fields that the tables of this version do not have.
void leaveOut(ExplorationInfo& info, int version)
{
    if (version < 10)
        info.frozenParameters = 0;
    if (version < 11)
        info.tuning.clear();
    if (version < 12)
        info.fidelity.kind.clear();
    if (version < 13)
        info.fidelity.reasons.clear();
    if (version < 14)
        info.fidelity.replaced.clear();
    if (version < 15)
        info.fidelity.assumed.clear();
}

void leaveOut(std::vector<trial::TrialRecord>& trials, int version)
{
    // A program that could not store comparisons made none.
    if (version < 8)
        std::erase_if(trials, [](const trial::TrialRecord& trial) { return trial.isComparison(); });
    for (trial::TrialRecord& trial : trials) {
        if (version < 2)
            trial.joulesPerSample.reset();
        if (version < 3)
            trial.optimizerSeconds.reset();
        if (version < 9)
            trial.attention.clear();
    }
}

/// Returns the whole history that the current program must show from a file of this version, the oldest
/// exploration first.
std::vector<StoredExploration> writtenBy(int version)
{
    std::vector<StoredExploration> all{recorded::recommending(), recorded::cutOff(), recorded::failed()};
    for (StoredExploration& exploration : all) {
        leaveOut(exploration.summary.info, version);
        leaveOut(exploration.trials, version);
        if (version < 4) {
            for (RecommendationRecord& recommendation : exploration.recommendations)
                recommendation.expectedLoss.reset();
        }
        if (version < 30) {
            for (RecommendationRecord& recommendation : exploration.recommendations)
                recommendation.estimates.clear();
        }
        if (version < 5 && exploration.summary.end)
            exploration.summary.end->ending.clear();
        exploration.summary.trials =
            static_cast<int>(std::ranges::count_if(exploration.trials, [](const trial::TrialRecord& trial) {
                return trial.outcome != trial::Outcome::Cancelled;
            }));
        if (!exploration.recommendations.empty())
            exploration.summary.recommendation = exploration.recommendations.back();
    }
    return all;
}

qint64 addExploration(ExplorationStore& store, const StoredExploration& exploration)
{
    const qint64 id = store.begin(exploration.summary.info);
    for (const DeviceRecord& device : exploration.devices)
        store.addDevice(id, device);
    for (const trial::TrialRecord& trial : exploration.trials)
        store.addTrial(id, trial);
    for (const RecommendationRecord& recommendation : exploration.recommendations)
        store.addRecommendation(id, recommendation);
    if (exploration.summary.end)
        store.finish(id, *exploration.summary.end);
    return id;
}

void verifySame(const ExplorationSummary& found, const ExplorationSummary& expected)
{
    QCOMPARE(found.id, expected.id);
    QCOMPARE(found.info.filePath, expected.info.filePath);
    QVERIFY(found.info.fidelity == expected.info.fidelity);
    QVERIFY(found.info == expected.info);
    QCOMPARE(found.trials, expected.trials);
    QVERIFY(found.recommendation == expected.recommendation);
    QVERIFY(found.end == expected.end);
}

void verifySame(const StoredExploration& found, const StoredExploration& expected)
{
    verifySame(found.summary, expected.summary);
    QVERIFY(found.devices == expected.devices);
    QCOMPARE(found.trials.size(), expected.trials.size());
    for (std::size_t place = 0; place < expected.trials.size(); ++place) {
        QVERIFY2(found.trials[place] == expected.trials[place],
                 qPrintable(QStringLiteral("trial %1").arg(expected.trials[place].number)));
    }
    QVERIFY(found.recommendations == expected.recommendations);
}

/// Verifies that the first explorations of a history are these, both in the list and by ID.
void verifyHolds(const ExplorationStore& store, const std::vector<StoredExploration>& expected)
{
    const std::vector<ExplorationSummary> list = store.list();
    QVERIFY(list.size() >= expected.size());
    for (std::size_t place = 0; place < expected.size(); ++place) {
        verifySame(list[list.size() - 1 - place], expected[place].summary);
        const auto shown = store.show(expected[place].summary.id);
        QVERIFY(shown);
        verifySame(*shown, expected[place]);
        // Further comparisons would only repeat this failure.
        if (QTest::currentTestFailed())
            return;
    }
}

/// Runs statements on the file, bypassing the store. \return a line for each row of their results
QStringList runSql(const QString& path, const QStringList& statements)
{
    const QString connection = QStringLiteral("past the store");
    QStringList lines;
    {
        QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), connection);
        database.setDatabaseName(path);
        database.open();
        for (const QString& statement : statements) {
            QSqlQuery query(database);
            if (!query.exec(statement))
                qFatal("%s: %s", qPrintable(statement), qPrintable(query.lastError().text()));
            while (query.next()) {
                QStringList values;
                for (int column = 0; column < query.record().count(); ++column)
                    values << query.value(column).toString();
                lines << values.join(QLatin1Char('|'));
            }
        }
    }
    QSqlDatabase::removeDatabase(connection);
    return lines;
}

QStringList versionOf(const QString& path)
{
    return runSql(path, {QStringLiteral("PRAGMA user_version")});
}

/// Returns the tables and indexes, with all their columns.
QStringList schemaOf(const QString& path)
{
    return runSql(
        path,
        {QStringLiteral("SELECT part.type, part.name, part.tbl_name, field.* FROM sqlite_master AS part "
                        "LEFT JOIN pragma_table_info(part.name) AS field ORDER BY part.name, field.cid")});
}

const QString histories = QStringLiteral(BATCHPEAK_TEST_DATA "/histories");

} // namespace

/// Tests histories that older versions of the program wrote, each with its own code: the current program
/// reads and continues them. tests/data/histories/README.md describes how they were made.
class OldHistoriesTest : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        QVERIFY(m_folder->isValid());
    }

    void showsTheWholeHistory_data() { eachVersion(); }
    void showsTheWholeHistory()
    {
        const int version = row<int>();
        const QString path = copyOf(version);
        QCOMPARE(versionOf(path), QStringList{QString::number(version)});
        verifyHolds(ExplorationStore(path), writtenBy(version));
    }

    void hasTheTablesOfANewHistory_data() { eachVersion(); }
    void hasTheTablesOfANewHistory()
    {
        const QString path = copyOf(row<int>());
        const QString other = m_folder->filePath(QStringLiteral("new.sqlite"));
        for (const QString& opened : {path, other})
            const ExplorationStore store(opened);
        QCOMPARE(versionOf(path), QStringList{QString::number(schemaVersion)});
        QCOMPARE(schemaOf(path), schemaOf(other));
        QCOMPARE(runSql(path, {QStringLiteral("PRAGMA integrity_check")}), QStringList{QStringLiteral("ok")});
        QCOMPARE(runSql(path, {QStringLiteral("PRAGMA foreign_key_check")}), QStringList());
    }

    void acceptsNewExplorations_data() { eachVersion(); }
    void acceptsNewExplorations()
    {
        const int version = row<int>();
        const QString path = copyOf(version);
        StoredExploration added = writtenBy(schemaVersion).front();
        const QString problem = test::errorOf<StoreError>([&] {
            ExplorationStore store(path);
            added.summary.id = addExploration(store, added);
            // An exploration that was cut off may continue.
            store.addTrial(2, recorded::comparison(4));
        });
        QCOMPARE(problem, QString());
        // The ID of a deleted exploration is not reused either.
        QCOMPARE(added.summary.id, recorded::deleted().summary.id + 1);
        std::vector<StoredExploration> expected = writtenBy(version);
        expected[1].trials.push_back(recorded::comparison(4));
        ++expected[1].summary.trials;
        expected.push_back(added);
        verifyHolds(ExplorationStore(path), expected);
    }

    void isUpgradedOnce_data() { eachVersion(); }
    void isUpgradedOnce()
    {
        const int version = row<int>();
        const QString path = copyOf(version);
        {
            const ExplorationStore first(path);
        }
        const QByteArray bytes = test::readFile(path);
        verifyHolds(ExplorationStore(path), writtenBy(version));
        QVERIFY(test::readFile(path) == bytes);
    }

    void isImportedIntoAnotherHistory_data() { eachVersion(); }
    void isImportedIntoAnotherHistory()
    {
        const int version = row<int>();
        const QString path = copyOf(version);
        ExplorationStore history(m_folder->filePath(QStringLiteral("history.sqlite")));
        const std::vector<StoredExploration> expected = writtenBy(version);
        for (int again = 0; again < 2; ++again) {
            int taken = 0;
            QCOMPARE(test::errorOf<StoreError>([&] { taken = history.takeIn(path); }), QString());
            QCOMPARE(taken, static_cast<int>(expected.size()));
            QCOMPARE(history.list().size(), expected.size());
            verifyHolds(history, expected);
            if (QTest::currentTestFailed())
                return;
        }
    }

    // An older program left the file next to a history that it could not write.
    void isImportedAtTheNextStart_data() { eachVersion(); }
    void isImportedAtTheNextStart()
    {
        const int version = row<int>();
        const QString beside = m_folder->filePath(QStringLiteral("history.beside-old.sqlite"));
        QVERIFY(QFile::rename(copyOf(version), beside));
        const QString path = m_folder->filePath(QStringLiteral("history.sqlite"));
        {
            HistoryWriter writer(path);
            QSignalSpy message(&writer, &HistoryWriter::message);
            writer.begin(recorded::deleted().summary.info);
            QCOMPARE(message.size(), 1);
            VERIFY_CONTAINS(message.front().front().toString(), "took in 3 exploration");
        }
        QVERIFY(!QFile::exists(beside));
        const ExplorationStore history(path);
        QCOMPARE(history.list().size(), std::size_t{4});
        verifyHolds(history, writtenBy(version));
    }

    /// BATCHPEAK_KEEP_HISTORY=1 stores the history of the current version as a new file of test data.
    void isWrittenByThisProgramToo()
    {
        const QString path = m_folder->filePath(QStringLiteral("history.sqlite"));
        const std::vector<StoredExploration> all = writtenBy(schemaVersion);
        {
            ExplorationStore store(path);
            for (const StoredExploration& exploration : all)
                addExploration(store, exploration);
            store.remove(addExploration(store, recorded::deleted()));
        }
        verifyHolds(ExplorationStore(path), all);
        if (!qEnvironmentVariableIsSet("BATCHPEAK_KEEP_HISTORY"))
            return;
        // Makes the history a single small file.
        runSql(path, {QStringLiteral("PRAGMA journal_mode = DELETE"),
                      QStringLiteral("PRAGMA page_size = 1024"), QStringLiteral("VACUUM")});
        QVERIFY2(QFile::copy(path, fileOf(schemaVersion)), "There is a file of this version.");
    }

private:
    static QString fileOf(int version)
    {
        return histories + QStringLiteral("/version-%1.sqlite").arg(version, 2, 10, QLatin1Char('0'));
    }

    static void eachVersion()
    {
        const auto add = rows<int>();
        const QStringList files =
            QDir(histories).entryList({QStringLiteral("version-*.sqlite")}, QDir::Files, QDir::Name);
        QVERIFY(!files.isEmpty());
        for (const QString& file : files)
            add(file.toStdString(),
                file.section(QLatin1Char('-'), 1).section(QLatin1Char('.'), 0, 0).toInt());
    }

    QString copyOf(int version) const
    {
        QString path = m_folder->filePath(QStringLiteral("old.sqlite"));
        // The copy is writable, regardless of the permissions of the original.
        test::writeFile(path, test::readFile(fileOf(version)));
        return path;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

BATCHPEAK_TEST(OldHistoriesTest)
#include "tst_old_histories.moc"
