// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/exploration.h"
#include "engine/exploration_recorder.h"
#include "store/exploration_store.h"
#include "support/event_spy.h"
#include "support/test_main.h"
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

constexpr int patienceMilliseconds = 30000;

config::ConfigContents smallConfig()
{
    config::ConfigContents contents;
    contents.formatName = "Cerebras params";
    contents.model = model::ModelSpec{.family = "gpt2",
                                      .architecture = model::DecoderSpec{.vocabularySize = 64,
                                                                         .hiddenSize = 8,
                                                                         .layers = 1,
                                                                         .heads = 2,
                                                                         .keyValueHeads = 2,
                                                                         .feedForwardSize = 16,
                                                                         .maxPositions = 32}};
    contents.train = config::BatchPlan{.globalBatchSize = 64, .devices = 1, .setting = config::Explore{}};
    contents.sequenceLength = 16;
    return contents;
}

engine::ExplorationParts testParts()
{
    engine::ExplorationParts parts;
    parts.localDevices = [] { return std::vector<device::LocalDevice>{{.kind = "cpu", .name = "Test"}}; };
    parts.memoryKills = [] { return 0; };
    return parts;
}

/// Processes that this one has started and that still run.
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
    void init();
    void cleanup() { m_search.reset(); }
    void finds_data();
    void finds();
    void saysWhatItTried();
    void saysThatNothingFits_data();
    void saysThatNothingFits();
    void failsWithASentence_data();
    void failsWithASentence();
    void goesOnBelowASizeThatEndsTheWorker();
    void stops_data();
    void stops();
    void leavesNoWorkerBehind();
    void searchesAgain();
    void refusesWhatCannotBeRun();
    void standsBesideWhatWasRecommended();

private:
    /// \param words  of the fake worker's command line, see fake_behaviour.h
    void start(const QString& words, std::int64_t largest);
    /// Which signal came, and what it said.
    QString end();

    training::TrainingOptions m_options;
    std::unique_ptr<MaximumSearch> m_search;
    QString m_file = QStringLiteral("config.yaml");
    /// "found", "nothing", "failed: sentence", "stopped"
    QStringList m_ends;
    QStringList m_said;
    MaximumFound m_found;
};

