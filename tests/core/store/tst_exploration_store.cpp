// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/exploration_store.h"
#include "store/store_database.h"
#include "support/error_of.h"
#include "support/files.h"
#include "support/recorded_disk.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <QDir>
#include <QFile>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QTemporaryDir>
#include <QTest>

#include <cerrno>
#include <functional>
#include <memory>

using namespace batchpeak;
using namespace batchpeak::store;

using Spoil = std::function<void(const QString& path)>;

namespace {

ExplorationInfo someInfo()
{
    return {.started = QDateTime(QDate(2026, 3, 4), QTime(5, 6, 7), Qt::UTC),
            .filePath = QStringLiteral("/somewhere/näme.yaml"),
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
                         .reasons = {QStringLiteral("a"), QStringLiteral("b, too")},
                         .replaced = {QStringLiteral("another precision")},
                         .assumed = {QStringLiteral("samples of 8 tokens")}},
            .configText = QStringLiteral("a: \"ä\"\nb: 1\n"),
            .configHash = QStringLiteral("0123abcd"),
            .chosenModel = QStringLiteral("gpt2"),
            .command = {QStringLiteral("--seed"), QStringLiteral("7")},
            .loadRequest = QStringLiteral("{\"type\":\"load\"}"),
            .headroom = 0.125};
}

trial::TrialRecord trialNumber(int number)
{
    trial::TrialRecord trial{.number = number,
                             .device = "cpu",
                             .microBatchSize = 8,
                             .outcome = trial::Outcome::Ok,
                             .samplesPerSecond = 12.5,
                             .relativeError = 0.004,
                             .secondsPerStep = 0.64,
                             .optimizerSeconds = 0.021,
                             .peakAllocatedBytes = qint64{5} << 32,
                             .peakReservedBytes = qint64{6} << 32,
                             .timedSteps = 5,
                             .wallSeconds = 6.5,
                             .purpose = trial::Purpose::Rival,
                             .against = 6,
                             .predictedFit = 0.75,
                             .joulesPerSample = 0.42,
                             .readings = {.processorShare = 0.5, .clockMegahertz = 1410.0},
                             .attention = "cudnn",
                             .text = "it's done"};
    trial::addFlags(trial, {"abandoned", "disturbed: clock"});
    return trial;
}

trial::TrialRecord comparisonNumber(int number)
{
    trial::TrialRecord trial{.number = number,
                             .device = "cpu",
                             .compared = {{.microBatchSize = 28,
                                           .samplesPerSecond = 13.5,
                                           .relativeError = 0.002,
                                           .secondsPerStep = 2.07,
                                           .peakReservedBytes = qint64{7} << 32,
                                           .visits = {{1.5, 13.25}, {4.5, 13.75}}},
                                          {.microBatchSize = 24, .visits = {{2.5, 12.0}}}},
                             .visits = 8,
                             .outcome = trial::Outcome::Timeout,
                             .timedSteps = 9,
                             .wallSeconds = 16.5};
    trial::addFlags(trial, {"disturbed"});
    return trial;
}

ExplorationEnd end()
{
    return {.finished = QDateTime(QDate(2026, 3, 4), QTime(5, 8, 7), Qt::UTC),
            .status = QStringLiteral("confident"),
            .ending = QStringLiteral("Target confidence reached.")};
}

RecommendationRecord someRecommendation(int confidence)
{
    return {.microBatchSize = 8,
            .samplesPerSecond = 12.5,
            .relativeError = 0.01,
            .relativePerformance = 1.25,
            .confidence = confidence,
            .expectedLoss = 0.008,
            .reason = QStringLiteral("8 leads."),
            .estimates = {{1, 2.5, 0.03, 0.0}, {8, 12.5, 0.01, confidence / 100.0}}};
}

