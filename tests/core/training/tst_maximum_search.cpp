// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/exploration.h"
#include "engine/exploration_recorder.h"
#include "small_config.h"
#include "store/exploration_store.h"
#include "support/event_spy.h"
#include "support/fake_parts.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "training/maximum_search.h"

#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include <algorithm>
#include <memory>
#include <unistd.h>

using namespace batchpeak;
using training::MaximumFound;
using training::MaximumSearch;
using training::MaximumWay;

namespace {

/// Whether this process has running child processes.
bool hasChildren()
{
    QFile file(QStringLiteral("/proc/self/task/%1/children").arg(getpid()));
    return file.open(QIODevice::ReadOnly) && !file.readAll().trimmed().isEmpty();
}

} // namespace

class MaximumSearchTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { QStandardPaths::setTestModeEnabled(true); }

    void init()
    {
        QFile::remove(m_folder.filePath(QStringLiteral("once")));
        m_options = {};
        m_ends.clear();
        m_said.clear();
        m_found = {};
        m_file = QStringLiteral("config.yaml");
        QFile::remove(store::ExplorationStore::defaultPath());
        m_search = std::make_unique<MaximumSearch>(test::fakeParts());
        MaximumSearch* search = m_search.get();
        connect(search, &MaximumSearch::found, this, [this](const MaximumFound& maximum) {
            m_found = maximum;
            m_ends.append(QStringLiteral("found"));
        });
        connect(search, &MaximumSearch::nothingFits, this,
                [this](const QString& sentence) { m_ends.append(QLatin1String("nothing: ") + sentence); });
        connect(search, &MaximumSearch::failed, this,
                [this](const QString& sentence) { m_ends.append(QLatin1String("failed: ") + sentence); });
        connect(search, &MaximumSearch::stopped, this, [this] { m_ends.append(QStringLiteral("stopped")); });
        connect(search, &MaximumSearch::logged, this,
                [this](engine::LogLevel, const QString& text) { m_said.append(text); });
    }

    void cleanup() { m_search.reset(); }

    void finds_data()
    {
        const auto halving = MaximumWay::Halving;
        const auto binary = MaximumWay::Binary;
        const auto predict = MaximumWay::Predict;
        // 2 GB have room for 100 MB and 19 samples of 100 MB.
        const char* holds19 = "slope=100000000";
        const char* holds190 = "slope=10000000";
        const auto add = rows<MaximumWay, bool, Text, std::int64_t, MaximumFound>();
        add("halving",
            {halving, false, holds19, 64, {.measured = 16, .used = 16, .trials = 4, .outOfMemoryEvents = 2}});
        add("halving from the bound, above the batch",
            {halving,
             false,
             holds190,
             200,
             {.measured = 100, .used = 64, .trials = 3, .outOfMemoryEvents = 1}});
        add("halving from the bound, below the batch",
            {halving, false, holds190, 12, {.measured = 12, .used = 8, .trials = 2}});
        add("halving, no power of two",
            {halving, false, holds19, 100, {.measured = 12, .used = 8, .trials = 5, .outOfMemoryEvents = 3}});
        add("halving, exact",
            {halving, true, holds19, 100, {.measured = 12, .used = 12, .trials = 5, .outOfMemoryEvents = 3}});
        add("binary",
            {binary, false, holds19, 64, {.measured = 19, .used = 16, .trials = 10, .outOfMemoryEvents = 3}});
        add("binary, exact",
            {binary, true, holds19, 64, {.measured = 19, .used = 19, .trials = 10, .outOfMemoryEvents = 3}});
        add("binary up to the bound", {binary, false, holds19, 10, {.measured = 10, .used = 8, .trials = 5}});
        add("predict", {predict, false, holds19, 64, {.measured = 16, .used = 16, .trials = 4}});
        add("predict, exact", {predict, true, holds19, 64, {.measured = 19, .used = 19, .trials = 4}});
        add("predict up to the bound", {predict, true, holds19, 7, {.measured = 7, .used = 7, .trials = 3}});
        add("predict, and it does not fit",
            {predict,
             true,
             "slope=100000000 trial=oom@19",
             64,
             {.measured = 9, .used = 9, .trials = 5, .outOfMemoryEvents = 1}});
        add("predict where two do not fit",
            {predict,
             false,
             "slope=1000000000",
             64,
             {.measured = 1, .used = 1, .trials = 2, .outOfMemoryEvents = 1}});
        add("a bound of one", {binary, false, holds19, 1, {.measured = 1, .used = 1, .trials = 1}});
        add("a size that thrashes", {halving,
                                     false,
                                     "slope=100000000 trial=thrash@16",
                                     64,
                                     {.measured = 8, .used = 8, .trials = 5, .outOfMemoryEvents = 2}});
        // As reported for 8 x B200: 64 ran at a third of the speed, and 66 ran out of memory.
        const char* thrashesFrom64 = "slope=29000000 trial=thrash@64 trial=thrash@65";
        add("halving from a size that thrashes",
            {halving, true, thrashesFrom64, 64, {.measured = 32, .used = 32, .trials = 3}});
        add("binary below sizes that thrash",
            {binary, true, thrashesFrom64, 128, {.measured = 63, .used = 63, .trials = 12}});
        add("predict, and it thrashes",
            {predict, true, thrashesFrom64, 64, {.measured = 32, .used = 32, .trials = 5}});
        // A program that does not count flushes of its cache gives the same results by its times.
        const char* crawlsFrom64 = "slope=29000000 trial=crawl@64+";
        add("halving from a size that is far slower",
            {halving, true, crawlsFrom64, 64, {.measured = 32, .used = 32, .trials = 3}});
        add("binary below sizes that are far slower",
            {binary, true, crawlsFrom64, 128, {.measured = 63, .used = 63, .trials = 12}});
        add("predict, and it is far slower",
            {predict, true, crawlsFrom64, 64, {.measured = 32, .used = 32, .trials = 5}});
        add("a size whose memory spills", {halving,
                                           false,
                                           "slope=100000000 trial=spill@16",
                                           64,
                                           {.measured = 8, .used = 8, .trials = 5, .outOfMemoryEvents = 3}});
        add("trials that are disturbed", {halving,
                                          false,
                                          "slope=100000000 trial=disturbed",
                                          64,
                                          {.measured = 16, .used = 16, .trials = 3, .outOfMemoryEvents = 2}});
    }
    void finds()
    {
        auto [way, exact, words, largest, expected] =
            row<MaximumWay, bool, Text, std::int64_t, MaximumFound>();
        m_options.maximum = way;
        m_options.exact = exact;
        start(words, largest);
        QCOMPARE(end(), QStringLiteral("found"));
        QVERIFY(m_found.seconds > 0.0);
        expected.way = way;
        expected.seconds = m_found.seconds;
        QVERIFY2(m_found == expected, qPrintable(QStringLiteral("measured %1, used %2, %3 trials, %4\n%5")
                                                     .arg(m_found.measured)
                                                     .arg(m_found.used)
                                                     .arg(m_found.trials)
                                                     .arg(m_found.outOfMemoryEvents)
                                                     .arg(m_said.join(QLatin1Char('\n')))));
        QVERIFY(!hasChildren());
    }

    void logsItsTrials()
    {
        m_options.maximum = MaximumWay::Halving;
        // The search uses headroom and limit of the training: half of 1.9 GB has room for 8 samples.
        m_options.run.headroom = 0.5;
        m_options.run.memoryLimitBytes = 1'900'000'000;
        start("slope=100000000", 16);
        QCOMPARE(end(), QStringLiteral("found"));
        QCOMPARE(m_found.measured, 8);
        QCOMPARE(m_said.size(), 3);
        VERIFY_STARTS_WITH(m_said.at(0), "Trial 1: 16 ran");
        VERIFY_STARTS_WITH(m_said.at(1), "Trial 2: 8 ran, ");
        // The trial of 4 shows that 8 runs like smaller sizes.
        VERIFY_STARTS_WITH(m_said.at(2), "Trial 3: 4 ran, ");
    }

    void reportsThatNothingFits_data()
    {
        rows<Text, Text>(
            {{"one sample", {"slope=3000000000", "may be used. Raise the memory limit"}},
             {"the network", {"base=3000000000", "The network alone, without any sample, needs 2.8 GiB"}}});
    }
    void reportsThatNothingFits()
    {
        const auto& [words, part] = row<Text, Text>();
        for (const MaximumWay way : {MaximumWay::Halving, MaximumWay::Binary, MaximumWay::Predict}) {
            m_options.maximum = way;
            m_ends.clear();
            start(words, 16);
            const QString sentence = end();
            VERIFY_STARTS_WITH(sentence, "nothing: Not enough memory even for batch_size=1. ");
            VERIFY_CONTAINS(sentence, part);
        }
    }

    void reportsFailures_data()
    {
        rows<Text, Text>(
            {{"does not start", {"start=exit", "The workers keep exiting"}},
             {"speaks nonsense", {"start=garbage", "no trial can run"}},
             {"does not load", {"load=error", "no trial can run"}},
             {"ends in each trial", {"trial=kill", "trial"}},
             {"fails in each trial", {"trial=failed", "The fake worker was told to answer so."}}});
    }
    void reportsFailures()
    {
        const auto& [words, part] = row<Text, Text>();
        start(words, 16);
        const QString sentence = end();
        VERIFY_STARTS_WITH(sentence, "failed: ");
        VERIFY_CONTAINS(sentence, part);
        QVERIFY2(!m_said.contains(sentence.mid(8)), "the failure was said twice");
        QVERIFY(!hasChildren());
    }

    void continuesBelowASizeThatEndsTheWorker()
    {
        m_options.maximum = MaximumWay::Halving;
        start("slope=100000000 trial=kill@16", 64);
        QCOMPARE(end(), QStringLiteral("found"));
        QCOMPARE(m_found.measured, 8);
        QCOMPARE(m_found.outOfMemoryEvents, 2);
        const auto isOfTheEnd = [](const QString& text) { return text.contains(QLatin1String("Killed")); };
        QVERIFY2(std::ranges::any_of(m_said, isOfTheEnd), qPrintable(m_said.join(QLatin1Char('\n'))));
    }

    void stops_data()
    {
        const auto add = rows<Text, std::function<bool()>>();
        add("at once", {"", [] { return true; }});
        add("while it starts", {"start=silent", hasChildren});
        add("in a trial", {"trial=hang once", [this] { return hangs(); }});
    }
    void stops()
    {
        const auto& [words, isReached] = row<Text, std::function<bool()>>();
        start(words, 64);
        TRY_VERIFY(isReached());
        QTimer::singleShot(0, m_search.get(), &MaximumSearch::stop);
        QCOMPARE(end(), QStringLiteral("stopped"));
        QVERIFY(!hasChildren());
        m_search->stop();
        QCoreApplication::processEvents();
        QCOMPARE(m_ends.size(), 1);
    }

    void leavesNoWorkerBehind()
    {
        start("trial=hang once ignore-terminate", 64);
        TRY_VERIFY(hangs());
        QVERIFY(hasChildren());
        m_search.reset();
        QVERIFY(!hasChildren());
    }

    void searchesAgain()
    {
        m_options.maximum = MaximumWay::Halving;
        start("slope=100000000", 64);
        // The search ignores a second start while it runs.
        start("slope=100000000", 8);
        QCOMPARE(end(), QStringLiteral("found"));
        QCOMPARE(m_found.measured, 16);
        m_ends.clear();
        start("slope=100000000", 8);
        QCOMPARE(end(), QStringLiteral("found"));
        QCOMPARE(m_found.measured, 8);
    }

    void refusesAnUnsupportedModel()
    {
        config::ConfigContents contents = test::smallConfig();
        contents.model = config::UnsupportedModel{.sentence = "This network is not known."};
        QVERIFY_EXCEPTION_THROWN(m_search->start(m_file, contents, m_options, 8), config::ConfigError);
        start("slope=100000000", 8);
        QCOMPARE(end(), QStringLiteral("found"));
    }

    void reportsTheRecommendedSizeToo()
    {
        const QTemporaryDir folder;
        m_file = folder.filePath(QStringLiteral("config.yaml"));
        QVERIFY(QFile(m_file).open(QIODevice::WriteOnly));
        engine::ExplorationOptions options;
        options.workerCommand = test::fakeWorkerCommand(QStringLiteral("slope=100000000"), folder);
        options.strategy = QStringLiteral("halving");
        options.maximum = 4;
        options.verify = false;
        {
            engine::Exploration exploration(test::fakeParts());
            const engine::ExplorationRecorder recorder(exploration, store::ExplorationStore::defaultPath());
            exploration.load(m_file, test::smallConfig(), options);
            test::EventSpy<engine::Finished> finished(exploration);
            exploration.start();
            QVERIFY(finished.wait(test::longestWaitMilliseconds));
        }
        start("slope=100000000", 64);
        QCOMPARE(end(), QStringLiteral("found"));
        QCOMPARE(m_found.recommended, 4);

        // The maximum is found even if the history cannot be read.
        QFile history(store::ExplorationStore::defaultPath());
        QVERIFY(history.open(QIODevice::WriteOnly));
        history.write(QByteArray(4096, 'x'));
        history.close();
        m_ends.clear();
        start("slope=100000000", 64);
        QCOMPARE(end(), QStringLiteral("found"));
        QCOMPARE(m_found.recommended, 0);
        // Other lines may follow this one, since trials are logged when they are published.
        QVERIFY2(!m_said.filter(QStringLiteral("The history cannot be read")).isEmpty(),
                 qPrintable(m_said.join(QLatin1Char('\n'))));
    }