void MaximumSearchTest::init()
{
    m_options = {};
    m_ends.clear();
    m_said.clear();
    m_found = {};
    m_file = QStringLiteral("config.yaml");
    QFile::remove(store::ExplorationStore::defaultPath());
    m_search = std::make_unique<MaximumSearch>(testParts());
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

void MaximumSearchTest::start(const QString& words, std::int64_t largest)
{
    m_options.run.workerCommand = QStringLiteral(BATCHPEAK_FAKE_WORKER) + QLatin1Char(' ') + words;
    m_search->start(m_file, smallConfig(), m_options, largest);
    if (!m_ends.isEmpty())
        qFatal("it answered before start() had returned");
}

QString MaximumSearchTest::end()
{
    if (!QTest::qWaitFor([this] { return !m_ends.isEmpty(); }, patienceMilliseconds))
        return QStringLiteral("it never ended");
    // Another one would come soon.
    QTest::qWait(20);
    return m_ends.join(QLatin1String(", "));
}

void MaximumSearchTest::finds_data()
{
    QTest::addColumn<MaximumWay>("way");
    QTest::addColumn<bool>("exact");
    QTest::addColumn<QString>("words");
    QTest::addColumn<std::int64_t>("largest");
    QTest::addColumn<MaximumFound>("expected");
    const auto row = [](const char* name, MaximumWay way, bool exact, const char* words, std::int64_t largest,
                        const MaximumFound& expected) {
        QTest::newRow(name) << way << exact << QString::fromUtf8(words) << largest << expected;
    };
    const auto halving = MaximumWay::Halving;
    const auto binary = MaximumWay::Binary;
    const auto predict = MaximumWay::Predict;
    // 2 GB hold 100 MB and 19 samples of 100 MB.
    const char* holds19 = "slope=100000000";
    const char* holds190 = "slope=10000000";
    row("halving", halving, false, holds19, 64,
        {.measured = 16, .used = 16, .trials = 3, .outOfMemoryEvents = 2});
    row("halving from the bound, above the batch", halving, false, holds190, 200,
        {.measured = 100, .used = 64, .trials = 2, .outOfMemoryEvents = 1});
    row("halving from the bound, below the batch", halving, false, holds190, 12,
        {.measured = 12, .used = 8, .trials = 1});
    row("halving, no power of two", halving, false, holds19, 100,
        {.measured = 12, .used = 8, .trials = 4, .outOfMemoryEvents = 3});
    row("halving, exact", halving, true, holds19, 100,
        {.measured = 12, .used = 12, .trials = 4, .outOfMemoryEvents = 3});
    row("binary", binary, false, holds19, 64,
        {.measured = 19, .used = 16, .trials = 10, .outOfMemoryEvents = 3});
    row("binary, exact", binary, true, holds19, 64,
        {.measured = 19, .used = 19, .trials = 10, .outOfMemoryEvents = 3});
    row("binary up to the bound", binary, false, holds19, 10, {.measured = 10, .used = 8, .trials = 5});
    row("predict", predict, false, holds19, 64, {.measured = 16, .used = 16, .trials = 3});
    row("predict, exact", predict, true, holds19, 64, {.measured = 19, .used = 19, .trials = 3});
    row("predict up to the bound", predict, true, holds19, 7, {.measured = 7, .used = 7, .trials = 3});
    row("predict, and it does not fit", predict, true, "slope=100000000 trial=oom@19", 64,
        {.measured = 9, .used = 9, .trials = 4, .outOfMemoryEvents = 1});
    row("predict where two do not fit", predict, false, "slope=1000000000", 64,
        {.measured = 1, .used = 1, .trials = 2, .outOfMemoryEvents = 1});
    row("a bound of one", binary, false, holds19, 1, {.measured = 1, .used = 1, .trials = 1});
    row("a size that thrashes", halving, false, "slope=100000000 trial=thrash@16", 64,
        {.measured = 8, .used = 8, .trials = 4, .outOfMemoryEvents = 2});
    row("a size whose memory spills", halving, false, "slope=100000000 trial=spill@16", 64,
        {.measured = 8, .used = 8, .trials = 4, .outOfMemoryEvents = 3});
    row("trials that are disturbed", halving, false, "slope=100000000 trial=disturbed", 64,
        {.measured = 16, .used = 16, .trials = 3, .outOfMemoryEvents = 2});
}

void MaximumSearchTest::finds()
{
    QFETCH(MaximumWay, way);
    QFETCH(bool, exact);
    QFETCH(QString, words);
    QFETCH(std::int64_t, largest);
    QFETCH(MaximumFound, expected);
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

void MaximumSearchTest::saysWhatItTried()
{
    m_options.maximum = MaximumWay::Halving;
    // Headroom and limit are those of the training: half of 1.9 GB hold 8 samples.
    m_options.run.headroom = 0.5;
    m_options.run.memoryLimitBytes = 1'900'000'000;
    start(QStringLiteral("slope=100000000"), 16);
    QCOMPARE(end(), QStringLiteral("found"));
    QCOMPARE(m_found.measured, 8);
    QCOMPARE(m_said.size(), 2);
    QVERIFY2(m_said.first().startsWith(QLatin1String("Trial 1: 16 ran")), qPrintable(m_said.first()));
    QVERIFY2(m_said.last().startsWith(QLatin1String("Trial 2: 8 ran, ")), qPrintable(m_said.last()));
}

void MaximumSearchTest::saysThatNothingFits_data()
{
    QTest::addColumn<QString>("words");
    QTest::addColumn<QString>("part");
    QTest::newRow("one sample") << QStringLiteral("slope=3000000000")
                                << QStringLiteral("may be used. Give it");
    QTest::newRow("the network") << QStringLiteral("base=3000000000")
                                 << QStringLiteral("The network alone, without any sample, needs 2.8 GiB");
}

void MaximumSearchTest::saysThatNothingFits()
{
    QFETCH(QString, words);
    QFETCH(QString, part);
    for (const MaximumWay way : {MaximumWay::Halving, MaximumWay::Binary, MaximumWay::Predict}) {
        m_options.maximum = way;
        m_ends.clear();
        start(words, 16);
        const QString sentence = end();
        QVERIFY2(sentence.startsWith(QLatin1String("nothing: Not enough memory even for batch_size=1. ")),
                 qPrintable(sentence));
        QVERIFY2(sentence.contains(part), qPrintable(sentence));
    }
}

void MaximumSearchTest::failsWithASentence_data()
{
    QTest::addColumn<QString>("words");
    QTest::addColumn<QString>("part");
    QTest::newRow("does not start") << QStringLiteral("start=exit")
                                    << QStringLiteral("no worker stays alive");
    QTest::newRow("speaks nonsense") << QStringLiteral("start=garbage") << QStringLiteral("Trials could not");
    QTest::newRow("does not load") << QStringLiteral("load=error")
                                   << QStringLiteral("Trials could not be run");
    QTest::newRow("ends in each trial") << QStringLiteral("trial=kill") << QStringLiteral("trial");
    QTest::newRow("fails in each trial")
        << QStringLiteral("trial=failed") << QStringLiteral("The fake worker was told to answer so.");
}

void MaximumSearchTest::failsWithASentence()
{
    QFETCH(QString, words);
    QFETCH(QString, part);
    start(words, 16);
    const QString sentence = end();
    QVERIFY2(sentence.startsWith(QLatin1String("failed: ")), qPrintable(sentence));
    QVERIFY2(sentence.contains(part), qPrintable(sentence));
    QVERIFY2(!m_said.contains(sentence.mid(8)), "the failure was said twice");
    QVERIFY(!hasChildren());
}

void MaximumSearchTest::goesOnBelowASizeThatEndsTheWorker()
{
    m_options.maximum = MaximumWay::Halving;
    start(QStringLiteral("slope=100000000 trial=kill@16"), 64);
    QCOMPARE(end(), QStringLiteral("found"));
    QCOMPARE(m_found.measured, 8);
    QCOMPARE(m_found.outOfMemoryEvents, 2);
    const auto isOfTheEnd = [](const QString& text) { return text.contains(QLatin1String("Killed")); };
    QVERIFY2(std::ranges::any_of(m_said, isOfTheEnd), qPrintable(m_said.join(QLatin1Char('\n'))));
}

void MaximumSearchTest::stops_data()
{
    QTest::addColumn<QString>("words");
    QTest::addColumn<int>("milliseconds");
    QTest::newRow("at once") << QString() << 0;
    QTest::newRow("while it starts") << QStringLiteral("start=silent") << 100;
    QTest::newRow("in a trial") << QStringLiteral("trial=hang") << 300;
}

void MaximumSearchTest::stops()
{
    QFETCH(QString, words);
    QFETCH(int, milliseconds);
    start(words, 64);
    QTimer::singleShot(milliseconds, m_search.get(), &MaximumSearch::stop);
    QCOMPARE(end(), QStringLiteral("stopped"));
    QVERIFY(!hasChildren());
    m_search->stop();
    QTest::qWait(20);
    QCOMPARE(m_ends.size(), 1);
}

void MaximumSearchTest::leavesNoWorkerBehind()
{
    start(QStringLiteral("trial=hang ignore-terminate"), 64);
    QTRY_VERIFY(hasChildren());
    QTest::qWait(200);
    m_search.reset();
    QVERIFY(!hasChildren());
}

void MaximumSearchTest::searchesAgain()
{
    m_options.maximum = MaximumWay::Halving;
    start(QStringLiteral("slope=100000000"), 64);
    // Nothing comes of a second start while the first search runs.
    start(QStringLiteral("slope=100000000"), 8);
    QCOMPARE(end(), QStringLiteral("found"));
    QCOMPARE(m_found.measured, 16);
    m_ends.clear();
    start(QStringLiteral("slope=100000000"), 8);
    QCOMPARE(end(), QStringLiteral("found"));
    QCOMPARE(m_found.measured, 8);
}

void MaximumSearchTest::refusesWhatCannotBeRun()
{
    config::ConfigContents contents = smallConfig();
    contents.model = config::UnsupportedModel{.sentence = "This network is not known."};
    QVERIFY_EXCEPTION_THROWN(m_search->start(m_file, contents, m_options, 8), config::ConfigError);
    start(QStringLiteral("slope=100000000"), 8);
    QCOMPARE(end(), QStringLiteral("found"));
}

void MaximumSearchTest::standsBesideWhatWasRecommended()
{
    const QTemporaryDir folder;
    m_file = folder.filePath(QStringLiteral("config.yaml"));
    QVERIFY(QFile(m_file).open(QIODevice::WriteOnly));
    engine::ExplorationOptions options;
    options.workerCommand = QStringLiteral(BATCHPEAK_FAKE_WORKER " slope=100000000");
    options.strategy = QStringLiteral("halving");
    options.maximum = 4;
    options.verify = false;
    {
        engine::Exploration exploration(testParts());
        const engine::ExplorationRecorder recorder(exploration, store::ExplorationStore::defaultPath());
        exploration.load(m_file, smallConfig(), options);
        test::EventSpy<engine::Finished> finished(exploration);
        exploration.start();
        QVERIFY(finished.wait(patienceMilliseconds));
    }
    start(QStringLiteral("slope=100000000"), 64);
    QCOMPARE(end(), QStringLiteral("found"));
    QCOMPARE(m_found.recommended, 4);

    // Where the history cannot be read, the maximum is found all the same.
    QFile history(store::ExplorationStore::defaultPath());
    QVERIFY(history.open(QIODevice::WriteOnly));
    history.write(QByteArray(4096, 'x'));
    history.close();
    m_ends.clear();
    start(QStringLiteral("slope=100000000"), 64);
    QCOMPARE(end(), QStringLiteral("found"));
    QCOMPARE(m_found.recommended, 0);
    QVERIFY2(m_said.last().startsWith(QLatin1String("The history cannot be read")),
             qPrintable(m_said.last()));
}

BATCHPEAK_TEST(MaximumSearchTest)
#include "tst_maximum_search.moc"