/// Runs one statement on the file, bypassing the store.
void runSql(const QString& path, const QString& text)
{
    const QString connection = QStringLiteral("past the store");
    {
        QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), connection);
        database.setDatabaseName(path);
        QVERIFY(database.open());
        QVERIFY(QSqlQuery(database).exec(text));
    }
    QSqlDatabase::removeDatabase(connection);
}

/// Creates a file of another program that sets user_version to \p version.
Spoil foreignFile(int version)
{
    return [version](const QString& path) {
        runSql(path, QStringLiteral("CREATE TABLE trial (id INTEGER)"));
        runSql(path, QStringLiteral("PRAGMA user_version = %1").arg(version));
    };
}

/// Returns the number of explorations, and the numbers of devices, trials, recommendations, compared sizes
/// and visits of one of them.
std::vector<std::size_t> countsIn(const QString& path, qint64 exploration)
{
    const ExplorationStore store(path);
    const std::size_t explorations = store.list().size();
    const auto stored = store.show(exploration);
    std::size_t compared = 0;
    std::size_t visits = 0;
    for (const trial::TrialRecord& trial : stored->trials) {
        compared += trial.compared.size();
        for (const trial::ComparedRecord& size : trial.compared)
            visits += size.visits.size();
    }
    return {
        explorations, stored->devices.size(), stored->trials.size(), stored->recommendations.size(), compared,
        visits};
}

} // namespace