private:
    /// Starts a search on the fake worker.
    /// \param words  words of the fake worker's command line, see fake_behavior.h
    void start(const Text& words, std::int64_t largest)
    {
        m_options.run.workerCommand = test::fakeWorkerCommand(words, m_folder);
        m_search->start(m_file, test::smallConfig(), m_options, largest);
        if (!m_ends.isEmpty())
            qFatal("it answered before start() had returned");
    }

    /// Whether a worker has begun the fault that it commits once.
    bool hangs() const { return QFile::exists(m_folder.filePath(QStringLiteral("once"))); }

    /// Waits for the end, and returns the signal and its text.
    QString end()
    {
        if (!QTest::qWaitFor([this] { return !m_ends.isEmpty(); }, test::longestWaitMilliseconds))
            return QStringLiteral("it never ended");
        // A second signal, which would be an error, is already queued.
        QCoreApplication::processEvents();
        return m_ends.join(QLatin1String(", "));
    }

    QTemporaryDir m_folder;
    training::TrainingOptions m_options;
    std::unique_ptr<MaximumSearch> m_search;
    QString m_file = QStringLiteral("config.yaml");
    /// Received signals: "found", "nothing: sentence", "failed: sentence" or "stopped".
    QStringList m_ends;
    QStringList m_said;
    MaximumFound m_found;
};

BATCHPEAK_TEST(MaximumSearchTest)
#include "tst_maximum_search.moc"