class ExplorationStoreTest : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        QVERIFY(m_folder->isValid());
        QVERIFY(QDir(m_folder->path()).mkpath(QStringLiteral("data")));
    }

    void createsTheFolder()
    {
        QVERIFY(QDir(m_folder->path()).rmdir(QStringLiteral("data")));
        QVERIFY(ExplorationStore(path()).list().empty());
        QVERIFY(QFile::exists(path()));
    }

    void keepsAllRecords()
    {
        const DeviceRecord device{.id = QStringLiteral("cpu"),
                                  .name = QStringLiteral("Some CPU"),
                                  .program = QStringLiteral("worker"),
                                  .totalBytes = qint64{1} << 36,
                                  .limitBytes = qint64{1} << 33,
                                  .framework = QStringLiteral("torch 2.11.0"),
                                  .uuid = QStringLiteral("GPU-1"),
                                  .driver = QStringLiteral("570.1")};
        const std::vector<LogRecord> lines{
            {.time = end().finished, .level = 1, .text = QStringLiteral("Careful.")},
            {.time = end().finished, .text = QStringLiteral("Gone on.")}};
        const trial::TrialRecord failed{
            .number = 2, .microBatchSize = 16, .outcome = trial::Outcome::OutOfMemory};
        trial::TrialRecord running = trialNumber(1);
        running.outcome = trial::Outcome::Cancelled;
        qint64 id = 0;
        {
            ExplorationStore store(path());
            id = store.begin(someInfo());
            store.addDevice(id, {.id = QStringLiteral("cpu")});
            store.addDevice(id, device);
            store.setSearchSpace(id, "{}");
            store.addSearchCalls(id, {"{\"call\":\"next\"}", "{}"});
            store.addTrial(id, running);
            store.addTrial(id, trialNumber(1), {"third", "fourth"});
            store.addTrial(id, failed);
            store.addTrial(id, comparisonNumber(3));
            store.addLog(id, {lines.front()});
            store.addLog(id, {lines.back()});
            store.addRecommendation(id, someRecommendation(2));
            store.addRecommendation(id, someRecommendation(96));
            store.finish(id, end());
        }
        const auto stored = ExplorationStore(path()).show(id);
        QVERIFY(stored);
        QCOMPARE(stored->summary.id, id);
        QVERIFY(stored->summary.info == someInfo());
        QVERIFY(stored->summary.end == end());
        QCOMPARE(stored->summary.trials, 3);
        QVERIFY(stored->summary.recommendation == someRecommendation(96));
        QVERIFY(stored->devices == std::vector{device});
        QVERIFY(stored->trials == (std::vector{trialNumber(1), failed, comparisonNumber(3)}));
        QVERIFY(stored->recommendations == (std::vector{someRecommendation(2), someRecommendation(96)}));
        QCOMPARE(stored->searchSpace, QByteArray("{}"));
        QVERIFY(stored->searchCalls ==
                (std::vector<QByteArray>{"{\"call\":\"next\"}", "{}", "third", "fourth"}));
        QVERIFY(stored->log == lines);
    }

    void importsAnotherHistory()
    {
        const QString beside = m_folder->filePath(QStringLiteral("beside.sqlite"));
        {
            ExplorationStore here(path());
            here.addTrial(here.begin(someInfo()), trialNumber(1));
            ExplorationStore there(beside);
            const qint64 id = there.begin(someInfo());
            there.addTrial(id, trialNumber(1), {"call"});
            there.addTrial(id, comparisonNumber(2));
            there.finish(id, end());
        }
        ExplorationStore store(path());
        QCOMPARE(store.takeIn(beside), 1);
        QCOMPARE(store.list().size(), std::size_t{1});
        const auto stored = store.show(store.list().front().id);
        QCOMPARE(stored->trials.size(), std::size_t{2});
        QVERIFY(stored->summary.end == end());
        QCOMPARE(stored->searchCalls.size(), std::size_t{1});
        // Rows that are already here are not added again.
        QCOMPARE(store.takeIn(beside), 1);
        QCOMPARE(store.list().front().id, stored->summary.id);
    }

    void reopensAFinishedExploration()
    {
        ExplorationStore store(path());
        const qint64 id = store.begin(someInfo());
        store.finish(id, {.finished = someInfo().started, .status = QStringLiteral("budget")});
        store.reopen(id);
        QVERIFY(!store.show(id)->summary.end);
    }

    void addsAComparisonAtomically()
    {
        ExplorationStore store(path());
        const qint64 id = store.begin(someInfo());
        runSql(path(), QStringLiteral("CREATE TRIGGER full BEFORE INSERT ON visit WHEN NEW.number = 1 BEGIN "
                                      "SELECT RAISE(ABORT, 'no room'); END"));
        QVERIFY_EXCEPTION_THROWN(store.addTrial(id, comparisonNumber(1)), StoreError);
        QVERIFY(store.show(id)->trials.empty());
        runSql(path(), QStringLiteral("DROP TRIGGER full"));
        store.addTrial(id, comparisonNumber(1));
        QVERIFY(store.show(id)->trials == std::vector{comparisonNumber(1)});
    }

    void treatsAnUnknownOutcomeAsAFailure()
    {
        ExplorationStore store(path());
        const qint64 id = store.begin(someInfo());
        store.addTrial(id, trialNumber(1));
        runSql(path(), QStringLiteral("UPDATE trial SET outcome = 'evaporated'"));
        QVERIFY(store.show(id)->trials.front().outcome == trial::Outcome::Failed);
    }

    void keepsFinishedTrialsAfterACrash()
    {
        // The first store is neither closed nor finished while the second one reads.
        ExplorationStore store(path());
        const qint64 id = store.begin(someInfo());
        store.addTrial(id, trialNumber(1));
        const auto stored = ExplorationStore(path()).show(id);
        QVERIFY(stored && stored->trials.size() == 1);
        QVERIFY(!stored->summary.end);
        QVERIFY(!stored->summary.recommendation);
    }

    void listsTheNewestFirst()
    {
        ExplorationStore store(path());
        QVERIFY(store.list().empty());
        const qint64 first = store.begin(someInfo());
        const qint64 second = store.begin(someInfo());
        store.addTrial(first, trialNumber(1));
        store.addRecommendation(first, someRecommendation(50));
        store.addRecommendation(first, someRecommendation(70));
        const auto list = store.list();
        QCOMPARE(list.size(), std::size_t{2});
        QCOMPARE(list[0].id, second);
        QCOMPARE(list[0].trials, 0);
        QVERIFY(!list[0].recommendation);
        QCOMPARE(list[1].id, first);
        QCOMPARE(list[1].trials, 1);
        QCOMPARE(list[1].recommendation->confidence, 70);
    }

    void removesAnExplorationCompletely()
    {
        ExplorationStore store(path());
        const qint64 kept = store.begin(someInfo());
        const qint64 removed = store.begin(someInfo());
        for (const qint64 id : {kept, removed}) {
            store.addTrial(id, trialNumber(1));
            store.addRecommendation(id, someRecommendation(50));
        }
        store.addTrial(removed, comparisonNumber(2));
        QVERIFY(store.remove(removed));
        QVERIFY(!store.remove(removed));
        QVERIFY(!store.show(removed));
        QCOMPARE(store.show(kept)->trials.size(), std::size_t{1});
        // Its ID is not reused.
        QVERIFY(store.begin(someInfo()) > removed);
        QVERIFY(store.show(removed + 1)->trials.empty());
    }

    void acceptsWritesOfTwoPrograms()
    {
        ExplorationStore one(path());
        ExplorationStore other(path());
        const qint64 ofOne = one.begin(someInfo());
        const qint64 ofOther = other.begin(someInfo());
        QVERIFY(ofOne != ofOther);
        for (int number = 1; number <= 20; ++number) {
            one.addTrial(ofOne, trialNumber(number));
            other.addTrial(ofOther, trialNumber(number));
        }
        QCOMPARE(one.show(ofOther)->trials.size(), std::size_t{20});
        QCOMPARE(other.show(ofOne)->trials.size(), std::size_t{20});
    }

    void acceptsALaterLabel()
    {
        ExplorationStore store(path());
        const qint64 id = store.begin(someInfo());
        QVERIFY(store.list().front().info == someInfo());
        const FidelityRecord later{.kind = QStringLiteral("approximate"),
                                   .reasons = {QStringLiteral("a 4-bit base")},
                                   .replaced = {}};
        store.setFidelity(id, later);
        QVERIFY(store.show(id)->summary.info.fidelity == later);
    }

    void readsFilesOfOlderVersions_data()
    {
        rows<int>({{"trials without energy", 1},
                   {"trials without the optimizer's time", 2},
                   {"recommendations without a loss", 3},
                   {"ends without a sentence", 4},
                   {"no comparisons", 5},
                   {"comparisons without a place", 6},
                   {"comparisons without visits", 7},
                   {"trials without a kernel of attention", 8},
                   {"networks without frozen parameters", 9},
                   {"networks without a tuning method", 10},
                   {"no label", 11},
                   {"a label without reasons", 12},
                   {"a label without what was replaced", 13},
                   {"nothing of the config", 15},
                   {"trials without what they were run for", 25}});
    }
    void readsFilesOfOlderVersions()
    {
        const int version = row<int>();
        const ExplorationEnd end{.finished = someInfo().started,
                                 .status = QStringLiteral("budget"),
                                 .ending = QStringLiteral("The budget is used up.")};
        {
            ExplorationStore store(path());
            const qint64 id = store.begin(someInfo());
            store.addTrial(id, trialNumber(1));
            store.addRecommendation(id, someRecommendation(50));
            store.finish(id, end);
        }
        // Statements that undo what each version added, the newest first.
        const QStringList added{QStringLiteral("ALTER TABLE exploration DROP COLUMN processes"),
                                QStringLiteral("ALTER TABLE recommendation DROP COLUMN estimates"),
                                QStringLiteral("DROP TABLE written_config"),
                                QStringLiteral("DROP TABLE log_line"),
                                QStringLiteral("DROP TABLE search_call"),
                                QStringLiteral("ALTER TABLE trial DROP COLUMN details"),
                                QStringLiteral("ALTER TABLE device DROP COLUMN driver"),
                                QStringLiteral("ALTER TABLE device DROP COLUMN uuid"),
                                QStringLiteral("ALTER TABLE device DROP COLUMN framework"),
                                QStringLiteral("ALTER TABLE exploration DROP COLUMN search_space"),
                                QStringLiteral("ALTER TABLE exploration DROP COLUMN headroom"),
                                QStringLiteral("ALTER TABLE exploration DROP COLUMN load_request"),
                                QStringLiteral("ALTER TABLE exploration DROP COLUMN command"),
                                QStringLiteral("ALTER TABLE exploration DROP COLUMN chosen_model"),
                                QStringLiteral("ALTER TABLE exploration DROP COLUMN config_hash"),
                                QStringLiteral("ALTER TABLE exploration DROP COLUMN config_text"),
                                QStringLiteral("ALTER TABLE exploration DROP COLUMN assumed"),
                                QStringLiteral("ALTER TABLE exploration DROP COLUMN replaced"),
                                QStringLiteral("ALTER TABLE exploration DROP COLUMN approximations"),
                                QStringLiteral("ALTER TABLE exploration DROP COLUMN fidelity"),
                                QStringLiteral("ALTER TABLE exploration DROP COLUMN tuning"),
                                QStringLiteral("ALTER TABLE exploration DROP COLUMN frozen_parameters"),
                                QStringLiteral("ALTER TABLE trial DROP COLUMN attention"),
                                QStringLiteral("DROP TABLE visit"),
                                QStringLiteral("DROP TABLE compared_size"),
                                QStringLiteral("ALTER TABLE trial DROP COLUMN visits"),
                                QStringLiteral("ALTER TABLE exploration DROP COLUMN ending"),
                                QStringLiteral("ALTER TABLE recommendation DROP COLUMN expected_loss"),
                                QStringLiteral("ALTER TABLE trial DROP COLUMN optimizer_seconds"),
                                QStringLiteral("ALTER TABLE trial DROP COLUMN joules_per_sample")};
        QCOMPARE(added.size(), schemaVersion - 1);
        for (int undone = schemaVersion; undone > version; --undone)
            runSql(path(), added[schemaVersion - undone]);
        runSql(path(), QStringLiteral("PRAGMA user_version = %1").arg(version));

        ExplorationStore store(path());
        const qint64 id = store.list().front().id;
        trial::TrialRecord older = trialNumber(1);
        if (version < 26) {
            const trial::TrialRecord defaults;
            older.purpose = defaults.purpose;
            older.against = defaults.against;
            older.predictedFit = defaults.predictedFit;
            older.readings = defaults.readings;
        }
        if (version < 9)
            older.attention.clear();
        if (version < 3)
            older.optimizerSeconds.reset();
        if (version < 2)
            older.joulesPerSample.reset();
        store.addTrial(id, comparisonNumber(2));
        const StoredExploration stored = *store.show(id);
        QVERIFY(stored.trials == (std::vector{older, comparisonNumber(2)}));
        QCOMPARE(stored.summary.recommendation->expectedLoss.has_value(), version >= 4);
        QCOMPARE(stored.summary.end->status, end.status);
        QCOMPARE(stored.summary.end->ending, version >= 5 ? end.ending : QString());
        QCOMPARE(stored.summary.info.frozenParameters, version >= 10 ? someInfo().frozenParameters : 0);
        QCOMPARE(stored.summary.info.tuning, version >= 11 ? someInfo().tuning : QString());
        // A program without labels stored none.
        QCOMPARE(stored.summary.info.fidelity.kind, version >= 12 ? someInfo().fidelity.kind : QString());
        QCOMPARE(stored.summary.info.fidelity.reasons,
                 version >= 13 ? someInfo().fidelity.reasons : QStringList());
        QCOMPARE(stored.summary.info.fidelity.replaced,
                 version >= 14 ? someInfo().fidelity.replaced : QStringList());
        // After the upgrade, the file opens like any other.
        QVERIFY(ExplorationStore(path()).show(id)->trials.size() == 2);
    }

    void refusesUnusableFiles_data()
    {
        rows<Spoil, Text>(
            {{"written by a newer program",
              {[](const QString& path) {
                   {
                       ExplorationStore store(path);
                   }
                   runSql(path, QStringLiteral("PRAGMA user_version = %1").arg(schemaVersion + 1));
               },
               "newer Batchpeak"}},
             {"no database",
              {[](const QString& path) { test::writeFile(path, QByteArray(5000, 'x')); }, "damaged"}},
             {"another program's",
              {[](const QString& path) { runSql(path, QStringLiteral("CREATE TABLE theirs (id INTEGER)")); },
               "another program"}},
             {"another program's, of a version like ours", {foreignFile(schemaVersion), "another program"}},
             {"another program's, of a version like an older one of ours",
              {foreignFile(1), "another program"}},
             {"a folder", {[](const QString& path) { QVERIFY(QDir().mkpath(path)); }, "cannot be opened"}}});
    }
    void refusesUnusableFiles()
    {
        const auto& [spoil, reason] = row<Spoil, Text>();
        spoil(path());
        const bool isFile = QFileInfo(path()).isFile();
        const QByteArray before = isFile ? test::readFile(path()) : QByteArray();
        const QString said = test::errorOf<StoreError>([&] { const ExplorationStore store(path()); });
        VERIFY_CONTAINS(said, reason);
        VERIFY_CONTAINS(said, path());
        if (isFile)
            QCOMPARE(test::readFile(path()), before);
    }

    // Even for readers, SQLite creates files next to the database, which is impossible here.
    void canBeReadWithoutWriteAccess_data()
    {
        rows<int, const char*>({{"a read-only disk", {EROFS, "give yourself the right to write it"}},
                                {"a full disk", {ENOSPC, "free some space on that disk"}}});
    }
    void canBeReadWithoutWriteAccess()
    {
        const auto& [error, reason] = row<int, const char*>();
        const QString place = m_folder->filePath(QStringLiteral("100%20 of #1?/history.sqlite"));
        {
            ExplorationStore store(place, defaultPatience(), ExplorationStore::Place::ThisComputer);
            store.addTrial(store.begin(someInfo()), trialNumber(1));
        }
        const QByteArray before = test::readFile(place);
        {
            const test::RefusingDisk refusing(m_folder->path(), error);
            ExplorationStore store(place);
            QVERIFY(store.list().front().info == someInfo());
            QVERIFY(store.show(1)->trials == std::vector{trialNumber(1)});
            for (const QString& said : {test::errorOf<StoreError>([&] { store.requireWritable(); }),
                                        test::errorOf<StoreError>([&] { (void)store.remove(1); })}) {
                VERIFY_CONTAINS(said, reason);
                VERIFY_CONTAINS(said, place);
            }
            const QString absent = m_folder->filePath(QStringLiteral("absent.sqlite"));
            VERIFY_CONTAINS(test::errorOf<StoreError>([&] { const ExplorationStore none(absent); }), absent);
        }
        QCOMPARE(test::readFile(place), before);
        ExplorationStore(place).requireWritable();
    }

    // The last commits are only in the write-ahead log.
    void refusesToReadAnIncompleteCopy()
    {
        ExplorationStore open(path(), defaultPatience(), ExplorationStore::Place::ThisComputer);
        open.begin(someInfo());
        const QString copy = m_folder->filePath(QStringLiteral("copy.sqlite"));
        for (const char* ending : {"", "-wal"})
            QVERIFY(QFile::copy(path() + QLatin1String(ending), copy + QLatin1String(ending)));
        {
            const test::RefusingDisk refusing(m_folder->path(), EROFS);
            VERIFY_CONTAINS(test::errorOf<StoreError>([&] { const ExplorationStore store(copy); }),
                            "give yourself the right to write it");
        }
        QCOMPARE(ExplorationStore(copy).list().size(), std::size_t{1});
    }

    void reportsADamagedPage()
    {
        qint64 id = 0;
        {
            ExplorationStore store(path());
            // So many rows that each table has pages beyond that of its first row.
            for (int number = 0; number < 40; ++number)
                store.begin(someInfo());
            id = store.begin(someInfo());
            for (int number = 1; number <= 150; ++number) {
                store.addTrial(id, number % 3 == 0 ? comparisonNumber(number) : trialNumber(number));
                store.addRecommendation(id, someRecommendation(50));
                store.addDevice(id, {.id = QStringLiteral("cuda:%1").arg(number)});
            }
        }
        const QByteArray sound = test::readFile(path());
        const std::vector<std::size_t> all = countsIn(path(), id);
        QCOMPARE(all, (std::vector<std::size_t>{41, 150, 150, 150, 100, 150}));
        constexpr qsizetype pageBytes = 4096;
        int errors = 0;
        for (qsizetype place = pageBytes; place < sound.size(); place += pageBytes) {
            QByteArray damaged = sound;
            // No page has this type.
            damaged.replace(place, pageBytes, QByteArray(pageBytes, '\xff'));
            test::writeFile(path(), damaged);
            try {
                // The counts do not need this page.
                QCOMPARE(countsIn(path(), id), all);
            } catch (const StoreError& error) {
                ++errors;
                VERIFY_CONTAINS(error.sentence(), "is damaged");
            }
        }
        QVERIFY2(errors > 20, qPrintable(QString::number(errors)));
    }

    void reportsRowsOfAMissingTrial()
    {
        qint64 id = 0;
        {
            ExplorationStore store(path());
            id = store.begin(someInfo());
            store.addTrial(id, comparisonNumber(1));
        }
        // Bypasses ON DELETE CASCADE, which would delete the rows as well.
        runSql(path(), QStringLiteral("DELETE FROM trial"));
        VERIFY_CONTAINS(test::errorOf<StoreError>([&] { (void)ExplorationStore(path()).show(id); }),
                        "damaged");
    }

    void keepsPreviousContentsOfFiles()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("history.sqlite"));
        ExplorationStore store(path);
        const QString file = QStringLiteral("/somewhere/näme.yaml");
        WrittenConfig first{.time = QDateTime(QDate(2026, 3, 4), QTime(5, 6, 7), Qt::UTC),
                            .filePath = file,
                            .before = std::nullopt,
                            .after = QByteArray("a\0b", 3)};
        WrittenConfig second = first;
        // An empty file differs from a missing one.
        second.before = QByteArray();
        first.id = store.addWritten(first);
        second.id = store.addWritten(second);
        QVERIFY(store.lastWritten(file) == std::optional(second));
        store.removeWritten(second.id);
        QVERIFY(ExplorationStore(path).lastWritten(file) == std::optional(first));
        QVERIFY(!store.lastWritten(QStringLiteral("/somewhere/other.yaml")));
    }

    void refusesTrialsOfAMissingExploration()
    {
        ExplorationStore store(path());
        const qint64 id = store.begin(someInfo());
        QVERIFY_EXCEPTION_THROWN(store.addTrial(id + 1, trialNumber(1)), StoreError);
        // The record of a trial replaces the one that was stored while it ran.
        store.addTrial(id, comparisonNumber(1));
        store.addTrial(id, trialNumber(1));
        QVERIFY(store.show(id)->trials == std::vector{trialNumber(1)});
    }

private:
    QString path() const { return m_folder->filePath(QStringLiteral("data/explorations.sqlite")); }

    std::unique_ptr<QTemporaryDir> m_folder;
};

BATCHPEAK_TEST(ExplorationStoreTest)
#include "tst_exploration_store.moc"
